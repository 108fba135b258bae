//! What a fixed-radius search is asked: which grid, how far, which rows; and the last word on any single pair.

use super::simd::Isa;
use crate::grid::Grid;
use crate::points::Real;

/// One fixed-radius search over a grid.
#[derive(Clone, Copy)]
pub struct Query<'a, T> {
    pub grid: &'a Grid<T>,
    pub cutoff: f64,
    /// Distance squared is at most this.
    pub bound: T,
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    pub isa: Isa,
}

impl<T: Real> Query<'_, T> {
    /// Decides in the caller's precision and by its arithmetic, as the oracle does.
    pub fn is_pair(&self, place: usize, other: usize) -> bool {
        let difference = |axis: &[T]| axis[place].sub(axis[other]);
        let coords = self.grid.coords();
        let mut d2 = difference(coords[0]).mul(difference(coords[0]));
        for axis in &coords[1..self.grid.dim()] {
            d2 = d2.add_square(difference(axis));
        }
        d2 <= self.bound
    }
}
