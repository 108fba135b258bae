//! Targets of a part of a block, in memory that is kept.

use super::WHAT;
use crate::cpu::simd::fixed::{PADDING, Targets};
use crate::error::Result;
use crate::list::resize_discarding;

/// Words of 16 bits at the start of a cache line, so that no vector crosses one.
#[derive(Debug, Default)]
pub(super) struct Aligned {
    memory: Vec<i16>,
    start: usize,
}

impl Aligned {
    const LINE: usize = 64;

    /// Whether there is no room for `len` elements.
    pub fn must_grow(&self, len: usize) -> bool {
        self.memory.len() < len + Self::LINE
    }

    /// At least `len` elements; those beyond what was written are arbitrary.
    pub fn grow(&mut self, len: usize) -> Result<()> {
        if self.must_grow(len) {
            resize_discarding(&mut self.memory, len + len / 4 + Self::LINE, 0, WHAT)?;
            self.start = self.memory.as_ptr().align_offset(Self::LINE).min(Self::LINE);
        }
        Ok(())
    }

    #[inline]
    pub fn all(&self) -> &[i16] {
        &self.memory[self.start..]
    }

    #[inline]
    pub fn all_mut(&mut self) -> &mut [i16] {
        &mut self.memory[self.start..]
    }
}

/// Targets in ascending order of the caller's numbers.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub coords: [Aligned; 3],
    pub index: Aligned,
    pub len: usize,
    /// Which targets of the level before these are, a bit for each.
    pub picks: Vec<u32>,
}

impl Level {
    pub fn reserve(&mut self, len: usize, dim: usize) -> Result<()> {
        for coords in &mut self.coords[..dim] {
            coords.grow(len + PADDING)?;
        }
        self.index.grow(len + PADDING)
    }

    #[inline]
    pub fn targets(&self) -> Targets<'_> {
        Targets {
            coords: [self.coords[0].all(), self.coords[1].all(), self.coords[2].all()],
            index: self.index.all(),
            len: self.len,
        }
    }

    pub fn bytes(&self) -> usize {
        let words = self.coords.iter().chain([&self.index]).map(|a| a.memory.capacity());
        words.sum::<usize>() * size_of::<i16>() + self.picks.capacity() * size_of::<u32>()
    }
}
