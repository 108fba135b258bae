//! The targets of a part of a block, in memory that is reused.

use super::WHAT;
use crate::cpu::simd::quantized::{PADDING, Targets};
use crate::error::Result;
use crate::list::Aligned;

/// Targets in ascending order of the caller's numbers.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub coords: [Aligned<i16>; 3],
    pub index: Aligned<i16>,
    pub len: usize,
    /// Which targets of the level before these are, a bit for each.
    pub picks: Vec<u32>,
}

impl Level {
    pub fn reserve(&mut self, len: usize, dim: usize) -> Result<()> {
        for coords in &mut self.coords[..dim] {
            coords.grow(len + PADDING, WHAT)?;
        }
        self.index.grow(len + PADDING, WHAT)
    }

    #[inline]
    pub fn targets(&self) -> Targets<'_> {
        Targets {
            coords: [&self.coords[0], &self.coords[1], &self.coords[2]],
            index: &self.index,
            len: self.len,
        }
    }

    pub fn bytes(&self) -> usize {
        let words = self.coords.iter().chain([&self.index]).map(Aligned::bytes);
        words.sum::<usize>() + self.picks.capacity() * size_of::<u32>()
    }
}
