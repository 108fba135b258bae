//! Rows that a handle gave away.

use std::ops::Range;

use super::neighbors::Neighbors;
use crate::error::Result;
use crate::ids::Offsets;
use crate::list::{Rows, holds, resize_discarding, scan};
use crate::threads::Team;

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

holds! { NeighborList { offsets, ids; rows } }

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

    /// The bytes of the rows.
    pub(super) fn bytes_of_rows(&self) -> u64 {
        let Neighbors { offsets, ids } = self.neighbors();
        (size_of_val(offsets) + size_of_val(ids)) as u64
    }

    /// Takes the rows of a handle and leaves it the memory of those before.
    pub(super) fn exchange(&mut self, rows: Range<usize>, offsets: &mut Offsets, ids: &mut Vec<i32>) {
        self.rows = rows;
        std::mem::swap(&mut self.offsets, offsets);
        std::mem::swap(&mut self.ids, ids);
    }

    /// Makes new rows: `lengths` writes the lengths of `rows` rows, and then `fill` writes their ids.
    pub(super) fn make(
        &mut self,
        (rows, base): (usize, i64),
        team: &Team,
        lengths: impl FnOnce(&mut [i64]),
        fill: impl FnOnce(&[i64], Rows) -> Result<()>,
    ) -> Result<()> {
        self.rows = 0..rows;
        let total = self.offsets.make(team, |offsets| {
            resize_discarding(offsets, rows + 1, 0, "the offsets of a list")?;
            offsets[0] = 0;
            lengths(&mut offsets[1..]);
            Ok(scan(offsets, base))
        })?;
        resize_discarding(&mut self.ids, total as usize, 0, "the list of ids")?;
        fill(&self.offsets, Rows::new(&mut self.ids))
    }
}
