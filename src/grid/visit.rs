//! The one traversal of the grid: blocks of cells small enough to be worked on in cache, the points in reach of a
//! block, and a block's halves. Every query is this traversal with a different action.

use std::ops::Range;

use super::block::Block;
use super::build::AROUND;
use super::cells::{Cells, Grid};
use super::frame::Quantized;
use super::leaves::UNIT_BITS;
use super::shape::Shape;
use crate::error::Result;
use crate::list::push;

const WHAT: &str = "the list of blocks";

impl Grid {
    /// Cuts the grid into blocks of about `limit` points at most, each place in exactly one; none is wider than a frame
    /// of `fixed`.
    pub fn blocks(&self, limit: usize, fixed: Option<&Quantized>, blocks: &mut Vec<Block>) -> Result<()> {
        blocks.clear();
        match &self.cells {
            Cells::Dense(shape) => {
                let widest = fixed.map_or(u32::MAX, Quantized::cells_at_most);
                let widest = shape.rings.map(|ring| {
                    let around = ring.map_or(i64::MAX, |ring| ring.widest().max(1));
                    around.min(widest.into()) as u32
                });
                self.cut(shape, [0; 3], shape.dims.map(|d| d as u32), (limit, &widest), blocks)
            }
            Cells::Leaves(leaves) => leaves.blocks(limit, fixed, blocks),
        }
    }

    /// Halves the box until its points are few enough, and those around it too, and it is no wider than `widest` cells
    /// along each axis. A cell stays whole if it is no crowd.
    fn cut(
        &self,
        shape: &Shape,
        lo: [u32; 3],
        hi: [u32; 3],
        (limit, widest): (usize, &[u32; 3]),
        blocks: &mut Vec<Block>,
    ) -> Result<()> {
        let mut len = 0;
        self.own(shape, lo, hi, |places| len += places.len());
        if len == 0 {
            return Ok(());
        }
        // In parts that a block can be as wide as allowed.
        let wide = (0..3).find(|&axis| hi[axis] - lo[axis] > widest[axis]);
        let parts = match wide {
            None => {
                let block = Block::Box { lo, hi, places: None };
                let halves = halve(lo, hi);
                let most = if halves.is_some() {
                    limit
                } else {
                    limit.max(self.crowd())
                };
                if len <= most && (halves.is_none() || self.around_at_most(&block) < AROUND) {
                    return push(blocks, block, WHAT);
                }
                halves
            }
            Some(axis) => {
                let width = u64::from(hi[axis] - lo[axis]);
                let parts = width.div_ceil(widest[axis].into());
                Some(split(lo, hi, axis, (parts / 2 * width / parts) as u32))
            }
        };
        if let Some((middle_hi, middle_lo)) = parts {
            self.cut(shape, lo, middle_hi, (limit, widest), blocks)?;
            return self.cut(shape, middle_lo, hi, (limit, widest), blocks);
        }
        let mut outcome = Ok(());
        self.own(shape, lo, hi, |places| {
            for first in places.clone().step_by(limit) {
                let places = Some(first as u32..(first + limit).min(places.end) as u32);
                if outcome.is_ok() {
                    outcome = push(blocks, Block::Box { lo, hi, places }, WHAT);
                }
            }
        });
        outcome
    }

    /// The number of places in [reach](Grid::reach) of a block.
    fn around_at_most(&self, block: &Block) -> usize {
        let mut around = 0;
        self.reach(block, |places| around += places.len());
        around
    }

    /// The two parts of a block; none of a single cell.
    pub fn halves(&self, block: &Block) -> Option<[Block; 2]> {
        match (&self.cells, block) {
            (Cells::Dense(_), &Block::Box { lo, hi, places: None }) => {
                let (middle_hi, middle_lo) = halve(lo, hi)?;
                let part = |lo, hi| Block::Box { lo, hi, places: None };
                Some([part(lo, middle_hi), part(middle_lo, hi)])
            }
            (Cells::Leaves(leaves), Block::Leaves(run)) => {
                let halves = leaves.tree.halves(&Block::run(run))?;
                Some(halves.map(|half| Block::Leaves(half.start as u32..half.end as u32)))
            }
            _ => None,
        }
    }

    /// Points of a block itself.
    pub fn points_of(&self, block: &Block) -> usize {
        let mut len = 0;
        self.places_of(block, |places| len += places.len());
        len
    }

    /// The places of a block's points: runs, none empty.
    #[inline]
    pub fn places_of(&self, block: &Block, mut action: impl FnMut(Range<usize>)) {
        match (&self.cells, block) {
            (
                _,
                Block::Box {
                    places: Some(places), ..
                },
            ) => action(Block::run(places)),
            (Cells::Dense(shape), &Block::Box { lo, hi, .. }) => self.own(shape, lo, hi, action),
            (Cells::Leaves(leaves), Block::Leaves(run)) => action(leaves.tree.points_of(&Block::run(run))),
            _ => {}
        }
    }

    /// The places of the box's points, a run for each of its rows, none empty.
    #[inline]
    fn own(&self, shape: &Shape, lo: [u32; 3], hi: [u32; 3], mut action: impl FnMut(Range<usize>)) {
        let dims = shape.dims;
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

    /// The places in reach of a block's points, its own included: runs, none empty, no place twice.
    pub fn reach(&self, block: &Block, mut action: impl FnMut(Range<usize>)) {
        match (&self.cells, block) {
            (Cells::Dense(shape), &Block::Box { lo, hi, .. }) => {
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
            (Cells::Leaves(leaves), Block::Leaves(run)) => {
                leaves.near(&Block::run(run), 1 << UNIT_BITS, |_, places| action(places));
            }
            _ => {}
        }
    }

    /// The range of the points of a block along `axis`.
    pub fn bounds(&self, block: &Block, axis: usize) -> [f64; 2] {
        match (&self.cells, block) {
            (Cells::Dense(shape), Block::Box { lo, hi, .. }) => shape.bounds(axis, lo[axis], hi[axis]),
            (Cells::Leaves(leaves), Block::Leaves(run)) => leaves.bounds(&Block::run(run), axis),
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }
}

/// The box's halves across its longest axis, as the first one's upper and the second one's lower corner; none of a
/// single cell.
fn halve(lo: [u32; 3], hi: [u32; 3]) -> Option<([u32; 3], [u32; 3])> {
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
