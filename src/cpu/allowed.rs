//! Which targets of a leaf the rows of its members may list if points are of several kinds: one bit for each, like the bits of
//! hits.

use super::simd::fixed::{WORD, words_of};
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
        const WHAT: &str = "the neighbors that rows may list";
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

    /// Cuts the `words` of the members at `ranks` among `len` targets down to what their rows may list, `full` or what is behind
    /// each, and counts it.
    pub fn cut(&self, (ranks, len): (&[u16], usize), full: bool, words: &mut [u32], counts: &mut [u32]) {
        let mut rest = words;
        for (&rank, count) in ranks.iter().zip(counts) {
            let rank = usize::from(rank);
            let (row, behind) = rest.split_at_mut(words_of(rank, len, full));
            let mask = &self.row(rank)[..len.div_ceil(WORD)];
            let mask = &mask[mask.len() - row.len()..];
            row.iter_mut().zip(mask).for_each(|(word, mask)| *word &= mask);
            (*count, rest) = (row.iter().map(|word| word.count_ones()).sum(), behind);
        }
    }

    /// A bit for each target that the row of the member at `rank` may list.
    fn row(&self, rank: usize) -> &[u32] {
        &self.words[self.starts[usize::from(self.classes[rank])]..]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.classes.capacity() + self.words.capacity() * 4 + self.starts.capacity() * size_of::<usize>()
    }
}
