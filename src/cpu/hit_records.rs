//! The results of counting for each leaf, kept for filling: its targets, its members, and one bit for each target of each
//! member. If that would take too much memory, filling searches again.

pub mod path;
pub mod selection;

use std::ops::Range;

use crate::error::Result;
use crate::list::{prefetch_all, reserve_discarding, resize_keeping};

const WHAT: &str = "the hits found by counting";

/// The records of one worker, one after the other.
#[derive(Debug, Default)]
pub struct HitRecords {
    /// Kept at its full length; only `len` words are in use.
    words: Vec<u32>,
    len: usize,
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

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u32>()
    }

    /// Appends `words`.
    fn append(&mut self, words: &[u32]) -> Result<()> {
        self.push(words.len())?.copy_from_slice(words);
        Ok(())
    }

    /// Appends that many words, which are to be written.
    fn push(&mut self, words: usize) -> Result<&mut [u32]> {
        self.reserve(words)?;
        let start = self.len;
        self.len += words;
        Ok(&mut self.words[start..self.len])
    }

    /// Has words fetched, to be read soon, of those that there are.
    pub fn prefetch(&self, range: Range<usize>) {
        let end = range.end.min(self.len);
        prefetch_all(self.words.get(range.start..end).unwrap_or_default());
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
