//! The selections on the way down from all points around a block to a leaf, as they are recorded.

use std::cell::Cell;

use super::WHAT;
use crate::cpu::simd::quantized::WORD;
use crate::error::Result;
use crate::list::{grow, push};

/// For each level below that of all around a block which targets of the level before were selected, a bit for each.
#[derive(Debug, Default)]
pub struct Selections {
    levels: Vec<Picks>,
    /// The first level that was selected since the last leaf was taken down,
    changed: Cell<usize>,
    /// and the depth of that leaf.
    taken: Cell<usize>,
}

#[derive(Debug, Default)]
struct Picks {
    words: Vec<u32>,
    /// Targets of the level before.
    from: usize,
}

impl Selections {
    /// Begins a block.
    pub fn restart(&mut self) {
        (self.changed, self.taken) = (Cell::new(1), Cell::new(0));
    }

    /// Room for the selection of level `depth` out of `from` targets.
    pub fn picks(&mut self, depth: usize, from: usize) -> Result<&mut [u32]> {
        if self.levels.len() < depth {
            push(&mut self.levels, Picks::default(), WHAT)?;
        }
        self.changed.set(self.changed.get().min(depth));
        let picks = &mut self.levels[depth - 1];
        picks.from = from;
        grow(&mut picks.words, from.div_ceil(WORD), 0, WHAT)?;
        Ok(&mut picks.words)
    }

    /// The way down to the targets of level `depth`.
    pub fn path(&self, depth: usize) -> SelectionPath<'_> {
        SelectionPath {
            selections: self,
            depth,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|picks| picks.words.capacity() * 4).sum()
    }
}

/// How the targets of a leaf were picked from all around its block, level after level.
#[derive(Clone, Copy)]
pub struct SelectionPath<'a> {
    selections: &'a Selections,
    depth: usize,
}

impl SelectionPath<'_> {
    /// Levels from all around the block to the leaf, that one not counted, and those of them that are to be taken down: how many
    /// they are, and which targets each has, a bit for each of the level before.
    pub fn take_down(&self) -> (usize, impl ExactSizeIterator<Item = &[u32]>) {
        let (depth, Selections { levels, changed, taken }) = (self.depth, self.selections);
        // Who reads the records forgets the targets of a leaf, so a leaf of another depth takes its own down once more.
        let first = match taken.replace(depth) {
            last if last == depth => changed.get(),
            last => changed.get().min(last).min(depth),
        };
        changed.set(depth + 1);
        let new = levels[..depth].iter().skip(first.max(1) - 1);
        (depth, new.map(|picks| &picks.words[..picks.from.div_ceil(WORD)]))
    }
}
