//! Points that kernels read as targets, in memory that is reused: all in reach of a block in the caller's precision,
//! sorted once by the caller's numbers, then selected level by level down to those that a handful of points need.
//! Selection keeps the order, so every row is in order from the start.

use crate::cpu::kernels::exact::Targets;
use crate::cpu::kernels::exact::near::{Near, SelectNear, Selection};
use crate::cpu::sorted::Sorted;
use crate::error::Result;
use crate::list::{grow, holds};
use crate::memory::PADDING;
use crate::points::{PointsView, Real};
use crate::simd::{Simd, Width};

const WHAT: &str = "the neighborhood of a block";

/// Points in ascending order of the caller's numbers, padded.
#[derive(Debug, Default)]
pub struct Level<R> {
    pub coords: [Vec<R>; 3],
    pub ids: Vec<i32>,
    /// One more column, for searches with a radius for each point; else empty.
    pub bounds: Vec<R>,
    pub len: usize,
}

holds! { Level<R> { coords, ids, bounds; len } }

impl<R: Real> Level<R> {
    /// The points as targets.
    pub fn targets(&self) -> Targets<'_, R> {
        Targets {
            coords: [&self.coords[0], &self.coords[1], &self.coords[2]],
            ids: &self.ids,
            bounds: &self.bounds,
        }
    }

    /// Room after the first `from` points.
    pub fn selection(&mut self, from: usize) -> Selection<'_, R> {
        Selection {
            coords: (self.coords.each_mut()).map(|coords| coords.get_mut(from..).unwrap_or_default()),
            ids: &mut self.ids[from..],
            bounds: self.bounds.get_mut(from..).unwrap_or_default(),
        }
    }

    /// The ids, ascending.
    pub fn ids(&self) -> &[i32] {
        &self.ids[..self.len]
    }

    /// Makes room for `len` points; what was there is lost.
    pub fn reserve(&mut self, len: usize, dim: usize) -> Result<()> {
        for coords in &mut self.coords[..dim] {
            grow(coords, len + PADDING, R::INFINITY, WHAT)?;
        }
        grow(&mut self.ids, len + PADDING, 0, WHAT)
    }

    /// Fills this level with those points of `sorted` that are `wanted`; ids are their numbers.
    pub fn load(&mut self, view: &PointsView<R>, sorted: &Sorted, wanted: impl Fn(usize) -> bool) -> Result<()> {
        let order = sorted.order();
        self.reserve(order.len(), view.dim())?;
        self.len = 0;
        for &entry in order {
            self.ids[self.len] = (entry >> 32) as i32;
            self.len += usize::from(wanted((entry >> 32) as usize));
        }
        let ids = &self.ids[..self.len];
        for (axis, coords) in self.coords[..view.dim()].iter_mut().enumerate() {
            for (c, &id) in coords.iter_mut().zip(ids) {
                *c = view.get(axis, id as usize);
            }
        }
        Ok(())
    }

    /// Fills this level with all points of `view`, and its padding with points that are infinitely far. It has no ids.
    pub fn load_all(&mut self, view: &PointsView<R>) -> Result<()> {
        self.reserve(view.len(), view.dim())?;
        self.len = view.len();
        for (axis, coords) in self.coords[..view.dim()].iter_mut().enumerate() {
            view.copy_axis(axis, &mut coords[..view.len()]);
            coords[view.len()..view.len() + PADDING].fill(R::INFINITY);
        }
        Ok(())
    }

    /// Fills this level with the points of `from` that are `near` a box.
    pub fn select(&mut self, from: &Level<R>, dim: usize, simd: Simd, near: &Near<R>) -> Result<()>
    where
        R: Width,
    {
        self.reserve(from.len, dim)?;
        let select = SelectNear {
            targets: from.targets(),
            len: from.len,
            near,
            to: self.selection(0),
        };
        self.len = simd.run_in(dim, select);
        Ok(())
    }
}
