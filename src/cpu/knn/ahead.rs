//! Nodes that a walk is still to visit, the nearest first.

use std::cmp::Ordering;

use crate::memory::holds;
use crate::real::Real;

/// A node to be visited. The greatest is the next: the nearest, and of those equally near the one with the lowest
/// number.
#[derive(Clone, Copy, Debug)]
pub struct Ahead<T> {
    /// No point of the node is nearer than this, squared,
    pub(super) bound: T,
    /// or has a lower number than this.
    pub(super) lowest: i32,
    pub(super) plane: u32,
    pub(super) node: u32,
}

holds! { nothing for Ahead<T> }

impl<T: Real> Ahead<T> {
    /// Whether no point of the node comes before (d2, number).
    pub(super) fn is_behind(&self, (square, id): (T, i32)) -> bool {
        self.bound > square || self.bound == square && self.lowest > id
    }
}

impl<T: Real> Ord for Ahead<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bound = other.bound.partial_cmp(&self.bound).unwrap_or(Ordering::Equal);
        by_bound.then(other.lowest.cmp(&self.lowest))
    }
}

impl<T: Real> PartialOrd for Ahead<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Real> PartialEq for Ahead<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Real> Eq for Ahead<T> {}
