//! Kinds of rows of neighbors, layouts of lists of them, and results.

use crate::error::{Error, Result};
use crate::kinds::RowsOf;

/// The neighbors that a row lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighborsKind {
    /// Row `i` lists the neighbors `j > i`, so that each pair appears once. If points have global ids, the ids are compared
    /// instead.
    Half,
    /// Row `i` lists all neighbors `j`, so that each pair appears twice.
    Full,
    /// Row `q` lists the points within the cutoff of query `q`.
    Queries,
}

impl NeighborsKind {
    /// The rows, as classes are computed for them.
    pub(super) fn classes_of(self) -> RowsOf {
        match self {
            NeighborsKind::Half => RowsOf::Half,
            NeighborsKind::Full => RowsOf::Full,
            NeighborsKind::Queries => RowsOf::Queries,
        }
    }

    /// Whether rows are those of queries.
    pub(super) fn is_of_queries(self) -> bool {
        self == NeighborsKind::Queries
    }
}

/// The rows of a search: those of a kind, which list excluded pairs too for a formula that reads their classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sought {
    pub kind: NeighborsKind,
    pub excluded_too: bool,
}

impl From<NeighborsKind> for Sought {
    fn from(kind: NeighborsKind) -> Sought {
        Sought {
            kind,
            excluded_too: false,
        }
    }
}

/// The layout of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Rows and numbers in the order of the search.
    Searched,
    /// Rows in the order of the search, with the caller's point numbers: pairs.
    Pairs,
    /// Rows in the caller's order, with the caller's point numbers: neighbors.
    Rows,
}

/// All pairs in the handle's index base, with `left < right` and ordered by `(left, right)`. If points have global ids, the
/// ids decide instead.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// `pair_i`.
    pub left: &'a [i32],
    /// `pair_j`.
    pub right: &'a [i32],
}

/// Rows of neighbors in compressed form (CSR), in the handle's index base: row `i` is
/// `ids[offsets[i] - base .. offsets[i + 1] - base]`.
#[derive(Clone, Copy, Debug)]
pub struct Neighbors<'a> {
    /// One more element than rows. The first is the index base.
    pub offsets: &'a [i64],
    /// Point numbers, ascending within a row, or ordered by the global ids if points have them.
    pub ids: &'a [i32],
}

/// The status of a count that does not fit 32 bits.
pub fn check_32_bit(need: i64) -> Result<i32> {
    i32::try_from(need).map_err(|_| Error::TooManyPairs {
        need,
        limit: i64::from(i32::MAX),
    })
}
