//! What counting found out about the leaves, kept for filling: the targets of a leaf, its members, and which targets each
//! member has, a bit each. A record takes about as much as the row of ids it stands for; where that would be too much
//! memory, filling finds it out again, but for the doubtful pairs, whose answers are always kept, so that filling needs
//! no coordinates.

use std::ops::Range;

use super::simd::fixed::{Kernels, Targets, Test, WORD, words_of};
use crate::error::Result;
use crate::list::{push, reserve_discarding, resize_keeping};

const WHAT: &str = "what counting found out";

/// Words of a record before its lists: the number of targets, of members, and of all its words.
const HEAD: usize = 3;

/// The records of one worker, one after the other.
#[derive(Debug, Default)]
pub struct Records {
    /// Kept at its full length; only `len` words are in use.
    words: Vec<u32>,
    len: usize,
}

/// One record.
pub struct Leaf<'a> {
    /// Where each target stands in the block's neighborhood; padded to whole words of bits.
    pub index: &'a [u16],
    /// Number of targets.
    pub len: usize,
    /// The ranks of the members among the targets.
    pub ranks: &'a [u16],
    /// The bits of one member's row after the other's.
    pub words: &'a [u32],
}

impl Records {
    /// Forgets all, and makes room for `words`; memory is touched only as it is used.
    pub fn restart(&mut self, words: usize) -> Result<()> {
        self.len = 0;
        if self.words.capacity() < words {
            reserve_discarding(&mut self.words, words, WHAT)?;
        }
        Ok(())
    }

    /// Words in use.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Forgets what was appended since there were `len` words.
    pub fn truncate(&mut self, len: usize) {
        self.len = len;
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u32>()
    }

    /// Appends `words`.
    pub fn append(&mut self, words: &[u32]) -> Result<()> {
        self.reserve(words.len())?;
        self.words[self.len..self.len + words.len()].copy_from_slice(words);
        self.len += words.len();
        Ok(())
    }

    /// Words appended before.
    pub fn words(&self, range: Range<usize>) -> &[u32] {
        &self.words[range]
    }

    /// Tests the targets for the members at `ranks` and appends the record; `counts` receives the lengths of the rows.
    /// Returns where the record begins.
    pub fn test(
        &mut self,
        kernels: &Kernels,
        targets: &Targets,
        ranks: &[u16],
        test: &mut Test,
        counts: &mut [u32],
    ) -> Result<usize> {
        let blocks = targets.len.div_ceil(WORD);
        let lists = HEAD + blocks * WORD / 2 + ranks.len().div_ceil(2);
        self.reserve(lists + ranks.len() * blocks)?;
        let record = &mut self.words[self.len..];
        let (index, rest) = record[HEAD..].split_at_mut(blocks * WORD / 2);
        bytemuck::cast_slice_mut(index).copy_from_slice(&targets.index[..blocks * WORD]);
        let (members, words) = rest.split_at_mut(ranks.len().div_ceil(2));
        bytemuck::cast_slice_mut::<u32, u16>(members)[..ranks.len()].copy_from_slice(ranks);
        let used = kernels.test(targets, ranks, test, words, counts);
        record[..HEAD].copy_from_slice(&[targets.len, ranks.len(), lists + used].map(|word| word as u32));
        let start = self.len;
        self.len += lists + used;
        Ok(start)
    }

    /// The record at `start`, and where the next one begins.
    pub fn leaf(&self, start: usize, full: bool) -> (Leaf<'_>, usize) {
        let head = &self.words[start..start + HEAD];
        let [len, members, size] = [head[0], head[1], head[2]].map(|word| word as usize);
        let record = &self.words[start + HEAD..start + size];
        let (index, rest) = record.split_at(len.div_ceil(WORD) * WORD / 2);
        let (ranks, words) = rest.split_at(members.div_ceil(2));
        let ranks = &bytemuck::cast_slice(ranks)[..members];
        debug_assert_eq!(
            words.len(),
            ranks.iter().map(|&rank: &u16| words_of(rank.into(), len, full)).sum()
        );
        let leaf = Leaf {
            index: bytemuck::cast_slice(index),
            len,
            ranks,
            words,
        };
        (leaf, start + size)
    }

    fn reserve(&mut self, words: usize) -> Result<()> {
        let need = self.len + words;
        if self.words.len() < need {
            const STEP: usize = 1 << 14;
            let len = (need + STEP).min(self.words.capacity()).max(need);
            resize_keeping(&mut self.words, len, 0, WHAT)?;
        }
        Ok(())
    }
}

/// The caller's arithmetic about doubtful pairs, in the order in which they were met: a bit each.
#[derive(Debug, Default)]
pub struct Answers {
    bits: Vec<u32>,
    len: usize,
}

impl Answers {
    /// Forgets all, keeps the memory.
    pub fn clear(&mut self) {
        self.bits.clear();
        self.len = 0;
    }

    /// Number of answers so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Appends an answer.
    pub fn push(&mut self, answer: bool) -> Result<()> {
        let bit = self.len as u32 % u32::BITS;
        if bit == 0 {
            push(&mut self.bits, 0, WHAT)?;
        }
        self.bits[self.len / u32::BITS as usize] |= u32::from(answer) << bit;
        self.len += 1;
        Ok(())
    }

    /// The answer number `k`.
    pub fn get(&self, k: usize) -> bool {
        self.bits[k / u32::BITS as usize] >> (k as u32 % u32::BITS) & 1 == 1
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bits.capacity() * size_of::<u32>()
    }
}
