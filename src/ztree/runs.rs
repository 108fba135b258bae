//! Runs of leaves: the box of one, where it falls into two, and the leaves that are near a box.

use std::ops::Range;

use super::bounds::extend;
use super::node::{Node, greater, lesser};
use super::tree::ZTree;
use crate::order::COINCIDENT;
use crate::real::Real;

/// Lower and upper corner of a box.
pub type Corners<T> = [[T; 3]; 2];

impl<T: Real> ZTree<T> {
    /// The points of a run of leaves, where they are in z-order.
    pub fn points_of(&self, leaves: &Range<usize>) -> Range<usize> {
        let begin = |leaf: usize| self.planes.first().map_or(0, |plane| plane[leaf].first as usize);
        begin(leaves.start)..begin(leaves.end)
    }

    /// The box of a run of leaves, which is not empty.
    pub fn corners(&self, leaves: &Range<usize>) -> Corners<T> {
        let nodes = &self.planes[0][leaves.clone()];
        let all = nodes[1..].iter().fold(nodes[0], |mut all, node| {
            extend::<T, 3>(&mut all, node);
            all
        });
        [all.lo, all.hi]
    }

    /// The two parts of a run of leaves, which meet where the curve parts it most coarsely; `None` for one leaf. So a
    /// run that is all the points of a cell falls into two such runs.
    pub fn halves(&self, leaves: &Range<usize>) -> Option<[Range<usize>; 2]> {
        let middle = leaves.start + leaves.len() / 2; // of points that coincide
        let between = leaves.start + 1..leaves.end;
        let second = between.min_by_key(|&leaf| (self.split(leaf), leaf.abs_diff(middle)))?;
        Some([leaves.start..second, second..leaves.end])
    }

    /// Whether the last point before a leaf coincides with the first one of it.
    pub fn is_cut(&self, leaf: usize) -> bool {
        self.split(leaf) == COINCIDENT
    }

    fn split(&self, leaf: usize) -> u16 {
        self.splits[self.planes[0][leaf].first as usize]
    }

    /// The groups of points, in the order of the roots.
    pub fn groups(&self) -> impl Iterator<Item = u8> + '_ {
        let count = if self.planes.is_empty() { 0 } else { self.groups.len() };
        self.groups[..count].iter().copied()
    }

    /// The leaves of a node.
    pub fn leaves_of(&self, plane: usize, node: usize) -> Range<usize> {
        let first = |node: usize| {
            let down = (1..=plane).rev();
            down.fold(node, |node, plane| self.planes[plane][node].first as usize)
        };
        first(node)..first(node + 1)
    }

    /// Calls `action` with runs of leaves, among them all with points in reach of a box. `reach` says how far the
    /// points of a node (its plane and number) are reached, and `least` how far every point is.
    pub fn near(
        &self,
        area: &Corners<T>,
        lengths: [Option<f64>; 3],
        (reach, least): (impl Fn(usize, usize) -> f64, f64),
        mut action: impl FnMut(Range<usize>),
    ) {
        let Some(root) = self.planes.len().checked_sub(1) else {
            return;
        };
        let mut near = RunWalk {
            tree: self,
            area: area.map(|corner| corner.map(T::to_f64)),
            lengths,
            reach,
            least,
            run: 0..0,
        };
        near.visit(root, 0, &mut action);
        if !near.run.is_empty() {
            action(near.run);
        }
    }
}

/// The way over the nodes that are near a box.
struct RunWalk<'a, T, R> {
    tree: &'a ZTree<T>,
    area: Corners<f64>,
    /// Of periodic axes.
    lengths: [Option<f64>; 3],
    reach: R,
    least: f64,
    /// The leaves found last.
    run: Range<usize>,
}

impl<T: Real, R: Fn(usize, usize) -> f64> RunWalk<'_, T, R> {
    fn visit(&mut self, plane: usize, number: usize, action: &mut impl FnMut(Range<usize>)) {
        let tree = self.tree;
        let (node, reach) = (tree.node(plane, number), (self.reach)(plane, number));
        if self.is_beyond(node, reach) {
            return;
        }
        // All of a node is taken at once where the farthest of its points is in reach.
        if plane > 0 && (self.least == 0.0 || self.farthest2(node) > self.least * self.least) {
            return tree
                .parts(plane, number)
                .for_each(|part| self.visit(plane - 1, part, action));
        }
        let leaves = tree.leaves_of(plane, number);
        if self.run.end != leaves.start {
            if !self.run.is_empty() {
                action(self.run.clone());
            }
            self.run.start = leaves.start;
        }
        self.run.end = leaves.end;
    }

    /// Whether a node and the box are farther apart than `reach`.
    fn is_beyond(&self, node: &Node<T>, reach: f64) -> bool {
        let mut square = 0.0;
        for axis in 0..self.tree.dim {
            let [from, to] = self.area.map(|corner| corner[axis]);
            let (lo, hi) = (node.lo[axis].to_f64(), node.hi[axis].to_f64());
            let mut gap = greater(from - hi, lo - to);
            if let Some(length) = self.lengths[axis] {
                gap = lesser(gap, lesser(from - hi, lo - to) + length); // the other way round
            }
            let gap = greater(gap, 0.0);
            if gap > reach {
                return true; // squares may overflow
            }
            square += gap * gap;
        }
        square > reach * reach
    }

    /// The distance at which the farthest point of a node may be from the box, squared.
    fn farthest2(&self, node: &Node<T>) -> f64 {
        let squares = (0..self.tree.dim).map(|axis| {
            let [from, to] = self.area.map(|corner| corner[axis]);
            let (lo, hi) = (node.lo[axis].to_f64(), node.hi[axis].to_f64());
            let distance = greater(greater(from - lo, hi - to), 0.0);
            distance * distance
        });
        squares.sum()
    }
}
