//! The results of a count that the following fill needs, as far as memory allows.

use super::records::{Answers, Records};
use super::simd::few::Bits;
use crate::error::Result;
use crate::grid::Block;

/// Bytes for each point that records may take: those of two thirds of the points of the standard case, whose result takes
/// twelve times as much. Several workers take more themselves.
const RECORDED: usize = 36;
const RECORDED_BY_SEVERAL: usize = 33;

/// And words, of blocks whose records take no more than this for each of their points, that is of short rows, which take long
/// beside their length to be found again.
const RECORDED_SHORT: usize = 10;

/// Records of that many words are always kept, as long as each point's take no more than `RECORDED_ALL`.
const RECORDED_AT_LEAST: usize = 1 << 22;
const RECORDED_ALL: usize = 24;

/// Words that the records of one leaf may take beyond that: most take far less.
const LEAF_RECORDED: usize = 1 << 13;

/// What a count leaves for the fill after it.
#[derive(Debug, Default)]
pub struct Counted {
    pub(super) blocks: Vec<Block>,
    pub(super) found: Vec<Found>,
    /// One for each worker that counted.
    pub(super) kept: Vec<Kept>,
    /// The most targets that a leaf has.
    pub(super) longest: usize,
    /// Whether points are few, and all that was found out then.
    pub(super) are_few: bool,
    pub(super) few: Vec<Bits>,
    pub(super) needs_points: bool,
}

/// What one worker keeps of what it found out.
#[derive(Debug, Default)]
pub struct Kept {
    pub records: Records,
    pub answers: Answers,
}

/// What was found out about a block.
#[derive(Clone, Copy, Debug, Default)]
pub enum Found {
    /// Nothing that would help.
    #[default]
    Nothing,
    /// Its rows list nothing.
    Empty,
    /// The answers about its doubtful pairs, from this one on.
    Answers { worker: u32, first: usize },
    /// All, as records.
    Records { worker: u32, start: usize, end: usize },
}

impl Counted {
    /// Whether the fill will need the points' coordinates.
    pub fn needs_points(&self) -> bool {
        self.needs_points
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
            + self.few.capacity() * size_of::<Bits>()
            + self.found.capacity() * size_of::<Found>()
            + self
                .kept
                .iter()
                .map(|kept| kept.records.bytes() + kept.answers.bytes())
                .sum::<usize>()
    }
}

impl Kept {
    /// Forgets all, and makes room for as much as may be kept.
    pub fn restart(&mut self, limits: &Limits) -> Result<()> {
        self.answers.clear();
        self.records.restart(limits.short + LEAF_RECORDED)
    }
}

/// How many words of records one worker may keep,
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    all: usize,
    /// those of blocks with short rows included.
    short: usize,
}

impl Limits {
    /// For each of that many workers, `most` words together.
    pub fn new(points: usize, most: usize, workers: usize) -> Limits {
        let always = RECORDED_AT_LEAST.min(points * RECORDED_ALL);
        let limit = |words: usize| words.max(always).min(most) / workers;
        let bytes = if workers > 1 { RECORDED_BY_SEVERAL } else { RECORDED };
        Limits {
            all: limit(points * bytes / size_of::<u32>()),
            short: limit(points * RECORDED_SHORT),
        }
    }

    /// The words up to which a block of `own` points is kept behind `kept` words.
    pub fn of_block(&self, kept: usize, own: usize) -> usize {
        self.all.max(self.short.min(kept + own * RECORDED_SHORT))
    }
}
