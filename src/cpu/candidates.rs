//! The neighborhood of a block in the caller's order: gathered once, so that every row found in it is born sorted.
//!
//! Sorting candidates costs less than sorting rows: a block's points share them. In the caller's order a half row is
//! the targets behind the point itself, so only half of them are tested.

use std::ops::Range;

use super::simd::Targets;
use crate::error::Result;
use crate::grid::{Block, Grid, PADDING};
use crate::list::resize_discarding;
use crate::points::Real;

/// Below this many candidates a comparison sort beats the radix sort's fixed cost.
const RADIX_AT_LEAST: usize = 96;

/// Candidates of one block, in ascending order of the caller's numbers.
#[derive(Debug, Default)]
pub struct Candidates<T> {
    /// Number and place in the grid, packed as `number << 32 | place`.
    order: Vec<u64>,
    /// The radix sort's other buffer.
    spare: Vec<u64>,
    coords: [Vec<T>; 3],
    ids: Vec<i32>,
    /// For each of the block's own points, its rank among the candidates.
    ranks: Vec<u32>,
    len: usize,
}

impl<T: Real> Candidates<T> {
    /// Gathers the neighborhood of `block`; ids get `base` added.
    pub fn gather(&mut self, grid: &Grid<T>, block: &Block, base: i32) -> Result<()> {
        const WHAT: &str = "the neighborhood of a block";
        let len = block.reach();
        self.len = len;
        resize_discarding(&mut self.order, len, 0, WHAT)?;
        resize_discarding(&mut self.spare, len, 0, WHAT)?;
        resize_discarding(&mut self.ids, len + PADDING, 0, WHAT)?;
        resize_discarding(&mut self.ranks, block.own.len(), 0, WHAT)?;
        for coords in &mut self.coords[..grid.dim()] {
            resize_discarding(coords, len + PADDING, T::INFINITY, WHAT)?;
        }
        let mut at = 0;
        for run in block.runs() {
            for (entry, (place, &id)) in self.order[at..]
                .iter_mut()
                .zip(run.clone().zip(&grid.ids()[run.clone()]))
            {
                *entry = u64::from(id) << 32 | place as u64;
            }
            at += run.len();
        }
        self.sort(grid.len());
        for (rank, &entry) in self.order[..len].iter().enumerate() {
            let place = entry as u32 as usize;
            self.ids[rank] = (entry >> 32) as i32 + base;
            if block.own.contains(&place) {
                self.ranks[place - block.own.start] = rank as u32;
            }
        }
        for (axis, coords) in grid.coords().into_iter().enumerate().take(grid.dim()) {
            for (coord, &entry) in self.coords[axis].iter_mut().zip(&self.order) {
                *coord = coords[entry as u32 as usize];
            }
        }
        Ok(())
    }

    /// Number of candidates, the block's own points included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The rank of the block's `k`-th own point.
    pub fn rank(&self, k: usize) -> usize {
        self.ranks[k] as usize
    }

    /// The candidates as targets.
    pub fn targets(&self) -> Targets<'_, T> {
        Targets {
            coords: [&self.coords[0], &self.coords[1], &self.coords[2]],
            ids: &self.ids,
        }
    }

    /// The coordinates of the candidate of `rank`.
    pub fn point(&self, rank: usize, dim: usize) -> [T; 3] {
        std::array::from_fn(|axis| {
            if axis < dim {
                self.coords[axis][rank]
            } else {
                T::INFINITY
            }
        })
    }

    /// Sorts `order` by number: least significant digit first, over just the bits that numbers below `points` have.
    fn sort(&mut self, points: usize) {
        if self.order.len() < RADIX_AT_LEAST {
            self.order.sort_unstable();
            return;
        }
        let bits = usize::BITS - points.leading_zeros();
        let passes = bits.div_ceil(8);
        let width = bits.div_ceil(passes);
        for pass in 0..passes {
            let shift = 32 + pass * width;
            let digit = |entry: u64| (entry >> shift) as usize & ((1 << width) - 1);
            let mut places = [0u32; 256];
            for &entry in &self.order {
                places[digit(entry)] += 1;
            }
            running_starts(&mut places[..1 << width]);
            for &entry in &self.order {
                let place = &mut places[digit(entry)];
                self.spare[*place as usize] = entry;
                *place += 1;
            }
            std::mem::swap(&mut self.order, &mut self.spare);
        }
    }
}

/// Counts become first places.
fn running_starts(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        (*count, sum) = (sum, sum + *count);
    }
}

/// The parts of the sorted candidates that make up the row of the point at `rank`: all but itself, or those behind it.
pub fn row_ranges(rank: usize, len: usize, full: bool) -> [Range<usize>; 2] {
    [if full { 0..rank } else { rank..rank }, rank + 1..len]
}
