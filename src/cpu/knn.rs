//! The k nearest points of each query, by a walk over the adaptive index.
//!
//! in: [`ZTree`] of the points and of the queries (the same where each point is a query); out: rows in place, by (d2,
//! number).
//!
//! ```text
//! for each group (a leaf of the queries):
//!     guess    how far the k-th is, from how far it was for the groups before, for as many points in a box as large
//!     gather   the points that near of the group's box, if they are not too many
//!     for each query: measure what is within its guess, else within the group's
//!         k are found: all that can be nearer is among them; take the k least
//!         they are not: walk the nodes from the nearest on until the next one is farther than the k-th (`walk`)
//! ```
//!
//! A guess decides how long it takes, never what is found: rows do not depend on threads.

#![allow(unsafe_code)]

mod ahead;
mod row;
mod walk;

use std::ops::Range;

use super::kernels::exact::near::{Near, SelectNear};
use super::kernels::exact::{Ball, Targets};
use super::level::Level;
use crate::axes::in_dim;
use crate::domain::Periods;
use crate::error::Result;
use crate::ids::Entry;
use crate::list::{holds, push};
use crate::measure::Measure;
use crate::simd::{Isa, Simd, Width};
use crate::threads::Team;
use crate::ztree::{Node, ZTree, diagonal2, extend, gap2, lengths, lesser};
use ahead::Ahead;
pub use row::KnnRows;
use row::{Hits, WHAT};

/// Groups that a thread does at once.
const GROUPS: usize = 32;

/// The most points gathered around a group: a base number, and a number for each neighbor. Where there are more, each
/// query walks for itself.
const NEAR: usize = 2048;
const NEAR_PER_NEIGHBOR: usize = 16;

/// The number of points in reach of a query from which many points around its group are likely to be equally near: a base number,
/// and one for each neighbor. Then each query of the group walks for itself, and meets the points with the lowest numbers first.
const EQUAL: usize = 256;
const EQUAL_PER_NEIGHBOR: usize = 8;

/// The question.
pub struct Knn<'a, T> {
    /// The points.
    pub tree: &'a ZTree<T>,
    /// The queries; `None`: each point is one.
    pub queries: Option<&'a ZTree<T>>,
    pub periods: &'a Periods<T>,
    /// Elements of a row.
    pub k: usize,
    /// A point is none of its own neighbors.
    pub skips_self: bool,
    /// Queries below this number have a row.
    pub rows: usize,
    /// No neighbor is farther than this, squared, where it is given.
    pub within: Option<T>,
    pub measure: Measure,
    pub base: i32,
    /// The point of each number of the tree, where numbers are the ranks of ids.
    pub by_id: Option<&'a [Entry]>,
    pub isa: Isa,
}

/// Memory of one worker, kept in the handle.
#[derive(Debug)]
pub struct KnnWorker<T> {
    /// Points near a group.
    near: Level<T>,
    /// Nodes of two planes near a group.
    nodes: [Vec<u32>; 2],
    ahead: std::collections::BinaryHeap<Ahead<T>>,
    hits: Hits<T>,
    /// The distance of the k-th of late, squared, as a share of what the box of a group says.
    typical: f64,
}

holds! { KnnWorker<T> { near, nodes, ahead, hits; typical } }

impl<T: Width> Default for KnnWorker<T> {
    fn default() -> KnnWorker<T> {
        KnnWorker {
            near: Default::default(),
            nodes: Default::default(),
            ahead: Default::default(), // needs an order of T: to derive this all takes a newer Rust
            hits: Default::default(),
            typical: 0.0,
        }
    }
}

impl<T: Width> KnnWorker<T> {
    fn reserve(&mut self, most: usize, k: usize) -> Result<()> {
        self.near.reserve(most, 3)?;
        self.typical = 0.15;
        self.hits.reserve(most, k)
    }
}

/// The distance to search within for a group, squared.
#[derive(Clone, Copy)]
struct Guess<T> {
    /// All that a row can list is that near of each of its queries, surely;
    sure: T,
    /// for most of its queries they are that near,
    own: T,
    /// and for nearly all.
    group: T,
    /// The unit of a typical distance.
    unit: f64,
}

impl<T: Width> Knn<'_, T> {
    /// Writes all rows.
    pub fn run(&self, team: &Team, workers: &mut [KnnWorker<T>], into: KnnRows<T>) -> Result<()> {
        in_dim!(self.tree.dim(), DIM => self.run_in::<DIM>(team, workers, into))
    }

    /// The point of a number of the tree.
    #[inline(always)]
    fn point(&self, number: i32) -> u32 {
        self.by_id.map_or(number as u32, |by_id| by_id[number as usize].point)
    }

    /// Neighbors that each query has, at most.
    pub fn found(&self) -> usize {
        self.k
            .min(self.tree.len() - usize::from(self.skips_self).min(self.tree.len()))
    }

    fn run_in<const DIM: usize>(&self, team: &Team, workers: &mut [KnnWorker<T>], into: KnnRows<T>) -> Result<()> {
        let found = self.found();
        let search = KnnSearch::<T, DIM> {
            knn: self,
            queries: self.queries.unwrap_or(self.tree),
            simd: Simd::new(self.isa),
            lengths: lengths(self.periods),
            found,
            within: self.within.unwrap_or(T::INFINITY),
            most: NEAR + NEAR_PER_NEIGHBOR * found,
        };
        for worker in &mut *workers {
            worker.reserve(search.most, self.k)?;
            worker.hits.restart((self.measure, self.base), self.k);
        }
        let leaves = search.queries.leaves();
        team.run(workers, leaves.div_ceil(GROUPS), |worker, task| {
            // SAFETY: rows are `k` elements each, and do not overlap; the tree has each query in one leaf, which one
            // task does, and `point` gives each number another point, so no two tasks store the same row.
            let mut into = unsafe { into.alias() };
            let mut leaves = task * GROUPS..((task + 1) * GROUPS).min(leaves);
            let outcome = leaves.try_for_each(|leaf| search.group(worker, leaf, &mut into));
            team.cost().add(std::mem::take(&mut worker.hits.tests));
            outcome
        })
    }
}

/// A search in `DIM` dimensions.
struct KnnSearch<'a, T, const DIM: usize> {
    knn: &'a Knn<'a, T>,
    queries: &'a ZTree<T>,
    simd: Simd,
    /// Of periodic axes.
    lengths: [Option<T>; DIM],
    /// Neighbors that each query has, at most.
    found: usize,
    /// None of them is farther, squared.
    within: T,
    /// Points around a group that are gathered, at most.
    most: usize,
}

impl<T: Width, const DIM: usize> KnnSearch<'_, T, DIM> {
    /// Writes the rows of a leaf of the queries.
    fn group(&self, worker: &mut KnnWorker<T>, leaf: usize, into: &mut KnnRows<T>) -> Result<()> {
        let (queries, k) = (self.queries, self.knn.k);
        let members = queries.parts(0, leaf);
        let place = |at: usize| {
            let number = queries.ids()[at];
            let row = match self.knn.queries {
                Some(_) => number as usize,
                None => self.knn.point(number) as usize,
            };
            (row < self.knn.rows).then_some(row * k..(row + 1) * k)
        };
        for place in members.clone().filter_map(place) {
            into.ids.prefetch_ends(place.clone());
            if let Some(distances) = &into.distances {
                distances.prefetch_ends(place);
            }
        }
        if self.found == 0 {
            members
                .filter_map(place)
                .for_each(|place| worker.hits.store(into, place));
            return Ok(());
        }
        if members.clone().filter_map(place).next().is_none() {
            return Ok(());
        }
        let guess = self.guess(worker.typical, leaf);
        let mut near = self.gather(worker, queries.node(0, leaf), guess.group)?;
        let (mut sum, mut rows) = (0.0, 0);
        for at in members {
            let Some(place) = place(at) else { continue };
            let mut point = [T::default(); 3];
            (0..DIM).for_each(|axis| point[axis] = queries.coords()[axis][at]);
            let skipped = self.knn.skips_self.then(|| queries.ids()[at]);
            let taken = match near {
                Some(near) => self.take_near(worker, near, &guess, point, skipped)?,
                None => None,
            };
            let kth = match taken {
                Some(kth) => kth,
                None => self.walk(worker, guess.sure, point, skipped)?,
            };
            near = near.filter(|_| worker.hits.len() <= EQUAL + EQUAL_PER_NEIGHBOR * self.found);
            // The k-th is beyond what is asked for, where the row lacks it.
            let is_full = worker.hits.filled() >= self.found;
            let kth = if is_full { kth } else { self.within };
            (sum, rows) = (sum + kth.to_f64(), rows + 1);
            if self.knn.by_id.is_some() {
                worker.hits.relabel(|number| self.knn.point(number) as i32);
            }
            worker.hits.store(into, place);
        }
        let share = sum / (f64::from(rows) * guess.unit);
        if share.is_finite() && guess.unit.is_finite() {
            worker.typical += (share - worker.typical) / 8.0;
        }
        Ok(())
    }

    /// Whether the neighbors of `point` are among the first `near` points gathered; then they are taken, and the
    /// distance squared of the last is returned.
    fn take_near(
        &self,
        worker: &mut KnnWorker<T>,
        near: usize,
        guess: &Guess<T>,
        point: [T; 3],
        skipped: Option<i32>,
    ) -> Result<Option<T>> {
        let targets = worker.near.targets();
        let hits = &mut worker.hits;
        for bound in [guess.own, guess.group] {
            let periods = self.knn.periods;
            let reach = Ball { point, bound, periods };
            hits.measure((self.simd, DIM), targets, 0..near, &reach, skipped);
            if hits.len() >= self.found || bound == self.within {
                return hits.take(self.simd, self.found.min(hits.len())).map(Some);
            }
        }
        Ok(None)
    }

    /// The distance at which the k-th may be from the queries of a leaf.
    ///
    /// Around the group's box and that of enough points, no query is farther from any of them than the corners are from
    /// each other: rounding is monotone.
    fn guess(&self, typical: f64, leaf: usize) -> Guess<T> {
        let (tree, group) = (self.knn.tree, self.queries.node(0, leaf));
        let need = self.found + usize::from(self.knn.skips_self);
        let nearest = match self.knn.queries {
            None => leaf,
            Some(_) => self.nearest_leaf(group),
        };
        let (mut leaves, mut around) = (nearest..nearest + 1, *group);
        extend::<T, DIM>(&mut around, tree.node(0, nearest));
        let points = |leaves: &Range<usize>| tree.parts(0, leaves.end - 1).end - tree.parts(0, leaves.start).start;
        while points(&leaves) < need {
            let with = |leaf: usize| {
                let mut with = around;
                extend::<T, DIM>(&mut with, tree.node(0, leaf));
                (diagonal2::<T, DIM>(&with), with)
            };
            let before = (leaves.start > 0).then(|| with(leaves.start - 1));
            let after = (leaves.end < tree.leaves()).then(|| with(leaves.end));
            match (before, after) {
                (Some(before), Some(after)) if before.0 < after.0 => {
                    (leaves.start, around) = (leaves.start - 1, before.1)
                }
                (_, Some(after)) => (leaves.end, around) = (leaves.end + 1, after.1),
                (Some(before), None) => (leaves.start, around) = (leaves.start - 1, before.1),
                (None, None) => break,
            }
        }
        let diagonal2 = diagonal2::<T, DIM>(&around);
        let sure = lesser(diagonal2, self.within);
        let power = 2.0 / DIM as f64;
        let unit = diagonal2.to_f64() * (need as f64 / points(&leaves) as f64).powf(power);
        // Points are found in a volume; how many there are varies by the root of their number.
        let more = |times: f64| (1.0 + times / (need as f64).sqrt()).powf(power);
        let bound = |times: f64| lesser(T::from_f64(typical * unit * more(times)), sure);
        Guess {
            sure,
            own: bound(1.75),
            group: bound(6.0),
            unit,
        }
    }

    /// A leaf of the points near a node of queries.
    fn nearest_leaf(&self, group: &Node<T>) -> usize {
        let (tree, mut node) = (self.knn.tree, 0);
        for plane in (1..tree.planes()).rev() {
            let parts = tree.parts(plane, node);
            let mut least = T::INFINITY;
            node = parts.start;
            for part in parts {
                let d2 = self.gap2(group, tree.node(plane - 1, part));
                if d2 < least {
                    (least, node) = (d2, part);
                }
            }
        }
        node
    }

    /// Gathers the points that may be within `bound`, squared, of a point in a node's box, and returns how many there
    /// are; `None` where there are too many.
    fn gather(&self, worker: &mut KnnWorker<T>, group: &Node<T>, bound: T) -> Result<Option<usize>> {
        let tree = self.knn.tree;
        let [nodes, finer] = &mut worker.nodes;
        nodes.clear();
        push(nodes, 0, WHAT)?;
        for plane in (1..tree.planes()).rev() {
            finer.clear();
            for &node in &*nodes {
                for part in tree.parts(plane, node as usize) {
                    if self.gap2(group, tree.node(plane - 1, part)) <= bound {
                        push(finer, part as u32, WHAT)?;
                    }
                }
            }
            if finer.len() > self.most {
                return Ok(None);
            }
            std::mem::swap(nodes, finer);
        }
        let near = Near {
            lo: group.lo,
            hi: group.hi,
            upper: bound,
            periods: self.knn.periods,
        };
        let (mut len, mut met, mut leaves) = (0, 0, nodes.iter().peekable());
        while let Some(&leaf) = leaves.next() {
            let mut run = tree.parts(0, leaf as usize);
            while let Some(next) = leaves.next_if(|&&next| tree.parts(0, next as usize).start == run.end) {
                run.end = tree.parts(0, *next as usize).end;
            }
            met += run.len();
            if met > self.most {
                return Ok(None);
            }
            let targets = Targets {
                coords: tree
                    .coords()
                    .each_ref()
                    .map(|coords| coords.get(run.start..).unwrap_or_default()),
                ids: &tree.ids()[run.start..],
                bounds: &[],
            };
            let select = SelectNear {
                targets,
                len: run.len(),
                near: &near,
                to: worker.near.selection(len),
            };
            len += self.simd.run_in(DIM, select);
        }
        Ok(Some(len))
    }

    /// A lower bound of the distance squared, as computed, of any point in one box and any in another.
    #[inline(always)]
    fn gap2(&self, a: &Node<T>, b: &Node<T>) -> T {
        gap2(a, b, &self.lengths)
    }
}
