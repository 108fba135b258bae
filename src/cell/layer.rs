//! The layer: the points brought into the cell, and their images within reach of them.
//!
//! in: points anywhere, a cell and a cutoff; out: coordinates for an open search, the points first, and the move of each, by
//! which rows get their shifts. The cutoff of that search is larger, so that rounding loses no pair; `docs/proofs/cell.md`.

use std::ops::Range;

use super::lattice::length_of;
use super::reach::Reach;
use super::sight::Sight;
use super::vectors::{Cell, point_of};
use crate::arguments::MAX_POINTS;
use crate::error::{Error, Result, Status, number};
use crate::list::{holds, push, reserve_discarding};
use crate::real::Real;

const WHAT: &str = "the images of the points";

/// The most points and images where the points are few: the images of a cell much smaller than the cutoff,
const MOST_OF_FEW: usize = 1 << 25;

/// and the most for each point of many: those in the cell and in the cells around it.
const MOST_OF_EACH: usize = 27;

/// May refuse a number of bytes.
type Check<'a> = &'a dyn Fn(u64) -> Result<()>;

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

/// The least number of images of a point within the cutoff of it. Vectors of a lattice that span a volume have an image in each such
/// volume, and no diagonal is longer than their lengths together. So a ball has as many as fit into one whose radius is less by that.
fn images_at_least(cell: &Cell, cutoff: f64) -> f64 {
    const BALLS: [f64; 4] = [1.0, 2.0, 3.0, 4.0]; // a little less than of radius 1
    let is_periodic = |set: &usize| (0..3).all(|axis| set >> axis & 1 == 0 || cell.is_periodic(axis));
    let images = (1..8usize).filter(is_periodic).map(|set| {
        let lengths = || {
            (0..3)
                .filter(move |axis| set >> axis & 1 == 1)
                .map(|axis| cell.lattice().length(axis))
        };
        let radius = (cutoff - lengths().sum::<f64>()).max(0.0);
        BALLS[lengths().count()] * lengths().map(|length| radius / length).product::<f64>()
    });
    images.fold(0.0, f64::max)
}

/// Points that are this many vectors away from their cell, or more, are refused.
const FARTHEST: f64 = (1u64 << 40) as f64;

/// The moves by vectors of the lattice that bring a point into its cell, and the place of the point there.
pub(super) fn wrapped<T: Real>(cell: &Cell, point: [T; 3]) -> ([i64; 3], [f64; 3]) {
    let (mut moves, mut places) = ([0; 3], [0.0; 3]);
    for axis in (0..3).filter(|&axis| cell.is_periodic(axis)) {
        let place = cell.lattice().place(axis, point);
        moves[axis] = (-place.floor()).clamp(-FARTHEST, FARTHEST) as i64;
        places[axis] = place - place.floor();
    }
    (moves, places)
}

/// Calls `action` with the moves of a point into the cell and with runs of more moves along an axis that lead to its images, among them
/// all within reach of the lattice's cell and in sight.
fn runs_of<T: Real>(
    (cell, reach, sight): (&Cell, &Reach, &Sight<T>),
    point: [T; 3],
    mut action: impl FnMut([i64; 3], Range<i64>) -> Result<()>,
) -> Result<()> {
    let (inside, places) = wrapped(cell, point);
    let (moves, axis) = (reach.moves(cell, places), sight.axis());
    let [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
    if moves.iter().all(|&[from, to]| from >= 0.0 && to <= 0.0) {
        return Ok(()); // as of most points of large cells
    }
    for a in moves[next][0] as i64..=moves[next][1] as i64 {
        for b in moves[last][0] as i64..=moves[last][1] as i64 {
            let mut start = inside;
            (start[next], start[last]) = (start[next] + a, start[last] + b);
            let [from, to] = sight.moves(cell.image(point, cell.lattice().shift(start)), moves[axis]);
            if from <= to {
                action(start, from as i64..to as i64 + 1)?;
            }
        }
    }
    Ok(())
}

/// Finds the shifts of the images of a point in the layer, ascending: those within reach and in sight, without the one that is inside.
fn shifts_of<T: Real>(layer: (&Cell, &Reach, &Sight<T>), point: [T; 3], shifts: &mut Vec<[i32; 3]>) -> Result<()> {
    let (cell, _, sight) = layer;
    let inside = cell.lattice().shift(wrapped(cell, point).0);
    shifts.clear();
    runs_of(layer, point, |start, run| {
        for by in run {
            let mut moves = start;
            moves[sight.axis()] += by;
            let shift = cell.lattice().shift(moves);
            if shift != inside && sight.sees(cell.image(point, shift)) {
                push(shifts, shift, WHAT)?;
            }
        }
        Ok(())
    })?;
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
    /// Makes the layer of points, of which the first `rows` have rows, and writes its coordinates, three axes, where these are wanted.
    /// `cutoff` is in the precision of the points. `check` is given the bytes of the images, and may refuse them.
    pub fn make<T: Real>(
        &mut self,
        (axes, rows): (&[Vec<T>], usize),
        cell: &Cell,
        cutoff: f64,
        (mut coords, check): (Option<&mut [Vec<T>; 3]>, Check),
    ) -> Result<()> {
        self.points = axes[0].len();
        let reach = Reach::new::<T>(cell, cutoff, farthest(axes, self.points))?;
        let inside = |point: usize| {
            let point = point_of(axes, point);
            cell.image(point, cell.lattice().shift(wrapped(cell, point).0))
        };
        let sight = Sight::new(
            cell,
            reach.longest(),
            (reach.cutoff(), reach.rounding()),
            (0..rows).map(inside),
        )?;
        let len = self.count((axes, rows), cutoff, (cell, &reach, &sight))?;
        let each = match coords {
            Some(_) => size_of::<(u32, [i32; 3], [T; 3])>(),
            None => size_of::<(u32, [i32; 3])>(),
        };
        check((each * (len - self.points)) as u64)?;
        self.owners.clear();
        self.moves.clear();
        reserve_discarding(&mut self.owners, len - self.points, WHAT)?;
        reserve_discarding(&mut self.moves, len, WHAT)?;
        for axis in coords.iter_mut().flat_map(|coords| coords.iter_mut()) {
            axis.clear();
            reserve_discarding(axis, len, WHAT)?;
        }
        for point in 0..self.points {
            let (inside, _) = wrapped(cell, point_of(axes, point));
            self.add(axes, cell, (point, cell.lattice().shift(inside)), &mut coords)?;
        }
        let mut shifts = Vec::new();
        for point in 0..self.points {
            shifts_of((cell, &reach, &sight), point_of(axes, point), &mut shifts)?;
            for &shift in &shifts {
                push(&mut self.owners, point as u32, WHAT)?;
                self.add(axes, cell, (point, shift), &mut coords)?;
            }
        }
        self.cutoff = reach.cutoff();
        Ok(())
    }

    /// Points and images, or a few more; refused where there are more than a search takes, before they are counted one by one.
    fn count<T: Real>(
        &self,
        (axes, rows): (&[Vec<T>], usize),
        cutoff: f64,
        layer: (&Cell, &Reach, &Sight<T>),
    ) -> Result<usize> {
        let most = (MOST_OF_EACH.saturating_mul(self.points).max(MOST_OF_FEW) as u64).min(MAX_POINTS as u64);
        let check = |len: f64| match len <= most as f64 {
            true => Ok(()),
            false => {
                let value = format_args!("{} or more", number(len));
                let allowed = format_args!("at most {most}; a shorter cutoff or a larger cell has fewer");
                let argument = "the number of points and images within a cutoff of them";
                Err(Error::not_allowed(Status::BadCount, argument, value, allowed))
            }
        };
        check(rows as f64 * images_at_least(layer.0, cutoff))?;
        let mut len = self.points as f64;
        for point in 0..self.points {
            runs_of(layer, point_of(axes, point), |_, run| {
                len += (run.end - run.start) as f64;
                check(len)
            })?;
        }
        Ok(len as usize)
    }

    /// Appends the image of a point by a shift.
    fn add<T: Real>(
        &mut self,
        axes: &[Vec<T>],
        cell: &Cell,
        (point, shift): (usize, [i32; 3]),
        coords: &mut Option<&mut [Vec<T>; 3]>,
    ) -> Result<()> {
        push(&mut self.moves, shift, WHAT)?;
        let Some(coords) = coords else { return Ok(()) };
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

    /// The number of points and images.
    pub fn len(&self) -> usize {
        self.moves.len()
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
