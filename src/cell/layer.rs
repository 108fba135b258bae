//! The layer: the points brought into the cell, and their images within reach of it.
//!
//! in: points anywhere, a cell and a cutoff; out: coordinates for an open search, the points first, and the move of each, by
//! which rows get their shifts. The cutoff of that search is larger, so that rounding loses no pair; `docs/proofs/cell.md`.

use super::vectors::{Cell, length_of};
use crate::arguments::MAX_POINTS;
use crate::error::{Error, Result, Status, number};
use crate::list::{holds, push, reserve_discarding};
use crate::real::Real;

const WHAT: &str = "the images of the points";

/// The largest component of a shift, so that differences of moves fit into 32 bits.
const MOST: f64 = (1 << 29) as f64;

/// Where each point of the layer comes from.
#[derive(Debug, Default)]
pub struct Layer {
    /// The number of points; images follow them.
    points: usize,
    /// The point that each image is of, ascending.
    owners: Vec<u32>,
    /// The shift of the caller's point that gives each point and image.
    moves: Vec<[i32; 3]>,
    /// The cutoff of the open search.
    cutoff: f64,
}

holds! { Layer { owners, moves; points, cutoff } }

/// The parts of the cell's faces that are in reach, and the cutoff of the open search.
struct Reach {
    cutoff: f64,
    /// The reach along each periodic axis, in lengths of that axis.
    places: [f64; 3],
}

impl Reach {
    /// The reach around a cell for points of which `farthest` is how far they are from the origin.
    fn new<T: Real>(cell: &Cell, cutoff: f64, farthest: f64) -> Result<Reach> {
        let (mut extent, mut most) = (farthest, 0.0);
        let axes = || (0..3).filter(|&axis| cell.is_periodic(axis));
        for axis in axes() {
            let shifts = 3.0 * (farthest + 2.0 * cutoff) / cell.height(axis) + 6.0;
            extent += shifts * cell.length(axis);
            most = shifts.max(most);
        }
        let rounding = 64.0 * T::ROUNDOFF * extent;
        let blur = |axis: usize| 3.0 * cell.error() * farthest / cell.height(axis);
        let is_exact = rounding <= cutoff && most <= MOST && axes().all(|axis| blur(axis) <= 1.0);
        if !is_exact {
            let allowed = format_args!(
                "small enough beside the cutoff ({}) and the cell that rounding in {} moves no image by a cutoff",
                number(cutoff),
                T::NAME
            );
            let argument = "the distance of a point from the origin";
            return Err(Error::not_allowed(
                Status::BadDomain,
                argument,
                number(farthest),
                allowed,
            ));
        }
        let larger = cutoff * (1.0 + 32.0 * T::ROUNDOFF) + rounding;
        let mut places = [0.0; 3];
        for axis in axes() {
            places[axis] = larger / cell.height(axis) * (1.0 + 1.0 / 32.0) + blur(axis) + 1e-12;
        }
        Ok(Reach { cutoff: larger, places })
    }

    /// The first and the last whole number that brings a place from inside the cell to where the cell is in reach.
    fn moves(&self, cell: &Cell, places: [f64; 3]) -> [[f64; 2]; 3] {
        std::array::from_fn(|axis| match cell.is_periodic(axis) {
            true => [
                (-self.places[axis] - places[axis]).ceil(),
                (1.0 + self.places[axis] - places[axis]).floor(),
            ],
            false => [0.0; 2],
        })
    }
}

/// The cells from the origin to a point along each axis, and the place of the point within its cell.
fn wrapped<T: Real>(cell: &Cell, point: [T; 3]) -> ([f64; 3], [f64; 3]) {
    let (mut cells, mut places) = ([0.0; 3], [0.0; 3]);
    for axis in (0..3).filter(|&axis| cell.is_periodic(axis)) {
        let place = cell.place(axis, point);
        cells[axis] = place.floor();
        places[axis] = place - cells[axis];
    }
    (cells, places)
}

fn point_of<T: Real>(axes: &[Vec<T>], point: usize) -> [T; 3] {
    std::array::from_fn(|axis| axes[axis][point])
}

impl Layer {
    /// Makes the layer of points with three axes, and writes its coordinates. `cutoff` is in the precision of the points.
    pub fn make<T: Real>(&mut self, axes: &[Vec<T>], cell: &Cell, cutoff: f64, coords: &mut [Vec<T>; 3]) -> Result<()> {
        self.points = axes[0].len();
        let points = 0..self.points;
        let farthest = points.fold(0.0, |most: f64, point| {
            length_of(point_of(axes, point).map(T::to_f64)).max(most)
        });
        let reach = Reach::new::<T>(cell, cutoff, farthest)?;
        let len = self.count(axes, cell, &reach)?;
        self.owners.clear();
        self.moves.clear();
        reserve_discarding(&mut self.owners, len - self.points, WHAT)?;
        reserve_discarding(&mut self.moves, len, WHAT)?;
        for axis in coords.iter_mut() {
            axis.clear();
            reserve_discarding(axis, len, WHAT)?;
        }
        for point in 0..self.points {
            let (cells, _) = wrapped(cell, point_of(axes, point));
            self.add(axes, cell, (point, cells.map(|cells| -cells)), coords)?;
        }
        for point in 0..self.points {
            let (cells, places) = wrapped(cell, point_of(axes, point));
            let [first, second, third] = reach.moves(cell, places).map(|[from, to]| from as i32..=to as i32);
            for a in first {
                for b in second.clone() {
                    for c in third.clone() {
                        if [a, b, c] != [0; 3] {
                            push(&mut self.owners, point as u32, WHAT)?;
                            let by = [a, b, c].map(f64::from);
                            let by = std::array::from_fn(|axis| by[axis] - cells[axis]);
                            self.add(axes, cell, (point, by), coords)?;
                        }
                    }
                }
            }
        }
        self.cutoff = reach.cutoff;
        Ok(())
    }

    /// Points and images; refused where there are more than a search takes.
    fn count<T: Real>(&self, axes: &[Vec<T>], cell: &Cell, reach: &Reach) -> Result<usize> {
        let mut len = 0.0;
        for point in 0..self.points {
            let (_, places) = wrapped(cell, point_of(axes, point));
            let counts = reach.moves(cell, places).map(|[from, to]| to - from + 1.0);
            len += counts[0] * counts[1] * counts[2];
        }
        if len > MAX_POINTS as f64 {
            let allowed = format_args!("at most {MAX_POINTS}; they are within a cutoff of the cell");
            let argument = "the number of points and images";
            return Err(Error::not_allowed(Status::BadCount, argument, number(len), allowed));
        }
        Ok(len as usize)
    }

    /// Appends the image of a point.
    fn add<T: Real>(
        &mut self,
        axes: &[Vec<T>],
        cell: &Cell,
        (point, by): (usize, [f64; 3]),
        coords: &mut [Vec<T>; 3],
    ) -> Result<()> {
        let by = by.map(|by| by as i32);
        push(&mut self.moves, by, WHAT)?;
        let image = cell.image(point_of(axes, point), by);
        coords
            .iter_mut()
            .zip(image)
            .try_for_each(|(axis, coord)| push(axis, coord, WHAT))
    }

    /// The cutoff of the open search.
    pub fn cutoff(&self) -> f64 {
        self.cutoff
    }

    /// The number of points, which come before the images.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The numbers of points and of images.
    pub fn counts(&self) -> [usize; 2] {
        [self.points, self.owners.len()]
    }

    /// The point that a point of the layer is an image of, and by which shift it is seen from point `i` as the caller gave both.
    #[inline(always)]
    pub fn seen_from(&self, i: usize, of_layer: i32) -> (usize, [i32; 3]) {
        let of_layer = of_layer as usize;
        let owner = match of_layer.checked_sub(self.points) {
            Some(image) => self.owners[image] as usize,
            None => of_layer,
        };
        let (there, here) = (self.moves[of_layer], self.moves[i]);
        (owner, std::array::from_fn(|axis| there[axis] - here[axis]))
    }
}
