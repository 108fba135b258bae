//! The targets of a part of a block, in memory that is reused.

use std::cell::Cell;

use crate::cpu::simd::quantized::{PADDING, Targets, WORD};
use crate::error::Result;
use crate::list::Aligned;

const WHAT: &str = "the neighborhood of a block";

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

/// How the targets of a leaf were picked from all around its block, level after level.
pub struct SelectionPath<'a> {
    pub(super) levels: &'a [Level],
    /// The first level that was selected since the last leaf whose path was taken down.
    pub(super) changed: &'a Cell<usize>,
}

impl SelectionPath<'_> {
    /// Levels from all around the block to the leaf, that one not counted, and those of them that are to be taken down: how many
    /// they are, and which targets each has, a bit for each of the level before.
    pub fn take_down(&self) -> (usize, impl ExactSizeIterator<Item = &[u32]>) {
        let depth = self.levels.len() - 1;
        let changed = self.changed.replace(depth + 1).min(depth + 1);
        let levels = self.levels.windows(2).skip(changed - 1);
        (depth, levels.map(|pair| &pair[1].picks[..pair[0].len.div_ceil(WORD)]))
    }
}
