//! The torus of a cell: all images of a point are one place on it.
//!
//! in: points anywhere; out: their distances from the faces of the lattice, as coordinates of a box with perpendicular axes that
//! repeat where the cell does. Two points that have images within reach of each other are near each other there. So a plan of ranks,
//! which knows no cell, finds the points that ranks need of each other; `docs/proofs/cell.md`.

use super::lattice::dot;
use super::layer::wrapped;
use super::reach::Reach;
use super::vectors::{Cell, point_of};
use crate::error::Result;
use crate::list::{push, reserve_discarding};
use crate::real::Real;

const WHAT: &str = "the places of points on the torus of a cell";

/// A torus for points of a precision, up to a distance from the origin.
pub struct Torus {
    cell: Cell,
    normals: [[f64; 3]; 3],
    reach: f64,
}

impl Torus {
    /// That of a cell, for points of which `farthest` is how far they are from the origin. `cutoff` is in the precision of the points.
    pub fn new<T: Real>(cell: &Cell, cutoff: f64, farthest: f64) -> Result<Torus> {
        let lattice = cell.lattice();
        let normals = [0, 1, 2].map(|axis| lattice.normal(axis));
        let highest = (0..3)
            .filter(|&axis| cell.is_periodic(axis))
            .fold(0.0, |most: f64, axis| lattice.height(axis).max(most));
        let tilt = |axis: usize| {
            let others = (0..3).filter(|&other| other != axis);
            others
                .map(|other| dot(normals[axis], normals[other]).abs())
                .sum::<f64>()
        };
        let stretch = (1.0 + (0..3).map(tilt).fold(0.0, f64::max)).sqrt();
        let distance = Reach::new::<T>(cell, cutoff, farthest)?.cutoff();
        Ok(Torus {
            cell: *cell,
            normals,
            reach: distance * stretch * (1.0 + 8.0 * lattice.error)
                + 4.0 * lattice.error * farthest
                + 8.0 * f64::ROUNDOFF * highest,
        })
    }

    /// The distance on the torus that two points do not exceed if images of them are within reach of each other.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The length of each axis that repeats.
    pub fn lengths(&self) -> [Option<f64>; 3] {
        std::array::from_fn(|axis| {
            let is_periodic = self.cell.is_periodic(axis);
            is_periodic.then(|| self.cell.lattice().height(axis))
        })
    }

    /// The places of points, an array for each axis.
    pub fn places<T: Real>(&self, axes: &[Vec<T>]) -> Result<[Vec<f64>; 3]> {
        let mut places = [const { Vec::new() }; 3];
        let (points, lengths) = (axes.first().map_or(0, Vec::len), self.lengths());
        for axis in &mut places {
            reserve_discarding(axis, points, WHAT)?;
        }
        for point in (0..points).map(|point| point_of(axes, point)) {
            let (_, inside) = wrapped(&self.cell, point);
            for (axis, to) in places.iter_mut().enumerate() {
                let place = match lengths[axis] {
                    Some(length) => inside[axis] * length,
                    None => dot(self.normals[axis], point.map(T::to_f64)),
                };
                push(to, place, WHAT)?;
            }
        }
        Ok(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On the torus of a box, points need not be nearer than the cutoff to be near each other.
    #[test]
    fn a_box_has_the_reach_of_its_cutoff() {
        let (vectors, at) = ([[2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 4.0]], [vec![7.5]]);
        for periodic in [[true; 3], [true, false, true], [false, true, false], [false; 3]] {
            let cell = Cell::new(&vectors, periodic).unwrap();
            let torus = Torus::new::<f64>(&cell, 0.5, 8.0).unwrap();
            assert!((0.5..0.5 + 1e-9).contains(&torus.reach()), "{}", torus.reach());
            let lengths = [2.0, 3.0, 4.0].iter().zip(periodic).map(|(l, is)| is.then_some(*l));
            assert!(torus.lengths().into_iter().eq(lengths));
            let [x, ..] = torus.places(&at).unwrap();
            assert!(!periodic[0] || x == [1.5], "{x:?}");
        }
    }
}
