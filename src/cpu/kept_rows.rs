//! Rows of a search that are kept for further passes over them, as far as memory allows: what takes one row after the other then needs no
//! search again. Other blocks are searched once more.
//!
//! in: a [`Source`], and a sink of its rows; out: [`Kept`], a source of the same rows.

#![allow(unsafe_code)]

use super::doubt::Doubt;
use super::hit_records::HitRecords;
use super::kernels::quantized::{BATCH, words_of};
use super::rows::{LeafRows, ListLimit, Sink, Source, Wanted};
use crate::error::Result;
use crate::list::{holds, push, resize_discarding};
use crate::simd::Simd;

const WHAT: &str = "the rows kept for further sums";

/// Words that the records of one leaf may take beyond what may be kept: most take far less.
const LEAF_RECORDED: usize = 1 << 13;

/// The memory for rows, as a multiple of what a count may keep: full rows take about twice as much as half rows, and workers do not have
/// the same share of them.
const SHARES: usize = 4;

/// The number of a block, the worker that kept its rows, and their place in its records.
pub type KeptBlock = (usize, [usize; 3]);

/// Rows of blocks.
#[derive(Debug, Default)]
pub struct KeptRows {
    /// Of each block: the worker that kept its rows, and their place in its records; `None`: it is searched again.
    blocks: Vec<Option<[usize; 3]>>,
    records: Vec<HitRecords>,
}

holds! { KeptRows { blocks, records } }

impl KeptRows {
    /// Begins anew; returns a recorder for each of `workers` workers, which together keep `most` words at most.
    pub fn begin<S: Source>(&mut self, source: &S, workers: usize, most: usize) -> Result<Vec<Recorder<'_>>> {
        resize_discarding(&mut self.blocks, source.blocks(), None, WHAT)?;
        self.blocks.fill(None);
        while self.records.len() < workers {
            push(&mut self.records, HitRecords::default(), WHAT)?;
        }
        let share = most.min(SHARES * source.points() * S::RECORDED) / workers;
        let mut recorders = Vec::new();
        for (worker, records) in self.records[..workers].iter_mut().enumerate() {
            let words = if share > 0 { share + LEAF_RECORDED } else { 0 };
            let most = records.restart(words).map_or(0, |()| share); // without memory nothing is kept
            let recorder = Recorder {
                worker,
                records,
                most,
                keeps: false,
                has_leaves: false,
                blocks: Vec::new(),
            };
            push(&mut recorders, recorder, WHAT)?;
        }
        Ok(recorders)
    }

    /// Takes up what the recorders say of blocks.
    pub fn end(&mut self, blocks: Vec<KeptBlock>) {
        for (block, place) in blocks {
            self.blocks[block] = Some(place);
        }
    }
}

/// Keeps the rows that a worker finds.
pub struct Recorder<'a> {
    worker: usize,
    records: &'a mut HitRecords,
    /// Words that may be kept.
    most: usize,
    /// Whether all rows of the block are kept so far, and whether there are any.
    keeps: bool,
    has_leaves: bool,
    /// Blocks of which all rows are kept.
    pub blocks: Vec<KeptBlock>,
}

impl Recorder<'_> {
    /// Has `search` find the rows of a block for `sink`, and keeps them.
    pub fn record(
        &mut self,
        block: usize,
        sink: &mut dyn Sink,
        search: impl FnOnce(&mut dyn Sink) -> Result<()>,
    ) -> Result<()> {
        let start = self.records.len();
        (self.keeps, self.has_leaves) = (start < self.most, false);
        search(&mut Recorded { recorder: self, sink })?;
        let end = self.records.len();
        match self.keeps {
            true => push(&mut self.blocks, (block, [self.worker, start, end]), WHAT),
            false => {
                self.records.truncate(start);
                Ok(())
            }
        }
    }

    /// Keeps rows of a leaf; returns whether there is room for them.
    fn leaf(&mut self, rows: &LeafRows) -> bool {
        let is_first = !std::mem::replace(&mut self.has_leaves, true);
        if is_first && self.records.len() + rows.numbers.len() >= self.most {
            return false;
        }
        let begun = if is_first {
            self.records.push_block(rows.numbers)
        } else {
            Ok(())
        };
        let pushed = begun.and_then(|()| self.records.push_leaf(rows));
        pushed.is_ok() && self.records.len() <= self.most
    }
}

/// A sink whose rows are kept.
struct Recorded<'a, 'b> {
    recorder: &'a mut Recorder<'b>,
    sink: &'a mut dyn Sink,
}

impl Sink for Recorded<'_, '_> {
    fn expect(&self, numbers: &[u32]) {
        self.sink.expect(numbers);
    }

    fn leaf(&mut self, rows: &LeafRows) -> Result<()> {
        self.recorder.keeps = self.recorder.keeps && self.recorder.leaf(rows);
        self.sink.leaf(rows)
    }

    fn row(&mut self, number: u32, row: &mut [i32]) -> Result<()> {
        self.recorder.keeps = false; // it is of no leaf
        self.sink.row(number, row)
    }
}

/// A search whose rows were kept.
pub struct Kept<'a, S> {
    pub source: &'a S,
    pub rows: &'a KeptRows,
}

// SAFETY: a block gives the rows that it gave when they were kept, or is searched again. Blocks are those of the source.
unsafe impl<S: Source> Source for Kept<'_, S> {
    type Memory = S::Memory;

    const RECORDED: usize = S::RECORDED;

    fn points(&self) -> usize {
        self.source.points()
    }

    fn blocks(&self) -> usize {
        self.source.blocks()
    }

    fn is_full(&self) -> bool {
        self.source.is_full()
    }

    fn leaves_out_rows(&self) -> bool {
        self.source.leaves_out_rows()
    }

    fn simd(&self) -> Simd {
        self.source.simd()
    }

    fn list_limit(&self) -> Option<ListLimit> {
        self.source.list_limit()
    }

    fn prepare(&self, memories: &mut dyn Iterator<Item = &mut S::Memory>) -> Result<()> {
        self.source.prepare(memories)
    }

    fn find<'w>(
        &self,
        memory: &'w mut S::Memory,
        block: usize,
        wanted: &Wanted,
        doubt: &mut Doubt,
        sink: &mut dyn Sink,
    ) -> Result<Option<&'w [u32]>> {
        let Some([worker, start, end]) = self.rows.blocks[block] else {
            return self.source.find(memory, block, wanted, doubt, sink);
        };
        if start < end {
            give(&self.rows.records[worker], [start, end], self.is_full(), wanted, sink)?;
        }
        Ok(None)
    }
}

/// Gives the rows of a block that were kept.
fn give(
    records: &HitRecords,
    [start, end]: [usize; 2],
    full: bool,
    wanted: &Wanted,
    sink: &mut dyn Sink,
) -> Result<()> {
    let (numbers, mut at) = records.block(start);
    while at < end {
        let leaf = records.leaf(at, full);
        let (mut members, mut counts, mut words) = ([0; BATCH], [0; BATCH], leaf.hits.words);
        for ((member, count), &rank) in members.iter_mut().zip(&mut counts).zip(leaf.hits.ranks) {
            let (row, rest) = words.split_at(words_of(rank.into(), leaf.hits.len, full));
            *member = numbers[usize::from(leaf.index[usize::from(rank)] as u16)];
            *count = row.iter().map(|word| word.count_ones()).sum();
            words = rest;
        }
        let len = leaf.hits.ranks.len();
        let rows = LeafRows {
            hits: leaf.hits,
            members: &members[..len],
            counts: &counts[..len],
            index: leaf.index,
            numbers,
        };
        rows.parts(wanted, |rows| sink.leaf(rows))?;
        at = leaf.end;
    }
    Ok(())
}
