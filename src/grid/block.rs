//! The part of the grid that one thread processes at a time.

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
    /// Occupied cells `cells` of a sparse grid: all of a brick, or of a part of it, whose keys differ in the lowest `bits`.
    Brick { cells: Range<u32>, bits: u32 },
    /// Occupied cells `cells` of a sparse grid, of many bricks with few points each.
    Cells { cells: Range<u32> },
}
