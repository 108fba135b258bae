//! The column of left points, which is never transferred: the host writes it while a device works.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::Result;
use crate::ids::Labels;
use crate::list::{Pieces, Rows, store_left};
use crate::threads::Team;

/// Left points that a thread writes at once while the device works.
const LEFT_AT_ONCE: usize = 1 << 14;

/// The column of left points, written by many threads, piece after piece.
pub struct LeftWork<'a> {
    offsets: &'a [i64],
    labels: &'a Labels<'a>,
    left: Option<Pieces<'a>>,
    next: AtomicUsize,
}

impl<'a> LeftWork<'a> {
    pub fn new(offsets: &'a [i64], labels: &'a Labels<'a>, left: Option<Rows<'a>>) -> Result<Self> {
        let total = (offsets[offsets.len() - 1] - offsets[0]) as usize;
        let left = left.map(|left| Pieces::every(left.into_part(0..total), LEFT_AT_ONCE));
        Ok(LeftWork {
            offsets,
            labels,
            left: left.transpose()?,
            next: AtomicUsize::new(0),
        })
    }

    /// Writes the next piece; false where there is none.
    pub fn do_some(&self) -> bool {
        let Some(left) = &self.left else { return false };
        let piece = self.next.fetch_add(1, Relaxed);
        if piece < left.len() {
            let label = |i| self.labels.of(i);
            store_left(self.offsets, label, left.range(piece), &mut left.take(piece));
        }
        piece < left.len()
    }

    /// Writes what is left of it, by all threads of `team`.
    pub fn finish(&self, team: &Team) {
        if self.left.is_some() {
            team.each(&mut vec![(); team.threads()], |()| while self.do_some() {});
        }
    }
}
