//! What searches are asked, and what they say: the same in a build without the feature `gpu`.

use crate::domain::Periods;
use crate::ids::OutputMap;
use crate::kinds::Classes;
use crate::list::Rows;
use crate::measure::Measure;
use crate::points::{PointsView, Stamp};

/// Which rows are counted.
#[derive(Clone, Copy)]
pub struct Rule<'a> {
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    /// Where points are of several kinds, what rows list.
    pub classes: Option<&'a Classes<'a>>,
    /// 0 or 1, in offsets and ids.
    pub base: i64,
    /// They will be filled next: begin at once.
    pub eager: bool,
}

/// What the rows of a search hold, and where they go.
pub struct Want<'a> {
    pub output: OutputMap<'a>,
    pub ids: Rows<'a>,
    /// The column of left points, where it is wanted.
    pub left: Option<Rows<'a>>,
}

/// What is held along the curve: whose nearest are sought, among which points.
#[derive(Clone, Copy)]
pub struct Asking<'a, T> {
    /// Points, and queries behind them.
    pub view: &'a PointsView<'a, T>,
    pub stamp: Stamp,
    pub periods: &'a Periods<T>,
    /// Points; what stands behind them are queries.
    pub points: usize,
    /// Rows are those of queries.
    pub of_queries: bool,
}

/// What rows have.
pub struct Wanted<'a, T> {
    pub k: usize,
    /// Rows: the first of the points, or all queries.
    pub rows: usize,
    pub skips_self: bool,
    pub measure: Measure,
    pub base: i64,
    pub ids: Rows<'a>,
    pub distances: Option<Rows<'a, T>>,
}

/// What is asked of a search for groups.
pub struct Links<'a, T> {
    pub asking: Asking<'a, T>,
    /// A pair is two points whose distance squared is at most this.
    pub bound: T,
    /// Added to labels.
    pub base: i32,
}

/// What it found.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    pub groups: usize,
    /// The index was made for it.
    pub built: bool,
}
