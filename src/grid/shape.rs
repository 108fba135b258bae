//! The shape of the grid: where its cells lie and how many there are, for any positions.
//!
//! Two rules make every shape right. Cells are wider than the cutoff by [`MARGIN`], which covers the rounding of the
//! cell formula and of distances. Cell coordinates are clamped, which is monotone, so it never separates neighbors: a
//! stray point far away lands in a border cell and the distance test sends it off.

use crate::points::{PointsView, Real};

/// Relative excess of the cell size over the cutoff. Accepted pairs differ by at most c (1 + 2^-21) along an axis (four
/// roundings in real32); the cell formula errs by less than 3 * 2^-53 of a coordinate below 2^40 cells (sparse) or
/// 2^32 (dense). Both together stay below 2^-10 - 2^-21 - 3 * 2^-13 > 0.
const MARGIN: f64 = 1.0 / 1024.0;

/// Cells may number this many per point: 8 bytes beside the 12 to 28 that a point takes anyway.
const CELLS_PER_POINT: usize = 2;

/// Small clouds may have this many cells all the same.
const CELLS_AT_LEAST: usize = 4096;

/// Points looked at to find where the bulk of the cloud lies.
const SAMPLE: usize = 1024;

/// A box of cells, and the formula from a coordinate to its cell along an axis.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Lower corner of the box; for a sparse grid, the middle of the bulk.
    pub origin: [f64; 3],
    /// Cells per unit length.
    pub inverse: f64,
    /// Cells along each axis.
    pub dims: [usize; 3],
    /// Cells are exactly one cutoff wide and no point was clamped: crowded cells are then the data's nature.
    pub natural: bool,
}

impl Shape {
    /// A single cell that holds everything.
    pub fn one_cell() -> Shape {
        Shape {
            origin: [0.0; 3],
            inverse: 1.0,
            dims: [1; 3],
            natural: false,
        }
    }

    /// Where the points of cells `lo .. hi` lie along `axis`. Rounding of the cell formula is covered as by [`MARGIN`];
    /// border cells of a box that clamps are unbounded.
    pub fn bounds(&self, axis: usize, lo: u32, hi: u32) -> [f64; 2] {
        let [from, to] = self.extent(axis, lo as usize, hi as usize);
        let (clamps_lo, clamps_hi) = (
            lo == 0 && !self.natural,
            hi as usize == self.dims[axis] && !self.natural,
        );
        [
            if clamps_lo { f64::NEG_INFINITY } else { from },
            if clamps_hi { f64::INFINITY } else { to },
        ]
    }

    /// The cell along `axis`, clamped into the box.
    #[inline]
    pub fn cell(&self, axis: usize, coord: f64) -> usize {
        let cell = (coord - self.origin[axis]) * self.inverse;
        cell.clamp(0.0, (self.dims[axis] - 1) as f64) as usize
    }

    /// From where to where cells `lo .. hi` lie along `axis`, a margin for the rounding of the cell formula included.
    pub fn extent(&self, axis: usize, lo: usize, hi: usize) -> [f64; 2] {
        let edge = |cell: f64| self.origin[axis] + cell / self.inverse;
        [edge(lo as f64 - MARGIN), edge(hi as f64 + MARGIN)]
    }

    /// Number of cells of the box.
    pub fn cells(&self) -> usize {
        self.dims.iter().product()
    }
}

/// Per axis, a lower and an upper bound.
pub type Extent = [[f64; 2]; 3];

/// Size of a cell for this cutoff.
pub fn cell_size(cutoff: f64) -> f64 {
    cutoff * (1.0 + MARGIN)
}

/// Chooses the box. First the whole extent; if that has too many cells, the bulk of the cloud with the strays clamped;
/// if even that has too many, the bulk with larger cells.
pub fn choose<T: Real>(view: &PointsView<T>, extent: &Extent, cutoff: f64) -> Shape {
    let (dim, limit) = (view.dim(), cells_limit(view.len()));
    let size = cell_size(cutoff);
    let whole = fit(extent, dim, size);
    if whole.2 <= limit as f64 {
        return shape(whole.0, size, whole.1, true);
    }
    let window = bulk(view, extent);
    let mut enlarged = size;
    loop {
        let (origin, dims, cells) = fit(&window, dim, enlarged);
        if cells <= limit as f64 {
            return shape(origin, enlarged, dims, false);
        }
        // At least one axis shrinks by its share of the excess; 1 % more makes the loop end after a few rounds even
        // where an axis of one cell cannot shrink. The cap keeps an infinite count from making the size infinite.
        enlarged *= (cells / limit as f64).powf(1.0 / dim as f64).min(1e100) * 1.01;
    }
}

/// The middle of the bulk, the origin of a sparse grid: distances from it are small for all but strays.
pub fn middle<T: Real>(view: &PointsView<T>) -> [f64; 3] {
    let mut middle = [0.0; 3];
    for (axis, m) in middle.iter_mut().enumerate().take(view.dim()) {
        let sorted = sample(view, axis);
        *m = sorted.0[sorted.1 / 2];
    }
    middle
}

fn cells_limit(len: usize) -> usize {
    (CELLS_PER_POINT * len).max(CELLS_AT_LEAST)
}

fn shape(origin: [f64; 3], size: f64, dims: [f64; 3], natural: bool) -> Shape {
    Shape {
        origin,
        inverse: 1.0 / size,
        dims: dims.map(|d| d as usize),
        natural,
    }
}

/// Lower corner, cells per axis and their product for cells of `size` over `extent`, in floating point: an extent may
/// be anything up to infinity.
fn fit(extent: &Extent, dim: usize, size: f64) -> ([f64; 3], [f64; 3], f64) {
    let (mut origin, mut dims) = ([0.0; 3], [1.0; 3]);
    for axis in 0..dim {
        let [lo, hi] = extent[axis];
        origin[axis] = lo;
        dims[axis] = ((0.5 * hi - 0.5 * lo) / (0.5 * size)).floor() + 1.0; // halves: hi - lo may overflow
    }
    (origin, dims, dims.iter().product())
}

/// The part of the extent around the bulk of the cloud: the range of a sample without its outer sixteenths, widened by
/// half on each side, so that a uniform cloud keeps its whole extent.
fn bulk<T: Real>(view: &PointsView<T>, extent: &Extent) -> Extent {
    let mut window = *extent;
    for (axis, bounds) in window.iter_mut().enumerate().take(view.dim()) {
        let (sorted, len) = sample(view, axis);
        let (lo, hi) = (sorted[len / 16], sorted[len - 1 - len / 16]);
        let margin = 0.5 * (hi - lo);
        *bounds = [bounds[0].max(lo - margin), bounds[1].min(hi + margin)];
    }
    window
}

/// Coordinates of evenly spaced points, sorted: a fixed array and how much of it is filled. `view` is not empty.
fn sample<T: Real>(view: &PointsView<T>, axis: usize) -> ([f64; SAMPLE], usize) {
    let mut values = [0.0; SAMPLE];
    let len = view.len().min(SAMPLE);
    for (k, value) in values[..len].iter_mut().enumerate() {
        *value = view.get(axis, k * view.len() / len).to_f64();
    }
    values[..len].sort_unstable_by(f64::total_cmp);
    (values, len)
}
