//! The shape of the grid: where its cells lie and how many there are, for any positions.
//!
//! Two rules make every shape right. Cells are wider than the cutoff by [`MARGIN`], which covers the rounding of the
//! cell formula and of distances. Cell coordinates are clamped, which is monotone, so it never separates neighbors: a
//! stray point far away lands in a border cell and the distance test sends it off. Cells span a few cutoffs, so that
//! there are fewer of them than points, but not so many that a block of some thousand points is less than a cell.

use std::ops::Range;

use super::bulk::{Extent, bulk};
use super::place::{FINE_BITS, Packed, pack_axis};
use super::ring::{Parts, Ring, around_open};
use crate::axes::per_axis;
use crate::domain::Periods;
use crate::points::{PointsView, Real};

/// Relative excess of the cell size over the cutoff. Accepted pairs differ by at most c (1 + 2^-21) along an axis (four
/// roundings in real32); the cell formula errs by less than 3 * 2^-53 of a coordinate below 2^32 cells (leaves allow
/// for it themselves), and by one of the 2^16 or more fine units of a cutoff. All together stay below
/// 2^-9 - 2^-21 - 3 * 2^-13 - 2^-15 > 0.
const MARGIN: f64 = 1.0 / 512.0;

/// Cutoffs that a cell spans where nothing speaks against it.
const CUTOFFS: f64 = 2.0;

/// Cells that span no more are as crowded as the data are. (Rounding on a long periodic axis may make them wider.)
const NATURAL: f64 = 1.25 * CUTOFFS;

/// The most cutoffs that a cell spans.
const CUTOFFS_AT_MOST: f64 = 16.0;

/// The box of an open axis reaches this far from zero at most: then no difference of two places in it overflows. Points
/// beyond are strays.
const FARTHEST: f64 = f64::MAX / 4.0;

/// Cells along a periodic axis, at least, or they span one cutoff.
const CELLS_ACROSS: f64 = 6.0;

/// A cell of one cutoff instead, where cells of [`CUTOFFS`] would have this many points on average.
const CROWD: usize = 600;

/// Points for each cell, at least: empty cells cost time and 4 bytes each.
const POINTS_PER_CELL: usize = 2;

/// Small clouds may have this many cells all the same.
const CELLS_AT_LEAST: usize = 4096;

/// A box of cells, and the formula from a coordinate to its cell along an axis.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Lower corner of the box.
    pub origin: [f64; 3],
    /// Units of a cell along each axis, as a power of two; each is `1 << FINE_BITS` fine ones.
    pub bits: u32,
    /// Fine units per unit length.
    pub scale: f64,
    /// Cells along each axis.
    pub dims: [usize; 3],
    /// The periodic axes.
    pub rings: [Option<Ring>; 3],
    /// Points from outside the box are clamped into it.
    pub clamps: bool,
    /// Cells span [`NATURAL`] cutoffs at most, and no point is clamped: crowded cells are then the data's nature.
    pub natural: bool,
    /// The points are few and in one cell, in the caller's order; there are no units.
    pub is_one_cell: bool,
}

impl Shape {
    /// A single cell that holds everything. It has no units.
    pub fn one_cell() -> Shape {
        Shape {
            origin: [0.0; 3],
            bits: 0,
            scale: 0.0,
            dims: [1; 3],
            rings: [None; 3],
            clamps: true,
            natural: false,
            is_one_cell: true,
        }
    }

    /// The range of the points of cells `lo .. hi` along `axis`. Rounding of the cell formula is covered as by
    /// [`MARGIN`]; border cells of a box that clamps are unbounded.
    pub fn bounds(&self, axis: usize, lo: u32, hi: u32) -> [f64; 2] {
        let [from, to] = self.extent(axis, lo as usize, hi as usize);
        let clamps = self.clamps && self.rings[axis].is_none();
        let (clamps_lo, clamps_hi) = (clamps && lo == 0, clamps && hi as usize == self.dims[axis]);
        [
            if clamps_lo { f64::NEG_INFINITY } else { from },
            if clamps_hi { f64::INFINITY } else { to },
        ]
    }

    /// From coordinates to cells.
    pub fn placing<const DIM: usize>(&self) -> Placing<DIM> {
        let shift = self.bits + FINE_BITS;
        let units = |axis: usize| self.dims[axis] as f64 * (1u64 << shift) as f64;
        let length = |axis: usize| self.rings[axis].map_or(units(axis), |ring| ring.period.max(1) as f64);
        let beyond = |axis: usize| self.rings[axis].map_or(units(axis), |_| f64::INFINITY);
        Placing {
            origin: per_axis(|axis| self.origin[axis]),
            scale: self.scale,
            last: per_axis(|axis| length(axis) - 1.0),
            beyond: per_axis(beyond),
            shift,
            strides: per_axis(|axis| self.dims[..axis].iter().product()),
        }
    }

    /// From where to where cells `lo .. hi` lie along `axis`, a margin for the rounding of the cell formula included.
    pub fn extent(&self, axis: usize, lo: usize, hi: usize) -> [f64; 2] {
        let side = (1u64 << (self.bits + FINE_BITS)) as f64 / self.scale;
        let edge = |cell: f64| self.origin[axis] + cell * side;
        [edge(lo as f64 - MARGIN), edge(hi as f64 + MARGIN)]
    }

    /// The lower edge of a cell in units from the lower corner of the box.
    #[inline]
    pub fn edge(&self, axis: usize, cell: i64) -> i64 {
        self.rings[axis].map_or(cell << self.bits, |ring| ring.edge(cell))
    }

    /// Cells `lo .. hi` along an axis and those in reach of them.
    #[inline]
    pub fn around(&self, axis: usize, lo: u32, hi: u32) -> Parts {
        let open = || around_open(self.dims[axis] as i64, lo.into(), hi.into());
        self.rings[axis].map_or_else(open, |ring| ring.around(lo.into(), hi.into()))
    }

    /// The same, no cell twice.
    pub fn around_once(&self, axis: usize, lo: u32, hi: u32) -> [Range<i64>; 3] {
        let open = || around_open(self.dims[axis] as i64, lo.into(), hi.into()).map(|part| part.0);
        self.rings[axis].map_or_else(open, |ring| ring.around_once(lo.into(), hi.into()))
    }

    /// Number of cells of the box.
    pub fn cells(&self) -> usize {
        self.dims.iter().product()
    }
}

/// From coordinates to cells and places in them: a [`Shape`] made ready for many points.
pub struct Placing<const DIM: usize> {
    origin: [f64; DIM],
    scale: f64,
    /// The last unit of the box along each axis. That of a periodic axis is before its end: there the images begin.
    last: [f64; DIM],
    /// Whatever is in a later unit was clamped. Along a periodic axis nothing was.
    beyond: [f64; DIM],
    shift: u32,
    strides: [usize; DIM],
}

impl<const DIM: usize> Placing<DIM> {
    /// Whether a point lies outside the box, so that its place in a cell says nothing. (What rounding alone takes out
    /// of the box is none of these.)
    #[inline(always)]
    pub fn clamps<T: Real>(&self, point: [T; DIM]) -> bool {
        let units = |axis: usize| (point[axis].to_f64() - self.origin[axis]) * self.scale;
        (0..DIM).any(|axis| units(axis) < -0.5 || units(axis) > self.beyond[axis])
    }

    /// The cell number of a point, clamped into the box, and where in the cell it lies.
    #[inline(always)]
    pub fn place<T: Real>(&self, point: [T; DIM]) -> (usize, Packed) {
        // Adding 2^52 rounds to an integer and leaves it in the low bits; there are fewer units than that.
        const TO_INTEGER: f64 = (1u64 << 52) as f64;
        let (mut cell, mut place) = (0, 0);
        for (axis, coord) in point.into_iter().enumerate() {
            let units = (coord.to_f64() - self.origin[axis]) * self.scale;
            let units = units.max(0.0).min(self.last[axis]);
            let offset = (units + TO_INTEGER).to_bits() & ((1 << 52) - 1);
            cell += (offset >> self.shift) as usize * self.strides[axis];
            let inside = offset & ((1 << self.shift) - 1);
            place |= pack_axis(axis, inside);
        }
        (cell, place)
    }
}

/// Size of the smallest cell for this cutoff.
pub fn cell_size(cutoff: f64) -> f64 {
    cutoff * (1.0 + MARGIN)
}

/// Chooses the box. First the whole extent, with cells of few cutoffs; if that has too many cells, the bulk of the
/// cloud with the strays clamped; if even that has too many, the bulk with larger cells. A periodic axis is always
/// taken whole.
pub fn choose<T: Real>(view: &PointsView<T>, extent: &Extent, periods: &Periods<T>, cutoff: f64) -> Shape {
    let (dim, limit) = (view.dim(), cells_limit(view.len()) as f64);
    let lengths = periods.lengths();
    let within = within_reach(extent, dim, &lengths);
    let one = cell_size(cutoff + 2.0 * periods.slack());
    let mut cutoffs = CUTOFFS;
    let is_crowd = fit(&within, dim, CUTOFFS * one).2 * (CROWD as f64) < view.len() as f64;
    let is_narrow = |length: &f64| *length < CELLS_ACROSS * CUTOFFS * one;
    if is_crowd || lengths[..dim].iter().flatten().any(is_narrow) {
        cutoffs = 1.0;
    }
    while within == *extent && cutoffs <= CUTOFFS_AT_MOST {
        let whole = fit(&within, dim, cutoffs * one);
        if whole.2 <= limit {
            return Shape {
                natural: cutoffs * one <= NATURAL * cell_size(cutoff),
                ..shape(dim, &lengths, [cutoffs * one, one], whole, false)
            };
        }
        cutoffs *= 2.0;
    }
    let window = bulk(view, &within, &lengths);
    let mut size = CUTOFFS * one;
    loop {
        let part = fit(&window, dim, size);
        if part.2 <= limit {
            return shape(dim, &lengths, [size, one], part, true);
        }
        // At least one axis shrinks by its share of the excess; 1 % more makes the loop end after a few rounds even
        // where an axis of one cell cannot shrink. The cap keeps an infinite count from making the size infinite: while
        // there are too many cells, several of them are along some axis, so that the size stays below its length.
        size *= (part.2 / limit).powf(1.0 / dim as f64).min(1e100) * 1.01;
    }
}

/// The extent, cut off at [`FARTHEST`] along open axes. Along axes that the points do not have it is empty, and stays
/// so.
fn within_reach(extent: &Extent, dim: usize, lengths: &[Option<f64>; 3]) -> Extent {
    let mut within = *extent;
    let axes = within.iter_mut().zip(lengths).take(dim);
    for (bounds, _) in axes.filter(|(_, length)| length.is_none()) {
        *bounds = bounds.map(|bound| bound.clamp(-FARTHEST, FARTHEST));
    }
    within
}

fn cells_limit(len: usize) -> usize {
    (len / POINTS_PER_CELL).max(CELLS_AT_LEAST)
}

/// The shape with cells of `size`; cells of one cutoff have the size `one`. Units are so fine that a block of some
/// thousand points spans at most 2^16 of them: with fewer dimensions that is more cutoffs.
fn shape(
    dim: usize,
    lengths: &[Option<f64>; 3],
    [size, one]: [f64; 2],
    (origin, dims, _): ([f64; 3], [f64; 3], f64),
    clamps: bool,
) -> Shape {
    let two_cutoffs = [12, 13, 14][dim - 1];
    let bits = (two_cutoffs - 1 + (size / one).log2().clamp(0.0, 3.0).ceil() as u32).clamp(12, 14);
    let scale = (1u64 << (bits + FINE_BITS)) as f64 / size;
    let rings = lengths.map(|length| length.map(|length| Ring::new(length, scale, bits, one * scale)));
    let along = |axis: usize| rings[axis].map_or(dims[axis] as usize, |ring| ring.cells as usize);
    Shape {
        origin,
        bits,
        scale,
        dims: per_axis(along),
        rings,
        clamps,
        natural: false,
        is_one_cell: false,
    }
}

/// Lower corner, cells per axis and their product for cells of `size` over `extent`, in floating point: there may be
/// any number of cells, up to infinity.
fn fit(extent: &Extent, dim: usize, size: f64) -> ([f64; 3], [f64; 3], f64) {
    let (mut origin, mut dims) = ([0.0; 3], [1.0; 3]);
    for axis in 0..dim {
        let [lo, hi] = extent[axis];
        origin[axis] = lo;
        dims[axis] = ((hi - lo) / size).floor() + 1.0;
    }
    (origin, dims, dims.iter().product())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::Team;

    /// Points that fill their extent are in cells of two cutoffs over all of it, in every dimension; with one stray
    /// beyond [`FARTHEST`] they are in cells over their bulk.
    #[test]
    fn all_of_the_extent() {
        const SIDE: usize = 12;
        let open = Periods::<f64>([None; 3]);
        for dim in 1..=3 {
            let along = |i: usize, axis: u32| (i / SIDE.pow(axis) % SIDE) as f64;
            let mut coords: Vec<f64> = (0..SIDE.pow(3))
                .flat_map(|i| (0..dim as u32).map(move |axis| along(i, axis)))
                .collect();
            for natural in [true, false] {
                let view = PointsView::interleaved(dim, &coords).unwrap();
                let extent = view.extent(&Team::new(1).unwrap()).unwrap();
                let shape = choose(&view, &extent, &open, 0.5);
                assert_eq!(shape.natural, natural, "{dim} dimensions");
                assert!(
                    shape.dims[..dim].iter().all(|&cells| cells >= SIDE - 1),
                    "{:?}",
                    shape.dims
                );
                coords[0] = f64::MAX;
            }
        }
    }
}
