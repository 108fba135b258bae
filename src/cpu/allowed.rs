//! The targets of a leaf that the rows of its members may list if points are of several kinds: one bit for each, like
//! the bits of hits.

use super::kernels::quantized::{WORD, words_of};
use crate::error::Result;
use crate::kinds::{CLASSES, Classes};
use crate::list::{holds, resize_discarding, resize_keeping};

const WHAT: &str = "the neighbors that rows may list";

/// Those of a leaf's targets that the rows of its members may list.
#[derive(Debug, Default)]
pub struct Allowed {
    /// The class of each target.
    classes: Vec<u8>,
    /// For each class that a member has, a bit for each target; the words of all one after the other.
    words: Vec<u32>,
    /// The part of each class.
    parts: Vec<ClassPart>,
}

holds! { Allowed { classes, words, parts } }

/// Targets that rows of a class may list.
#[derive(Clone, Copy, Debug, Default)]
struct ClassPart {
    /// The start of its words, once they are there.
    start: Option<usize>,
    /// The rank after the last target that they may list.
    end: usize,
}

holds! { nothing for ClassPart }

impl Allowed {
    /// Takes up `len` targets, whose classes `class` tells, and finds out what the members at `ranks` may list.
    pub fn load(&mut self, classes: &Classes, len: usize, class: impl Fn(usize) -> u8, ranks: &[u16]) -> Result<()> {
        let words = len.div_ceil(WORD);
        resize_discarding(&mut self.classes, len, 0, WHAT)?;
        let targets = self.classes.iter_mut().enumerate();
        targets.for_each(|(rank, to)| *to = class(rank));
        self.words.clear();
        resize_discarding(&mut self.parts, CLASSES, ClassPart::default(), WHAT)?;
        self.parts.fill(ClassPart::default());
        for &rank in ranks {
            let row = self.classes[usize::from(rank)];
            let part = &mut self.parts[usize::from(row)];
            if part.start.is_some() || !classes.has_row(row) {
                continue;
            }
            let start = self.words.len();
            part.start = Some(start);
            resize_keeping(&mut self.words, start + words, 0, WHAT)?;
            let lists = classes.lists(row);
            let lists = [lists as u64, (lists >> 64) as u64];
            let allows = |class: u8| (lists[usize::from(class / 64) % 2] >> (class % 64)) as u32 & 1;
            for (k, targets) in self.classes.chunks(WORD).enumerate() {
                let bits = targets.iter().zip(0..);
                let word = bits.fold(0, |word, (&class, bit)| word | allows(class) << bit);
                self.words[start + k] = word;
                if word != 0 {
                    part.end = (k + 1) * WORD - word.leading_zeros() as usize;
                }
            }
        }
        Ok(())
    }

    /// Takes up `len` targets: the members at `ranks` may list all but themselves and each other.
    pub fn load_others(&mut self, len: usize, ranks: &[u16]) -> Result<()> {
        resize_discarding(&mut self.classes, len, 0, WHAT)?;
        resize_discarding(&mut self.words, len.div_ceil(WORD), 0, WHAT)?;
        resize_discarding(&mut self.parts, CLASSES, ClassPart::default(), WHAT)?;
        self.classes.fill(0);
        self.words.fill(u32::MAX);
        for &rank in ranks {
            self.words[usize::from(rank) / WORD] &= !(1 << (usize::from(rank) % WORD));
        }
        self.parts[0] = ClassPart {
            start: Some(0),
            end: len,
        };
        Ok(())
    }

    /// Brings those of `ranks` to the front whose rows, `full` ones or what is after each, may list anything; returns
    /// how many.
    pub fn retain(&self, full: bool, ranks: &mut [u16]) -> usize {
        let mut kept = 0;
        for k in 0..ranks.len() {
            let rank = usize::from(ranks[k]);
            let part = &self.parts[usize::from(self.classes[rank])];
            ranks[kept] = ranks[k];
            kept += usize::from(part.end > if full { 0 } else { rank + 1 });
        }
        kept
    }

    /// Cuts the `words` of the members at `ranks` among `len` targets down to what their rows may list, `full` or what
    /// is after each, and counts it.
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
        let part = self.parts[usize::from(self.classes[rank])];
        part.start.map_or(&[], |start| &self.words[start..])
    }
}
