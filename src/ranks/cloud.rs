//! The points that this rank has, as its search has them: wrapped along periodic axes.

use std::ops::Range;

use crate::domain::Periods;
use crate::points::{Points, Real};

/// Points in a precision.
#[derive(Clone, Copy, Debug)]
pub struct Cloud<'a, T> {
    pub dim: usize,
    pub len: usize,
    /// Coordinates along each axis.
    pub axes: [&'a [T]; 3],
    pub periods: &'a Periods<T>,
}

/// A point: its place, 0 along axes beyond its dim, and its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    pub at: [f64; 3],
    pub point: u32,
}

impl<'a> Cloud<'a, f64> {
    /// Points that have these places.
    pub fn of_places(places: &'a [Vec<f64>; 3]) -> Cloud<'a, f64> {
        Cloud {
            dim: 3,
            len: places[0].len(),
            axes: places.each_ref().map(|axis| &axis[..]),
            periods: &Periods([None; 3]),
        }
    }
}

impl<'a, T: Real> Cloud<'a, T> {
    /// Some of `points`, after which ghosts and queries may follow.
    pub fn new(points: &'a Points<T>, range: Range<usize>) -> Cloud<'a, T> {
        let axes = points.axes();
        Cloud {
            dim: points.dim(),
            len: range.len(),
            axes: std::array::from_fn(|axis| axes.get(axis).map_or(&[][..], |coords| &coords[range.clone()])),
            periods: points.periods(),
        }
    }

    /// The place of a point.
    #[inline(always)]
    pub fn at(&self, point: usize) -> [f64; 3] {
        let coord = |axis: usize| {
            if axis < self.dim {
                self.axes[axis][point].to_f64()
            } else {
                0.0
            }
        };
        [coord(0), coord(1), coord(2)]
    }

    /// All points.
    pub fn placed(&self) -> impl ExactSizeIterator<Item = Placed> {
        let place = |point: u32| Placed {
            at: self.at(point as usize),
            point,
        };
        (0..self.len as u32).map(place)
    }

    /// Appends the coordinates of a point, as they travel; there is room.
    pub fn write(&self, point: usize, bytes: &mut Vec<u8>) {
        let axes = &self.axes[..self.dim];
        axes.iter()
            .for_each(|axis| bytes.extend_from_slice(bytemuck::bytes_of(&axis[point])));
    }
}
