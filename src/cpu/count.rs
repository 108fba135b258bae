//! Counts the rows of a [`Source`], and keeps what the following fill needs of what it finds out, as far as memory
//! allows.

use super::doubt::{Answers, Doubt};
use super::hit_records::HitRecords;
use super::rows::{LeafRows, Lengths, ListLimit, Sink, Source, Wanted};
use super::worker::Worker;
use crate::error::Result;
use crate::list::{as_atomic_i64, holds, push, resize_discarding};
use crate::threads::Team;

/// Words that the records of one leaf may take beyond what may be kept: most take far less.
const LEAF_RECORDED: usize = 1 << 13;

/// Results of a count that the fill after it uses.
#[derive(Debug, Default)]
pub struct CountResult {
    pub(super) found: Vec<BlockFound>,
    /// One for each worker that counted.
    pub(super) kept: Vec<WorkerResults>,
    /// The most targets that a leaf has.
    pub(super) longest: usize,
}

holds! { CountResult { found, kept; longest } }

/// Results that one worker keeps.
#[derive(Debug, Default)]
pub(super) struct WorkerResults {
    pub records: HitRecords,
    pub answers: Answers,
}

holds! { WorkerResults { records, answers } }

/// The results of a count for a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum BlockFound {
    /// Nothing that would help.
    #[default]
    Nothing,
    /// Its rows list nothing.
    Empty,
    /// The answers about its doubtful pairs, from this one on.
    Answers { worker: u32, first: usize },
    /// All, as records.
    HitRecords { worker: u32, start: usize, end: usize },
}

holds! { nothing for BlockFound }

impl CountResult {
    /// Whether the fill will need the points' coordinates.
    pub fn needs_points(&self) -> bool {
        self.found.iter().any(|what| matches!(what, BlockFound::Nothing))
    }

    /// Writes the length of row `i` to `lengths[i]`, and keeps what the fill can use, `most` words of records at most.
    pub fn count<S: Source>(
        &mut self,
        source: &S,
        team: &Team,
        workers: &mut [Worker<S::Memory>],
        most: usize,
        lengths: &mut [i64],
    ) -> Result<()> {
        let lengths = Lengths(as_atomic_i64(lengths));
        let CountResult { found, kept, longest } = self;
        resize_discarding(found, source.blocks(), BlockFound::Nothing, "the list of blocks")?;
        while kept.len() < workers.len() {
            push(kept, WorkerResults::default(), "the list of workers")?;
        }
        source.prepare(&mut workers.iter_mut().map(|worker| &mut worker.search))?;
        let most = most.min(source.points() * S::RECORDED) / workers.len();
        let mut states = Vec::new();
        for (number, (worker, kept)) in workers.iter_mut().zip(kept).enumerate() {
            kept.answers.clear();
            kept.records.restart(most + LEAF_RECORDED)?;
            let state = State {
                number: number as u32,
                search: &mut worker.search,
                answers: &mut kept.answers,
                counting: Counting {
                    lengths,
                    limit: source.list_limit(),
                    entries: 0,
                    records: &mut kept.records,
                    most,
                    block: Recording::default(),
                    longest: 0,
                },
                found: Vec::new(),
            };
            push(&mut states, state, "the list of workers")?;
        }
        team.run(&mut states, source.blocks(), |state, k| {
            let what = state.count(source, k)?;
            push(&mut state.found, (k, what), "the list of blocks")
        })?;
        *longest = states.iter().map(|state| state.counting.longest).max().unwrap_or(0);
        for (k, what) in states.into_iter().flat_map(|state| state.found) {
            found[k] = what;
        }
        Ok(())
    }
}

/// One worker's part of a count.
struct State<'a, M> {
    number: u32,
    search: &'a mut M,
    answers: &'a mut Answers,
    counting: Counting<'a>,
    found: Vec<(usize, BlockFound)>,
}

/// Stores the lengths of rows, and records leaves.
struct Counting<'a> {
    lengths: Lengths<'a>,
    limit: Option<ListLimit>,
    /// Entries so far, where there is a limit.
    entries: u64,
    records: &'a mut HitRecords,
    /// Words of records that may be kept.
    most: usize,
    block: Recording,
    /// The most targets that a leaf had.
    longest: usize,
}

/// The records of the block that is counted.
#[derive(Default)]
struct Recording {
    /// Whether any leaf was found, and whether all are kept so far.
    has_leaves: bool,
    keeps: bool,
}

impl<M> State<'_, M> {
    /// Counts the rows of a block.
    fn count<S: Source<Memory = M>>(&mut self, source: &S, k: usize) -> Result<BlockFound> {
        let (worker, counting, first) = (self.number, &mut self.counting, self.answers.len());
        let start = counting.records.len();
        counting.block = Recording::default();
        let mut doubt = Doubt::Keep(self.answers, Ok(()));
        let around = source.find(self.search, k, &Wanted::ALL, &mut doubt, counting)?;
        doubt.finish()?;
        let end = counting.records.len();
        Ok(match counting.block {
            _ if around.is_none() => BlockFound::Nothing,
            Recording { has_leaves: false, .. } => BlockFound::Empty,
            Recording { keeps: true, .. } => BlockFound::HitRecords { worker, start, end },
            _ => {
                counting.records.truncate(start);
                BlockFound::Answers { worker, first }
            }
        })
    }
}

impl Sink for Counting<'_> {
    fn expect(&self, numbers: &[u32]) {
        self.lengths.prefetch(numbers);
    }

    fn leaf(&mut self, rows: &LeafRows) -> Result<()> {
        self.lengths.store_leaf(rows);
        if let Some(limit) = self.limit {
            self.entries += rows.counts.iter().map(|&count| u64::from(count)).sum::<u64>();
            limit.check(self.entries)?;
        }
        self.longest = rows.hits.len.max(self.longest);
        let (records, block, most) = (&mut *self.records, &mut self.block, self.most);
        if !block.has_leaves {
            block.keeps = records.len() + rows.numbers.len() < most;
            block.has_leaves = true;
            if block.keeps {
                records.push_block(rows.numbers)?;
            }
        }
        if block.keeps {
            records.push_leaf(rows)?;
            block.keeps = records.len() <= most;
        }
        Ok(())
    }

    fn row(&mut self, number: u32, row: &mut [i32]) -> Result<()> {
        self.lengths.store(number, row.len());
        self.entries += row.len() as u64;
        self.limit.map_or(Ok(()), |limit| limit.check(self.entries))
    }

    fn lengths(&self) -> Option<Lengths<'_>> {
        Some(self.lengths)
    }
}
