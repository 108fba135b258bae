//! Results in the form in which they are returned.

/// On which ranks a pair of points of two ranks appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// On that of the smaller global id alone.
    Once,
    /// On both, each with its own point left.
    Both,
}

/// The pairs of this rank. Points are numbered from the index base, first the owned points and then the ghosts. Pairs are
/// ordered by the global ids of the left points, then of the right points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pairs<'a> {
    /// Owned points.
    pub left: &'a [i32],
    /// Owned points or ghosts.
    pub right: &'a [i32],
}

/// The rows of the owned points. In index base b, the row of point i is `ids[offsets[i] - b]` to
/// `ids[offsets[i + 1] - 1 - b]`, ordered by global id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbors<'a> {
    /// One more element than rows. The first is the index base.
    pub offsets: &'a [i64],
    /// Owned points and ghosts.
    pub ids: &'a [i32],
}
