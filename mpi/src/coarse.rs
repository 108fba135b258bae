//! A rank's points in coarse cells: some thousand, laid over their bulk, each with a box around its points. From these comes
//! what a rank sends to all others, and they decide which few points anything near other ranks may concern.
//!
//! All points are read once, by all threads, and copied only where they are near. Cells need not be good ones: whatever is in
//! one is in its box.

mod steps;

use steps::{Axis, Steps};

use crate::blocks::Foreign;
use crate::boxes::{Reach, Tight};
use crate::error::{Result, push, reserve, resize, room};
use crate::points::{Placed, Placing, Real, are_finite, check_placed};
use crate::shell::{Mesh, Shell, Sorted};
use crate::team::Team;

const WHAT: &str = "the points near other ranks";

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

/// Points of a rank, and how to place them.
#[derive(Clone, Copy)]
pub struct Cloud<'a, T> {
    pub dim: usize,
    pub coords: &'a [T],
    pub placing: Placing<T>,
    /// The place where numbers of points start, in messages.
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

/// The cells of a cloud. Kept from plan to plan, for its memory.
#[derive(Default)]
pub struct Coarse {
    /// Of each point.
    cells: Vec<u16>,
    /// Boxes by cell.
    boxes: Vec<Tight>,
    /// One for each thread.
    shares: Vec<Share>,
}

/// The result of one thread for the points it takes.
#[derive(Default)]
struct Share {
    /// It has taken points for the current cells.
    is_used: bool,
    /// Of the points that came: all were finite, and all are in the cells.
    is_finite: bool,
    is_laid: bool,
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
    /// Lays cells over `cloud`. Refuses a point that is infinitely far from its box.
    pub fn lay<T: Real>(&mut self, cloud: &Cloud<T>) -> Result<()> {
        let (dim, n) = (cloud.dim, cloud.len());
        let axes = self.begin(cloud.team, dim, n, |point| cloud.at(point))?;
        let pieces = self.cells.chunks_mut(PIECE).zip(cloud.coords.chunks(PIECE * dim));
        let (pieces, ground) = (pieces.enumerate(), (&cloud.placing, cloud.base));
        cloud
            .team
            .in_turns(&mut self.shares, pieces, |share, (k, (cells, coords))| {
                share.take(ground, &axes[..dim], (k * PIECE, coords), cells)
            })?;
        self.end(cloud.team, &axes[..dim])
    }

    /// Lays cells over points while they come: `copy` brings the coordinates of those from a number on. Returns whether all are
    /// finite and the cells laid; the coordinates are there in either case.
    pub fn lay_coming<T: Real>(
        &mut self,
        team: &Team,
        (dim, coords): (usize, &mut [T]),
        placing: &Placing<T>,
        copy: impl Fn(usize, &mut [T]) + Sync,
    ) -> [bool; 2] {
        let at = |point: usize| {
            let mut coords = [T::default(); 3];
            copy(point, &mut coords[..dim]);
            placing.at(&coords[..dim])
        };
        let begun = self.begin(team, dim, coords.len() / dim, at);
        let Ok(axes) = begun else {
            team.pieces(coords, PIECE * dim, |first, piece| copy(first / dim, piece));
            return [false; 2];
        };
        let pieces = self.cells.chunks_mut(PIECE).zip(coords.chunks_mut(PIECE * dim));
        let taken = team.in_turns(&mut self.shares, pieces.enumerate(), |share, (k, (cells, coords))| {
            copy(k * PIECE, coords);
            share.is_finite &= are_finite(coords);
            if share.is_finite && share.is_laid {
                let taken = share.take((placing, 0), &axes[..dim], (k * PIECE, coords), cells);
                share.is_laid = taken.is_ok();
            }
            Ok(())
        });
        let is_finite = self.shares.iter().all(|share| share.is_finite);
        let is_laid = taken.is_ok() && is_finite && self.shares.iter().all(|share| share.is_laid);
        [is_finite, is_laid && self.end(team, &axes[..dim]).is_ok()]
    }

    /// The steps of the axes for `n` points, of which some are looked at, and room for the results.
    fn begin(&mut self, team: &Team, dim: usize, n: usize, at: impl Fn(usize) -> [f64; 3]) -> Result<[Axis; 3]> {
        self.boxes.clear();
        resize(&mut self.cells, n, 0, "the coarse cells of points")?;
        self.cells.truncate(n);
        // Steps of the golden ratio: no pattern that points are in comes again in the sample.
        let step = ((n as f64 * 0.618_033_988_749_895) as usize).max(1);
        let count = n.min(SAMPLE);
        let (mut sample, mut coords) = (room(count, "a sample of points")?, room(count, "a sample of points")?);
        sample.extend((0..count).map(|k| at(k * step % n)));
        let mut axes = [Axis::default(); 3];
        let with_points = if n > 0 { dim } else { 0 };
        for (axis, steps) in axes.iter_mut().enumerate().take(with_points) {
            coords.clear();
            coords.extend(sample.iter().map(|at: &[f64; 3]| at[axis]));
            *steps = Axis::over(&mut coords);
        }
        self.shares.resize_with(team.threads(), Share::default);
        for share in &mut self.shares {
            (share.is_used, share.is_finite, share.is_laid) = (false, true, true);
        }
        Ok(axes)
    }

    /// The boxes of the cells, once all points are taken in.
    fn end(&mut self, team: &Team, axes: &[Axis]) -> Result<()> {
        if self.cells.is_empty() {
            return Ok(());
        }
        resize(&mut self.boxes, CELLS, Tight::NOWHERE, "coarse cells")?;
        let shares = &self.shares;
        team.pieces(&mut self.boxes, 1 << 8, |first, piece| {
            let boxes = piece.iter_mut().zip(first..);
            boxes.for_each(|(tight, cell)| *tight = box_of(shares, cell, axes));
        });
        Ok(())
    }

    /// Boxes of the cells that have points: all points are in them.
    pub fn boxes(&self) -> Result<Vec<Tight>> {
        let mut boxes = room(self.boxes.len(), "coarse cells")?;
        boxes.extend(self.boxes.iter().filter(|tight| tight.is_somewhere()));
        Ok(boxes)
    }

    /// Finds the points that may be within reach of one of `foreign`, and brings them to `shell`, in cells of the edge `cutoff`.
    pub fn find<T: Real>(
        &mut self,
        cloud: &Cloud<T>,
        foreign: &[Foreign],
        reach: &Reach,
        (shell, cutoff): (&mut Shell, f64),
    ) -> Result<()> {
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
        // By this thread alone: it takes a tenth of a millisecond, and threads that are busy otherwise may come late.
        let mut near = room(self.boxes.len(), WHAT)?;
        near.extend(self.boxes.iter().map(joined));
        let mut places = [FAR; CELLS];
        let some = places.iter_mut().zip(&near).filter(|(_, near)| !near.is_empty());
        some.zip(0..).for_each(|((place, _), k)| *place = k);
        near.retain(|near| !near.is_empty());
        let pieces = self.cells.chunks(PIECE).enumerate();
        self.shares.iter_mut().for_each(|share| share.found.clear());
        let mesh = Mesh::new(cutoff);
        cloud.team.in_turns(&mut self.shares, pieces, |share, (k, cells)| {
            share.find((cloud, mesh), k * PIECE, cells, &places, |place, at| {
                let (near, alone) = (&near[usize::from(place)], Tight::of(at));
                near.len() > LOOKS || near.iter().any(|foreign| reach.joins(&alone, foreign))
            })
        })?;
        let sorted = |share: &mut Share| share.sorted.fill(&share.found);
        let sorted = cloud.team.map_mut(&mut self.shares, sorted);
        sorted.into_iter().collect::<Result<()>>()?;
        let found: Vec<_> = self.shares.iter().map(|share| &share.sorted).collect();
        shell.fill(&found, mesh, cloud.team)
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
        resize(&mut self.steps, CELLS, Steps::NONE, "coarse cells")?;
        resize(&mut self.outside, CELLS, Tight::NOWHERE, "coarse cells")
    }

    /// Takes the points from number `first` on in; `cells` has room for the cell of each.
    fn take<T: Real>(
        &mut self,
        ground: (&Placing<T>, i64),
        axes: &[Axis],
        (first, coords): (usize, &[T]),
        cells: &mut [u16],
    ) -> Result<()> {
        self.begin()?;
        match *axes {
            [x] => self.fill(ground, &[x], (first, coords.as_chunks().0), cells),
            [x, y] => self.fill(ground, &[x, y], (first, coords.as_chunks().0), cells),
            [x, y, z] => self.fill(ground, &[x, y, z], (first, coords.as_chunks().0), cells),
            _ => Ok(()),
        }
    }

    /// The same for a dim that is known.
    fn fill<T: Real, const DIM: usize>(
        &mut self,
        (placing, base): (&Placing<T>, i64),
        axes: &[Axis; DIM],
        (first, coords): (usize, &[[T; DIM]]),
        cells: &mut [u16],
    ) -> Result<()> {
        let mut few = [[0; DIM]; FEW];
        for (k, (coords, cells)) in coords.chunks(FEW).zip(cells.chunks_mut(FEW)).enumerate() {
            // First what needs coordinates alone: stores to boxes here and there would keep them from being fetched ahead.
            for (steps, coords) in few.iter_mut().zip(coords) {
                let at = placing.at(coords);
                *steps = std::array::from_fn(|axis| axes[axis].step(at[axis]));
            }
            if placing.is_periodic() {
                for (point, coords) in (first + k * FEW..).zip(coords) {
                    check_placed(&placing.at(coords), point as i64 + base)?;
                }
            }
            for ((steps, to), coords) in few.iter().zip(cells).zip(coords) {
                *to = self.include(steps, || placing.at(coords));
            }
        }
        Ok(())
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
        reserve(&mut self.some, count, WHAT)?;
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
    use crate::points::Domain;

    /// Numbers in 0 .. 1, the same every time.
    fn uniform(count: usize) -> Vec<f64> {
        let mut state = 7u64;
        let next = |_| {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..count).map(next).collect()
    }

    /// The box of each cell holds the points of `coords` that are in it.
    fn check(dim: usize, coords: &[f64], name: &str) {
        let (team, domain) = (Team::default(), Domain::default());
        let cloud = Cloud {
            dim,
            coords,
            placing: Placing::new(dim, &domain),
            base: 0,
            team: &team,
        };
        let mut coarse = Coarse::default();
        coarse.lay(&cloud).unwrap();
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
            let cloud = uniform(3000 * dim);
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
