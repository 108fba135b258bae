//! The one traversal of the grid: blocks of cells small enough to be worked on in cache, the points in reach of a block,
//! and a block's halves. Every query is this traversal with a different action.

use std::ops::Range;

use super::block::Block;
use super::sparse::{BRICK_BITS, Key, Lattice};
use super::{Cells, Grid, Quantized, Shape};
use crate::error::Result;
use crate::list::push;

/// A block of a sparse grid takes at most this many cells along x, or its reach grows beyond what its points need.
const SPARSE_CELLS: Key = 4;

/// A brick of a sparse grid with fewer points than this is not worth a block of its own.
const BRICK_AT_LEAST: usize = 32;

const WHAT: &str = "the list of blocks";

/// Runs in reach of a row of [`SPARSE_CELLS`] cells, at most: across a boundary, where each cell is one and two more may be in
/// reach, rows of 7 in 4 by 4.
const RUNS: usize = 7 * 4 * 4;

/// Points of the blocks that make up one task of a sparse grid, where its bricks have few each.
const SPARSE_TASK: usize = 1024;

impl Grid {
    /// Cuts the grid into blocks of about `limit` points at most, each place in exactly one; none is wider than a frame of
    /// `fixed`.
    pub fn blocks(&self, limit: usize, fixed: Option<&Quantized>, blocks: &mut Vec<Block>) -> Result<()> {
        blocks.clear();
        match &self.cells {
            Cells::Dense { shape } => {
                let widest = fixed.map_or(u32::MAX, Quantized::cells_at_most);
                let widest = shape.rings.map(|ring| {
                    let around = ring.map_or(i64::MAX, |ring| ring.widest().max(1));
                    around.min(widest.into()) as u32
                });
                self.cut([0; 3], shape.dims.map(|d| d as u32), limit, &widest, blocks)
            }
            Cells::Sparse { lattice, keys } => self.bricks(lattice, keys, limit, blocks),
        }
    }

    /// Every brick a block, or if it has too many points several; bricks with few points together, some thousand points a
    /// block.
    fn bricks(&self, lattice: &Lattice, keys: &[Key], limit: usize, blocks: &mut Vec<Block>) -> Result<()> {
        let bits = lattice.inside_bits();
        let len = |cells: &Range<usize>| (self.starts[cells.end] - self.starts[cells.start]) as usize;
        let mut few = 0..0;
        let mut first = 0;
        while first < keys.len() {
            let brick = keys[first] >> bits;
            let cells = first..first + keys[first..].iter().take_while(|&&key| key >> bits == brick).count();
            first = cells.end;
            let is_few = len(&cells) < BRICK_AT_LEAST;
            if !few.is_empty() && (!is_few || len(&few) >= SPARSE_TASK) {
                push_cells(few.clone(), blocks)?;
                few = cells.start..cells.start;
            }
            if is_few {
                few = if few.is_empty() { cells } else { few.start..cells.end };
            } else {
                self.cut_brick(keys, cells, bits, limit, blocks)?;
            }
        }
        if few.is_empty() {
            Ok(())
        } else {
            push_cells(few, blocks)
        }
    }

    /// Halves a part of a brick until its points are few enough: keys order as (z, y, x), so each half is a range of them.
    fn cut_brick(
        &self,
        keys: &[Key],
        cells: Range<usize>,
        bits: u32,
        limit: usize,
        blocks: &mut Vec<Block>,
    ) -> Result<()> {
        if cells.is_empty() {
            return Ok(());
        }
        let len = (self.starts[cells.end] - self.starts[cells.start]) as usize;
        if len <= limit || bits == 0 {
            let cells = cells.start as u32..cells.end as u32;
            return push(blocks, Block::Brick { cells, bits }, WHAT);
        }
        let bits = bits - 1;
        let middle = cells.start + keys[cells.clone()].partition_point(|&key| key >> bits & 1 == 0);
        self.cut_brick(keys, cells.start..middle, bits, limit, blocks)?;
        self.cut_brick(keys, middle..cells.end, bits, limit, blocks)
    }

    /// Halves the box until its points are few enough and it is no wider than `widest` cells along each axis.
    fn cut(&self, lo: [u32; 3], hi: [u32; 3], limit: usize, widest: &[u32; 3], blocks: &mut Vec<Block>) -> Result<()> {
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
                let width = u64::from(hi[axis] - lo[axis]);
                let parts = width.div_ceil(widest[axis].into());
                Some(split(lo, hi, axis, (parts / 2 * width / parts) as u32))
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

    /// Points of a block itself.
    pub fn points_of(&self, block: &Block) -> usize {
        let mut len = 0;
        self.places_of(block, |places| len += places.len());
        len
    }

    /// The places of a block's points.
    pub fn places_of(&self, block: &Block, mut action: impl FnMut(Range<usize>)) {
        match block {
            Block::Box {
                places: Some(places), ..
            } => action(places.start as usize..places.end as usize),
            &Block::Box { lo, hi, places: None } => self.own(lo, hi, action),
            Block::Brick { cells, .. } | Block::Cells { cells } => {
                let [start, end] = [cells.start, cells.end].map(|cell| self.starts[cell as usize] as usize);
                action(start..end);
            }
        }
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
        let [xs, ys, zs] = [0, 1, 2].map(|axis| shape.around_once(axis, lo[axis], hi[axis]));
        for z in zs.into_iter().flatten() {
            for y in ys.iter().cloned().flatten() {
                let row = (z as usize * shape.dims[1] + y as usize) * shape.dims[0];
                for x in &xs {
                    let run = self.starts[row + x.start as usize]..self.starts[row + x.end as usize];
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
        let Cells::Sparse { lattice, keys } = &self.cells else {
            return;
        };
        let (y_reach, z_reach) = (i64::from(self.dim > 1), i64::from(self.dim > 2));
        let (mut hints, mut runs) = ([[cells.start as usize; 2]; 9], [const { 0..0 }; RUNS]);
        let mut first = cells.start as usize;
        while first < cells.end as usize {
            let key = keys[first];
            let in_row = |&&other: &&Key| other >> BRICK_BITS == key >> BRICK_BITS && other < key + SPARSE_CELLS;
            let len = keys[first..cells.end as usize].iter().take_while(in_row).count();
            let [x, y, z] = lattice.cell(key);
            let x_end = x + (keys[first + len - 1] - key) as i64;
            if lattice.is_periodic() {
                let found = self.sparse_images(lattice, keys, first, len, &mut runs);
                let own = self.starts[first] as usize..self.starts[first + len] as usize;
                action(own, &runs[..found]);
                first += len;
                continue;
            }
            let mut found = 0;
            for (k, hints) in hints.iter_mut().enumerate() {
                let (dy, dz) = (k as i64 % 3 - 1, k as i64 / 3 - 1);
                if dy.abs() > y_reach || dz.abs() > z_reach {
                    continue;
                }
                for row in lattice.row(keys, [x - 1, y + dy, z + dz], x_end + 1, hints) {
                    let run = self.starts[row.start] as usize..self.starts[row.end] as usize;
                    if !run.is_empty() {
                        runs[found] = run;
                        found += 1;
                    }
                }
            }
            let own = self.starts[first] as usize..self.starts[first + len] as usize;
            action(own, &runs[..found]);
            first += len;
        }
    }
}

impl Grid {
    /// The runs in reach of `len` cells of a row from `first` on where axes are periodic: one for each occupied cell.
    fn sparse_images(
        &self,
        lattice: &Lattice,
        keys: &[Key],
        first: usize,
        len: usize,
        runs: &mut [Range<usize>; RUNS],
    ) -> usize {
        let (lo, end) = (lattice.cell(keys[first]), lattice.cell(keys[first + len - 1]));
        let mut found = 0;
        lattice.each_once(keys, lo, end.map(|c| c + 1), first, |cell| {
            runs[found] = self.starts[cell] as usize..self.starts[cell + 1] as usize;
            found += 1;
        });
        found
    }
}

fn push_cells(cells: Range<usize>, blocks: &mut Vec<Block>) -> Result<()> {
    let cells = cells.start as u32..cells.end as u32;
    push(blocks, Block::Cells { cells }, WHAT)
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
