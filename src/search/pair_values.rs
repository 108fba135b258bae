//! A pair field as a caller gets it.

/// The values of a pair field, and the rows whose entries have them.
#[derive(Clone, Debug, PartialEq)]
pub struct PairValues<T> {
    /// The begin of each row in `ids`, and the end of the last, in the handle's index base.
    pub offsets: Vec<i64>,
    /// The neighbors of each point.
    pub ids: Vec<i32>,
    /// `components` numbers for each entry, entry after entry.
    pub values: Vec<T>,
    /// 1, or the dimension of the points for a vector.
    pub components: usize,
}
