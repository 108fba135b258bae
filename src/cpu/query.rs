//! The inputs of a fixed-radius search: which grid, how far, which rows; and the final test of any single pair.

use super::by_types::ByTypes;
use super::rows::ListLimit;
use crate::cost::Cost;
use crate::domain::Periods;
use crate::exclusions::ExcludedPairs;
use crate::grid::{Grid, Quantized};
use crate::kinds::Classes;
use crate::points::{PointsView, Real};
use crate::simd::{Isa, Simd};

/// One fixed-radius search over a grid.
#[derive(Clone, Copy)]
pub struct Query<'a, T> {
    pub grid: &'a Grid,
    /// The cutoff in the grid's units, where those can tell.
    pub fixed: Option<Quantized>,
    /// The points; where they are not at hand, only what was counted can be filled, and only from what counting kept.
    pub view: Option<&'a PointsView<'a, T>>,
    /// The axes along which the points are wrapped.
    pub periods: &'a Periods<T>,
    /// Distance squared is at most this.
    pub bound: T,
    /// The points that a row may list; `None`: all.
    pub classes: Option<&'a Classes<'a>>,
    /// The same bounds as those of the classes, where pairs of types have such; none is above `bound`.
    pub by_types: Option<&'a ByTypes>,
    /// With classes, those of the points in each cell of the grid, a bit each.
    pub cells: &'a [u128],
    /// Pairs that no row lists.
    pub excluded: Option<&'a ExcludedPairs>,
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    pub isa: Isa,
    pub list_limit: Option<ListLimit>,
    /// The counter of distance tests.
    pub cost: &'a Cost,
}

impl<T> Query<'_, T> {
    /// The instruction set that kernels run with.
    pub fn simd(&self) -> Simd {
        Simd::new(self.isa)
    }
}

impl<T: Real> Query<'_, T> {
    /// The bound of two points.
    #[inline]
    pub fn bound_of(&self, pair: [u32; 2]) -> T {
        let of_types = |classes: &Classes| {
            let [row, other] = pair.map(|point| classes.of(point as usize));
            classes.bounds.as_ref().map(|bounds| bounds.of(row, other))
        };
        self.classes.and_then(of_types).unwrap_or(self.bound)
    }
}

/// Decides in the caller's precision and by its arithmetic, as the oracle does.
#[inline]
pub fn is_pair<T: Real>(view: &PointsView<T>, periods: &Periods<T>, bound: T, [i, j]: [u32; 2]) -> bool {
    periods.distance2(view.dim(), |axis| [i, j].map(|point| view.get(axis, point as usize))) <= bound
}
