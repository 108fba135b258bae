//! Nodes of the index, and how large they are.

use crate::memory::holds;
use crate::real::Real;

/// Points of a leaf, at most.
pub(crate) const LEAF: usize = 32;

/// The number of times more points a node may have than one of the finer plane.
pub(super) const GROWTH: usize = 8;

pub(super) const WHAT: &str = "the index along the z-order curve";

/// A run of points, or of nodes of the finer plane.
#[derive(Clone, Copy, Debug, Default)]
pub struct Node<T> {
    /// The box of its points: lower corner,
    pub lo: [T; 3],
    /// and upper corner.
    pub hi: [T; 3],
    /// The first of the run; its end is the first of the next node.
    pub first: u32,
    /// The lowest number of its points.
    pub lowest: i32,
}

holds! { nothing for Node<T> }

/// The lesser of two numbers.
#[inline(always)]
pub fn lesser<T: Real>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// The greater of two numbers.
#[inline(always)]
pub fn greater<T: Real>(a: T, b: T) -> T {
    if b > a { b } else { a }
}
