//! Search with a radius for each point: rows are counted, then filled in place, each in the caller's numbering and ascending.
//! Every thread takes block after block: a node of the tree with all points that can be in reach of it, converted to real32
//! coordinates around the node and sorted by the caller's numbers. On the way down the tree, targets are selected for smaller
//! and smaller boxes. A point is tested where the box is about as large as its radius, so that one block can hold points of any
//! radius. The caller's arithmetic decides what real32 cannot. A point that reaches so far beyond its block that its
//! neighborhood would be too large is searched alone.
//!
//! in: [`Tree`], [`Reach`]; out: counts per row, rows in place.

mod block;
mod descent;
mod fill;
mod frame;
mod spanned;

use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use super::hit_records::HitRecords;
use super::rows::Wanted;
use super::simd::banded::{Kernels, Way};
use super::simd::{Isa, Simd};
pub use block::Worker;
pub use spanned::Spanned;

use crate::domain::Periods;
use crate::error::Result;
use crate::kinds::Classes;
use crate::list::{as_atomic_i64, prefetch, push, resize_discarding};
use crate::points::Real;
use crate::radii::Reach;
use crate::radii::tree::{Place, Tree};
use crate::threads::Team;
use frame::Parts;

/// A block has at most this many points,
const BLOCK: usize = 4096;

/// at least this many, however many threads want a share,
const BLOCK_AT_LEAST: usize = 256;

/// and its neighborhood fewer than this: the index of a point in it is 16 bits.
const AROUND: usize = 1 << 16;

/// Blocks each thread gets, so that the last ones finish together.
const BLOCKS_PER_THREAD: usize = 8;

/// Words for each point that records may take, and in all at least.
const RECORDED: usize = 48;
const RECORDED_AT_LEAST: usize = 1 << 22;

const TASKS: &str = "the list of blocks";

/// One search by radii.
#[derive(Clone, Copy)]
pub struct Varied<'a, T> {
    pub tree: &'a Tree<T>,
    pub reach: Reach<'a, T>,
    /// The axes along which the points are wrapped.
    pub periods: &'a Periods<T>,
    /// Which points a row may list; `None`: all.
    pub classes: Option<&'a Classes<'a>>,
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    pub isa: Isa,
    /// The rows that are searched for; `None`: all.
    pub wanted: Option<&'a Wanted<'a>>,
}

/// What is searched at once.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// The points of a node that reach no farther than this.
    Block { node: u32, most: f64 },
    /// The point of a place.
    Single { place: u32 },
}

/// What a count leaves for the fill after it.
#[derive(Debug, Default)]
pub struct Counted {
    tasks: Vec<Task>,
    /// Where a block was recorded.
    found: Vec<Option<Recorded>>,
    /// One for each worker that counted.
    kept: Vec<HitRecords>,
}

/// The records of a block: its points' numbers, then those of its leaves.
#[derive(Clone, Copy, Debug)]
struct Recorded {
    worker: u32,
    numbers: usize,
    leaves: usize,
    end: usize,
}

impl Counted {
    /// What is searched at once.
    pub fn blocks(&self) -> &[Task] {
        &self.tasks
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.tasks.capacity() * size_of::<Task>()
            + self.found.capacity() * size_of::<Option<Recorded>>()
            + self.kept.iter().map(HitRecords::bytes).sum::<usize>()
    }
}

impl<T: Real> Varied<'_, T> {
    /// Writes the length of row `i` to `lengths[i]`, and to `counted` what the fill can use.
    pub fn count(&self, team: &Team, workers: &mut [Worker], counted: &mut Counted, lengths: &mut [i64]) -> Result<()> {
        lengths.fill(0); // not every point has a row
        let lengths = as_atomic_i64(lengths);
        let Counted { tasks, found, kept } = counted;
        self.tasks(team, tasks)?;
        resize_discarding(found, tasks.len(), None, TASKS)?;
        while kept.len() < workers.len() {
            push(kept, HitRecords::default(), "the list of workers")?;
        }
        let points = self.tree.places().len();
        let limit = (points * RECORDED).max(RECORDED_AT_LEAST.min(points * 3 * RECORDED / 2)) / workers.len();
        let mut states = Vec::new();
        for (number, (worker, records)) in workers.iter_mut().zip(kept).enumerate() {
            records.restart(limit)?;
            push(
                &mut states,
                (number as u32, worker, records, Vec::new()),
                "the list of workers",
            )?;
        }
        team.run(&mut states, tasks.len(), |(number, worker, records, found), k| {
            let recorded = match tasks[k] {
                Task::Block { node, most } => self.count_block(worker, (node, most), records, limit, lengths)?,
                Task::Single { place } => {
                    let row = self.find_single(worker, place as usize, 0)?;
                    lengths[self.tree.id(place as usize) as usize].store(row.len() as i64, Relaxed);
                    None
                }
            };
            let recorded = recorded.map(|[numbers, leaves, end]| Recorded {
                worker: *number,
                numbers,
                leaves,
                end,
            });
            push(found, (k, recorded), TASKS)
        })?;
        for (k, recorded) in states.into_iter().flat_map(|(.., found)| found) {
            found[k] = recorded;
        }
        Ok(())
    }

    /// Cuts the tree into what is searched at once, and forgets what was counted before.
    pub fn cut_anew<'c>(&self, team: &Team, counted: &'c mut Counted) -> Result<&'c [Task]> {
        *counted = Counted::default();
        self.tasks(team, &mut counted.tasks)?;
        Ok(&counted.tasks)
    }

    fn count_block(
        &self,
        worker: &mut Worker,
        block: (u32, f64),
        records: &mut HitRecords,
        limit: usize,
        lengths: &[AtomicI64],
    ) -> Result<Option<[usize; 3]>> {
        let Worker {
            block: loaded, scratch, ..
        } = worker;
        let frame = loaded.load(self, block)?;
        let numbers = records.len();
        let mut keeps = numbers + loaded.numbers().len() < limit;
        if keeps {
            records.append(loaded.numbers())?;
        }
        let leaves = records.len();
        let to = (scratch, &mut *records);
        loaded.search(self, &frame, block, to, &mut |_, records, found| {
            let lengths = |row: u32| &lengths[row as usize];
            found.rows.iter().for_each(|&row| prefetch(lengths(row)));
            for (&row, &count) in found.rows.iter().zip(found.counts) {
                lengths(row).store(i64::from(count), Relaxed);
            }
            keeps &= records.len() <= limit;
            if !keeps {
                records.truncate(numbers);
            }
            Ok(())
        })?;
        Ok(keeps.then(|| [numbers, leaves, records.len()]))
    }

    /// Cuts the tree into tasks.
    fn tasks(&self, team: &Team, tasks: &mut Vec<Task>) -> Result<()> {
        tasks.clear();
        let points = self.tree.places().len();
        let share = points / (team.threads() * BLOCKS_PER_THREAD);
        let limit = match team.threads() {
            1 => BLOCK,
            _ => share.clamp(BLOCK_AT_LEAST, BLOCK),
        };
        match self.tree.root() {
            Some(root) => self.cut(root, f64::INFINITY, limit, tasks),
            None => Ok(()),
        }
    }

    /// Appends the tasks of the points of a node that reach no farther than `most`.
    fn cut(&self, node: usize, most: f64, limit: usize, tasks: &mut Vec<Task>) -> Result<()> {
        let tree = self.tree;
        let Some(most) = self.farthest(node, most) else {
            return Ok(());
        };
        let (children, box_of) = (tree.children(node), tree.node(node));
        let size = (0..tree.dim()).map(|axis| box_of.hi[axis].to_f64() - box_of.lo[axis].to_f64());
        let reaches_beyond = children.is_none() || most >= size.fold(0.0, f64::max);
        let is_small = box_of.len() <= limit || children.is_none();
        let around = match is_small || reaches_beyond {
            true => self.around(node, most),
            false => 0, // it is divided anyway
        };
        if around < AROUND && is_small {
            let node = node as u32;
            return push(tasks, Task::Block { node, most }, TASKS);
        }
        if let Some(children) = children.filter(|_| around < AROUND || !reaches_beyond) {
            return children
                .into_iter()
                .try_for_each(|child| self.cut(child, most, limit, tasks));
        }
        // Whoever reaches farthest makes the neighborhood too large; without children, everybody does.
        let below = if children.is_some() { 0.5 * most } else { -1.0 };
        let parts = Parts::of(self.reach.rule);
        for place in box_of.places() {
            let reach = parts.mine(tree.places()[place].radius.to_f64());
            if below < reach && reach <= most && self.has_row(place) {
                push(tasks, Task::Single { place: place as u32 }, TASKS)?;
            }
        }
        if below >= 0.0 {
            self.cut(node, below, limit, tasks)
        } else {
            Ok(())
        }
    }

    /// How far the points of a node reach that reach no farther than `most`; `None` where none of them has a row.
    fn farthest(&self, node: usize, most: f64) -> Option<f64> {
        let (parts, node) = (Parts::of(self.reach.rule), self.tree.node(node));
        let farthest = parts.mine(node.radius.to_f64());
        if farthest <= most && self.wanted.is_none() && self.classes.is_none() {
            return Some(farthest);
        }
        let run = node.places().filter(|&place| self.has_row(place));
        let reaches = run.map(|place| parts.mine(self.tree.places()[place].radius.to_f64()));
        reaches.filter(|&reach| reach <= most).reduce(f64::max)
    }

    /// How many points may be in the neighborhood of a node's points that reach no farther than `most`.
    fn around(&self, node: usize, most: f64) -> usize {
        let points = self.tree.places().len();
        if points < AROUND {
            return points;
        }
        let (node, mut around) = (self.tree.node(node), 0);
        self.near(node.lo, node.hi, most, &mut |run| around += run.len());
        around
    }

    fn has_row(&self, place: usize) -> bool {
        let number = self.tree.id(place) as usize;
        self.wanted.is_none_or(|wanted| wanted.has(number))
            && self.classes.is_none_or(|classes| classes.has_row(classes.of(number)))
    }

    /// Calls `action` with runs of places, among them all in reach of points in a box that reach no farther than `most`, or that
    /// reach those.
    fn near(&self, lo: [T; 3], hi: [T; 3], most: f64, action: &mut dyn FnMut(std::ops::Range<usize>)) {
        let parts = Parts::of(self.reach.rule);
        // What rounding may add to a distance, by the caller's arithmetic and by ours.
        let slack = 8.0 * self.periods.slack() + T::VANISHING;
        let reach = |radius: T| parts.cutoff(most, parts.others(radius.to_f64())) * (1.0 + 1e-6) + slack;
        self.tree.near([lo, hi], self.periods, reach, action);
    }

    /// What kernels run with.
    fn kernels(&self, way: Way) -> Kernels {
        Kernels {
            simd: Simd::new(self.isa),
            dim: self.tree.dim(),
            way,
            periodic: !self.periods.is_open(),
        }
    }

    /// Decides in the caller's precision and by its arithmetic, as the oracle does.
    #[inline]
    fn is_pair(&self, mine: &Place<T>, other: &Place<T>) -> bool {
        let difference = |axis: usize| self.periods.difference(axis, mine.at[axis], other.at[axis]);
        let mut d2 = difference(0).mul(difference(0));
        for axis in 1..self.tree.dim() {
            d2 = d2.add_square(difference(axis));
        }
        self.reach.is_pair(mine.radius, other.radius, d2)
    }

    /// The row of a place, in the tree's order.
    fn find_single<'w>(&self, worker: &'w mut Worker, place: usize, base: i32) -> Result<&'w mut [i32]> {
        let (tree, row) = (self.tree, &mut worker.scratch.row);
        let (mine, number) = (&tree.places()[place], tree.id(place));
        let class = self.classes.map(|classes| classes.of(number as usize));
        let parts = Parts::of(self.reach.rule);
        let mut outcome = Ok(());
        let mut len = 0;
        let most = parts.mine(mine.radius.to_f64());
        self.near(mine.at, mine.at, most, &mut |run| {
            if outcome.is_ok() && row.len() < len + run.len() {
                outcome = crate::list::resize_keeping(row, 2 * (len + run.len()), 0, "a row");
            }
            if outcome.is_err() {
                return;
            }
            for k in run {
                let other = tree.id(k);
                let is_listed = || match (self.classes, class) {
                    (Some(classes), Some(class)) => classes.allows(class, classes.of(other as usize)),
                    _ => true,
                };
                let is_wanted = other > number || self.full && other != number;
                row[len] = other as i32 + base;
                len += usize::from(self.is_pair(mine, &tree.places()[k]) && is_wanted && is_listed());
            }
        });
        outcome?;
        Ok(&mut row[..len])
    }
}
