//! Friends-of-friends: the connected components of the pairs, found without visiting all pairs.
//!
//! in: [`ZTree`] of the points and the bound of a pair; out: a label per point.
//!
//! ```text
//! a node with itself:  its diagonal is within the bound: all its points are one group
//!                      a leaf: each point against the others;  else its parts with themselves, and with each other
//! a node with another: they are farther apart than the bound, or both are one group and it is the same: nothing to do
//!                      the diagonal of both together is within the bound: all their points are one group
//!                      two leaves: the points near the other's box against its points;  else parts with parts
//! ```
//!
//! That nodes are one group is kept for later meetings. What a thread does not know yet costs time only: links are
//! never taken back, so the components do not depend on threads, nor do labels (ADR 0015).

mod forest;
mod relabel;
mod scratch;

use std::cell::Cell;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::kernels::exact::near::{Near, NearBits};
use super::kernels::exact::{Among, RowBits, Targets};
use crate::axes::in_dim;
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{Rows, as_atomic_u32};
use crate::simd::{Isa, Simd, Width};
use crate::threads::Team;
use crate::ztree::{Node, ZTree, diagonal2, extend, gap2, lengths};
use forest::Forest;
use relabel::Labeling;
pub use scratch::Scratch;

/// Tasks for each thread, at least, where there are enough nodes.
const TASKS: usize = 32;

/// The question.
pub struct Fof<'a, T> {
    pub tree: &'a ZTree<T>,
    pub periods: &'a Periods<T>,
    /// A pair is two points whose distance squared is at most this.
    pub bound: T,
    /// Of two points the one with the lower id is the label; none: the one with the lower number.
    pub global_ids: Option<&'a [i64]>,
    pub base: i32,
    pub isa: Isa,
}

impl<T: Width> Fof<'_, T> {
    /// Writes the label of each point, the lowest of its group, and returns how many groups there are.
    pub fn run(&self, team: &Team, scratch: &mut Scratch, labels: Rows) -> Result<usize> {
        scratch.prepare(self.tree, team)?;
        let forest = Forest(as_atomic_u32(&mut scratch.parents));
        let walked = Walked {
            united: as_atomic_u32(&mut scratch.united),
            planes: &scratch.planes,
            forest,
        };
        if self.tree.len() > 0 {
            in_dim!(self.tree.dim(), DIM => self.link::<DIM>(team, walked)?);
        }
        self.label(team, forest, as_atomic_u32(&mut scratch.lowest), labels)
    }

    fn link<const DIM: usize>(&self, team: &Team, walked: Walked) -> Result<()> {
        let tree = self.tree;
        let walk = || PairWalk::<T, DIM> {
            fof: self,
            walked,
            simd: Simd::new(self.isa),
            lengths: lengths(self.periods),
            tests: Cell::new(0),
        };
        let (root, enough) = (tree.planes() - 1, TASKS * team.threads());
        let coarsest = (0..root).rev().find(|&plane| tree.nodes(plane) >= enough);
        let plane = match team.threads() {
            1 => root,
            _ => coarsest.unwrap_or(0),
        };
        let each = |work: &(dyn Fn(&PairWalk<T, DIM>, usize) + Sync)| {
            team.run(&mut vec![(); team.threads()], tree.nodes(plane), |(), node| {
                let walk = walk();
                work(&walk, node);
                team.cost().add(walk.tests.get());
                Ok(())
            })
        };
        each(&|walk, node| walk.node(plane, node))?;
        // Only now: of two dense nodes it must be known that each is one group.
        each(&|walk, node| walk.others(plane, node, root, 0))
    }

    /// Labels from the finished sets.
    fn label(&self, team: &Team, forest: Forest, lowest: &[AtomicU32], labels: Rows) -> Result<usize> {
        let numbers = self.tree.ids();
        let groups = Labeling {
            len: self.tree.len(),
            root: |k| forest.root(k),
            point: |k| numbers[k] as u32,
            is_lower: |a: u32, b: u32| match self.global_ids {
                Some(ids) => ids[a as usize] < ids[b as usize],
                None => a < b,
            },
            lowest,
        };
        groups.label(team, self.base, labels)
    }
}

/// Knowledge so far.
#[derive(Clone, Copy)]
struct Walked<'a> {
    forest: Forest<'a>,
    united: &'a [AtomicU32],
    planes: &'a [usize],
}

/// A node, and whether its points are one group.
#[derive(Clone, Copy)]
struct Visited {
    node: usize,
    is_one: bool,
}

/// The walk in `DIM` dimensions.
struct PairWalk<'a, T, const DIM: usize> {
    fof: &'a Fof<'a, T>,
    walked: Walked<'a>,
    simd: Simd,
    /// Of periodic axes.
    lengths: [Option<T>; DIM],
    /// Distances tested.
    tests: Cell<usize>,
}

impl<T: Width, const DIM: usize> PairWalk<'_, T, DIM> {
    fn mark(&self, plane: usize, node: usize) -> &AtomicU32 {
        &self.walked.united[self.walked.planes[plane] + node]
    }

    fn is_one(&self, plane: usize, node: usize) -> bool {
        self.mark(plane, node).load(Relaxed) == 1
    }

    /// The first point of a node.
    fn first(&self, plane: usize, node: usize) -> usize {
        self.fof.tree.points(plane, node).start
    }

    fn are_near(&self, a: &Node<T>, b: &Node<T>) -> bool {
        gap2(a, b, &self.lengths) <= self.fof.bound
    }

    /// Makes the points of a node one group.
    fn unite(&self, plane: usize, node: usize) {
        if !self.is_one(plane, node) {
            let points = self.fof.tree.points(plane, node);
            let first = points.start;
            points.for_each(|point| self.walked.forest.unite(first, point));
            self.mark(plane, node).store(1, Relaxed);
        }
    }

    /// Links the points of a node.
    fn node(&self, plane: usize, node: usize) {
        let tree = self.fof.tree;
        if diagonal2::<T, DIM>(tree.node(plane, node)) <= self.fof.bound {
            return self.unite(plane, node);
        }
        if plane == 0 {
            return self.leaf(node);
        }
        let parts = tree.parts(plane, node);
        parts.clone().for_each(|part| self.node(plane - 1, part));
        for a in parts.clone() {
            for b in a + 1..parts.end {
                let at = |node| Visited { node, is_one: false };
                self.two(plane - 1, at(a), at(b));
            }
        }
        let first = self.first(plane, node);
        let joins = |part| self.is_one(plane - 1, part) && self.is_joined(first, self.first(plane - 1, part));
        if parts.clone().all(joins) {
            self.mark(plane, node).store(1, Relaxed);
        }
    }

    fn is_joined(&self, a: usize, b: usize) -> bool {
        self.walked.forest.are_one(a, b)
    }

    /// Links the points of a node to those of all nodes of its plane after it, which are below node `other` of plane
    /// `above`.
    fn others(&self, plane: usize, node: usize, above: usize, other: usize) {
        let tree = self.fof.tree;
        if above == plane {
            if other > node {
                let at = |node| Visited { node, is_one: false };
                self.two(plane, at(node), at(other));
            }
        } else if self.are_near(tree.node(plane, node), tree.node(above, other)) {
            let parts = tree.parts(above, other);
            parts.for_each(|part| self.others(plane, node, above - 1, part));
        }
    }

    /// Links the points of two nodes of a plane.
    fn two(&self, plane: usize, mut a: Visited, mut b: Visited) {
        let tree = self.fof.tree;
        let (box_a, box_b) = (tree.node(plane, a.node), tree.node(plane, b.node));
        if !self.are_near(box_a, box_b) {
            return;
        }
        a.is_one |= self.is_one(plane, a.node);
        b.is_one |= self.is_one(plane, b.node);
        let firsts = || [a, b].map(|at| self.first(plane, at.node));
        let is_done = || {
            a.is_one && b.is_one && {
                let [first_a, first_b] = firsts();
                self.is_joined(first_a, first_b)
            }
        };
        if is_done() {
            return;
        }
        let mut both = *box_a;
        extend::<T, DIM>(&mut both, box_b);
        if diagonal2::<T, DIM>(&both) <= self.fof.bound {
            self.unite(plane, a.node);
            self.unite(plane, b.node);
            let [first_a, first_b] = firsts();
            return self.walked.forest.unite(first_a, first_b);
        }
        if plane == 0 {
            return self.leaves(a, b);
        }
        for part_a in tree.parts(plane, a.node) {
            if !self.are_near(tree.node(plane - 1, part_a), box_b) {
                continue;
            }
            let part_a = Visited { node: part_a, ..a };
            for node in tree.parts(plane, b.node) {
                self.two(plane - 1, part_a, Visited { node, ..b });
            }
            if is_done() {
                return;
            }
        }
    }

    fn targets(&self) -> Targets<'_, T> {
        let tree = self.fof.tree;
        Targets {
            coords: tree.coords().each_ref().map(|coords| &coords[..]),
            ids: tree.ids(),
            bounds: &[],
        }
    }

    /// Those of the points of `range` that are friends of the points `of`, counted from `points` on.
    fn friends(&self, points: usize, of: u32, range: std::ops::Range<usize>, rows: &mut [u32; 32]) {
        self.tests
            .set(self.tests.get() + of.count_ones() as usize * range.len());
        let among = Among {
            points,
            range,
            bound: self.fof.bound,
            periods: self.fof.periods,
        };
        let targets = self.targets();
        self.simd.run_in(
            DIM,
            RowBits {
                targets,
                among,
                of,
                rows,
            },
        );
    }

    /// Links the points of a leaf: from each one that was reached to those that were not yet.
    fn leaf(&self, leaf: usize) {
        let range = self.fof.tree.parts(0, leaf);
        let mut left = u32::MAX >> (u32::BITS as usize - range.len());
        let mut rows = [0; 32];
        self.friends(range.start, left, range.clone(), &mut rows);
        let mut groups = 0;
        while left != 0 {
            let seed = take_lowest(&mut left);
            let mut reached = 1 << seed;
            while reached != 0 {
                let mut hits = rows[take_lowest(&mut reached)] & left;
                (left, reached) = (left & !hits, reached | hits);
                while hits != 0 {
                    self.walked
                        .forest
                        .unite(range.start + seed, range.start + take_lowest(&mut hits));
                }
            }
            groups += 1;
        }
        if groups == 1 {
            self.mark(0, leaf).store(1, Relaxed);
        }
    }

    /// Links the points of two leaves.
    fn leaves(&self, a: Visited, b: Visited) {
        let tree = self.fof.tree;
        let [range_a, range_b] = [a, b].map(|at| tree.parts(0, at.node));
        let box_b = tree.node(0, b.node);
        let near = Near {
            lo: box_b.lo,
            hi: box_b.hi,
            upper: self.fof.bound,
            periods: self.fof.periods,
        };
        let bits = NearBits {
            targets: self.targets(),
            range: range_a.clone(),
            near: &near,
        };
        let mut left = self.simd.run_in(DIM, bits);
        if left == 0 {
            return;
        }
        let mut rows = [0; 32];
        self.friends(range_a.start, left, range_b.clone(), &mut rows);
        while left != 0 {
            let at = take_lowest(&mut left);
            let mut hits = rows[at];
            if b.is_one {
                hits &= hits.wrapping_neg(); // one of them will do
            }
            if hits != 0 && a.is_one && b.is_one {
                left = 0;
            }
            while hits != 0 {
                self.walked
                    .forest
                    .unite(range_a.start + at, range_b.start + take_lowest(&mut hits));
            }
        }
    }
}

/// The lowest bit that is set, which is cleared.
#[inline(always)]
fn take_lowest(bits: &mut u32) -> usize {
    let lowest = bits.trailing_zeros();
    *bits &= *bits - 1;
    lowest as usize
}
