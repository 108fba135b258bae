//! Rows that a handle gave away.

use std::ops::Range;

use super::neighbors::Neighbors;
use crate::ids::Offsets;

/// Rows of neighbors that no call on the handle changes: [`Search::take_neighbors`](crate::Search::take_neighbors) moves them
/// out of the handle. They outlive it, and any thread may read them.
#[derive(Debug, Default)]
pub struct NeighborList {
    /// Of points and of the queries after them, as the handle had them.
    offsets: Offsets,
    /// Those of them that are rows of the list.
    rows: Range<usize>,
    ids: Vec<i32>,
}

impl NeighborList {
    /// A list without rows.
    pub fn new() -> NeighborList {
        NeighborList::default()
    }

    /// The rows. Their index base is the first offset.
    pub fn neighbors(&self) -> Neighbors<'_> {
        let Range { start, end } = self.rows;
        Neighbors {
            offsets: self.offsets.get(start..=end).unwrap_or(&[0]),
            ids: &self.ids,
        }
    }

    /// Takes the rows of a handle and leaves it the memory of those before.
    pub(super) fn exchange(&mut self, rows: Range<usize>, offsets: &mut Offsets, ids: &mut Vec<i32>) {
        self.rows = rows;
        std::mem::swap(&mut self.offsets, offsets);
        std::mem::swap(&mut self.ids, ids);
    }
}
