//! The points of this rank, and rows of their neighbors.

use crate::ranks::cloud::Cloud;

pub const WHAT: &str = "the list of k nearest";

/// The points of this rank, and their global ids.
#[derive(Clone, Copy)]
pub struct Own<'a, T> {
    pub cloud: Cloud<'a, T>,
    pub ids: &'a [i64],
    /// The number of the first point.
    pub base: i32,
}

/// Rows as they are made: numbers of points from the index base on, distances squared, numbers of neighbors.
#[derive(Debug)]
pub struct Rows<T> {
    pub k: usize,
    pub ids: Vec<i32>,
    pub squares: Vec<T>,
    pub counts: Vec<i32>,
}
