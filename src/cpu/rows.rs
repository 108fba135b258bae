//! Rows block by block. A [`Source`] finds them: a search by a cutoff, or one by radii. A [`Sink`] uses them while they are in the
//! caches: it counts them, stores them in place, keeps them for chunks, or evaluates a formula. A source does not know which sink it
//! has.

use std::ops::Range;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use super::quantized::SelectionPath;
use super::simd::Simd;
use super::simd::quantized::{Hits, words_of};
use crate::error::Result;

/// A search block by block.
pub trait Source: Sync {
    /// What a worker needs.
    type Worker: Send;

    /// Number of points.
    fn points(&self) -> usize;

    /// Number of blocks.
    fn blocks(&self) -> usize;

    /// What kernels run with.
    fn simd(&self) -> Simd;

    /// Makes the workers ready for a pass.
    fn prepare(&self, workers: &mut [Self::Worker]) -> Result<()>;

    /// Finds the rows of a block that are wanted. Returns the numbers of the points around, which rows are places among; `None` where
    /// they are numbers themselves.
    fn find<'w>(
        &self,
        worker: &'w mut Self::Worker,
        block: usize,
        wanted: &Wanted,
        sink: &mut dyn Sink,
    ) -> Result<Option<&'w [u32]>>;
}

/// Which rows are to be found.
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

/// What is done with rows. Each row ascends.
pub trait Sink {
    /// Has fetched what the row of point `number` will need.
    fn expect(&self, _number: u32) {}

    /// Takes up rows of members of a leaf.
    fn leaf(&mut self, rows: &LeafRows) -> Result<()>;

    /// Takes up the row of point `number`, which may be changed.
    fn row(&mut self, number: u32, row: &mut [i32]) -> Result<()>;

    /// Where lengths are all that is wanted, takes up that of the row of point `number` instead of the row.
    fn lengths(&self) -> Option<Lengths<'_>> {
        None
    }
}

/// Rows of members of a leaf, [`BATCH`](super::simd::quantized::BATCH) at most.
#[derive(Clone, Copy)]
pub struct LeafRows<'a> {
    pub hits: Hits<'a>,
    /// The lengths of the rows.
    pub counts: &'a [u32],
    /// Where the leaf's targets stand among the points around, padded.
    pub index: &'a [i16],
    /// The numbers of the points around.
    pub numbers: &'a [u32],
    /// How the targets were selected; `None` of searches by radii.
    pub path: Option<&'a SelectionPath<'a>>,
}

impl<'a> LeafRows<'a> {
    /// The number of the target at `rank`.
    #[inline]
    pub fn number(&self, rank: u16) -> u32 {
        self.numbers[usize::from(self.index[usize::from(rank)] as u16)]
    }

    /// Calls `action` with those of them that are wanted, in as many parts as these are apart.
    pub fn parts(&self, wanted: &Wanted, mut action: impl FnMut(&LeafRows) -> Result<()>) -> Result<()> {
        let is_wanted = |rank: u16| wanted.has(self.number(rank) as usize);
        if self.hits.ranks.iter().all(|&rank| is_wanted(rank)) {
            return action(self);
        }
        let (mut words, mut counts) = (self.hits.words, self.counts);
        for ranks in self.hits.ranks.chunk_by(|&a, &b| is_wanted(a) == is_wanted(b)) {
            let each = ranks
                .iter()
                .map(|&rank| words_of(rank.into(), self.hits.len, self.hits.full));
            let (these, rest) = words.split_at(each.sum());
            let part = LeafRows {
                hits: Hits {
                    ranks,
                    words: these,
                    ..self.hits
                },
                counts: &counts[..ranks.len()],
                ..*self
            };
            if is_wanted(ranks[0]) {
                action(&part)?;
            }
            (words, counts) = (rest, &counts[ranks.len()..]);
        }
        Ok(())
    }
}

/// Where the lengths of rows are stored: that of row `i` at place `i`.
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
        for (&rank, &count) in rows.hits.ranks.iter().zip(rows.counts) {
            self.store(rows.number(rank), count as usize);
        }
    }

    /// Has fetched where the length of the row of point `number` is stored.
    #[inline]
    pub fn prefetch(&self, number: u32) {
        crate::list::prefetch(&self.0[number as usize]);
    }
}
