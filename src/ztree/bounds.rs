//! The least and the largest distances of points of boxes, by bounds of what is computed of them
//! (docs/proofs/boxes.md).

use super::node::{Node, greater, lesser};
use crate::axes::per_axis;
use crate::domain::Periods;
use crate::real::Real;

/// The lengths of the periodic axes.
pub fn lengths<T: Real, const DIM: usize>(periods: &Periods<T>) -> [Option<T>; DIM] {
    per_axis(|axis| periods.0[axis].map(|period| period.length))
}

/// A lower bound of the distance squared, as computed, of any point in one box and any in another.
#[inline(always)]
pub fn gap2<T: Real, const DIM: usize>(a: &Node<T>, b: &Node<T>, lengths: &[Option<T>; DIM]) -> T {
    let gap = |axis: usize| {
        let (under, over) = (b.lo[axis].sub(a.hi[axis]), a.lo[axis].sub(b.hi[axis]));
        let mut gap = greater(under, over);
        if let Some(length) = lengths[axis] {
            // The other way round, from the farthest there is within the box.
            let far = greater(b.hi[axis].sub(a.lo[axis]), a.hi[axis].sub(b.lo[axis]));
            gap = lesser(gap, length.sub(far));
        }
        greater(gap, T::default())
    };
    (1..DIM).fold(gap(0).mul(gap(0)), |sum, axis| sum.add_square(gap(axis)))
}

/// Makes a box hold another one too.
#[inline(always)]
pub fn extend<T: Real, const DIM: usize>(node: &mut Node<T>, other: &Node<T>) {
    for axis in 0..DIM {
        node.lo[axis] = lesser(node.lo[axis], other.lo[axis]);
        node.hi[axis] = greater(node.hi[axis], other.hi[axis]);
    }
}

/// The distance squared of a box' corners, as computed: an upper bound of that of any two points in it.
#[inline(always)]
pub fn diagonal2<T: Real, const DIM: usize>(node: &Node<T>) -> T {
    let edge = |axis: usize| node.hi[axis].sub(node.lo[axis]);
    (1..DIM).fold(edge(0).mul(edge(0)), |sum, axis| sum.add_square(edge(axis)))
}
