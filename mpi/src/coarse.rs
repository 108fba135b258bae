//! A rank's points in coarse cells: some thousand, laid over their bulk, each with the tight box of its points. From these
//! comes what a rank tells all others, and they say which few points anything near other ranks may concern.
//!
//! All points are read once, by all threads, and copied only where they are near. Cells need not be good ones: whatever is in
//! one is in its box.

use std::ops::Range;

use crate::blocks::{Foreign, Group};
use crate::boxes::{Reach, Tight};
use crate::error::{Result, push, reserve, resize, room};
use crate::points::{Placed, Placing, Real, check_placed};
use crate::team::Team;

const WHAT: &str = "the points near other ranks";

/// Points that tell where the bulk is.
const SAMPLE: usize = 1 << 10;

/// Cells along each axis over the bulk, at most, by dim: so few that their boxes stay in the cache of a core. The outermost, half
/// of which reaches beyond, have what is outside.
const MOST: [usize; 3] = [2048, 80, 20];

/// With more boxes near its cell than these a point is taken without a look at each.
const LOOKS: usize = 8;

/// Points of a rank, and how to place them.
#[derive(Clone, Copy)]
pub struct Cloud<'a, T> {
    pub dim: usize,
    pub coords: &'a [T],
    pub placing: Placing<T>,
    /// Where numbers of points start, in messages.
    pub base: i64,
    pub team: &'a Team,
}

impl<T: Real> Cloud<'_, T> {
    fn len(&self) -> usize {
        self.coords.len() / self.dim
    }

    fn at(&self, point: usize) -> [f64; 3] {
        self.placing.at(&self.coords[point * self.dim..][..self.dim])
    }
}

/// The cells of a cloud, and its points near other ranks. Kept from plan to plan, for its memory.
#[derive(Default)]
pub struct Coarse {
    axes: [Axis; 3],
    /// By cell.
    boxes: Vec<Tight>,
    /// Of all points, in their order; their boxes are in those.
    shares: Vec<Share>,
    /// Points that may be near other ranks, cell by cell.
    pub shell: Vec<Placed>,
    /// Their cells, and where those end in the shell.
    groups: Vec<(u16, usize)>,
}

/// Cells along one axis.
#[derive(Clone, Copy, Debug, Default)]
struct Axis {
    start: f64,
    per_unit: f64,
    /// The number of the last cell.
    last: f64,
}

impl Axis {
    fn cells(&self) -> usize {
        self.last as usize + 1
    }

    /// Which cell a coordinate is in; any, where numbers overflow. No rounding function and no cast: the processors that all
    /// builds are for have neither.
    #[inline(always)]
    fn cell(&self, coord: f64) -> usize {
        const UNITS: f64 = (1u64 << 52) as f64; // a number that it is added to has its nearest integer in the last bits
        let cell = (coord - self.start) * self.per_unit;
        let cell = if cell > 0.0 { cell } else { 0.0 };
        let cell = if cell < self.last { cell } else { self.last };
        (cell + UNITS).to_bits() as u32 as usize
    }

    /// Over the middle of `coords`, which are sorted here, in cells of at least `least`, `most` of them.
    fn over(coords: &mut [f64], least: f64, most: usize) -> Axis {
        coords.sort_unstable_by(f64::total_cmp);
        let last = coords.len() - 1;
        let (lo, hi) = (coords[last / 100], coords[last - last / 100]);
        let margin = (hi - lo) / 16.0;
        let (start, width) = (lo - margin, hi - lo + 2.0 * margin);
        if !(width > 0.0 && width.is_finite() && start.is_finite()) {
            return Axis::default(); // one cell for all
        }
        let cells = ((width / least).ceil() as usize).clamp(1, most) as f64;
        Axis {
            start,
            per_unit: cells / width,
            last: cells,
        }
    }
}

/// What one thread makes of points that follow one another.
#[derive(Default)]
struct Share {
    points: Range<usize>,
    /// By cell.
    boxes: Vec<Tight>,
    /// Of each of the points.
    cells: Vec<u16>,
    /// Points that may be near other ranks, and their cells.
    found: Vec<(u16, Placed)>,
}

impl Coarse {
    /// Lays cells over `cloud`. Refuses a point that is infinitely far from its box.
    pub fn lay<T: Real>(&mut self, cloud: &Cloud<T>, reach: &Reach) -> Result<()> {
        let n = cloud.len();
        self.boxes.clear();
        self.shares.iter_mut().for_each(|share| share.points = 0..0);
        if n == 0 {
            return Ok(());
        }
        // Steps of the golden ratio: no pattern that points stand in comes again in the sample.
        let step = ((n as f64 * 0.618_033_988_749_895) as usize).max(1);
        let sample: Vec<_> = (0..n.min(SAMPLE)).map(|k| cloud.at(k * step % n)).collect();
        self.axes = [Axis::default(); 3];
        for (axis, cells) in self.axes.iter_mut().enumerate().take(cloud.dim) {
            let mut coords: Vec<_> = sample.iter().map(|at| at[axis]).collect();
            *cells = Axis::over(&mut coords, reach.distance(), MOST[cloud.dim - 1].min(n));
        }
        let ranges = cloud.team.ranges(n);
        if self.shares.len() < ranges.len() {
            self.shares.resize_with(ranges.len(), Share::default);
        }
        let shares = &mut self.shares[..ranges.len()];
        shares
            .iter_mut()
            .zip(ranges)
            .for_each(|(share, points)| share.points = points);
        let axes = &self.axes;
        cloud.team.each(shares, |share| match cloud.dim {
            1 => share.fill::<T, 1>(cloud, axes),
            2 => share.fill::<T, 2>(cloud, axes),
            _ => share.fill::<T, 3>(cloud, axes),
        })?;
        resize(&mut self.boxes, cells_of(axes), Tight::NOWHERE, "coarse cells")?;
        cloud.team.pieces(&mut self.boxes, 1 << 9, |first, piece| {
            for share in shares.iter() {
                let others = piece.iter_mut().zip(&share.boxes[first..]);
                others.for_each(|(tight, more)| tight.join(more));
            }
        });
        Ok(())
    }

    /// Tight boxes of the cells that have points: all points are in them.
    pub fn boxes(&self) -> Result<Vec<Tight>> {
        let mut boxes = room(self.boxes.len(), "coarse cells")?;
        boxes.extend(self.boxes.iter().filter(|tight| tight.is_somewhere()));
        Ok(boxes)
    }

    /// Finds the points that may be within reach of one of `foreign`.
    pub fn find<T: Real>(&mut self, cloud: &Cloud<T>, foreign: &[Foreign], reach: &Reach) -> Result<()> {
        let ranks: Vec<_> = foreign.chunk_by(|a, b| a.near == b.near).collect();
        let around = |boxes: &&[Foreign]| Tight::joined(boxes.iter().map(|foreign| &foreign.tight));
        let around: Vec<_> = ranks.iter().map(around).collect();
        let joined = |tight: &Tight| -> Vec<Tight> {
            let ranks = ranks.iter().zip(&around);
            let near = ranks.filter(|(_, around)| tight.is_somewhere() && reach.joins(tight, around));
            let boxes = near.flat_map(|(boxes, _)| boxes.iter().map(|foreign| foreign.tight));
            boxes
                .filter(|foreign| reach.joins(tight, foreign))
                .take(LOOKS + 1)
                .collect()
        };
        let near = cloud.team.map(&self.boxes, joined);
        let is_near: Vec<bool> = near.iter().map(|near| !near.is_empty()).collect();
        cloud.team.each(&mut self.shares, |share| {
            share.found.clear();
            let cells = share.cells.iter().zip(share.points.clone());
            // First all that are in such cells, without a decision between one wait for memory and the next.
            for (&cell, point) in cells.filter(|&(&cell, _)| is_near[usize::from(cell)]) {
                let (at, point) = (cloud.at(point), point as u32);
                push(&mut share.found, (cell, Placed { at, point }), WHAT)?;
            }
            share.found.retain(|(cell, placed)| {
                let (near, alone) = (&near[usize::from(*cell)], Tight::of(placed.at));
                near.len() > LOOKS || near.iter().any(|foreign| reach.joins(&alone, foreign))
            });
            Ok(())
        })?;
        self.group()
    }

    /// Brings what the shares found together, cell by cell.
    fn group(&mut self) -> Result<()> {
        let mut ends = vec![0; self.boxes.len() + 1];
        let found = || self.shares.iter().flat_map(|share| &share.found);
        found().for_each(|&(cell, _)| ends[usize::from(cell) + 1] += 1);
        (1..ends.len()).for_each(|cell| ends[cell] += ends[cell - 1]); // where each cell begins
        let nowhere = Placed { at: [0.0; 3], point: 0 };
        resize(&mut self.shell, ends[self.boxes.len()], nowhere, WHAT)?;
        for &(cell, placed) in found() {
            let at = &mut ends[usize::from(cell)];
            self.shell[*at] = placed;
            *at += 1;
        }
        self.groups.clear();
        let mut start = 0;
        for (cell, &end) in (0..).zip(&ends[..self.boxes.len()]) {
            if end > start {
                push(&mut self.groups, (cell, end), WHAT)?;
            }
            start = end;
        }
        Ok(())
    }

    /// The points found, by cell.
    pub fn groups(&mut self) -> Result<Vec<Group<'_>>> {
        let mut groups = room(self.groups.len(), WHAT)?;
        let (mut rest, mut first) = (&mut self.shell[..], 0);
        for &(cell, end) in &self.groups {
            let (points, behind) = rest.split_at_mut(end - first);
            let tight = self.boxes[usize::from(cell)];
            groups.push(Group { tight, points, first });
            (rest, first) = (behind, end);
        }
        Ok(groups)
    }
}

/// How many cells there are.
fn cells_of(axes: &[Axis; 3]) -> usize {
    axes.iter().map(Axis::cells).product()
}

impl Share {
    fn fill<T: Real, const DIM: usize>(&mut self, cloud: &Cloud<T>, axes: &[Axis; 3]) -> Result<()> {
        resize(&mut self.boxes, cells_of(axes), Tight::NOWHERE, "coarse cells")?;
        self.boxes.fill(Tight::NOWHERE);
        self.cells.clear();
        reserve(&mut self.cells, self.points.len(), "the coarse cells of points")?;
        let (along, across) = (axes[0].cells(), axes[0].cells() * axes[1].cells());
        let coords = cloud.coords.as_chunks::<DIM>().0;
        for (coords, point) in coords[self.points.clone()].iter().zip(self.points.clone()) {
            let at = cloud.placing.at(coords);
            if cloud.placing.is_periodic() {
                check_placed(&at, point as i64 + cloud.base)?;
            }
            let [x, y, z] = std::array::from_fn(|axis| axes[axis].cell(at[axis]));
            let cell = z * across + y * along + x;
            self.boxes[cell].include(&at);
            self.cells.push(cell as u16);
        }
        Ok(())
    }
}
