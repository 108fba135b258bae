//! Counts the rows of a [`Source`], and keeps what the following fill needs of what it finds out, as far as memory allows.

use super::doubt::{Answers, Doubt};
use super::hit_records::HitRecords;
use super::rows::{Budget, LeafRows, Lengths, Sink, Source, Wanted};
use super::worker::Worker;
use crate::error::Result;
use crate::list::{as_atomic_i64, push, resize_discarding};
use crate::threads::Team;

/// Hit records of that many words are always kept, as long as each point's take no more than [`Budget::few`].
const RECORDED_AT_LEAST: usize = 1 << 22;

/// Words that the records of one leaf may take beyond that: most take far less.
const LEAF_RECORDED: usize = 1 << 13;

/// What a count leaves for the fill after it.
#[derive(Debug, Default)]
pub struct CountResult {
    pub(super) found: Vec<Found>,
    /// One for each worker that counted.
    pub(super) kept: Vec<Kept>,
    /// The most targets that a leaf has.
    pub(super) longest: usize,
}

/// What one worker keeps of what it found out.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub records: HitRecords,
    pub answers: Answers,
}

/// What was found out about a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Found {
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

impl CountResult {
    /// Whether the fill will need the points' coordinates.
    pub fn needs_points(&self) -> bool {
        self.found.iter().any(|what| matches!(what, Found::Nothing))
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let kept = (self.kept.iter()).map(|kept| kept.records.bytes() + kept.answers.bytes());
        self.found.capacity() * size_of::<Found>() + kept.sum::<usize>()
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
        resize_discarding(found, source.blocks(), Found::Nothing, "the list of blocks")?;
        while kept.len() < workers.len() {
            push(kept, Kept::default(), "the list of workers")?;
        }
        let around = source.prepare(&mut workers.iter_mut().map(|worker| &mut worker.search))?;
        (workers.iter_mut()).try_for_each(|worker| worker.lists.reserve(around))?;
        let limits = Limits::new(S::BUDGET, source.points(), most, workers.len());
        let mut states = Vec::new();
        for (number, (worker, kept)) in workers.iter_mut().zip(kept).enumerate() {
            kept.restart(&limits)?;
            let state = State {
                number: number as u32,
                search: &mut worker.search,
                answers: &mut kept.answers,
                counting: Counting {
                    lengths,
                    records: &mut kept.records,
                    block: Recording::default(),
                    longest: 0,
                },
                found: Vec::new(),
            };
            push(&mut states, state, "the list of workers")?;
        }
        team.run(&mut states, source.blocks(), |state, k| {
            let what = state.count(source, &limits, k)?;
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
    found: Vec<(usize, Found)>,
}

/// Stores the lengths of rows, and records leaves.
struct Counting<'a> {
    lengths: Lengths<'a>,
    records: &'a mut HitRecords,
    block: Recording,
    /// The most targets that a leaf had.
    longest: usize,
}

/// The records of the block that is counted.
#[derive(Default)]
struct Recording {
    /// Where they begin, and the words up to which they are kept.
    start: usize,
    most: usize,
    /// Whether any leaf was found, and whether all are kept so far.
    has_leaves: bool,
    keeps: bool,
}

impl<M> State<'_, M> {
    /// Counts the rows of a block.
    fn count<S: Source<Memory = M>>(&mut self, source: &S, limits: &Limits, k: usize) -> Result<Found> {
        let (worker, counting, first) = (self.number, &mut self.counting, self.answers.len());
        let (start, own) = (counting.records.len(), source.points_of(k));
        counting.block = Recording {
            start,
            most: limits.of_block(start, own),
            ..Recording::default()
        };
        let mut doubt = Doubt::Keep(self.answers, Ok(()));
        let around = source.find(self.search, k, &Wanted::ALL, &mut doubt, counting)?;
        doubt.finish()?;
        let end = counting.records.len();
        Ok(match counting.block {
            _ if around.is_none() => Found::Nothing,
            Recording { has_leaves: false, .. } => Found::Empty,
            Recording { keeps: true, .. } => Found::HitRecords { worker, start, end },
            _ => {
                counting.records.truncate(start);
                Found::Answers { worker, first }
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
        self.longest = rows.hits.len.max(self.longest);
        let (records, block) = (&mut *self.records, &mut self.block);
        if !block.has_leaves {
            // A number takes half a word at the least.
            block.keeps = block.start + rows.numbers.len() / 2 < block.most;
            block.has_leaves = true;
            if block.keeps {
                records.push_block(rows.numbers)?;
            }
        }
        if block.keeps {
            records.push_leaf(&rows.path, &rows.hits)?;
            block.keeps = records.len() <= block.most;
        }
        Ok(())
    }

    fn row(&mut self, number: u32, row: &mut [i32]) -> Result<()> {
        self.lengths.store(number, row.len());
        Ok(())
    }

    fn lengths(&self) -> Option<Lengths<'_>> {
        Some(self.lengths)
    }
}

impl Kept {
    /// Forgets all, and makes room for as much as may be kept.
    fn restart(&mut self, limits: &Limits) -> Result<()> {
        self.answers.clear();
        self.records.restart(limits.short + LEAF_RECORDED)
    }
}

/// How many words of records one worker may keep,
#[derive(Clone, Copy, Debug)]
struct Limits {
    all: usize,
    /// those of blocks with short rows included.
    short: usize,
    /// Words for each point of such a block.
    own: usize,
}

impl Limits {
    /// For each of that many workers, `most` words together.
    fn new(budget: Budget, points: usize, most: usize, workers: usize) -> Limits {
        let always = RECORDED_AT_LEAST.min(points * budget.few);
        let limit = |words: usize| words.max(always).min(most) / workers;
        let each = budget.words[usize::from(workers > 1)];
        Limits {
            all: limit((points as f64 * each) as usize),
            short: limit(points * budget.short),
            own: budget.short,
        }
    }

    /// The words up to which a block of `own` points is kept behind `kept` words.
    fn of_block(&self, kept: usize, own: usize) -> usize {
        self.all.max(self.short.min(kept + own * self.own))
    }
}
