//! The results of counting for each leaf, kept for filling: its targets, its members, and one bit for each target of
//! each member. If that would take too much memory, filling searches again.
//!
//! ```text
//! a block: how many points are around it, and their numbers; then leaves
//! a leaf:  how many targets it has, how many members, and its words in all;
//!          where the targets are among the points around, two a word; the members' ranks, two a word; the bits of their rows
//! ```

use std::ops::Range;

use super::kernels::quantized::Hits;
use super::rows::LeafRows;
use crate::error::Result;
use crate::list::{holds, prefetch_all, reserve_discarding, resize_keeping};

const WHAT: &str = "the hits found by counting";

/// Words before what a leaf holds.
const LEAF_HEAD: usize = 3;

/// The records of one worker, one after the other.
#[derive(Debug, Default)]
pub struct HitRecords {
    /// Kept at its full length; only `len` words are in use.
    words: Vec<u32>,
    len: usize,
}

holds! { HitRecords { words; len } }

/// A leaf.
pub struct LeafHits<'a> {
    pub hits: Hits<'a>,
    /// The places of its targets among the points around.
    pub index: &'a [i16],
    /// The place where the next one begins.
    pub end: usize,
}

impl HitRecords {
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

    /// Begins a block, with the numbers of all points around it.
    pub fn push_block(&mut self, around: &[u32]) -> Result<()> {
        let (head, numbers) = self.push(1 + around.len())?.split_at_mut(1);
        head[0] = around.len() as u32;
        numbers.copy_from_slice(around);
        Ok(())
    }

    /// Appends a leaf, or some members of one.
    pub fn push_leaf(&mut self, rows: &LeafRows) -> Result<()> {
        let Hits { len, ranks, words, .. } = rows.hits;
        let [places, members] = [len, ranks.len()].map(|count| count.div_ceil(2));
        let size = LEAF_HEAD + places + members + words.len();
        let (head, rest) = self.push(size)?.split_at_mut(LEAF_HEAD);
        head.copy_from_slice(&[len, ranks.len(), size].map(|count| count as u32));
        let (to_places, rest) = rest.split_at_mut(places);
        let (to_ranks, to_words) = rest.split_at_mut(members);
        bytemuck::cast_slice_mut(to_places)[..len].copy_from_slice(&rows.index[..len]);
        bytemuck::cast_slice_mut(to_ranks)[..ranks.len()].copy_from_slice(ranks);
        to_words.copy_from_slice(words);
        Ok(())
    }

    /// The numbers of all points around the block at `start`, and where its first leaf is.
    pub fn block(&self, start: usize) -> (&[u32], usize) {
        let first = start + 1 + self.words[start] as usize;
        (&self.words[start + 1..first], first)
    }

    /// The leaf at `start`, of rows that are `full` or hold what is after the member. What is after it is fetched.
    pub fn leaf(&self, start: usize, full: bool) -> LeafHits<'_> {
        let [len, members, size] = [0, 1, 2].map(|k| self.words[start + k] as usize);
        let end = start + size;
        self.prefetch(end..end + size);
        let (places, rest) = self.words[start + LEAF_HEAD..end].split_at(len.div_ceil(2));
        let (ranks, words) = rest.split_at(members.div_ceil(2));
        let ranks = &bytemuck::cast_slice(ranks)[..members];
        LeafHits {
            hits: Hits {
                len,
                ranks,
                words,
                full,
            },
            index: &bytemuck::cast_slice(places)[..len],
            end,
        }
    }

    /// Has words fetched, to be read soon, of those that there are.
    fn prefetch(&self, range: Range<usize>) {
        let end = range.end.min(self.len);
        prefetch_all(self.words.get(range.start..end).unwrap_or_default());
    }

    /// Appends that many words, which are to be written.
    fn push(&mut self, words: usize) -> Result<&mut [u32]> {
        const STEP: usize = 1 << 14;
        let start = self.len;
        let end = start + words;
        if self.words.len() < end {
            let len = (end + STEP).min(self.words.capacity()).max(end);
            resize_keeping(&mut self.words, len, 0, WHAT)?;
        }
        self.len = end;
        Ok(&mut self.words[start..end])
    }
}
