//! Memory that starts at a cache line.

use std::ops::{Deref, DerefMut};

use crate::error::Result;
use crate::memory::{CACHE_LINE, holds, resize_discarding};

/// Elements at the start of a cache line, so that no vector of one crosses one.
#[derive(Debug, Default)]
pub struct Aligned<T> {
    memory: Vec<T>,
    start: usize,
}

holds! { Aligned<T> { memory; start } }

impl<T: Copy + Default> Aligned<T> {
    /// Elements of a line.
    const LINE: usize = CACHE_LINE / size_of::<T>();

    /// Whether there is no room for `len` elements.
    pub fn must_grow(&self, len: usize) -> bool {
        self.memory.len() < len + Self::LINE
    }

    /// Makes it hold at least `len` elements; those beyond what was written are arbitrary.
    pub fn grow(&mut self, len: usize, what: &'static str) -> Result<()> {
        if self.must_grow(len) {
            resize_discarding(&mut self.memory, len + len / 4 + Self::LINE, T::default(), what)?;
            self.start = self.memory.as_ptr().align_offset(CACHE_LINE).min(Self::LINE);
        }
        Ok(())
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.memory[self.start..]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[self.start..]
    }
}
