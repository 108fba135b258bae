//! Rows block by block. A [`Source`] finds them: a search by a cutoff, or one by radii. A [`Sink`] uses them while they
//! are in the caches: it counts them, stores them in place, keeps them for chunks, or evaluates a formula. A source
//! does not know which sink it has.

#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use super::doubt::Doubt;
use super::kernels::quantized::{Hits, words_of};
use crate::error::{Error, Result};
use crate::list::prefetch;
use crate::simd::Simd;

/// A search block by block.
///
/// # Safety
/// Each point has its row from one block at most: a [`Sink`] gets no row twice, neither from one block nor from two.
/// Sinks of several threads store rows in memory that they share, each row where it belongs.
pub unsafe trait Source: Sync {
    /// Memory with which a worker searches.
    type Memory: Memory;

    /// Words for each point that hit records may take.
    const RECORDED: usize;

    /// Number of points.
    fn points(&self) -> usize;

    /// Number of blocks.
    fn blocks(&self) -> usize;

    /// Both sides of each pair, or only what is after the row's own point.
    fn is_full(&self) -> bool;

    /// Whether a row may be left out where it can list no other point.
    fn leaves_out_rows(&self) -> bool;

    /// The instruction set that kernels run with.
    fn simd(&self) -> Simd;

    /// The memory that the list that a count is for may take, where there is a limit.
    fn list_limit(&self) -> Option<ListLimit> {
        None
    }

    /// Makes memories ready for a pass.
    fn prepare(&self, memories: &mut dyn Iterator<Item = &mut Self::Memory>) -> Result<()>;

    /// Finds the rows of a block that are wanted; `doubt` says how what is doubtful is decided. Returns the numbers of
    /// the points around, which rows are places among; `None` where they are numbers themselves.
    fn find<'w>(
        &self,
        memory: &'w mut Self::Memory,
        block: usize,
        wanted: &Wanted,
        doubt: &mut Doubt,
        sink: &mut dyn Sink,
    ) -> Result<Option<&'w [u32]>>;
}

/// The list that a count is for may take so much memory that it is refused: the count ends once it knows.
#[derive(Clone, Copy)]
pub struct ListLimit {
    /// Of the caller, in bytes.
    pub bytes: u64,
    /// A list of more entries takes more.
    pub entries: u64,
}

impl ListLimit {
    /// Refuses a list of `entries` or more.
    pub fn check(&self, entries: u64) -> Result<()> {
        if entries <= self.entries {
            return Ok(());
        }
        Err(Error::MemoryLimit {
            what: "a list of a part of the result",
            need: self.bytes + 4 * (entries - self.entries),
            limit: self.bytes,
        })
    }
}

/// Memory with which a worker searches, kept in the handle.
pub trait Memory: Default + Send {
    /// Makes room for leaves of `len` targets, so that it makes no difference later which worker gets which leaf.
    fn reserve_leaves(&mut self, len: usize) -> Result<()>;
}

/// The rows that are to be found.
#[derive(Clone)]
pub struct Wanted<'a> {
    /// Those of the output.
    pub rows: Range<usize>,
    /// For each row that is searched which one of the output it is; `None`: the same.
    pub order: Option<&'a [u32]>,
}

impl Wanted<'_> {
    /// All rows.
    pub const ALL: Wanted<'static> = Wanted {
        rows: 0..usize::MAX,
        order: None,
    };

    /// Whether these are all.
    pub fn is_all(&self) -> bool {
        self.rows == (0..usize::MAX)
    }

    /// Whether the row of point `number` is one of them.
    #[inline]
    pub fn has(&self, number: usize) -> bool {
        let row = self.order.map_or(number, |order| order[number] as usize);
        self.rows.contains(&row)
    }
}

/// The action that is done with rows. Each row ascends.
pub trait Sink {
    /// Prefetches the data that the rows of these points need.
    fn expect(&self, _numbers: &[u32]) {}

    /// Takes up rows of members of a leaf.
    fn leaf(&mut self, rows: &LeafRows) -> Result<()>;

    /// Takes up the row of point `number`, which may be changed.
    fn row(&mut self, number: u32, row: &mut [i32]) -> Result<()>;

    /// Takes up, if lengths are all that is wanted, that of the row of point `number` instead of the row.
    fn lengths(&self) -> Option<Lengths<'_>> {
        None
    }

    /// Whether distances are all that is wanted of rows.
    fn wants_squares(&self) -> bool {
        false
    }

    /// Takes up, if that is so, distances squared of a row's entries instead of the row: the bytes of numbers in the precision
    /// of the points.
    fn squares(&mut self, _squares: &[u8]) {}
}

/// Rows of members of a leaf, [`BATCH`](super::kernels::quantized::BATCH) at most.
#[derive(Clone, Copy)]
pub struct LeafRows<'a> {
    pub hits: Hits<'a>,
    /// The numbers of the members.
    pub members: &'a [u32],
    /// The lengths of the rows.
    pub counts: &'a [u32],
    /// The places of the leaf's targets among the points around, padded.
    pub index: &'a [i16],
    /// The numbers of the points around.
    pub numbers: &'a [u32],
}

impl<'a> LeafRows<'a> {
    /// The number of the target at `rank`.
    #[inline]
    pub fn number(&self, rank: u16) -> u32 {
        self.numbers[usize::from(self.index[usize::from(rank)] as u16)]
    }

    /// Calls `action` with those of them that are wanted, in as many parts as these are apart.
    pub fn parts(&self, wanted: &Wanted, mut action: impl FnMut(&LeafRows) -> Result<()>) -> Result<()> {
        let is_wanted = |number: u32| wanted.has(number as usize);
        if self.members.iter().all(|&number| is_wanted(number)) {
            return action(self);
        }
        let (mut ranks, mut words, mut counts) = (self.hits.ranks, self.hits.words, self.counts);
        for members in self.members.chunk_by(|&a, &b| is_wanted(a) == is_wanted(b)) {
            let (these_ranks, other_ranks) = ranks.split_at(members.len());
            let (these_counts, other_counts) = counts.split_at(members.len());
            let each = (these_ranks.iter()).map(|&rank| words_of(rank.into(), self.hits.len, self.hits.full));
            let (these_words, other_words) = words.split_at(each.sum());
            if is_wanted(members[0]) {
                action(&LeafRows {
                    hits: Hits {
                        ranks: these_ranks,
                        words: these_words,
                        ..self.hits
                    },
                    members,
                    counts: these_counts,
                    ..*self
                })?;
            }
            (ranks, words, counts) = (other_ranks, other_words, other_counts);
        }
        Ok(())
    }
}

/// Memory for the lengths of rows: that of row `i` at place `i`.
#[derive(Clone, Copy)]
pub struct Lengths<'a>(pub &'a [AtomicI64]);

impl Lengths<'_> {
    /// Stores the length of the row of point `number`.
    #[inline]
    pub fn store(&self, number: u32, len: usize) {
        self.0[number as usize].store(len as i64, Relaxed);
    }

    /// Stores those of rows of a leaf.
    pub fn store_leaf(&self, rows: &LeafRows) {
        for (&number, &count) in rows.members.iter().zip(rows.counts) {
            self.store(number, count as usize);
        }
    }

    /// Prefetches the places that store the lengths of the rows of these points.
    pub fn prefetch(&self, numbers: &[u32]) {
        numbers.iter().for_each(|&number| prefetch(&self.0[number as usize]));
    }
}
