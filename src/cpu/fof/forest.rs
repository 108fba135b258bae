//! Sets of points that many threads merge at once, without locks: a forest whose trees are the sets.
//!
//! A root only becomes the child of a smaller root, by one compare-exchange that fails if it is no longer a root. So
//! parents are smaller than their children, the root of a finished set is its smallest member, whatever the order of
//! merges, and two points that a thread finds in one set stay in one set. Memory operations need no order: an old
//! parent is still an ancestor.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// The parent of each member; a root is its own.
#[derive(Clone, Copy)]
pub struct Forest<'a>(pub &'a [AtomicU32]);

impl Forest<'_> {
    /// The smallest member of the set of `member`, as known so far. Halves the path to it.
    #[inline]
    pub fn root(&self, mut member: usize) -> usize {
        loop {
            let parent = self.0[member].load(Relaxed) as usize;
            let above = self.0[parent].load(Relaxed);
            if above as usize == parent {
                return parent;
            }
            self.0[member].store(above, Relaxed);
            member = above as usize;
        }
    }

    /// Merges the sets of two members.
    #[inline]
    pub fn unite(&self, a: usize, b: usize) {
        let (mut a, mut b) = (self.root(a), self.root(b));
        while a != b {
            let (low, high) = (a.min(b), a.max(b));
            let linked = self.0[high].compare_exchange(high as u32, low as u32, Relaxed, Relaxed);
            if linked.is_ok() {
                return;
            }
            (a, b) = (low, self.root(high));
        }
    }

    /// Whether two members are known to be in one set.
    #[inline]
    pub fn are_one(&self, a: usize, b: usize) -> bool {
        self.root(a) == self.root(b)
    }
}
