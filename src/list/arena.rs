//! Memory that many threads take pieces of, each for itself, until it is used up.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::Result;
use crate::memory::{holds, reserve_exactly_discarding};

/// Words that were written to, and may be read.
#[derive(Debug, Default)]
pub struct Arena {
    /// As long as it was ever written to.
    words: Vec<u32>,
}

holds! { Arena { words } }

/// An arena of which pieces are taken.
pub struct ArenaWriter<'a> {
    start: *mut u32,
    /// Words that were written to before.
    written: usize,
    most: usize,
    used: AtomicUsize,
    arena: &'a mut Vec<u32>,
    borrow: PhantomData<&'a mut [u32]>,
}

// SAFETY: what `ArenaWriter` does with its memory is to hand out pieces that do not overlap.
unsafe impl Sync for ArenaWriter<'_> {}

impl Arena {
    /// Some words of pieces.
    pub fn words(&self, range: Range<usize>) -> &[u32] {
        &self.words[range]
    }

    /// Forgets all pieces, and provides memory for new ones of that many words together. Memory is touched only when it
    /// is taken.
    pub fn take(&mut self, most: usize, what: &'static str) -> Result<ArenaWriter<'_>> {
        reserve_exactly_discarding(&mut self.words, most, what)?;
        Ok(ArenaWriter {
            start: self.words.as_mut_ptr(),
            written: self.words.len(),
            most,
            used: AtomicUsize::new(0),
            arena: &mut self.words,
            borrow: PhantomData,
        })
    }
}

impl ArenaWriter<'_> {
    /// Words in all.
    pub fn len(&self) -> usize {
        self.most
    }

    /// Takes `len` words and returns their place in the arena; `None` if fewer are left.
    #[allow(clippy::mut_from_ref)] // each call hands out another piece
    pub fn piece(&self, len: usize) -> Option<(usize, &mut [u32])> {
        let more = |used: usize| used.checked_add(len).filter(|&end| end <= self.most);
        let first = self.used.fetch_update(Relaxed, Relaxed, more).ok()?;
        let fresh = self.written.clamp(first, first + len);
        // SAFETY: words `first .. first + len` lie inside the buffer's capacity, which is `most` at least, and no other
        // call gets any of them, for `used` only grows; those never written to are made 0 before they can be read.
        unsafe {
            self.start.add(fresh).write_bytes(0, first + len - fresh);
            Some((first, std::slice::from_raw_parts_mut(self.start.add(first), len)))
        }
    }
}

impl Drop for ArenaWriter<'_> {
    fn drop(&mut self) {
        let len = self.written.max(*self.used.get_mut());
        // SAFETY: all words below were written to: before, or when a piece was taken.
        unsafe { self.arena.set_len(len) }
    }
}
