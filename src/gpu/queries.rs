//! The questions of searches and their answers: the same in a build without the feature `gpu`.

use crate::domain::Periods;
use crate::exclusions::ExcludedPairs;
use crate::ids::OutputMap;
use crate::kinds::Classes;
use crate::list::Rows;
use crate::measure::Measure;
use crate::points::{PointsView, Stamp};
use crate::version::Version;

/// The rows that are counted.
#[derive(Clone, Copy)]
pub struct Rule<'a> {
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    /// The classes of rows, for points of several kinds.
    pub classes: Option<&'a Classes<'a>>,
    /// Pairs that no row lists, and their version.
    pub excluded: Option<(Version, &'a ExcludedPairs)>,
    /// 0 or 1, in offsets and ids.
    pub base: i64,
    /// The ghosts that belong to the front of each row: the first, and the point after the last; the same where there are none.
    pub lower_ghosts: [u32; 2],
    /// They will be filled next: begin at once.
    pub eager: bool,
}

/// The contents of a search's rows, and their place.
pub struct Want<'a> {
    pub output: OutputMap<'a>,
    pub ids: Rows<'a>,
    /// The column of left points, where it is wanted.
    pub left: Option<Rows<'a>>,
}

/// The points along the curve, and those whose nearest are sought.
#[derive(Clone, Copy)]
pub struct Asking<'a, T> {
    /// Points, and queries after them.
    pub view: &'a PointsView<'a, T>,
    pub stamp: Stamp,
    pub periods: &'a Periods<T>,
    /// Points; what is after them are queries.
    pub points: usize,
    /// Rows are those of queries.
    pub of_queries: bool,
}

/// The contents of rows.
pub struct Wanted<'a, T> {
    pub k: usize,
    /// Rows: the first of the points, or all queries.
    pub rows: usize,
    pub skips_self: bool,
    /// No neighbor is farther than this, squared, where it is given.
    pub within: Option<T>,
    pub measure: Measure,
    pub base: i64,
    pub ids: Rows<'a>,
    pub distances: Option<Rows<'a, T>>,
}

/// A question for groups.
pub struct Links<'a, T> {
    pub asking: Asking<'a, T>,
    /// A pair is two points whose distance squared is at most this.
    pub bound: T,
    /// Added to labels.
    pub base: i32,
}

/// Its answer.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    pub groups: usize,
    /// The index was made for it.
    pub built: bool,
}
