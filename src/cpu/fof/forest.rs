//! Sets of points that many threads merge at once, without locks: a forest whose trees are the sets.
//!
//! A root is made the child of a smaller one only, by one exchange that fails if it is no root any more. So parents are
//! smaller than their children, the root of a finished set is its smallest member, in whatever order sets were merged, and
//! what one thread finds to be one set stays one. No order between memory operations is needed: an old parent is an ancestor
//! still.

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
