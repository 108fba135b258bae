//! The part of the grid that one thread processes at a time.

use crate::memory::holds;

use std::ops::Range;

/// A part of the grid that one thread works on.
#[derive(Clone, Debug)]
pub enum Block {
    /// A box of cells `lo .. hi` of a dense grid; of a single crowded cell, only the points at `places`.
    Box {
        lo: [u32; 3],
        hi: [u32; 3],
        places: Option<Range<u32>>,
    },
    /// A run of leaves, where these are the cells.
    Leaves(Range<u32>),
}

holds! { nothing for Block }

impl Block {
    /// A run of leaves as numbers of cells.
    pub(super) fn run(leaves: &Range<u32>) -> Range<usize> {
        leaves.start as usize..leaves.end as usize
    }
}
