//! The layer: the points brought into the cell, and their images within reach of it.
//!
//! in: points anywhere, a cell and a cutoff; out: coordinates for an open search, the points first, and the move of each, by
//! which rows get their shifts. The cutoff of that search is larger, so that rounding loses no pair; `docs/proofs/cell.md`.

use super::lattice::length_of;
use super::reach::Reach;
use super::vectors::{Cell, point_of};
use crate::arguments::MAX_POINTS;
use crate::error::{Error, Result, Status, number};
use crate::list::{holds, push, reserve_discarding};
use crate::real::Real;

const WHAT: &str = "the images of the points";

/// The origin of each point of a layer.
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

/// The moves by vectors of the lattice that bring a point into its cell, and the place of the point there.
pub(super) fn wrapped<T: Real>(cell: &Cell, point: [T; 3]) -> ([i64; 3], [f64; 3]) {
    let (mut moves, mut places) = ([0; 3], [0.0; 3]);
    for axis in (0..3).filter(|&axis| cell.is_periodic(axis)) {
        let place = cell.lattice().place(axis, point);
        moves[axis] = -(place.floor() as i64);
        places[axis] = place - place.floor();
    }
    (moves, places)
}

/// Finds the shifts of the images of a point in the layer, ascending: those within reach of the lattice's cell, without the one
/// that is inside.
fn shifts_of<T: Real>(
    axes: &[Vec<T>],
    cell: &Cell,
    reach: &Reach,
    point: usize,
    shifts: &mut Vec<[i32; 3]>,
) -> Result<()> {
    let (inside, places) = wrapped(cell, point_of(axes, point));
    let [first, second, third] = reach.moves(cell, places).map(|[from, to]| from as i64..=to as i64);
    shifts.clear();
    for a in first {
        for b in second.clone() {
            for c in third.clone() {
                if [a, b, c] != [0; 3] {
                    let moves = [inside[0] + a, inside[1] + b, inside[2] + c];
                    push(shifts, cell.lattice().shift(moves), WHAT)?;
                }
            }
        }
    }
    shifts.sort_unstable();
    Ok(())
}

/// The largest distance of the first points from the origin.
pub fn farthest<T: Real>(axes: &[Vec<T>], points: usize) -> f64 {
    (0..points).fold(0.0, |most: f64, point| {
        length_of(point_of(axes, point).map(T::to_f64)).max(most)
    })
}

impl Layer {
    /// Makes the layer of points, and writes its coordinates on three axes. `cutoff` is in the precision of the points. `check` is
    /// given the bytes of the images, and may refuse them.
    pub fn make<T: Real>(
        &mut self,
        axes: &[Vec<T>],
        cell: &Cell,
        cutoff: f64,
        (coords, check): (&mut [Vec<T>; 3], &dyn Fn(u64) -> Result<()>),
    ) -> Result<()> {
        self.points = axes[0].len();
        let reach = Reach::new::<T>(cell, cutoff, farthest(axes, self.points))?;
        let len = self.count(axes, cell, &reach)?;
        let each = size_of::<(u32, [i32; 3], [T; 3])>();
        check((each * (len - self.points)) as u64)?;
        self.owners.clear();
        self.moves.clear();
        reserve_discarding(&mut self.owners, len - self.points, WHAT)?;
        reserve_discarding(&mut self.moves, len, WHAT)?;
        for axis in coords.iter_mut() {
            axis.clear();
            reserve_discarding(axis, len, WHAT)?;
        }
        for point in 0..self.points {
            let (inside, _) = wrapped(cell, point_of(axes, point));
            self.add(axes, cell, (point, cell.lattice().shift(inside)), coords)?;
        }
        let mut shifts = Vec::new();
        for point in 0..self.points {
            shifts_of(axes, cell, &reach, point, &mut shifts)?;
            for &shift in &shifts {
                push(&mut self.owners, point as u32, WHAT)?;
                self.add(axes, cell, (point, shift), coords)?;
            }
        }
        self.cutoff = reach.cutoff();
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

    /// Appends the image of a point by a shift.
    fn add<T: Real>(
        &mut self,
        axes: &[Vec<T>],
        cell: &Cell,
        (point, shift): (usize, [i32; 3]),
        coords: &mut [Vec<T>; 3],
    ) -> Result<()> {
        push(&mut self.moves, shift, WHAT)?;
        let image = cell.image(point_of(axes, point), shift);
        let mut places = coords.iter_mut().zip(image);
        places.try_for_each(|(axis, coord)| push(axis, coord, WHAT))
    }

    /// The cutoff of the open search.
    pub fn cutoff(&self) -> f64 {
        self.cutoff
    }

    /// The number of points, which come before the images.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The global ids of points and images: an image has that of its point.
    pub fn ids(&self, of_points: &[i64]) -> Result<Vec<i64>> {
        let mut ids = Vec::new();
        reserve_discarding(&mut ids, self.moves.len(), WHAT)?;
        ids.extend_from_slice(of_points);
        ids.extend(self.owners.iter().map(|&owner| of_points[owner as usize]));
        Ok(ids)
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
