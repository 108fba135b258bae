//! The points that are near a box, by the arithmetic that decides about pairs: so neither the length of a periodic axis
//! nor what is far away makes neighborhoods larger than they are.

use std::ops::Range;

use super::ByRadii;
use crate::radii::Reach;
use crate::real::Real;
use crate::ztree::{Corners, Node, ZTree, gap2, greater, lengths, lesser};

/// Leaves that are near a box.
pub struct NearRun {
    pub leaves: Range<usize>,
    /// Their group.
    pub group: u8,
    /// A pair with any point in the box, if that is one point.
    pub are_pairs: bool,
}

impl<T: Real> ByRadii<'_, T> {
    /// Calls `action` with runs of leaves, among them all in reach of points of a group in a box that reach no farther
    /// than `most`, or that reach those.
    pub(super) fn near(&self, area: &Corners<T>, group: u8, most: f64, mut action: impl FnMut(NearRun)) {
        let Some(root) = self.tree.planes().checked_sub(1) else {
            return;
        };
        let [lo, hi] = *area;
        let mut walk = NearWalk {
            tree: self.tree,
            reach: self.reach,
            area: Node {
                lo,
                hi,
                ..Node::default()
            },
            most: T::from_f64(most), // which keeps the order of numbers
            lengths: lengths(self.periods),
            halves: self
                .periods
                .0
                .map(|period| period.map_or(T::INFINITY, |period| period.half)),
            bound: None,
            group,
            run: NearRun {
                leaves: 0..0,
                group,
                are_pairs: false,
            },
        };
        for (number, other) in self.tree.groups().enumerate() {
            if self.may_list(group, other) {
                (walk.bound, walk.group) = (self.bound_of(group, other), other);
                walk.visit(root, number, &mut action);
            }
        }
        if !walk.run.leaves.is_empty() {
            action(walk.run);
        }
    }
}

/// The way over the nodes that are near a box.
struct NearWalk<'a, T> {
    tree: &'a ZTree<T>,
    reach: Reach<'a, T>,
    area: Node<T>,
    most: T,
    /// Of periodic axes, and half of them; infinite for the others.
    lengths: [Option<T>; 3],
    halves: [T; 3],
    /// The bound and the group of the points that are visited now.
    bound: Option<T>,
    group: u8,
    /// The result found last.
    run: NearRun,
}

impl<T: Real> NearWalk<'_, T> {
    fn visit(&mut self, plane: usize, number: usize, action: &mut impl FnMut(NearRun)) {
        let (tree, reach) = (self.tree, self.reach);
        let (node, most) = (tree.node(plane, number), self.most);
        // Rounding is monotone, so the gap is a lower bound of distances as they are computed.
        let gap = gap2::<T, 3>(&self.area, node, &self.lengths);
        let is_near = |radius: T, d2: T| match self.bound {
            Some(bound) => d2 <= bound,
            None => reach.is_pair(most, radius, d2),
        };
        if !is_near(tree.largest_radius(plane, number), gap) {
            return;
        }
        let are_pairs = is_near(tree.smallest_radius(plane, number), self.farthest2(node));
        if plane > 0 && !are_pairs {
            return tree
                .parts(plane, number)
                .for_each(|part| self.visit(plane - 1, part, action));
        }
        let (leaves, group) = (tree.leaves_of(plane, number), self.group);
        if self.run.leaves.end == leaves.start && (self.run.are_pairs, self.run.group) == (are_pairs, group) {
            self.run.leaves.end = leaves.end;
            return;
        }
        let next = NearRun {
            leaves,
            group,
            are_pairs,
        };
        let found = std::mem::replace(&mut self.run, next);
        if !found.leaves.is_empty() {
            action(found);
        }
    }

    /// The distance, squared, at which the farthest point of a node may be from the box: if the box is a point, an
    /// upper bound of distances as they are computed.
    fn farthest2(&self, node: &Node<T>) -> T {
        let far = |axis: usize| {
            let (below, above) = (
                self.area.lo[axis].sub(node.lo[axis]),
                node.hi[axis].sub(self.area.hi[axis]),
            );
            lesser(greater(greater(below, above), T::default()), self.halves[axis])
        };
        (1..3).fold(far(0).mul(far(0)), |sum, axis| sum.add_square(far(axis)))
    }
}
