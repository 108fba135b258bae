//! A pair field as a caller gets it, and as one sets it.

/// The values of a pair field, and the rows whose entries have them.
#[derive(Clone, Debug, PartialEq)]
pub struct PairValues<T, I = i32> {
    /// The begin of each row in `ids`, and the end of the last, in the handle's index base.
    pub offsets: Vec<i64>,
    /// The neighbors of each point: their numbers, or their global ids.
    pub ids: Vec<I>,
    /// `components` numbers for each entry, entry after entry.
    pub values: Vec<T>,
    /// 1, or the dimension of the points for a vector.
    pub components: usize,
}

/// The arguments of a call that sets a pair field by global ids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairFieldAsked<'a, T> {
    pub name: &'a str,
    pub offsets: &'a [i64],
    pub ids: &'a [i64],
    pub values: &'a [T],
    pub components: usize,
}
