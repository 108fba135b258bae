//! The column of left points, which never travels: written while a device works.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use crate::list::pieces::store_left;
use crate::list::{Labels, Rows};
use crate::threads::Team;

/// Left points that a thread writes at once while the device works.
const LEFT_AT_ONCE: usize = 1 << 14;

/// The column of left points, written by many threads, piece after piece.
pub struct LeftWork<'a> {
    offsets: &'a [i64],
    labels: &'a Labels<'a>,
    left: Option<Rows<'a>>,
    next: AtomicUsize,
}

impl<'a> LeftWork<'a> {
    pub fn new(offsets: &'a [i64], labels: &'a Labels<'a>, left: Option<Rows<'a>>) -> Self {
        LeftWork {
            offsets,
            labels,
            left,
            next: AtomicUsize::new(0),
        }
    }

    /// Writes the next piece; false where there is none.
    pub fn do_some(&self) -> bool {
        let Some(left) = self.left else { return false };
        let total = (self.offsets[self.offsets.len() - 1] - self.offsets[0]) as usize;
        let start = self.next.fetch_add(LEFT_AT_ONCE, Relaxed);
        if start < total {
            store_left(self.offsets, self.labels, start..total.min(start + LEFT_AT_ONCE), left);
        }
        start < total
    }

    /// Writes what is left of it, by all threads of `team`.
    pub fn finish(&self, team: &Team) {
        if self.left.is_some() {
            team.each(&mut vec![(); team.threads()], |()| while self.do_some() {});
        }
    }
}
