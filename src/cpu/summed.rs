//! Rows that are evaluated by a formula where they are found. No row is stored.
//!
//! in: a search, and what is evaluated; out: the outputs of all rows.

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::doubt::Doubt;
use super::kept_rows::{Kept, KeptBlock, KeptRows, Recorder};
use super::kernels::quantized::rows::List;
use super::kernels::quantized::{BATCH, TARGET_PADDING};
use super::rows::{LeafRows, Sink, Source, Wanted};
use super::worker::Worker;
use crate::error::Result;
use crate::formula::{Evaluator, Number, ROWS, TARGETS, Work};
use crate::ids::Labels;
use crate::list::{as_atomic_u32, grow, push, reserve_keeping, resize_discarding};
use crate::real::Real;
use crate::simd::Simd;
use crate::threads::Team;

const WHAT: &str = "the rows of a sum";

/// A leaf's rows are one batch.
const _: () = assert!(BATCH <= ROWS);

/// Rows that a thread looks through at once for rows that the search leaves out.
const LOOKED_THROUGH: usize = 1 << 12;

/// Rows of a word.
const SEEN: usize = u32::BITS as usize;

/// The rows that there are, and the labels of the points in them.
pub struct Summed<'a> {
    /// By the numbers of the search.
    pub rows: Range<usize>,
    /// In base 0.
    pub labels: Labels<'a>,
}

/// Evaluates all rows, and keeps them for further sums in `most` words at most; returns how many neighbors they have.
pub fn sum<S: Source, T: Real, F: Number>(
    source: &S,
    team: &Team,
    workers: &mut [Worker<S::Memory>],
    (work, summed): (&Work<T, F>, &Summed),
    (kept, most): (&mut KeptRows, usize),
) -> Result<i64> {
    let recorders = kept.begin(source, workers.len(), most)?;
    let (entries, blocks) = evaluate(source, team, workers, (work, summed), recorders)?;
    kept.end(blocks);
    Ok(entries)
}

/// Evaluates all rows once more, which were kept.
pub fn sum_kept<S: Source, T: Real, F: Number>(
    source: &S,
    team: &Team,
    workers: &mut [Worker<S::Memory>],
    (work, summed): (&Work<T, F>, &Summed),
    rows: &KeptRows,
) -> Result<i64> {
    let source = &Kept { source, rows };
    let (entries, _) = evaluate(source, team, workers, (work, summed), Vec::new())?;
    Ok(entries)
}

/// Evaluates all rows; a recorder for each worker keeps them, where there are such. Returns how many neighbors they have, and the blocks
/// that were kept.
fn evaluate<S: Source, T: Real, F: Number>(
    source: &S,
    team: &Team,
    workers: &mut [Worker<S::Memory>],
    (work, summed): (&Work<T, F>, &Summed),
    recorders: Vec<Recorder>,
) -> Result<(i64, Vec<KeptBlock>)> {
    source.prepare(&mut workers.iter_mut().map(|worker| &mut worker.search))?;
    let mut finders = Vec::new();
    for worker in workers {
        let find = |block: usize, wanted: &Wanted, sink: &mut dyn Sink| {
            let found = source.find(&mut worker.search, block, wanted, &mut Doubt::Decide, sink);
            found.map(|_| ())
        };
        push(&mut finders, find, WHAT)?;
    }
    let mut finders = finders.iter_mut().map(|find| find as &mut Find);
    let blocks = (source.blocks(), source.leaves_out_rows());
    evaluate_found(blocks, &mut finders, team, (work, summed), recorders)
}

/// Finds the rows of a block, with a worker's memory.
type Find<'a> = dyn FnMut(usize, &Wanted, &mut dyn Sink) -> Result<()> + Send + 'a;

/// [`evaluate`] for any source, compiled once for all: a worker calls its own through a pointer, once for each of `blocks` blocks.
/// With `leaves_out_rows`, a block may leave out rows that list nothing.
fn evaluate_found<'f, T: Real, F: Number>(
    (blocks, leaves_out_rows): (usize, bool),
    finders: &mut dyn Iterator<Item = &'f mut Find<'f>>,
    team: &Team,
    (work, summed): (&Work<T, F>, &Summed),
    recorders: Vec<Recorder>,
) -> Result<(i64, Vec<KeptBlock>)> {
    // With self, a row that lists no other point has one entry.
    let adds_rows = leaves_out_rows && work.with_self;
    let (mut seen, mut states) = (Vec::new(), Vec::new());
    if adds_rows {
        resize_discarding(&mut seen, summed.rows.end.div_ceil(SEEN), 0, WHAT)?;
    }
    let (seen, mut recorders) = (as_atomic_u32(&mut seen), recorders.into_iter());
    for find in finders {
        let evaluator = RowEvaluator::new(work, summed.labels, seen)?;
        push(&mut states, (find, evaluator, recorders.next()), WHAT)?;
    }
    let wanted = Wanted {
        rows: summed.rows.clone(),
        order: None,
    };
    team.run(&mut states, blocks, |(find, evaluator, recorder), k| match recorder {
        Some(recorder) => recorder.record(k, evaluator, |sink| find(k, &wanted, sink)),
        None => find(k, &wanted, evaluator),
    })?;
    if adds_rows {
        let tasks = wanted.rows.len().div_ceil(LOOKED_THROUGH);
        team.run(&mut states, tasks, |(_, evaluator, _), k| {
            let first = wanted.rows.start + k * LOOKED_THROUGH;
            let rows = first..wanted.rows.end.min(first + LOOKED_THROUGH);
            for i in rows {
                if !evaluator.was_found(i) {
                    evaluator.row(i as u32, &mut [])?;
                }
            }
            Ok(())
        })?;
    }
    let (mut entries, mut blocks) = (0, Vec::new());
    for (_, mut evaluator, recorder) in states {
        evaluator.evaluator.finish();
        entries += evaluator.entries;
        let kept = recorder.map(|recorder| recorder.blocks).unwrap_or_default();
        let len = blocks.len() + kept.len();
        reserve_keeping(&mut blocks, len, WHAT)?;
        blocks.extend(kept);
    }
    Ok((entries as i64, blocks))
}

/// One worker's rows on their way to its evaluator.
#[repr(align(128))] // no line of it is another thread's too
struct RowEvaluator<'a, T, F> {
    evaluator: Evaluator<'a, T, F>,
    simd: Simd,
    labels: Labels<'a>,
    /// A bit for each row that was found, where others are added afterwards; empty elsewhere.
    seen: &'a [AtomicU32],
    entries: usize,
    /// The number of each target of a leaf, so that rows are listed as ranks.
    index: Vec<i16>,
    ranks: Vec<u16>,
    row: Vec<i32>,
    /// Memory that labels need beside a row.
    spare: Vec<i32>,
}

impl<'a, T: Real, F: Number> RowEvaluator<'a, T, F> {
    fn new(work: &'a Work<'a, T, F>, labels: Labels<'a>, seen: &'a [AtomicU32]) -> Result<RowEvaluator<'a, T, F>> {
        Ok(RowEvaluator {
            evaluator: Evaluator::new(work)?,
            simd: Simd::new(work.isa),
            labels,
            seen,
            entries: 0,
            index: Vec::new(),
            ranks: Vec::new(),
            row: Vec::new(),
            spare: Vec::new(),
        })
    }

    /// Counts the row of point `number`.
    fn count(&mut self, number: u32, len: usize) {
        if let Some(word) = self.seen.get(number as usize / SEEN) {
            word.fetch_or(1 << (number as usize % SEEN), Relaxed);
        }
        self.entries += len;
    }

    /// Whether the row of point `number` was found.
    fn was_found(&self, number: usize) -> bool {
        self.seen[number / SEEN].load(Relaxed) >> (number % SEEN) & 1 == 1
    }
}

impl<T: Real, F: Number> Sink for RowEvaluator<'_, T, F> {
    fn leaf(&mut self, rows: &LeafRows) -> Result<()> {
        let &LeafRows { hits, counts, .. } = rows;
        let total: usize = counts.iter().map(|&count| count as usize).sum();
        for rank in self.index.len()..hits.len + TARGET_PADDING {
            push(&mut self.index, rank as u16 as i16, WHAT)?;
        }
        grow(&mut self.ranks, total + hits.padding(), 0, WHAT)?;
        let (by_rank, to) = (&self.index[..], &mut self.ranks[..]);
        self.simd.run(List {
            hits,
            index: by_rank,
            to,
        });
        let target = |rank: u16| rows.number(rank);
        if hits.len <= TARGETS && self.labels.ghosts.is_none() {
            for (&own, &len) in rows.members.iter().zip(counts) {
                self.count(own, len as usize);
            }
            let labels = self.labels;
            let targets = (0..hits.len as u16).map(|rank| labels.of(target(rank) as usize) as u32);
            return self.evaluator.leaf(targets, (hits.ranks, counts), &self.ranks[..total]);
        }
        let (mut first, mut row) = (0, std::mem::take(&mut self.row));
        for (&own, &len) in rows.members.iter().zip(counts) {
            let len = len as usize;
            grow(&mut row, len, 0, WHAT)?;
            for (to, &rank) in row.iter_mut().zip(&self.ranks[first..first + len]) {
                *to = target(rank) as i32;
            }
            self.row(own, &mut row[..len])?;
            first += len;
        }
        self.row = row;
        Ok(())
    }

    fn row(&mut self, number: u32, row: &mut [i32]) -> Result<()> {
        grow(&mut self.spare, self.labels.spare(row.len()), 0, WHAT)?;
        self.labels.row(row, &mut self.spare);
        let label = self.labels.of(number as usize) as u32;
        self.evaluator.row(label, row.iter().map(|&id| (id as u32, [0; 3])));
        self.count(number, row.len());
        Ok(())
    }
}
