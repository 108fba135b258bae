//! Search with a radius for each point: rows are counted, then filled in place, each in the caller's numbering and ascending.
//! Every thread takes block after block: a run of leaves of the tree with all points that can be in reach of it, converted to
//! real32 coordinates around the run and sorted by the caller's numbers. The box of the run is halved again and again, and
//! targets are selected for smaller and smaller boxes. A point is tested where the box is about as large as its radius, so that one block can hold points of any
//! radius. The caller's arithmetic decides what real32 cannot. A point that reaches so far beyond its block that its
//! neighborhood would be too large is searched alone.
//!
//! in: [`ZTree`] with radii, [`Reach`]; out: counts per row, rows in place.

mod block;
mod descent;
mod frame;
mod source;

use std::ops::Range;

use super::count::CountResult;
use super::rows::{Sink, Wanted};
use super::simd::Isa;
pub use source::{Spanned, Worker};

use crate::cost::Cost;
use crate::domain::Periods;
use crate::error::Result;
use crate::kinds::Classes;
use crate::list::{OutputMap, Rows, holds, push};
use crate::points::Real;
use crate::radii::Reach;
use crate::threads::Team;
use crate::ztree::{Corners, ZTree};

/// A block has at most this many points,
const BLOCK: usize = 4096;

/// at least this many, however many threads want a share,
const BLOCK_AT_LEAST: usize = 256;

/// and its neighborhood fewer than this: the index of a point in it is 16 bits.
const AROUND: usize = 1 << 16;

/// Blocks each thread gets, so that the last ones finish together.
const BLOCKS_PER_THREAD: usize = 8;

const TASKS: &str = "the list of blocks";

/// One search by radii.
#[derive(Clone, Copy)]
pub struct PerPoint<'a, T> {
    pub tree: &'a ZTree<T>,
    pub reach: Reach<'a, T>,
    /// The axes along which the points are wrapped.
    pub periods: &'a Periods<T>,
    /// Which points a row may list; `None`: all.
    pub classes: Option<&'a Classes<'a>>,
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    pub isa: Isa,
    /// Where distance tests are added up.
    pub cost: &'a Cost,
    /// The rows that are searched for; `None`: all.
    pub wanted: Option<&'a Wanted<'a>>,
}

/// What is searched at once.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    Block(Run),
    /// The point of a place.
    Single {
        place: u32,
    },
}

holds! { nothing for Task }

/// The points of leaves `first .. end` that reach no farther than `most`.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    first: u32,
    end: u32,
    most: f64,
}

impl Run {
    fn leaves(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// What a count leaves for the fill after it.
#[derive(Debug, Default)]
pub struct Counted {
    tasks: Vec<Task>,
    result: CountResult,
}

holds! { Counted { tasks, result } }

impl Counted {
    /// What is searched at once.
    pub fn blocks(&self) -> &[Task] {
        &self.tasks
    }
}

impl<T: Real> PerPoint<'_, T> {
    /// Writes the length of row `i` to `lengths[i]`, and to `counted` what the fill can use, `most` words of records at most.
    pub fn count(
        self,
        team: &Team,
        workers: &mut [Worker],
        counted: &mut Counted,
        most: usize,
        lengths: &mut [i64],
    ) -> Result<()> {
        lengths.fill(0); // not every point has a row
        let Counted { tasks, result } = counted;
        self.tasks(team, tasks)?;
        let (search, blocks) = (self, &tasks[..]);
        result.count(&Spanned { search, blocks }, team, workers, most, lengths)
    }

    /// Writes row `i`'s labels to its place in `rows`.
    pub fn fill(
        self,
        team: &Team,
        workers: &mut [Worker],
        counted: &Counted,
        output: OutputMap,
        rows: Rows,
    ) -> Result<()> {
        let (search, blocks) = (self, counted.blocks());
        counted
            .result
            .fill(&Spanned { search, blocks }, team, workers, output, rows)
    }

    /// Cuts the tree into what is searched at once, and forgets what was counted before.
    pub fn cut_anew<'c>(&self, team: &Team, counted: &'c mut Counted) -> Result<&'c [Task]> {
        *counted = Counted::default();
        self.tasks(team, &mut counted.tasks)?;
        Ok(&counted.tasks)
    }

    /// Cuts the tree into tasks.
    fn tasks(&self, team: &Team, tasks: &mut Vec<Task>) -> Result<()> {
        tasks.clear();
        let points = self.tree.len();
        let share = points / (team.threads() * BLOCKS_PER_THREAD);
        let limit = match team.threads() {
            1 => BLOCK,
            _ => share.clamp(BLOCK_AT_LEAST, BLOCK),
        };
        // The runs still to be cut, and how far at most their points that are left reach.
        let mut waiting = Vec::new();
        if points > 0 {
            push(&mut waiting, (0..self.tree.leaves(), f64::INFINITY), TASKS)?;
        }
        while let Some((leaves, most)) = waiting.pop() {
            self.cut(leaves, most, limit, (&mut waiting, tasks))?;
        }
        Ok(())
    }

    /// Makes a task of the points of a run of leaves that reach no farther than `most`, or has them wait in parts.
    fn cut(
        &self,
        leaves: Range<usize>,
        most: f64,
        limit: usize,
        (waiting, tasks): (&mut Vec<(Range<usize>, f64)>, &mut Vec<Task>),
    ) -> Result<()> {
        let tree = self.tree;
        let Some(most) = self.farthest(&leaves, most) else {
            return Ok(());
        };
        let (halves, points, area) = (tree.halves(&leaves), tree.points_of(&leaves), tree.corners(&leaves));
        let size = (0..tree.dim()).map(|axis| area[1][axis].to_f64() - area[0][axis].to_f64());
        let reaches_beyond = halves.is_none() || most >= size.fold(0.0, f64::max);
        let is_small = points.len() <= limit || halves.is_none();
        let around = match is_small || reaches_beyond {
            true => self.around(&area, most),
            false => 0, // it is divided anyway
        };
        if around < AROUND && is_small {
            let [first, end] = [leaves.start, leaves.end].map(|leaf| leaf as u32);
            return push(tasks, Task::Block(Run { first, end, most }), TASKS);
        }
        if around < AROUND || !reaches_beyond {
            let mut halves = halves.into_iter().flatten().rev();
            return halves.try_for_each(|half| push(waiting, (half, most), TASKS));
        }
        // Whoever reaches farthest makes the neighborhood too large; in a single leaf, everybody does.
        let below = if halves.is_some() { 0.5 * most } else { -1.0 };
        for place in points {
            let reach = self.reach_of(place);
            if below < reach && reach <= most && self.has_row(place) {
                push(tasks, Task::Single { place: place as u32 }, TASKS)?;
            }
        }
        match below >= 0.0 {
            true => push(waiting, (leaves, below), TASKS),
            false => Ok(()),
        }
    }

    /// How far the points of a run of leaves reach that reach no farther than `most`; `None` where none of them has a row.
    fn farthest(&self, leaves: &Range<usize>, most: f64) -> Option<f64> {
        let largest = leaves.clone().map(|leaf| self.tree.largest_radius(0, leaf).to_f64());
        let farthest = self.reach.rule.own(largest.fold(0.0, f64::max));
        if farthest <= most && self.wanted.is_none() && self.classes.is_none() {
            return Some(farthest);
        }
        let points = self.tree.points_of(leaves).filter(|&place| self.has_row(place));
        let reaches = points.map(|place| self.reach_of(place));
        reaches.filter(|&reach| reach <= most).reduce(f64::max)
    }

    /// How many points may be in the neighborhood of points in a box that reach no farther than `most`.
    fn around(&self, area: &Corners<T>, most: f64) -> usize {
        let points = self.tree.len();
        if points < AROUND {
            return points;
        }
        let mut around = 0;
        self.near(area, most, |run| around += run.len());
        around
    }

    /// The caller's number of a place in the tree's order.
    #[inline]
    fn id(&self, place: usize) -> u32 {
        self.tree.ids()[place] as u32
    }

    /// How far the point of a place reaches for its row.
    fn reach_of(&self, place: usize) -> f64 {
        self.reach.rule.own(self.tree.radii()[place].to_f64())
    }

    fn has_row(&self, place: usize) -> bool {
        let number = self.id(place) as usize;
        self.wanted.is_none_or(|wanted| wanted.has(number))
            && self.classes.is_none_or(|classes| classes.has_row(classes.of(number)))
    }

    /// Calls `action` with runs of places, among them all in reach of points in a box that reach no farther than `most`, or that
    /// reach those.
    fn near(&self, area: &Corners<T>, most: f64, mut action: impl FnMut(Range<usize>)) {
        // What rounding may add to a distance, by the caller's arithmetic and by ours.
        let slack = 8.0 * self.periods.slack() + T::VANISHING;
        let reach = |radius: T| self.reach.rule.cutoff(most, radius.to_f64()) * (1.0 + 1e-6) + slack;
        let of_node = |plane: usize, node: usize| reach(self.tree.largest_radius(plane, node));
        let reaches = (of_node, reach(T::default()));
        let lengths = self.periods.lengths();
        self.tree
            .near(area, lengths, reaches, |leaves| action(self.tree.points_of(&leaves)));
    }

    /// Decides about two places in the caller's precision and by its arithmetic, as the oracle does.
    #[inline]
    fn is_pair(&self, mine: usize, other: usize) -> bool {
        let (coords, radii) = (self.tree.coords(), self.tree.radii());
        let ends = |axis: usize| [coords[axis][mine], coords[axis][other]];
        let d2 = self.periods.distance2(self.tree.dim(), ends);
        self.reach.is_pair(radii[mine], radii[other], d2)
    }

    /// Finds the row of a place by itself.
    fn find_single(&self, row: &mut Vec<i32>, place: usize, sink: &mut dyn Sink) -> Result<()> {
        if !self.has_row(place) {
            return Ok(());
        }
        let tree = self.tree;
        let (number, mut at) = (self.id(place), [T::default(); 3]);
        let coords = at.iter_mut().zip(&tree.coords()[..tree.dim()]);
        coords.for_each(|(at, coords)| *at = coords[place]);
        let class = self.classes.map(|classes| classes.of(number as usize));
        let mut outcome = Ok(());
        let (mut len, mut tests) = (0, 0);
        self.near(&[at, at], self.reach_of(place), |run| {
            tests += run.len();
            if outcome.is_ok() && row.len() < len + run.len() {
                outcome = crate::list::resize_keeping(row, 2 * (len + run.len()), 0, "a row");
            }
            if outcome.is_err() {
                return;
            }
            for k in run {
                let other = self.id(k);
                let is_listed = || match (self.classes, class) {
                    (Some(classes), Some(class)) => classes.allows(class, classes.of(other as usize)),
                    _ => true,
                };
                let is_wanted = other > number || self.full && other != number;
                row[len] = other as i32;
                len += usize::from(self.is_pair(place, k) && is_wanted && is_listed());
            }
        });
        self.cost.add(tests);
        outcome?;
        if let Some(lengths) = sink.lengths() {
            lengths.store(number, len);
            return Ok(());
        }
        row[..len].sort_unstable();
        sink.row(number, &mut row[..len])
    }
}
