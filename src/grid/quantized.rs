//! Fixed-point coordinates: 16 bits in a frame around a block of cells, five more for the doubtful, exactly the same
//! for every precision. Most pairs are decided by them, 32 at a time; a band around the cutoff holds every pair that
//! they could get wrong, and those are decided in the caller's own arithmetic.

use super::block::Block;
use super::cells::{Cells, Grid};
use super::frame::{FixedBounds, Frame, Quantized, ZOOMS};
use super::leaves::{FARTHEST, UNIT_BITS};
use super::place::{FINE_BITS, Offset, Packed};
use super::ring::each_part;
use super::shape::Shape;
use crate::domain::Bounds;
use crate::list::prefetch_all;
use crate::real::Real;

/// Units that a frame is wide: coordinates are i16.
const FRAME: f64 = 65536.0;

/// More than what computing bounds is off by.
const ROUNDING: f64 = 1.0 / (1u64 << 20) as f64;

/// Units that the cutoff must span at least; with fewer, too many pairs are doubtful.
const UNITS_AT_LEAST: f64 = 512.0;

/// The units of a grid.
struct Units {
    dim: f64,
    /// Fine units of a unit of the caller's.
    scale: f64,
    /// Units of a cell, as a power of two.
    bits: u32,
    /// The error of a difference of two coordinates, in fine units.
    e: f64,
    /// The relative error of a distance squared that the caller's arithmetic computes.
    roundoff: f64,
}

impl Units {
    /// A bound on distances squared as a distance in fine units.
    fn reach<T: Real>(&self, bound: T) -> f64 {
        (bound.to_f64() * self.scale * self.scale).sqrt()
    }

    /// The bounds of a reach, as [`Grid::fixed`] derives them. They hold for a reach however small: less than the error
    /// of a distance, it has a lower bound below 0.
    fn bounds(&self, reach: f64) -> FixedBounds {
        let &Units { dim, e, roundoff, .. } = self;
        let fine = f64::from(1u32 << FINE_BITS);
        let band = |e: f64, reach: f64| {
            let lower = reach * reach * (1.0 - roundoff) - 2.0 * dim.sqrt() * reach * e;
            let upper = reach * reach * (1.0 + roundoff) + 2.0 * dim.sqrt() * reach * e + dim * e * e;
            (lower, upper)
        };
        let (lower, upper) = band(e, reach);
        let of_fine = Bounds {
            lower: lower.floor() as i64,
            upper: upper.ceil() as i64,
        };
        let coarse = std::array::from_fn(|zoom| {
            let times = f64::from(1u32 << zoom);
            let (lower, upper) = band(times * (1.0 + e / fine), times * reach / fine);
            Bounds {
                lower: (lower / FRAME - dim - ROUNDING).floor() as i16,
                upper: (upper / FRAME + ROUNDING).floor() as i16,
            }
        });
        FixedBounds { coarse, fine: of_fine }
    }
}

impl Grid {
    /// The bounds for distances in units; `None` where the units are too coarse or there are none.
    ///
    /// A coordinate in fine units is rounded once by at most 1/2, errs by 3 * 2^-53 of itself before, and the last one
    /// may be clamped by 1; the length of a periodic axis is rounded by at most 1/2; a difference of two then errs by
    /// at most `e`, and the distance by `sqrt(dim) e`. Dropping the fine bits adds less than one coarse unit to a
    /// difference. Squares in units of 2^16 are rounded down, by less than 1 each. The caller's own arithmetic errs by
    /// less than 8 units of its roundoff, and along a periodic axis each difference by `slack` more.
    ///
    /// With leaves as cells, coordinates are rounded down: two errors in [0, 1) differ by less than 1, just as two of
    /// at most 1/2 do. Places of images err by roundings of a length more. No frame reaches farther than [`FARTHEST`]
    /// cutoffs from the origin, and no point is clamped that near to it.
    pub fn fixed<T: Real>(&self, bound: T, slack: f64) -> Option<Quantized> {
        let units = self.units::<T>(slack);
        let Units { bits, e, .. } = units;
        let (reach, fine) = (units.reach(bound), f64::from(1u32 << FINE_BITS));
        if reach.is_nan() || reach / fine < UNITS_AT_LEAST || 4.0 * reach / fine > FRAME || 16.0 * e > reach {
            return None;
        }
        let FixedBounds { coarse, fine: of_fine } = units.bounds(reach);
        let zooms = (0..ZOOMS).take_while(|zoom| 4.0 * reach / fine * f64::from(1u32 << zoom) <= FRAME);
        if coarse[0].lower < 0 {
            return None; // nothing would be sure
        }
        // The first bounds exclude what is farther along an axis; the others do so by their units, for each upper bound
        // plus 1 is at most 4 times the one before plus 1.
        let excluded = ((f64::from(coarse[0].upper) + 1.0) * FRAME).sqrt() as i32 + 1;
        let halo = excluded.max(((reach + e) / fine) as i32 + 3);
        Some(Quantized {
            bits,
            halo,
            coarse,
            zooms: zooms.count(),
            fine: of_fine,
        })
    }

    /// The bounds of a lesser cutoff in a search by a larger one, which fixed point serves. A negative bound is that of
    /// points that are never neighbors.
    pub fn fixed_bounds<T: Real>(&self, bound: T, slack: f64) -> FixedBounds {
        if bound < T::default() {
            return FixedBounds::NONE;
        }
        let units = self.units::<T>(slack);
        units.bounds(units.reach(bound))
    }

    /// The units of coordinates, and what they err by.
    fn units<T: Real>(&self, slack: f64) -> Units {
        let (scale, bits, cells, images) = match &self.cells {
            Cells::Dense(shape) => (
                shape.scale,
                shape.bits,
                shape.dims.iter().max().map_or(1, |&d| d) as f64,
                0.0,
            ),
            Cells::Leaves(leaves) => (leaves.scale, UNIT_BITS, FARTHEST as f64, leaves.error_of_images()),
        };
        let most = cells * f64::from(1u32 << bits) * f64::from(1u32 << FINE_BITS);
        Units {
            dim: self.dim as f64,
            scale,
            bits,
            e: 2.5 + 6.0 / (1u64 << 53) as f64 * most + slack * scale + images,
            roundoff: 8.0 * T::ROUNDOFF,
        }
    }

    /// The frame of a block that can be searched in fixed point: a box of cells, all points around it in cells of their
    /// own (none clamped from far away), and narrow enough.
    pub fn frame(&self, block: &Block, fixed: &Quantized) -> Option<Frame> {
        let (lo, hi) = match (&self.cells, block) {
            (Cells::Dense(shape), &Block::Box { lo, hi, places: None }) => {
                if self.meets_clamped(shape, lo, hi) {
                    return None;
                }
                let meets_itself =
                    |axis: usize| shape.rings[axis].is_some_and(|ring| i64::from(hi[axis] - lo[axis]) > ring.widest());
                if (0..self.dim).any(meets_itself) {
                    return None;
                }
                let edges = |corner: [u32; 3]| [0, 1, 2].map(|axis| shape.edge(axis, corner[axis].into()));
                (edges(lo), edges(hi))
            }
            (Cells::Leaves(leaves), Block::Leaves(run)) => {
                let edges = leaves.edges(&Block::run(run));
                if leaves.is_beyond_frames(edges, fixed.halo.into()) || leaves.is_cut(&Block::run(run)) {
                    return None;
                }
                edges
            }
            _ => return None,
        };
        let mut frame = Frame {
            origin: [0; 3],
            lo: [0; 3],
            hi: [0; 3],
            end: [i64::MAX; 3],
        };
        for axis in 0..self.dim {
            let half = (hi[axis] - lo[axis] + 1) / 2;
            if half + i64::from(fixed.halo) > 32767 {
                return None;
            }
            frame.origin[axis] = lo[axis] + half;
            (frame.lo[axis], frame.hi[axis]) = (-half as i32, (hi[axis] - frame.origin[axis]) as i32);
            if let Some(end) = self.end(axis) {
                frame.end[axis] = end.saturating_sub(frame.origin[axis] << FINE_BITS);
            }
        }
        Some(frame)
    }

    /// The first fine unit beyond a periodic axis.
    fn end(&self, axis: usize) -> Option<i64> {
        match &self.cells {
            Cells::Dense(shape) => shape.rings[axis].map(|ring| ring.period),
            Cells::Leaves(leaves) => leaves.end(axis),
        }
    }

    /// Whether points were clamped into cells in reach of a box of cells, images where axes are periodic.
    fn meets_clamped(&self, shape: &Shape, lo: [u32; 3], hi: [u32; 3]) -> bool {
        match &self.clamped {
            Some(cells) => {
                let around = [0, 1, 2].map(|axis| shape.around_once(axis, lo[axis], hi[axis]));
                let is_around = |axis: usize, cell: u32| around[axis].iter().any(|part| part.contains(&cell.into()));
                cells.iter().any(|cell| (0..3).all(|axis| is_around(axis, cell[axis])))
            }
            None => {
                let is_border = |axis: usize| lo[axis] <= 1 || hi[axis] as usize + 1 >= shape.dims[axis];
                (0..self.dim).any(|axis| shape.rings[axis].is_none() && is_border(axis))
            }
        }
    }

    /// Visits the cells in reach of a block, empty ones left out, images where axes are periodic: how far each lies
    /// from the frame's zero, its places and its number.
    #[inline]
    pub fn around(
        &self,
        block: &Block,
        fixed: &Quantized,
        frame: &Frame,
        mut action: impl FnMut(Offset, std::ops::Range<usize>, usize),
    ) {
        let mut visit = |cell: [i64; 3], moved: [i64; 3], number: usize| {
            let places = self.starts[number] as usize..self.starts[number + 1] as usize;
            if !places.is_empty() {
                let at = |axis: usize| (cell[axis] << fixed.bits) - frame.origin[axis] + (moved[axis] >> FINE_BITS);
                let offset = Offset {
                    units: [at(0), at(1), at(2)],
                    fine: moved.map(|moved| (moved & ((1 << FINE_BITS) - 1)) as u32),
                };
                action(offset, places, number);
            }
        };
        match (&self.cells, block) {
            (Cells::Dense(shape), &Block::Box { lo, hi, .. }) => {
                let parts = [0, 1, 2].map(|axis| shape.around(axis, lo[axis], hi[axis]));
                each_part(&parts, |x, [y, z], [dx, dy, dz]| {
                    let row = (z as usize * shape.dims[1] + y as usize) * shape.dims[0];
                    for x in x {
                        visit([x, y, z], [dx, dy, dz], row + x as usize);
                    }
                });
            }
            (Cells::Leaves(leaves), Block::Leaves(run)) => {
                leaves.near(&Block::run(run), fixed.halo, |leaf, places| {
                    action(Offset::default(), places, leaf)
                });
            }
            _ => {}
        }
    }

    /// The places in their cells of points from `place` on, padded, if they are moved by whole units to a frame.
    pub fn whole(&self, offset: &Offset, place: usize) -> Option<&[Packed]> {
        match &self.cells {
            Cells::Dense(_) if offset.is_whole() => Some(&self.packed[place..]),
            _ => None,
        }
    }

    /// Writes where points lie to the front of `to`: moved by fine units, or in the frame where leaves are the cells.
    pub fn moved(&self, offset: &Offset, frame: &Frame, places: std::ops::Range<usize>, to: &mut [Packed]) {
        match &self.cells {
            Cells::Dense(_) => {
                let points = self.packed[places].iter().map(|&place| offset.moved(place));
                to.iter_mut().zip(points).for_each(|(to, point)| *to = point);
            }
            Cells::Leaves(leaves) => leaves.place(frame, places, to),
        }
    }

    /// Has what is known of points fetched, to be read soon.
    pub fn prefetch(&self, places: std::ops::Range<usize>) {
        prefetch_all(&self.ids[places.clone()]);
        match &self.cells {
            Cells::Dense(_) => prefetch_all(&self.packed[places]),
            Cells::Leaves(leaves) => leaves.prefetch(places),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::Periods;
    use crate::points::PointsView;
    use crate::threads::Team;
    use crate::{TieRule, oracle};

    /// A point's coordinates in fine units.
    fn fine(grid: &Grid, place: usize) -> [i64; 3] {
        let fine_bits = |axis: usize, fine: u64| (fine >> (FINE_BITS as usize * axis) & 31) as i64;
        let shape = match &grid.cells {
            Cells::Dense(shape) => shape,
            Cells::Leaves(leaves) => {
                let unit = |axis: usize| leaves.tree.coords()[axis].get(place).map_or(0, |&unit| unit as i64);
                return std::array::from_fn(|axis| {
                    unit(axis) << FINE_BITS | fine_bits(axis, leaves.fine[place].into())
                });
            }
        };
        let number = grid.starts.partition_point(|&start| start as usize <= place) - 1;
        let (row, x) = (number / shape.dims[0], number % shape.dims[0]);
        let cell = [x, row % shape.dims[1], row / shape.dims[1]];
        std::array::from_fn(|axis| {
            let inside = (grid.packed[place] >> (16 * axis) & 0xffff) as i64;
            ((((cell[axis] as i64) << shape.bits) + inside) << FINE_BITS) | fine_bits(axis, grid.packed[place] >> 48)
        })
    }

    /// Points at the corners of a box, and a pair inside that is one cutoff apart except for a few units of roundoff.
    fn check<T: Real>(dim: usize, size: f64, at: [f64; 3], toward: [f64; 3], cutoff: f64, excess: f64) {
        let length = toward[..dim].iter().map(|t| t * t).sum::<f64>().sqrt();
        let mut coords = vec![T::default(); dim];
        coords.extend([T::from_f64(size); 3][..dim].iter());
        coords.extend(at[..dim].iter().map(|at| T::from_f64(at * size)));
        for axis in 0..dim {
            let away = toward[axis] / length * cutoff * (1.0 + excess * T::ROUNDOFF);
            coords.push(T::from_f64(coords[2 * dim + axis].to_f64() + away));
        }
        let view = PointsView::interleaved(dim, &coords).unwrap();
        let truth = oracle::pairs(&view, T::from_f64(cutoff), TieRule::Inclusive);
        let rounded = T::from_f64(cutoff);
        let mut grid = Grid::default();
        let (periods, bound, is_pair) = (Periods::default(), rounded.mul(rounded), truth.contains(&(2, 3)));
        for times in [1.0, 1.5, 20.0] {
            let largest = T::from_f64(times * cutoff);
            grid.build_cells(&view, &periods, largest.to_f64(), &Team::caller())
                .unwrap();
            check_bounds(&grid, largest.mul(largest), bound, is_pair);
            grid.build_leaves(&view, &periods, largest.to_f64(), &Team::caller())
                .unwrap();
            check_bounds(&grid, largest.mul(largest), bound, is_pair);
        }
    }

    /// Numbers for points 2 and 3, by a bound in a search by the largest one.
    fn check_bounds<T: Real>(grid: &Grid, largest: T, bound: T, is_pair: bool) {
        let Some(mut fixed) = grid.fixed(largest, 0.0) else {
            return;
        };
        FixedBounds {
            coarse: fixed.coarse,
            fine: fixed.fine,
        } = grid.fixed_bounds(bound, 0.0);
        let place = |id: u32| grid.ids[..grid.len].iter().position(|&other| other == id).unwrap();
        let (a, b) = (fine(grid, place(2)), fine(grid, place(3)));
        let dim = grid.dim;
        let d2: i64 = (0..dim).map(|axis| (a[axis] - b[axis]).pow(2)).sum();
        let check = |what: &str, d2: i64, bounds: Bounds<i64>| {
            assert!(
                if is_pair { d2 <= bounds.upper } else { d2 > bounds.lower },
                "{what}: {is_pair}, {d2} of {fixed:?}"
            );
        };
        check("fine", d2, fixed.fine);
        for (zoom, bounds) in fixed.coarse[..fixed.zooms].iter().enumerate() {
            let difference = |axis: usize| ((a[axis] >> FINE_BITS) - (b[axis] >> FINE_BITS)) << zoom;
            let d2 = (0..dim).map(|axis| difference(axis).pow(2) >> 16).sum();
            let bounds = Bounds {
                lower: bounds.lower.into(),
                upper: bounds.upper.into(),
            };
            check("coarse", d2, bounds);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Doubt covers every pair that units could get wrong.
        #[test]
        fn band(
            dim in 1..=3usize,
            cells in 2.0f64..3000.0,
            at in prop::array::uniform3(0.0f64..0.9),
            toward in prop::array::uniform3(-1.0f64..1.0),
            exponent in -40..40i32,
            excess in -20.0f64..20.0,
        ) {
            let cutoff = 2.0f64.powi(exponent) * (1.0 + at[0]);
            let cells = if dim == 1 { cells } else { cells.min(12.0) };
            check::<f64>(dim, cells * cutoff, at, toward, cutoff, excess);
            let cutoff = f64::from(cutoff as f32);
            check::<f32>(dim, cells * cutoff, at, toward, cutoff, excess);
        }

        /// And as far from the origin as frames reach.
        #[test]
        fn band_far_away(
            dim in 1..=3usize,
            cells in 10.0f64..30.5,
            at in prop::array::uniform3(0.0f64..0.9),
            toward in prop::array::uniform3(-1.0f64..1.0),
            excess in -2e6f64..2e6,
        ) {
            check::<f64>(dim, cells.exp2(), at, toward, 1.0, excess);
        }
    }
}
