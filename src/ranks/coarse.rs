//! A rank's points in coarse cells: some thousand, laid over their bulk, each with a box around its points. From these comes
//! what a rank sends to all others, and they decide which few points anything near other ranks may concern.
//!
//! All points are read once, by all threads, and copied only where they are near. Cells need not be good ones: whatever is in
//! one is in its box.

mod steps;

use steps::{Axis, Steps};

use std::ops::Range;

use super::blocks::Foreign;
use super::boxes::{Reach, Tight};
use super::cloud::{Cloud, Placed};
use super::shell::{Mesh, Shell, Sorted};
use super::team::{for_all, in_turns, one_each, pieces};
use crate::axes::{in_dim, per_axis};
use crate::error::Result;
use crate::memory::{push, reserve_keeping, resize_keeping, with_capacity};
use crate::real::Real;
use crate::threads::Team;

const WHAT: &str = "the points near other ranks";
const CELLS_OF: &str = "the coarse cells of points";

/// Points sampled to find where the bulk is.
const SAMPLE: usize = 1 << 10;

/// Bits of a cell's number, of which each axis has its share: so few cells that what is known of them stays in the cache of a
/// core.
const BITS: u32 = 12;
const CELLS: usize = 1 << BITS;

/// Points that a thread takes at once, and how many of them it examines together.
const PIECE: usize = 1 << 14;
const FEW: usize = 64;

/// With more boxes near its cell than these a point is taken without a look at each.
const LOOKS: usize = 8;

/// The cells of a cloud. Kept from plan to plan, for its memory.
#[derive(Debug, Default)]
pub struct Coarse {
    /// Of each point.
    cells: Vec<u16>,
    /// Boxes by cell.
    boxes: Vec<Tight>,
    /// One for each thread.
    shares: Vec<Share>,
}

/// The result of one thread for the points it takes.
#[derive(Debug, Default)]
struct Share {
    /// It has taken points for the current cells.
    is_used: bool,
    /// By cell.
    steps: Vec<Steps>,
    /// By cell, of the points that some axis has at its first or last step.
    outside: Vec<Tight>,
    /// Points that may be near other ranks, in their groups; and of a piece those in cells near these, whose places beside them.
    found: Vec<(u8, Placed)>,
    some: Vec<(u16, Placed)>,
    sorted: Sorted,
}

impl Coarse {
    /// Lays cells over `cloud`.
    pub fn lay<T: Real>(&mut self, cloud: &Cloud<T>, team: &Team) -> Result<()> {
        let axes = self.begin(cloud, team)?;
        let pieces = self.cells.chunks_mut(PIECE).enumerate();
        in_turns(team, &mut self.shares, pieces, |share, (k, cells)| {
            share.begin()?;
            let points = k * PIECE..k * PIECE + cells.len();
            in_dim!(cloud.dim, DIM => share.take::<T, DIM>(cloud, &per_axis(|axis| axes[axis]), points, cells));
            Ok(())
        })?;
        self.end(team, &axes[..cloud.dim])
    }

    /// The steps of the axes, for which some points are looked at, and room for the results.
    fn begin<T: Real>(&mut self, cloud: &Cloud<T>, team: &Team) -> Result<[Axis; 3]> {
        self.boxes.clear();
        resize_keeping(&mut self.cells, cloud.len, 0, CELLS_OF)?;
        // Steps of the golden ratio: no pattern that points are in comes again in the sample.
        let step = ((cloud.len as f64 * 0.618_033_988_749_895) as usize).max(1);
        let count = cloud.len.min(SAMPLE);
        let mut coords = with_capacity(count, "a sample of points")?;
        let mut axes = [Axis::default(); 3];
        for (steps, all) in axes.iter_mut().zip(cloud.axes).filter(|(_, all)| !all.is_empty()) {
            coords.clear();
            coords.extend((0..count).map(|k| all[k * step % cloud.len].to_f64()));
            *steps = Axis::over(&mut coords);
        }
        one_each(team, &mut self.shares, CELLS_OF)?;
        self.shares.iter_mut().for_each(|share| share.is_used = false);
        Ok(axes)
    }

    /// The boxes of the cells, once all points are taken in.
    fn end(&mut self, team: &Team, axes: &[Axis]) -> Result<()> {
        if self.cells.is_empty() {
            return Ok(());
        }
        resize_keeping(&mut self.boxes, CELLS, Tight::NOWHERE, CELLS_OF)?;
        let shares = &self.shares;
        pieces(team, &mut self.boxes, 1 << 8, |first, piece| {
            let boxes = piece.iter_mut().zip(first..);
            boxes.for_each(|(tight, cell)| *tight = box_of(shares, cell, axes));
        });
        Ok(())
    }

    /// Boxes of the cells that have points: all points are in them.
    pub fn boxes(&self) -> Result<Vec<Tight>> {
        let mut boxes = with_capacity(self.boxes.len(), CELLS_OF)?;
        boxes.extend(self.boxes.iter().filter(|tight| tight.is_somewhere()));
        Ok(boxes)
    }

    /// Finds the points that may be within reach of one of `foreign`, and brings them to `shell`, in cells of the edge `cutoff`.
    pub fn find<T: Real>(
        &mut self,
        (cloud, team): (&Cloud<T>, &Team),
        (foreign, reach): (&[Foreign], &Reach),
        (shell, cutoff): (&mut Shell, f64),
    ) -> Result<()> {
        let mut places = [FAR; CELLS];
        let near = Near::new(&self.boxes, foreign, reach, &mut places)?;
        let pieces = self.cells.chunks(PIECE).enumerate();
        self.shares.iter_mut().for_each(|share| share.found.clear());
        let mesh = Mesh::new(cutoff);
        in_turns(team, &mut self.shares, pieces, |share, (k, cells)| {
            share.find((cloud, mesh), k * PIECE, cells, &places, |place, at| {
                let (near, alone) = (near.of(place), Tight::of(at));
                near.len() > LOOKS || near.iter().any(|foreign| reach.joins(&alone, foreign))
            })
        })?;
        for_all(team, &mut self.shares, |share| share.sorted.fill(&share.found))?;
        let mut sorted = with_capacity(self.shares.len(), WHAT)?;
        sorted.extend(self.shares.iter().map(|share| &share.sorted));
        shell.fill(&sorted, mesh, team)
    }
}

/// The boxes of other ranks within reach of each cell that is near some.
struct Near {
    boxes: Vec<Tight>,
    cells: Vec<Range<usize>>,
}

impl Near {
    /// Of cells with these boxes; `places` gets the place of each here. By one thread: it takes a tenth of a millisecond, and threads
    /// that are busy otherwise may come late.
    fn new(cells: &[Tight], foreign: &[Foreign], reach: &Reach, places: &mut [u16; CELLS]) -> Result<Near> {
        let mut ranks = Vec::new();
        for boxes in foreign.chunk_by(|a, b| a.near == b.near) {
            let around = Tight::joined(boxes.iter().map(|foreign| &foreign.tight));
            push(&mut ranks, (boxes, around), WHAT)?;
        }
        let mut near = Near {
            boxes: Vec::new(),
            cells: with_capacity(cells.len(), WHAT)?,
        };
        for (place, tight) in places.iter_mut().zip(cells).filter(|(_, tight)| tight.is_somewhere()) {
            let first = near.boxes.len();
            let close = ranks.iter().filter(|(_, around)| reach.joins(tight, around));
            let boxes = close.flat_map(|(boxes, _)| boxes.iter().map(|foreign| foreign.tight));
            for foreign in boxes.filter(|foreign| reach.joins(tight, foreign)).take(LOOKS + 1) {
                push(&mut near.boxes, foreign, WHAT)?;
            }
            if first < near.boxes.len() {
                *place = near.cells.len() as u16;
                near.cells.push(first..near.boxes.len());
            }
        }
        Ok(near)
    }

    fn of(&self, place: u16) -> &[Tight] {
        &self.boxes[self.cells[usize::from(place)].clone()]
    }
}

/// The place of a cell that is near no other rank.
const FAR: u16 = u16::MAX;

/// The box around the points that the shares have in a cell.
fn box_of(shares: &[Share], cell: usize, axes: &[Axis]) -> Tight {
    let (mut steps, mut outside) = (Steps::NONE, Tight::NOWHERE);
    for share in shares.iter().filter(|share| share.is_used) {
        steps.join(&share.steps[cell]);
        outside.join(&share.outside[cell]);
    }
    steps.tight(axes, &outside)
}

impl Share {
    /// Clears what was there, in the thread that uses it next, so that its core has it.
    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.is_used, true) {
            return Ok(());
        }
        self.steps.clear();
        self.outside.clear();
        resize_keeping(&mut self.steps, CELLS, Steps::NONE, CELLS_OF)?;
        resize_keeping(&mut self.outside, CELLS, Tight::NOWHERE, CELLS_OF)
    }

    /// Takes some points in; `cells` has room for the cell of each.
    fn take<T: Real, const DIM: usize>(
        &mut self,
        cloud: &Cloud<T>,
        axes: &[Axis; DIM],
        points: Range<usize>,
        cells: &mut [u16],
    ) {
        let coords: [&[T]; DIM] = per_axis(|axis| &cloud.axes[axis][points.clone()]);
        let mut few = [[0; DIM]; FEW];
        for (k, cells) in cells.chunks_mut(FEW).enumerate() {
            // First what needs coordinates alone: stores to boxes here and there would keep them from being fetched ahead.
            for (axis, coords) in coords.iter().enumerate() {
                let here = few.iter_mut().zip(&coords[k * FEW..]).take(cells.len());
                here.for_each(|(steps, coord)| steps[axis] = axes[axis].step(coord.to_f64()));
            }
            for ((steps, to), point) in few.iter().zip(cells).zip(points.start + k * FEW..) {
                *to = self.include(steps, || cloud.at(point));
            }
        }
    }

    /// Takes a point with these steps in; returns its cell.
    #[inline(always)]
    fn include<const DIM: usize>(&mut self, steps: &[u16; DIM], at: impl Fn() -> [f64; 3]) -> u16 {
        let each = BITS / DIM as u32;
        let bits = |cell: usize, &step: &u16| cell << each | usize::from(step >> (u16::BITS - each));
        let cell = steps.iter().fold(0, bits) & (CELLS - 1);
        self.steps[cell].join(&Steps::of(steps));
        if steps.iter().any(|&step| Axis::is_end(step)) {
            self.outside[cell].include(&at());
        }
        cell as u16
    }

    /// Those of the points from number `first` on, which are in these `cells`, that are in a near one, if they are `close`.
    fn find<T: Real>(
        &mut self,
        (cloud, mesh): (&Cloud<T>, Mesh),
        first: usize,
        cells: &[u16],
        places: &[u16; CELLS],
        close: impl Fn(u16, [f64; 3]) -> bool,
    ) -> Result<()> {
        // First which, then where: no decision between one wait for memory and the next.
        let (mut some, mut count) = ([0; PIECE], 0);
        let place = |cell: u16| places[usize::from(cell) & (CELLS - 1)];
        for (k, &cell) in (0..).zip(cells) {
            some[count] = k;
            count += usize::from(place(cell) != FAR);
        }
        self.some.clear();
        reserve_keeping(&mut self.some, count, WHAT)?;
        self.some.extend(some[..count].iter().map(|&k: &u16| {
            let (place, point) = (place(cells[usize::from(k)]), first + usize::from(k));
            let (at, point) = (cloud.at(point), point as u32);
            (place, Placed { at, point })
        }));
        for &(place, placed) in &self.some {
            if close(place, placed.at) {
                push(&mut self.found, (mesh.group(&placed.at), placed), WHAT)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Periods;
    use crate::points::{Points, PointsView};
    use crate::random::Random;

    /// The box of each cell holds the points of `coords` that are in it.
    fn check(dim: usize, coords: &[f64], name: &str) {
        let (team, mut points) = (Team::caller(), Points::default());
        let view = PointsView::interleaved(dim, coords).unwrap();
        points.copy(&view, &Periods::default(), &team).unwrap();
        let cloud = Cloud::new(&points, 0..points.len());
        let mut coarse = Coarse::default();
        coarse.lay(&cloud, &team).unwrap();
        let mut truth = vec![Tight::NOWHERE; CELLS];
        for (point, &cell) in coarse.cells.iter().enumerate() {
            truth[usize::from(cell)].include(&cloud.at(point));
        }
        for (tight, truth) in coarse.boxes.iter().zip(&truth) {
            assert_eq!(tight.is_somewhere(), truth.is_somewhere(), "{name}");
            for axis in 0..3 {
                assert!(
                    tight.lo[axis] <= truth.lo[axis] && truth.hi[axis] <= tight.hi[axis],
                    "{name}, axis {axis}: {truth:?} in {tight:?}"
                );
            }
        }
    }

    #[test]
    fn in_boxes() {
        for dim in 1..=3 {
            let mut random = Random(7);
            let cloud: Vec<f64> = (0..3000 * dim).map(|_| random.uniform()).collect();
            let moved = |scale: f64, by: f64| cloud.iter().map(|c| c * scale + by).collect::<Vec<_>>();
            check(dim, &cloud, "uniform");
            check(dim, &moved(1.0, -0.5), "around the origin");
            check(dim, &moved(1.0, 1e15), "far from the origin");
            check(dim, &moved(1e-300, 0.0), "small");
            check(dim, &moved(1.7e308, 0.0), "as large as numbers are");
            check(dim, &moved(0.0, 3.25), "all in one place");
            let mut strays = cloud.clone();
            (strays[0], strays[2 * dim], strays[40 * dim]) = (1e300, -1.7e308, 2.0);
            check(dim, &strays, "strays");
            check(dim, &cloud[..dim], "one point");
        }
    }
}
