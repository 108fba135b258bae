//! The one traversal of the grid: blocks of points that share a neighborhood, and the runs of points in reach of them.
//! Every query is this traversal with a different action.

use std::ops::Range;

use super::{Cells, Grid, sparse};

/// A block takes cells along x until it has this many points: they share the cost of one neighborhood.
const BLOCK_POINTS: usize = 48;

/// A block never spans more cells than this, or its neighborhood grows beyond what its points need.
const BLOCK_CELLS: usize = 4;

/// The most rows of cells around a block: 3 x 3 along y and z.
const ROWS: usize = 9;

/// Points that share a neighborhood, and the sorted places of all that can be in reach of any of them.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The block's own points, as places in cell order. They are part of exactly one of the runs.
    pub own: Range<usize>,
    runs: [Range<u32>; ROWS],
    len: usize,
}

impl Block {
    /// Runs of places in reach, ascending, none empty.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + Clone + '_ {
        self.runs[..self.len]
            .iter()
            .map(|run| run.start as usize..run.end as usize)
    }

    /// Points in reach, the block's own included.
    pub fn reach(&self) -> usize {
        self.runs().map(|run| run.len()).sum()
    }

    fn push(&mut self, run: Range<u32>) {
        if !run.is_empty() {
            self.runs[self.len] = run;
            self.len += 1;
        }
    }
}

/// What a traversal remembers from block to block.
#[derive(Clone, Debug, Default)]
pub struct Visitor {
    block: Block,
    hints: [usize; ROWS],
}

impl Visitor {
    /// Visits the blocks of places `places`, in order. Places cut out of a larger cell make a block of their own, so that
    /// no cell is too large to be shared among threads.
    pub fn visit<T>(&mut self, grid: &Grid<T>, places: Range<usize>, mut action: impl FnMut(&Block)) {
        let starts = &grid.starts;
        let mut at = places.start;
        // The last cell that starts at or before `at` is the one that holds it: empty cells before it end there too.
        let mut cell = starts.partition_point(|&start| start as usize <= at).saturating_sub(1);
        while at < places.end {
            while starts[cell + 1] as usize <= at {
                cell += 1;
            }
            let last = grid.last_cell_of_block(cell, at);
            let end = (starts[last + 1] as usize).min(places.end);
            self.block.own = at..end;
            self.block.len = 0;
            grid.push_runs(cell, last, self);
            action(&self.block);
            at = end;
            cell = last;
        }
    }
}

impl<T> Grid<T> {
    /// The last cell of the block that begins at place `at` in `cell`.
    fn last_cell_of_block(&self, cell: usize, at: usize) -> usize {
        let furthest = match &self.cells {
            Cells::Dense { dims } => (cell / dims[0] + 1) * dims[0] - 1,
            Cells::Sparse { .. } => cell,
        };
        let mut last = cell;
        while last < furthest.min(cell + BLOCK_CELLS - 1) && self.starts[last + 2] as usize - at <= BLOCK_POINTS {
            last += 1;
        }
        last
    }

    /// Adds the runs around cells `cell ..= last`, which lie in one row along x.
    fn push_runs(&self, cell: usize, last: usize, visitor: &mut Visitor) {
        let starts = &self.starts;
        let (y_reach, z_reach) = ((self.dim > 1) as isize, (self.dim > 2) as isize);
        match &self.cells {
            Cells::Dense { dims } => {
                let (x, row) = (cell % dims[0], cell / dims[0]);
                let (y, z) = (row % dims[1], row / dims[1]);
                let x_end = (last % dims[0] + 1).min(dims[0] - 1);
                let x = x.saturating_sub(1);
                for z in z.saturating_sub(1)..=(z + 1).min(dims[2] - 1) {
                    for y in y.saturating_sub(1)..=(y + 1).min(dims[1] - 1) {
                        let row = (z * dims[1] + y) * dims[0];
                        visitor.block.push(starts[row + x]..starts[row + x_end + 1]);
                    }
                }
            }
            Cells::Sparse { keys } => {
                let [x, y, z] = sparse::unpack(keys[cell]);
                let mut hint = 0;
                for dz in -z_reach..=z_reach {
                    for dy in -y_reach..=y_reach {
                        let around = [x, y + dy as i64, z + dz as i64];
                        let row = sparse::row(keys, around, x, 1, &mut visitor.hints[hint]);
                        hint += 1;
                        visitor.block.push(starts[row.start]..starts[row.end]);
                    }
                }
            }
        }
    }
}
