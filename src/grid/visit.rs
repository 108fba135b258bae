//! The one traversal of the grid: blocks of cells small enough to be worked on in cache, the points in reach of a block,
//! and a block's halves. Every query is this traversal with a different action.

use std::ops::Range;

use super::{Cells, Fixed, Grid, Shape, sparse};
use crate::error::Result;
use crate::list::push;

/// A block of a sparse grid takes at most this many cells along x, or its reach grows beyond what its points need.
const SPARSE_CELLS: i64 = 4;

/// Points of the blocks that make up one task of a sparse grid.
const SPARSE_TASK: usize = 1024;

/// A part of the grid that one thread works on.
#[derive(Clone, Debug)]
pub enum Block {
    /// A box of cells `lo .. hi` of a dense grid; of a single crowded cell, only the points at `places`.
    Box {
        lo: [u32; 3],
        hi: [u32; 3],
        places: Option<Range<u32>>,
    },
    /// Occupied cells `cells` of a sparse grid.
    Cells { cells: Range<u32> },
}

impl Grid {
    /// Cuts the grid into blocks of about `limit` points at most, each place in exactly one; none is wider than a frame of
    /// `fixed`.
    pub fn blocks(&self, limit: usize, fixed: Option<&Fixed>, blocks: &mut Vec<Block>) -> Result<()> {
        blocks.clear();
        match &self.cells {
            Cells::Dense { shape } => {
                let widest = std::array::from_fn(|axis| {
                    let around = shape.periods[axis].map(|_| shape.dims[axis]);
                    fixed.map_or(u32::MAX, |fixed| fixed.cells_at_most(around))
                });
                self.cut([0; 3], shape.dims.map(|d| d as u32), limit, &widest, blocks)
            }
            Cells::Sparse { keys } => {
                let mut first = 0;
                while first < keys.len() {
                    let end = self.starts[first] as usize + SPARSE_TASK;
                    let next = self.starts.partition_point(|&start| start as usize <= end) - 1;
                    let next = next.clamp(first + 1, keys.len());
                    let cells = first as u32..next as u32;
                    push(blocks, Block::Cells { cells }, "the list of blocks")?;
                    first = next;
                }
                Ok(())
            }
        }
    }

    /// Halves the box until its points are few enough and it is no wider than `widest` cells along each axis.
    fn cut(&self, lo: [u32; 3], hi: [u32; 3], limit: usize, widest: &[u32; 3], blocks: &mut Vec<Block>) -> Result<()> {
        const WHAT: &str = "the list of blocks";
        let len = self.points_in(lo, hi);
        if len == 0 {
            return Ok(());
        }
        // In parts that a block can be as wide as allowed.
        let wide = (0..3).find(|&axis| hi[axis] - lo[axis] > widest[axis]);
        let parts = match wide {
            None if len <= limit => return push(blocks, Block::Box { lo, hi, places: None }, WHAT),
            None => halve(lo, hi),
            Some(axis) => {
                let width = hi[axis] - lo[axis];
                let parts = width.div_ceil(widest[axis]);
                Some(split(
                    lo,
                    hi,
                    axis,
                    (u64::from(parts / 2) * u64::from(width) / u64::from(parts)) as u32,
                ))
            }
        };
        if let Some((middle_hi, middle_lo)) = parts {
            self.cut(lo, middle_hi, limit, widest, blocks)?;
            return self.cut(middle_lo, hi, limit, widest, blocks);
        }
        let mut outcome = Ok(());
        self.own(lo, hi, |places| {
            for first in places.clone().step_by(limit) {
                let places = Some(first as u32..(first + limit).min(places.end) as u32);
                if outcome.is_ok() {
                    outcome = push(blocks, Block::Box { lo, hi, places }, WHAT);
                }
            }
        });
        outcome
    }

    /// Points in the box.
    pub fn points_in(&self, lo: [u32; 3], hi: [u32; 3]) -> usize {
        let mut len = 0;
        self.own(lo, hi, |places| len += places.len());
        len
    }

    /// The places of the box's points, a run for each of its rows, none empty.
    #[inline]
    pub fn own(&self, lo: [u32; 3], hi: [u32; 3], mut action: impl FnMut(Range<usize>)) {
        let Cells::Dense {
            shape: Shape { dims, .. },
        } = &self.cells
        else {
            return;
        };
        for z in lo[2]..hi[2] {
            for y in lo[1]..hi[1] {
                let row = (z as usize * dims[1] + y as usize) * dims[0];
                let run = self.starts[row + lo[0] as usize]..self.starts[row + hi[0] as usize];
                if !run.is_empty() {
                    action(run.start as usize..run.end as usize);
                }
            }
        }
    }

    /// The places in reach of the box's points, its own included: runs, none empty, no place twice.
    pub fn reach(&self, lo: [u32; 3], hi: [u32; 3], mut action: impl FnMut(Range<usize>)) {
        let Cells::Dense { shape } = &self.cells else { return };
        let parts: [_; 3] = std::array::from_fn(|axis| shape.parts_once(axis, lo[axis], hi[axis]).map(|part| part.0));
        for z in parts[2].iter().cloned().flatten() {
            for y in parts[1].iter().cloned().flatten() {
                let row = (z * shape.dims[1] + y) * shape.dims[0];
                for x in &parts[0] {
                    let run = self.starts[row + x.start]..self.starts[row + x.end];
                    if !run.is_empty() {
                        action(run.start as usize..run.end as usize);
                    }
                }
            }
        }
    }

    /// Where the points of the box lie along `axis`.
    pub fn bounds(&self, axis: usize, lo: u32, hi: u32) -> [f64; 2] {
        match &self.cells {
            Cells::Dense { shape } => shape.bounds(axis, lo, hi),
            Cells::Sparse { .. } => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// Visits the rows of up to [`SPARSE_CELLS`] cells that `cells` of a sparse grid are made of: their own places, and
    /// the runs in reach.
    pub fn sparse_rows(&self, cells: Range<u32>, mut action: impl FnMut(Range<usize>, &[Range<usize>])) {
        let Cells::Sparse { keys } = &self.cells else { return };
        let (y_reach, z_reach) = (i64::from(self.dim > 1), i64::from(self.dim > 2));
        let (mut hints, mut runs) = ([cells.start as usize; 9], [const { 0..0 }; 9]);
        let mut cell = cells.start as usize;
        while cell < cells.end as usize {
            let [x, y, z] = sparse::unpack(keys[cell]);
            let in_row = |key: &sparse::Key| {
                let [other_x, other_y, other_z] = sparse::unpack(*key);
                (other_y, other_z) == (y, z) && other_x < x + SPARSE_CELLS
            };
            let len = keys[cell..cells.end as usize]
                .iter()
                .take_while(|key| in_row(key))
                .count();
            let [x_end, ..] = sparse::unpack(keys[cell + len - 1]);
            let mut found = 0;
            for (k, hint) in hints.iter_mut().enumerate() {
                let (dy, dz) = (k as i64 % 3 - 1, k as i64 / 3 - 1);
                if dy.abs() <= y_reach && dz.abs() <= z_reach {
                    let row = sparse::row(keys, [x, y + dy, z + dz], x_end, 1, hint);
                    let run = self.starts[row.start] as usize..self.starts[row.end] as usize;
                    if !run.is_empty() {
                        runs[found] = run;
                        found += 1;
                    }
                }
            }
            action(
                self.starts[cell] as usize..self.starts[cell + len] as usize,
                &runs[..found],
            );
            cell += len;
        }
    }
}

/// The box's halves across its longest axis, as the first one's upper and the second one's lower corner; none of a
/// single cell.
pub fn halve(lo: [u32; 3], hi: [u32; 3]) -> Option<([u32; 3], [u32; 3])> {
    let longest = (0..3).max_by_key(|&axis| hi[axis] - lo[axis])?;
    let width = hi[longest] - lo[longest];
    (width >= 2).then(|| split(lo, hi, longest, width / 2))
}

/// The box's two parts across an axis, the first `first` cells long.
fn split(lo: [u32; 3], hi: [u32; 3], axis: usize, first: u32) -> ([u32; 3], [u32; 3]) {
    let (mut middle_hi, mut middle_lo) = (hi, lo);
    middle_hi[axis] = lo[axis] + first;
    middle_lo[axis] = middle_hi[axis];
    (middle_hi, middle_lo)
}
