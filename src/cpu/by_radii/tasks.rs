//! Tasks, each searched at once: the tree is cut into runs of leaves, and points that reach too far for one are
//! searched alone.

use std::ops::Range;

use super::super::rows::{Sink, Wanted};
use super::frame;
use crate::cost::Cost;
use crate::domain::Periods;
use crate::error::Result;
use crate::exclusions::ExcludedPairs;
use crate::kinds::Classes;
use crate::memory::{holds, push};
use crate::radii::Reach;
use crate::real::Real;
use crate::simd::Isa;
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
pub struct ByRadii<'a, T> {
    pub tree: &'a ZTree<T>,
    pub reach: Reach<'a, T>,
    /// The axes along which the points are wrapped.
    pub periods: &'a Periods<T>,
    /// The points that a row may list; `None`: all. Where they have bounds, these take the place of radii.
    pub classes: Option<&'a Classes<'a>>,
    /// Pairs that no row lists.
    pub excluded: Option<&'a ExcludedPairs>,
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    pub isa: Isa,
    /// The counter of distance tests.
    pub cost: &'a Cost,
    /// The rows that are searched for; `None`: all.
    pub wanted: Option<&'a Wanted<'a>>,
}

/// Tasks, each searched at once.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    Block(LeafRun),
    /// The point of a place, and its group.
    Single {
        place: u32,
        group: u8,
    },
}

holds! { nothing for Task }

/// The points of leaves `first .. end`, which are of one group, that reach no farther than `most`.
#[derive(Clone, Copy, Debug)]
pub struct LeafRun {
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) group: u8,
    pub(super) most: f64,
}

impl LeafRun {
    pub(super) fn leaves(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

impl<T: Real> ByRadii<'_, T> {
    /// Cuts the tree into tasks.
    pub(super) fn tasks(&self, team: &Team, tasks: &mut Vec<Task>) -> Result<()> {
        tasks.clear();
        let points = self.tree.len();
        let share = points / (team.threads() * BLOCKS_PER_THREAD);
        let limit = match team.threads() {
            1 => BLOCK,
            _ => share.clamp(BLOCK_AT_LEAST, BLOCK),
        };
        // The runs still to be cut, and how far at most their points that are left reach.
        let mut waiting = Vec::new();
        for (root, group) in self.tree.groups().enumerate() {
            let leaves = self.tree.leaves_of(self.tree.planes() - 1, root);
            if self.may_list_any(group) {
                let run = LeafRun {
                    first: leaves.start as u32,
                    end: leaves.end as u32,
                    group,
                    most: f64::INFINITY,
                };
                push(&mut waiting, run, TASKS)?;
            }
        }
        while let Some(run) = waiting.pop() {
            self.cut(run, limit, (&mut waiting, tasks))?;
        }
        Ok(())
    }

    /// Whether no task has the rows of some group.
    pub(super) fn leaves_out_groups(&self) -> bool {
        !self.tree.groups().all(|group| self.may_list_any(group))
    }

    /// Whether rows of a group may list any points.
    fn may_list_any(&self, group: u8) -> bool {
        self.tree.groups().any(|other| self.may_list(group, other))
    }

    /// Whether rows of a group may list points of another one.
    pub(super) fn may_list(&self, row: u8, other: u8) -> bool {
        self.reach.may_list(self.classes, row, other)
    }

    /// Makes a task of a run of leaves, or has it wait in parts.
    fn cut(&self, run: LeafRun, limit: usize, (waiting, tasks): (&mut Vec<LeafRun>, &mut Vec<Task>)) -> Result<()> {
        let (tree, leaves) = (self.tree, run.leaves());
        let Some(most) = self.farthest(&leaves, run.most) else {
            return Ok(());
        };
        let run = LeafRun { most, ..run };
        let (halves, points, area) = (tree.halves(&leaves), tree.points_of(&leaves), tree.corners(&leaves));
        let is_leaf = halves.is_none();
        let reaches_beyond = is_leaf || most >= edge_of(&area);
        let is_small = is_leaf || points.len() <= limit && !self.is_unclear(&leaves, &area, most);
        let targets = match is_small || reaches_beyond {
            true => self.targets(&area, &run),
            false => 0, // it is divided anyway
        };
        let members = match self.may_list(run.group, run.group) {
            true => 0, // they are targets
            false => points.len(),
        };
        if is_small && targets + members < AROUND {
            return push(tasks, Task::Block(run), TASKS);
        }
        if let Some(halves) = halves
            && (targets < AROUND || !reaches_beyond)
        {
            return halves.into_iter().rev().try_for_each(|half| {
                let [first, end] = [half.start, half.end].map(|leaf| leaf as u32);
                push(waiting, LeafRun { first, end, ..run }, TASKS)
            });
        }
        // The points that reach farthest make the neighborhood too large; in a single leaf, or where none reaches
        // anywhere, all do.
        let below = if !is_leaf && most > 0.0 { 0.5 * most } else { -1.0 };
        for place in points {
            let reach = self.reach_of(place);
            if below < reach && reach <= most && self.has_row(place) {
                let (place, group) = (place as u32, run.group);
                push(tasks, Task::Single { place, group }, TASKS)?;
            }
        }
        match below >= 0.0 {
            true => push(waiting, LeafRun { most: below, ..run }, TASKS),
            false => Ok(()),
        }
    }

    /// Whether a frame around a run of leaves with this box would leave too much to the caller's arithmetic.
    fn is_unclear(&self, leaves: &Range<usize>, area: &Corners<T>, most: f64) -> bool {
        let (tree, edge) = (self.tree, edge_of(area));
        let largest = |leaves: Range<usize>| {
            leaves
                .map(|leaf| tree.largest_radius(0, leaf).to_f64())
                .fold(0.0, f64::max)
        };
        // Two leaves have more points than a box whose points are not divided further.
        let is_too_large = |first: usize| {
            let two = first..first + 2;
            frame::is_too_large(edge, edge_of(&tree.corners(&two)), largest(two))
        };
        let reach = || self.reach.rule.cutoff(most, largest(leaves.clone()));
        !self.periods.is_open() && frame::is_long_across(area, self.periods, reach())
            || (leaves.start..leaves.end - 1).any(is_too_large)
    }

    /// The farthest reach of those points of a run of leaves that reach no farther than `most`; `None` where none of
    /// them has a row.
    fn farthest(&self, leaves: &Range<usize>, most: f64) -> Option<f64> {
        let largest = leaves.clone().map(|leaf| self.tree.largest_radius(0, leaf).to_f64());
        let farthest = self.reach.rule.own(largest.fold(0.0, f64::max));
        if farthest <= most && self.wanted.is_none() {
            return Some(farthest);
        }
        let points = self.tree.points_of(leaves).filter(|&place| self.has_row(place));
        let reaches = points.map(|place| self.reach_of(place));
        reaches.filter(|&reach| reach <= most).reduce(f64::max)
    }

    /// The number of targets that there may be for points in a box that are those of a run.
    fn targets(&self, area: &Corners<T>, run: &LeafRun) -> usize {
        let points = self.tree.len();
        if points < AROUND {
            return points;
        }
        let mut targets = 0;
        self.near(area, run.group, run.most, |found| {
            targets += self.tree.points_of(&found.leaves).len()
        });
        targets
    }

    /// The reach of a point of a group into rows of another one, where their types decide about it.
    pub(super) fn reach_between(&self, row: u8, other: u8) -> Option<T> {
        let bound = self.bound_of(row, other)?.to_f64();
        Some(T::from_f64(bound.max(0.0).sqrt()))
    }

    /// The caller's number of a place in the tree's order.
    #[inline]
    pub(super) fn id(&self, place: usize) -> u32 {
        self.tree.ids()[place] as u32
    }

    /// The reach of the point of a place for its row.
    pub(super) fn reach_of(&self, place: usize) -> f64 {
        self.reach.rule.own(self.tree.radii()[place].to_f64())
    }

    pub(super) fn has_row(&self, place: usize) -> bool {
        let number = self.id(place) as usize;
        self.wanted.is_none_or(|wanted| wanted.has(number))
    }

    /// Decides about two places in the caller's precision and by its arithmetic, as the oracle does.
    #[inline]
    pub(super) fn is_pair(&self, mine: usize, other: usize) -> bool {
        let bounds = self
            .classes
            .and_then(|classes| Some((classes, classes.bounds.as_ref()?)));
        let bound = bounds.map(|(classes, bounds)| {
            let [row, other] = [mine, other].map(|place| classes.of(self.id(place) as usize));
            bounds.of(row, other)
        });
        self.is_pair_by(bound, mine, other)
    }

    /// The same of two places whose bound is known, where their types decide about it.
    #[inline]
    fn is_pair_by(&self, bound: Option<T>, mine: usize, other: usize) -> bool {
        let (coords, radii) = (self.tree.coords(), self.tree.radii());
        let ends = |axis: usize| [coords[axis][mine], coords[axis][other]];
        let d2 = self.periods.distance2(self.tree.dim(), ends);
        match bound {
            Some(bound) => d2 <= bound,
            None => self.reach.is_pair(radii[mine], radii[other], d2),
        }
    }

    /// The bound on distances squared of a row of a group and a point of another one, where their types decide about it.
    pub(super) fn bound_of(&self, row: u8, other: u8) -> Option<T> {
        let bounds = self.classes.and_then(|classes| classes.bounds.as_ref());
        bounds.map(|bounds| bounds.of(row >> 1, other >> 1))
    }

    /// Finds the row of a place of a group by itself.
    pub(super) fn find_single(
        &self,
        row: &mut Vec<i32>,
        (place, group): (usize, u8),
        sink: &mut dyn Sink,
    ) -> Result<()> {
        if !self.has_row(place) {
            return Ok(());
        }
        let (tree, number, lengths) = (self.tree, self.id(place), sink.lengths());
        let mut at = [T::default(); 3];
        let coords = at.iter_mut().zip(&tree.coords()[..tree.dim()]);
        coords.for_each(|(at, coords)| *at = coords[place]);
        let is_excluded = |other: u32| self.excluded.is_some_and(|excluded| excluded.has(number, other));
        let is_wanted = |other: u32| (other > number || self.full && other != number) && !is_excluded(other);
        let (mut len, mut tests, mut outcome) = (0, 0, Ok(()));
        self.near(&[at, at], group, self.reach_of(place), |found| {
            let run = tree.points_of(&found.leaves);
            if found.are_pairs && lengths.is_some() {
                let ids = tree.ids()[run].iter();
                len += ids.filter(|&&id| is_wanted(id as u32)).count();
                return;
            }
            tests += if found.are_pairs { 0 } else { run.len() };
            let bound = self.bound_of(group, found.group);
            let is_listed = |k: usize| is_wanted(self.id(k)) && (found.are_pairs || self.is_pair_by(bound, place, k));
            if outcome.is_ok() && row.len() < len + run.len() {
                outcome = crate::list::resize_keeping(row, 2 * (len + run.len()), 0, "a row");
            }
            if outcome.is_err() {
                return;
            }
            for k in run {
                row[len] = tree.ids()[k];
                len += usize::from(is_listed(k));
            }
        });
        self.cost.add(tests);
        outcome?;
        if let Some(lengths) = lengths {
            lengths.store(number, len);
            return Ok(());
        }
        row[..len].sort_unstable();
        sink.row(number, &mut row[..len])
    }
}

/// The longest edge of a box.
fn edge_of<T: Real>([lo, hi]: &Corners<T>) -> f64 {
    let edges = (0..3).map(|axis| hi[axis].to_f64() - lo[axis].to_f64());
    edges.fold(0.0, f64::max)
}
