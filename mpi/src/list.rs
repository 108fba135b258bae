//! Results in the form in which they are returned.

/// On which rank a pair of points of two ranks is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// On that of the smaller global id alone.
    Once,
    /// On both, each with its own point left.
    Both,
}

/// Pairs of this rank by numbers of points in the index base, ghosts behind the owned: ordered by the global ids of the left
/// points, then of the right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pairs<'a> {
    /// Owned points.
    pub left: &'a [i32],
    /// Owned points or ghosts.
    pub right: &'a [i32],
}

/// Rows of the owned points: in index base b that of point i is `ids[offsets[i] - b]` to `ids[offsets[i + 1] - 1 - b]`, by
/// global id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbors<'a> {
    /// Where rows begin, and the last one ends.
    pub offsets: &'a [i64],
    /// Owned points and ghosts.
    pub ids: &'a [i32],
}
