//! The sparse grid: only occupied cells, one cutoff wide, sorted by the brick they are in, then by (z, y, x). For clouds
//! whose bounding box would have far more cells than points: clusters in a vacuum, a diagonal line, a small cutoff in a
//! large domain.

use std::ops::Range;

use super::bulk::{Extent, middle};
use super::place::{FINE_BITS, Packed, pack_axis};
use super::radix::Radix;
use super::ring::{Parts, Ring};
use super::shape::cell_size;
use crate::axes::per_axis;
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{reserve_discarding, resize_discarding};
use crate::points::{CHUNK, PointsView, Real};
use crate::threads::Team;

/// Farther than this many cells from the middle of the bulk, cells are clamped together.
const REACH: i64 = 1 << 40;

/// The same in fine units.
const MOST_UNITS: f64 = (REACH << (UNIT_BITS + FINE_BITS)) as f64;

/// Cells around a periodic axis, at most: there none are clamped together.
const MOST_AROUND: f64 = (REACH / 4) as f64;

/// Units of a cell, as a power of two: as fine as lets the neighborhood of a brick be no wider than 2^16 of them.
pub(crate) const UNIT_BITS: u32 = 12;

/// Cells of a brick along an axis, as a power of two: a brick is a block where it has no more points than that.
pub(crate) const BRICK_BITS: u32 = 3;
const BRICK: i64 = 1 << BRICK_BITS;

/// A cell's brick, then its place in the brick: both ordered as (z, y, x).
pub type Key = u128;

/// Where the cells lie: the formula from a coordinate to a cell, and how cells are packed into keys. Cells are counted
/// from one brick below the lowest, so that none in reach of an occupied one has a negative coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Lattice {
    dim: usize,
    /// The middle of the bulk, from which distances are small for all but strays; or where a periodic axis begins.
    origin: [f64; 3],
    /// Fine units per unit length.
    pub scale: f64,
    /// Points stand no higher, in fine units: what rounding puts on the end of a periodic axis belongs to the unit before.
    last: [f64; 3],
    /// Cell zero, counted from the origin.
    first: [i64; 3],
    /// Bits of a brick's coordinate along each axis.
    bits: [u32; 3],
    /// The periodic axes, whose cells are counted from one brick on.
    rings: [Option<Ring>; 3],
}

impl Lattice {
    /// The lattice for searches within `cutoff` of points inside `extent`.
    pub fn new<T: Real>(view: &PointsView<T>, extent: &Extent, periods: &Periods<T>, cutoff: f64) -> Lattice {
        let units = f64::from(1u32 << (UNIT_BITS + FINE_BITS));
        let longest = periods.lengths().into_iter().flatten().fold(0.0, f64::max);
        let size = cell_size(cutoff + 2.0 * periods.slack()).max(longest / MOST_AROUND);
        let scale = (units / size).min(f64::MAX);
        let ring = |length: f64| Ring::new(length, scale, UNIT_BITS, units);
        let mut lattice = Lattice {
            dim: view.dim(),
            origin: middle(view),
            scale,
            last: [MOST_UNITS; 3],
            first: [0; 3],
            bits: [0; 3],
            rings: periods.lengths().map(|length| length.map(ring)),
        };
        for (axis, bounds) in extent.iter().enumerate().take(view.dim()) {
            let [lo, hi] = match lattice.rings[axis] {
                Some(ring) => {
                    lattice.origin[axis] = bounds[0];
                    lattice.last[axis] = (ring.period as f64).next_down();
                    [0, ring.cells - 1]
                }
                // The formula is monotone, so all other points lie between these two.
                None => bounds.map(|coord| lattice.units(axis, coord) >> (UNIT_BITS + FINE_BITS)),
            };
            lattice.first[axis] = lo - BRICK;
            lattice.bits[axis] = i64::BITS - ((hi - lo + 2 * BRICK) >> BRICK_BITS).leading_zeros();
        }
        lattice
    }

    /// Fine units from the origin, rounded down.
    #[inline(always)]
    fn units(&self, axis: usize, coord: f64) -> i64 {
        let units = ((coord - self.origin[axis]) * self.scale).clamp(-MOST_UNITS, self.last[axis]);
        let truncated = units as i64;
        truncated - i64::from(units < truncated as f64)
    }

    /// The cell of a point, and where in it the point lies.
    #[inline(always)]
    fn place<T: Real, const DIM: usize>(&self, point: [T; DIM]) -> ([i64; 3], Packed) {
        let (mut cell, mut place) = ([0; 3], 0);
        for (axis, coord) in point.into_iter().enumerate() {
            let units = self.units(axis, coord.to_f64());
            cell[axis] = (units >> (UNIT_BITS + FINE_BITS)) - self.first[axis];
            place |= pack_axis(axis, units as u64 & ((1 << (UNIT_BITS + FINE_BITS)) - 1));
        }
        (cell, place)
    }

    /// How far the box `lo .. hi` reaches from the origin, in cells.
    pub fn farthest(&self, lo: [i64; 3], hi: [i64; 3]) -> i64 {
        let far = |axis: usize| {
            (lo[axis] + self.first[axis])
                .abs()
                .max((hi[axis] + self.first[axis]).abs())
        };
        (0..self.dim).map(far).max().unwrap_or(0)
    }

    /// Bits of a key that are the place in the brick.
    pub fn inside_bits(&self) -> u32 {
        BRICK_BITS * self.dim as u32
    }

    /// Bits of a key in use.
    fn key_bits(&self) -> u32 {
        self.bits.iter().sum::<u32>() + self.inside_bits()
    }

    fn inside(cell: [i64; 3]) -> u64 {
        let [x, y, z] = cell.map(|c| c as u64 & (BRICK as u64 - 1));
        (z << BRICK_BITS | y) << BRICK_BITS | x
    }

    /// The key of a cell.
    pub fn pack(&self, cell: [i64; 3]) -> Key {
        let [x, y, z] = cell.map(|c| (c >> BRICK_BITS) as Key);
        let brick = (z << self.bits[1] | y) << self.bits[0] | x;
        brick << self.inside_bits() | Key::from(Self::inside(cell))
    }

    /// The key of a cell, where 64 bits hold all.
    #[inline(always)]
    fn pack_narrow(&self, cell: [i64; 3]) -> u64 {
        let [x, y, z] = cell.map(|c| (c >> BRICK_BITS) as u64);
        let brick = (z << self.bits[1] | y) << self.bits[0] | x;
        brick << self.inside_bits() | Self::inside(cell)
    }

    /// The lowest cell of a key's brick.
    fn brick(&self, key: Key) -> [i64; 3] {
        let brick = key >> self.inside_bits();
        let [x, y, _] = self.bits;
        let axes = [brick & ((1 << x) - 1), (brick >> x) & ((1 << y) - 1), brick >> (x + y)];
        axes.map(|c| (c as i64) << BRICK_BITS)
    }

    /// The cell of a key.
    pub fn cell(&self, key: Key) -> [i64; 3] {
        add(self.brick(key), self.in_brick(key))
    }

    fn in_brick(&self, key: Key) -> [i64; 3] {
        let inside = key as i64 & ((1 << self.inside_bits()) - 1);
        [0, 1, 2].map(|axis| inside >> (BRICK_BITS * axis) & (BRICK - 1))
    }

    /// The box of the cells whose keys differ from `key` in the lowest `bits` at most, no more than those in the brick.
    pub fn corners(&self, key: Key, bits: u32) -> ([i64; 3], [i64; 3]) {
        let below = (1 << bits) - 1;
        (self.cell(key & !below), self.cell(key | below).map(|c| c + 1))
    }

    /// Whether any axis is periodic.
    pub fn is_periodic(&self) -> bool {
        self.rings.iter().any(Option::is_some)
    }

    /// Whether a box of cells has a cell around it twice.
    pub fn meets_itself(&self, lo: [i64; 3], hi: [i64; 3]) -> bool {
        let meets = |axis: usize| self.rings[axis].is_some_and(|ring| hi[axis] - lo[axis] > ring.widest());
        (0..self.dim).any(meets)
    }

    /// The lower edge of a cell in units.
    pub fn edge(&self, axis: usize, cell: i64) -> i64 {
        let ring = |ring: Ring| ring.edge(cell - BRICK) + (BRICK << UNIT_BITS);
        self.rings[axis].map_or(cell << UNIT_BITS, ring)
    }

    /// A box of cells with those around it along an axis, images where it ends.
    fn around(&self, axis: usize, lo: i64, hi: i64) -> Parts {
        let by = i64::from(axis < self.dim);
        match self.rings[axis] {
            None => [(0..0, 0), (lo - by..hi + by, 0), (0..0, 0)],
            // A brick may go on where the axis ends.
            Some(ring) => ring
                .around(lo - BRICK, (hi - BRICK).min(ring.cells))
                .map(|(cells, moved)| (cells.start + BRICK..cells.end + BRICK, moved)),
        }
    }

    /// Visits the occupied cells in reach of a box, how far each is moved, in fine units, and where it stands among `keys`;
    /// `hint` is a place nearby.
    pub fn each_around(
        &self,
        keys: &[Key],
        lo: [i64; 3],
        hi: [i64; 3],
        hint: usize,
        mut action: impl FnMut([i64; 3], [i64; 3], usize),
    ) {
        let [xs, ys, zs] = [0, 1, 2].map(|axis| self.around(axis, lo[axis], hi[axis]));
        for (z, dz) in zs.iter().filter(|part| !part.0.is_empty()) {
            for (y, dy) in ys.iter().filter(|part| !part.0.is_empty()) {
                for (x, dx) in xs.iter().filter(|part| !part.0.is_empty()) {
                    let (from, to) = ([x.start, y.start, z.start], [x.end, y.end, z.end]);
                    self.each(keys, from, to, hint, |cell, at| action(cell, [*dx, *dy, *dz], at));
                }
            }
        }
    }

    /// The same, no cell twice, and only where each stands.
    pub fn each_once(&self, keys: &[Key], lo: [i64; 3], hi: [i64; 3], hint: usize, mut action: impl FnMut(usize)) {
        let [xs, ys, zs] = [0, 1, 2].map(|axis| match self.rings[axis] {
            Some(ring) => ring
                .around_once(lo[axis] - BRICK, hi[axis] - BRICK)
                .map(|cells| cells.start + BRICK..cells.end + BRICK),
            None => self.around(axis, lo[axis], hi[axis]).map(|part| part.0),
        });
        for z in zs.iter().filter(|cells| !cells.is_empty()) {
            for y in ys.iter().filter(|cells| !cells.is_empty()) {
                for x in xs.iter().filter(|cells| !cells.is_empty()) {
                    let (from, to) = ([x.start, y.start, z.start], [x.end, y.end, z.end]);
                    self.each(keys, from, to, hint, |_, at| action(at));
                }
            }
        }
    }

    /// Visits the occupied cells of a box, and where they stand among `keys`; `hint` is a place nearby.
    fn each(&self, keys: &[Key], lo: [i64; 3], hi: [i64; 3], hint: usize, mut action: impl FnMut([i64; 3], usize)) {
        let (from, to) = (lo.map(|c| c >> BRICK_BITS), hi.map(|c| (c - 1) >> BRICK_BITS));
        let inside = (1 << self.inside_bits()) - 1;
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                let key = |x: i64| self.pack([x, y, z].map(|c| c << BRICK_BITS));
                let start = lower_bound(keys, key(from[0]), hint);
                let last = key(to[0]) | inside;
                let (mut end_of_brick, mut brick) = (0, [0; 3]);
                for (at, &key) in (start..).zip(&keys[start..]).take_while(|&(_, &key)| key <= last) {
                    if key >= end_of_brick {
                        (end_of_brick, brick) = ((key | inside) + 1, self.brick(key));
                    }
                    let cell = add(brick, self.in_brick(key));
                    if (0..3).all(|axis| lo[axis] <= cell[axis] && cell[axis] < hi[axis]) {
                        action(cell, at);
                    }
                }
            }
        }
    }

    /// The occupied cells from `(x, y, z)` to `(x_end, y, z)`, two ranges where they are in two bricks. `hints` is where the
    /// last search of this kind ended: blocks come in key order, so the next answer is near, and a galloping search finds it
    /// in O(log distance).
    pub fn row(&self, keys: &[Key], [x, y, z]: [i64; 3], x_end: i64, hints: &mut [usize; 2]) -> [Range<usize>; 2] {
        let middle = x_end.min(x | (BRICK - 1));
        let mut ends = [(x, middle), (middle + 1, x_end)].into_iter();
        hints.each_mut().map(|hint| match ends.next() {
            Some((from, to)) if from <= to => {
                let last = self.pack([to, y, z]);
                *hint = lower_bound(keys, self.pack([from, y, z]), *hint);
                *hint..*hint + keys[*hint..].iter().take_while(|&&key| key <= last).count()
            }
            _ => 0..0,
        })
    }
}

fn add(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    per_axis(|axis| a[axis] + b[axis])
}

/// What the sort needs, kept for the next build.
#[derive(Debug, Default)]
pub struct Scratch {
    radix: Radix,
    /// For clouds so wide that 64 bits do not hold their keys.
    wide: Vec<(Key, u32)>,
}

impl Scratch {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.radix.bytes() + self.wide.capacity() * size_of::<(Key, u32)>()
    }
}

/// What the sort makes: see [`Grid`](super::Grid).
pub struct Index<'a> {
    pub ids: &'a mut [u32],
    pub packed: &'a mut [Packed],
    pub starts: &'a mut Vec<u32>,
    pub keys: &'a mut Vec<Key>,
}

/// Sorts the points by (cell, number).
pub fn sort<T: Real, const DIM: usize>(
    view: &PointsView<T>,
    lattice: &Lattice,
    index: &mut Index,
    scratch: &mut Scratch,
    team: &Team,
) -> Result<()> {
    let len = view.len();
    if Radix::holds(len, lattice.key_bits()) {
        let radix = &mut scratch.radix;
        let to = (&mut *index.ids, &mut *index.packed);
        radix.sort(to, lattice.key_bits(), team, |range, action| {
            view.chunks::<DIM>(range, |first, points| {
                let mut placed = [(0, 0); CHUNK];
                for (placed, &point) in placed.iter_mut().zip(points) {
                    let (cell, place) = lattice.place(point);
                    *placed = (lattice.pack_narrow(cell), place);
                }
                action(first, &placed[..points.len()]);
            });
        })?;
        index.find_cells(|at| Key::from(radix.keys()[at]))?;
    } else {
        let wide = &mut scratch.wide;
        wide.clear();
        reserve_discarding(wide, len, "the index")?;
        view.chunks::<DIM>(0..len, |first, points| {
            let keys = points.iter().map(|&point| lattice.pack(lattice.place(point).0));
            wide.extend(keys.zip(first as u32..));
        });
        team.sort(wide);
        for ((id, place), &(_, number)) in index.ids.iter_mut().zip(&mut *index.packed).zip(&*wide) {
            let point = per_axis(|axis| view.get(axis, number as usize));
            (*id, *place) = (number, lattice.place::<T, DIM>(point).1);
        }
        index.find_cells(|at| wide[at].0)?;
    }
    Ok(())
}

impl Index<'_> {
    /// The occupied cells, where the point at each place has the key that `key` says.
    fn find_cells(&mut self, key: impl Fn(usize) -> Key) -> Result<()> {
        let len = self.ids.len();
        let cells = 1 + (1..len).filter(|&at| key(at) != key(at - 1)).count();
        self.keys.clear();
        reserve_discarding(self.keys, cells, "the index")?;
        resize_discarding(self.starts, cells + 1, 0, "the index")?;
        for at in 0..len {
            let key = key(at);
            if self.keys.last() != Some(&key) {
                self.starts[self.keys.len()] = at as u32;
                self.keys.push(key);
            }
        }
        self.starts[cells] = len as u32;
        Ok(())
    }
}

/// The first index whose key is not below `key`, sought outward from `hint`.
fn lower_bound(keys: &[Key], key: Key, hint: usize) -> usize {
    let hint = hint.min(keys.len());
    let mut step = 1;
    if hint == keys.len() || keys[hint] >= key {
        let mut hi = hint;
        loop {
            let lo = hi.saturating_sub(step);
            if lo == 0 || keys[lo] < key {
                return lo + keys[lo..hi].partition_point(|&k| k < key);
            }
            (hi, step) = (lo, step * 2);
        }
    }
    let mut lo = hint;
    loop {
        let hi = (lo + step).min(keys.len());
        if hi == keys.len() || keys[hi] >= key {
            return lo + keys[lo..hi].partition_point(|&k| k < key);
        }
        (lo, step) = (hi, step * 2);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cells, Grid};
    use super::*;
    use crate::domain::Period;

    /// Three clumps of 700 points, `far` apart.
    fn clumps(dim: usize, far: f64) -> Vec<f64> {
        let mut state = 1u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..2100 * dim)
            .map(|k| uniform() + (k / dim % 3) as f64 * far)
            .collect()
    }

    /// A point that rounding puts on the end of a periodic axis is in the last cell, also where that ends just there.
    #[test]
    fn the_end_of_a_ring() {
        let mut on_end = 0;
        for cells in [1_000_000.0, 1_000_001.0, 3e6] {
            for beyond in (0..40).map(|k| f64::from(k) * 1e-13) {
                let lo = -0.5 * cells;
                let size = cell_size(1.0 + 2.0 * f64::EPSILON / 2.0 * cells * 1.002);
                let period = Period::new(lo, cells * size * (1.0 + beyond));
                let coords = [lo, period.hi.next_down()];
                let view = PointsView::interleaved(1, &coords).unwrap();
                let extent = [[lo, period.hi], [0.0; 2], [0.0; 2]];
                let lattice = Lattice::new(&view, &extent, &Periods([Some(period), None, None]), 1.0);
                let Some(ring) = lattice.rings[0] else {
                    panic!("no ring")
                };
                let units = (coords[1] - lo) * lattice.scale;
                on_end += usize::from(units as i64 >= ring.period && ring.period % (1 << (UNIT_BITS + FINE_BITS)) == 0);
                let [first, last] = coords.map(|coord| lattice.place([coord]).0[0] - BRICK);
                assert_eq!(
                    (first, last),
                    (0, ring.cells - 1),
                    "{cells} cells and {beyond} of their length"
                );
            }
        }
        assert!(on_end > 5, "{on_end} boxes end where a cell does");
    }

    /// Cells are found around boxes and rows of cells, whether keys are short or long, and threads make no difference.
    #[test]
    fn cells_are_found() {
        for (dim, far) in [(1, 1e9), (1, -1e4), (2, 1e9), (2, -1e5), (3, 1e4), (3, -1e9), (3, 1e20)] {
            let coords = clumps(dim, far);
            let view = PointsView::interleaved(dim, &coords).unwrap();
            let (mut grid, mut other) = (Grid::default(), Grid::default());
            let open = Periods::default();
            grid.build(&view, &open, 0.07, &Team::caller()).unwrap();
            other.build(&view, &open, 0.07, &Team::new(2).unwrap()).unwrap();
            assert_eq!(
                (&grid.ids, &grid.packed, &grid.starts),
                (&other.ids, &other.packed, &other.starts)
            );
            let Cells::Sparse { lattice, keys } = &grid.cells else {
                panic!("{dim} axes, {far:e} apart: a dense grid")
            };
            assert!(keys.is_sorted());
            let cells: Vec<_> = keys.iter().map(|&key| lattice.cell(key)).collect();
            for (k, &cell) in cells.iter().enumerate().step_by(5) {
                assert_eq!(lattice.pack(cell), keys[k]);
                for bits in [0, 1, lattice.inside_bits()] {
                    let (lo, hi) = lattice.corners(keys[k], bits);
                    let inside = |c: &[i64; 3]| (0..3).all(|axis| lo[axis] - 1 <= c[axis] && c[axis] <= hi[axis]);
                    let mut found = Vec::new();
                    lattice.each_around(keys, lo, hi, k, |cell, moved, at| {
                        assert_eq!((cell, moved), (cells[at], [0; 3]));
                        found.push(at);
                    });
                    found.sort_unstable();
                    assert!(found.into_iter().eq((0..cells.len()).filter(|&at| inside(&cells[at]))));
                }
                let [x, y, z] = cell;
                let rows = lattice.row(keys, [x - 1, y, z], x + 4, &mut [k, 0]);
                let in_row = |c: &[i64; 3]| c[1..] == [y, z] && x - 1 <= c[0] && c[0] <= x + 4;
                assert!(
                    rows.into_iter()
                        .flatten()
                        .eq((0..cells.len()).filter(|&at| in_row(&cells[at])))
                );
            }
        }
    }
}
