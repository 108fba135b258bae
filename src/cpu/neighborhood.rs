//! The neighborhood of a block in the caller's precision: all points in reach of it, sorted by the caller's numbers once,
//! then selected level by level to what a handful of points need. Selecting keeps the order, so every row is born sorted.

use std::ops::Range;

use super::simd::{Kernels, Selection, Targets};
use crate::error::Result;
use crate::grid::{Grid, PADDING};
use crate::list::grow;
use crate::points::{PointsView, Real};

/// Below this many entries a comparison sort beats the radix sort's fixed cost.
const RADIX_AT_LEAST: usize = 96;

const WHAT: &str = "the neighborhood of a block";

/// Points in ascending order of the caller's numbers, padded.
#[derive(Debug, Default)]
pub struct Level<R> {
    coords: [Vec<R>; 3],
    ids: Vec<i32>,
    len: usize,
}

impl<R: Real> Level<R> {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The points as targets.
    pub fn targets(&self) -> Targets<'_, R> {
        Targets {
            coords: [&self.coords[0], &self.coords[1], &self.coords[2]],
            ids: &self.ids,
        }
    }

    /// The ids, ascending.
    pub fn ids(&self) -> &[i32] {
        &self.ids[..self.len]
    }

    /// The point at `rank`.
    #[inline]
    pub fn point(&self, rank: usize, dim: usize) -> [R; 3] {
        std::array::from_fn(|axis| {
            if axis < dim {
                self.coords[axis][rank]
            } else {
                R::INFINITY
            }
        })
    }

    /// Makes room for `len` points; what stood there is lost.
    pub fn reserve(&mut self, len: usize, dim: usize) -> Result<()> {
        for coords in &mut self.coords[..dim] {
            grow(coords, len + PADDING, R::INFINITY, WHAT)?;
        }
        grow(&mut self.ids, len + PADDING, 0, WHAT)
    }

    /// Fills this level with the points of `sorted`; ids are their numbers plus `base`.
    pub fn load(&mut self, view: &PointsView<R>, sorted: &Sorted, base: i32) -> Result<()> {
        let order = sorted.order();
        self.reserve(order.len(), view.dim())?;
        self.len = order.len();
        for (id, &entry) in self.ids.iter_mut().zip(order) {
            *id = (entry >> 32) as i32 + base;
        }
        for (axis, coords) in self.coords[..view.dim()].iter_mut().enumerate() {
            for (c, &entry) in coords.iter_mut().zip(order) {
                *c = view.get(axis, (entry >> 32) as usize);
            }
        }
        Ok(())
    }

    /// Fills this level with the points of `from` that are at most `upper` away (squared) from the box `lo` to `hi`.
    pub fn select(
        &mut self,
        from: &Level<R>,
        dim: usize,
        kernels: &Kernels<R>,
        [lo, hi]: [[R; 3]; 2],
        upper: R,
    ) -> Result<()> {
        self.reserve(from.len, dim)?;
        let [x, y, z] = &mut self.coords;
        let mut selection = Selection {
            coords: [x, y, z],
            ids: &mut self.ids,
        };
        self.len = kernels.select(&from.targets(), from.len, &lo, &hi, upper, &mut selection);
        Ok(())
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.coords.iter().map(|c| c.capacity() * size_of::<R>()).sum::<usize>() + self.ids.capacity() * 4
    }
}

/// The places in reach of a block, sorted by the caller's numbers.
#[derive(Debug, Default)]
pub struct Sorted {
    /// Number and place, packed as `number << 32 | place`.
    order: Vec<u64>,
    /// The radix sort's other buffer.
    spare: Vec<u64>,
    len: usize,
}

impl Sorted {
    /// Makes room for `len` places.
    pub fn reserve(&mut self, len: usize) -> Result<()> {
        grow(&mut self.order, len, 0, WHAT)?;
        grow(&mut self.spare, len, 0, WHAT)
    }

    /// Takes up the places that `runs` calls back with.
    pub fn sort(&mut self, grid: &Grid, runs: impl Fn(&mut dyn FnMut(Range<usize>))) -> Result<()> {
        let mut len = 0;
        runs(&mut |run| len += run.len());
        self.len = len;
        self.reserve(len)?;
        let mut at = 0;
        runs(&mut |run| {
            let ids = &grid.ids()[run.clone()];
            for ((entry, &id), place) in self.order[at..].iter_mut().zip(ids).zip(run) {
                *entry = u64::from(id) << 32 | place as u64;
            }
            at += ids.len();
        });
        self.sort_by_number(grid.len());
        Ok(())
    }

    /// Number and place of each point, packed, ascending.
    pub fn order(&self) -> &[u64] {
        &self.order[..self.len]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.order.capacity() + self.spare.capacity()) * size_of::<u64>()
    }

    /// Least significant digit first, over just the bits that numbers below `points` have.
    fn sort_by_number(&mut self, points: usize) {
        let len = self.len;
        if len < RADIX_AT_LEAST {
            self.order[..len].sort_unstable();
            return;
        }
        let bits = usize::BITS - points.leading_zeros();
        let passes = bits.div_ceil(if len < 4096 { 8 } else { 11 });
        let width = bits.div_ceil(passes);
        for pass in 0..passes {
            let shift = 32 + pass * width;
            let digit = |entry: u64| (entry >> shift) as usize & ((1 << width) - 1);
            let mut places = [0u32; 2048];
            let places = &mut places[..1 << width];
            for &entry in &self.order[..len] {
                places[digit(entry)] += 1;
            }
            let mut sum = 0;
            for place in &mut *places {
                (*place, sum) = (sum, sum + *place);
            }
            for &entry in &self.order[..len] {
                let place = &mut places[digit(entry)];
                self.spare[*place as usize] = entry;
                *place += 1;
            }
            std::mem::swap(&mut self.order, &mut self.spare);
        }
    }
}
