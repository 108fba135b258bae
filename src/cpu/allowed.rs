//! Which targets of a leaf the rows of its members may list, where points are of several kinds: a bit each, as hits are.

use super::simd::fixed::WORD;
use crate::error::Result;
use crate::kinds::{CLASSES, Classes};
use crate::list::{resize_discarding, resize_keeping};

/// Which of a leaf's targets the rows of its members may list.
#[derive(Debug, Default)]
pub struct Allowed {
    /// The class of each target.
    classes: Vec<u8>,
    /// For each class that a member has, a bit for each target; the words of all one behind the other.
    words: Vec<u32>,
    /// Where the words of each class start.
    starts: Vec<usize>,
}

/// No words are there for a class.
const NONE: usize = usize::MAX;

impl Allowed {
    /// Takes up `len` targets, whose classes `class` tells, finds out what the members at `ranks` may list, and keeps those in
    /// front that may list anything; returns how many.
    pub fn load(
        &mut self,
        classes: &Classes,
        len: usize,
        class: impl Fn(usize) -> u8,
        ranks: &mut [u16],
    ) -> Result<usize> {
        const WHAT: &str = "what rows of a leaf may list";
        let words = len.div_ceil(WORD);
        resize_discarding(&mut self.classes, len, 0, WHAT)?;
        let targets = self.classes.iter_mut().enumerate();
        targets.for_each(|(rank, to)| *to = class(rank));
        self.words.clear();
        resize_discarding(&mut self.starts, CLASSES, NONE, WHAT)?;
        self.starts.fill(NONE);
        let mut members = 0;
        for k in 0..ranks.len() {
            let row = self.classes[usize::from(ranks[k])];
            if !classes.has_row(row) {
                continue;
            }
            (ranks[members], members) = (ranks[k], members + 1);
            let start = &mut self.starts[usize::from(row)];
            if *start == NONE {
                *start = self.words.len();
                resize_keeping(&mut self.words, *start + words, 0, WHAT)?;
                for (rank, &class) in self.classes.iter().enumerate() {
                    self.words[*start + rank / WORD] |= u32::from(classes.allows(row, class)) << (rank % WORD);
                }
            }
        }
        Ok(members)
    }

    /// A bit for each target that the row of the member at `rank` may list.
    pub fn row(&self, rank: usize) -> &[u32] {
        &self.words[self.starts[usize::from(self.classes[rank])]..]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.classes.capacity() + self.words.capacity() * 4 + self.starts.capacity() * size_of::<usize>()
    }
}
