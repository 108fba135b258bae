//! The images that an open search can find around points: those near the box of the points that have rows.
//!
//! in: these points, brought into the cell; out: for a line of images those that may be near, and whether one is. A layer of images
//! around the whole cell would have several times as many where the cutoff is long compared with the cell.

use super::lattice::{dot, length_of};
use super::vectors::Cell;
use crate::domain::{Periods, TieRule, bound};
use crate::error::Result;
use crate::real::Real;

/// The share of a cutoff by which lines of images are longer than they seem, so that rounding makes none shorter.
const SPARE: f64 = 1.0 / (1 << 20) as f64;

/// The box of points, and how far it is seen from.
pub(super) struct Sight<T> {
    /// Two corners; none where there are no points.
    corners: Option<[[T; 3]; 2]>,
    bound: T,
    /// A ball that holds all that is near.
    middle: [f64; 3],
    radius: f64,
    /// Lines of images are along this vector of the lattice, of this length and in this direction.
    axis: usize,
    length: f64,
    unit: [f64; 3],
}

impl<T: Real> Sight<T> {
    /// The sight of points in the cell by the cutoff of the open search, and for lines of images along an axis of the lattice. `rounding`
    /// moves an image, at most.
    pub fn new(
        cell: &Cell,
        axis: usize,
        (cutoff, rounding): (f64, f64),
        points: impl Iterator<Item = [T; 3]>,
    ) -> Result<Sight<T>> {
        let corners = points.fold(None, |corners, point| {
            let [mut lo, mut hi] = corners.unwrap_or([point; 2]);
            for axis in 0..3 {
                if point[axis] < lo[axis] {
                    lo[axis] = point[axis];
                }
                if point[axis] > hi[axis] {
                    hi[axis] = point[axis];
                }
            }
            Some([lo, hi])
        });
        let [lo, hi] = corners.unwrap_or_default().map(|corner: [T; 3]| corner.map(T::to_f64));
        let middle = std::array::from_fn(|axis| 0.5 * lo[axis] + 0.5 * hi[axis]);
        let half = length_of(std::array::from_fn(|axis| 0.5 * hi[axis] - 0.5 * lo[axis]));
        let mut along = [0; 3];
        along[axis] = 1;
        let vector = cell.image([0.0; 3], cell.lattice().shift(along));
        let length = length_of(vector);
        Ok(Sight {
            corners,
            bound: bound(cutoff, TieRule::Inclusive)?,
            middle,
            radius: (half + cutoff) * (1.0 + SPARE) + rounding,
            axis,
            length,
            unit: vector.map(|x| if length > 0.0 { x / length } else { 0.0 }),
        })
    }

    /// The axis of the lattice along which lines of images are.
    pub fn axis(&self) -> usize {
        self.axis
    }

    /// Those of the moves from an image along the axis that may lead to where the points are near: the first and the last.
    pub fn moves(&self, from: [T; 3], [first, last]: [f64; 2]) -> [f64; 2] {
        let away: [f64; 3] = std::array::from_fn(|axis| from[axis].to_f64() - self.middle[axis]);
        let along = dot(away, self.unit);
        let across = length_of(std::array::from_fn(|axis| away[axis] - along * self.unit[axis]));
        if self.corners.is_none() || across > self.radius {
            return [0.0, -1.0];
        }
        if self.length == 0.0 {
            return [first, last];
        }
        let half = ((self.radius - across) * (self.radius + across)).sqrt();
        let ends = [-along - half, half - along].map(|end| end / self.length);
        [first.max(ends[0].floor()), last.min(ends[1].ceil())]
    }

    /// Whether an image is as near to the box as the open search finds pairs. Rounding is monotone: none of the points is nearer.
    pub fn sees(&self, image: [T; 3]) -> bool {
        let within = |x: T, lo: T, hi: T| {
            if x < lo {
                lo
            } else if x > hi {
                hi
            } else {
                x
            }
        };
        self.corners.is_some_and(|[lo, hi]| {
            let nearest = |axis: usize| [within(image[axis], lo[axis], hi[axis]), image[axis]];
            Periods::<T>::default().distance2(3, nearest) <= self.bound
        })
    }
}
