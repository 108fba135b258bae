//! Rows of a search in batches, with memory that does not grow with the result. A pass over all blocks of a [`Source`]
//! [keeps](RowStore::keep) the rows of a span, from a first row on as far as memory allows. Batches are read from these
//! rows, block by block, and the next span is searched when its turn comes.
//!
//! in: a search, and which rows; out: counts of all rows, rows in place

#![allow(unsafe_code)]

mod pass;

use std::ops::Range;

use pass::{RowStore, Window, most_entries};

use super::row_store::reading::Reading;
use super::rows::{Lengths, Source};
use super::worker::Worker;
use crate::error::Result;
use crate::ids::OutputMap;
use crate::list::{Rows, as_atomic_i64, holds, prefetch, push};
use crate::threads::Team;

const WHAT: &str = "the rows kept for chunks";

/// Entries of a batch that a thread reads of a block, at least: then none writes to what another has in its caches.
const SLICE: usize = 2048;

/// Offsets of a cache line.
const LINE: usize = 8;

/// Rows of a span that are kept.
#[derive(Debug, Default)]
pub struct RowWindow {
    kept: RowStore,
    /// The rows that batches can be taken of, by their numbers in the output,
    rows: Range<usize>,
    /// where those are not the ones of the search.
    moved: bool,
}

holds! { RowWindow { kept; rows, moved } }

/// Rows that are delivered: those of a batch, and the end of all.
#[derive(Clone)]
pub struct Batch<'a> {
    pub rows: Range<usize>,
    pub end: usize,
    /// The places of all rows, and the labels of points; rows are those of the output.
    pub output: OutputMap<'a>,
    /// Bytes that may be kept.
    pub kept: usize,
    /// Other work, in that many pieces, that is done meanwhile.
    pub beside: (usize, &'a (dyn Fn(usize) + Sync)),
}

/// The end of the rows from `first` on that there is room for, if each entry takes as little as any: no row beyond is searched
/// for in vain.
fn span_end(batch: &Batch, first: usize, points: usize) -> usize {
    let offsets = &batch.output.places.offsets()[first..=batch.end];
    let most = offsets[0].saturating_add(most_entries(batch.kept, points) as i64);
    first
        + offsets
            .partition_point(|&offset| offset <= most)
            .saturating_sub(1)
            .max(1)
}

impl RowWindow {
    /// Writes the length of row `i` to `lengths[i]`, and keeps of `rows` what it can from the first on in `kept` bytes.
    pub fn count<S: Source>(
        &mut self,
        source: &S,
        team: &Team,
        workers: &mut [Worker<S::Memory>],
        (rows, kept): (Range<usize>, usize),
        lengths: &mut [i64],
    ) -> Result<()> {
        lengths.fill(0); // not every point has a row
        let span = Window {
            rows,
            end: None,
            order: None,
            lengths: Some(Lengths(as_atomic_i64(lengths))),
        };
        self.pass(source, team, workers, kept, span)
    }

    /// Writes the ids of a batch to `to`, which has room for as many as there are. Their span is searched where it was
    /// not yet.
    pub fn fill<S: Source>(
        &mut self,
        source: &S,
        team: &Team,
        workers: &mut [Worker<S::Memory>],
        batch: &Batch,
        mut to: Rows,
    ) -> Result<()> {
        let (mut first, order) = (batch.rows.start, batch.output.places.order());
        if self.moved != order.is_some() {
            self.rows = 0..0;
        }
        while first < batch.rows.end {
            if !self.rows.contains(&first) {
                let span = Window {
                    rows: first..span_end(batch, first, source.points()),
                    end: None,
                    order,
                    lengths: None,
                };
                self.pass(source, team, workers, batch.kept, span)?;
            }
            let end = batch.rows.end.min(self.rows.end);
            self.read(team, first..end, batch, to.again())?;
            first = end;
        }
        Ok(())
    }

    /// Passes over the blocks until a span is kept that begins as `span` does.
    fn pass<S: Source>(
        &mut self,
        source: &S,
        team: &Team,
        workers: &mut [Worker<S::Memory>],
        kept: usize,
        mut span: Window,
    ) -> Result<()> {
        (self.rows, self.moved) = (0..0, span.order.is_some());
        source.prepare(&mut workers.iter_mut().map(|worker| &mut worker.search))?;
        while !self.kept.keep(source, team, workers, kept, &mut span)? {}
        self.rows = span.rows;
        Ok(())
    }

    /// Reads `rows`, which are kept, of a batch: each thread a slice of them, out of all parts.
    fn read(&self, team: &Team, rows: Range<usize>, batch: &Batch, to: Rows) -> Result<()> {
        let mut states = Vec::new();
        for _ in 0..team.threads() {
            push(&mut states, Reading::default(), WHAT)?;
        }
        let offsets = batch.output.places.offsets();
        let RowStore { parts, arena, .. } = &self.kept;
        let first = offsets[batch.rows.start];
        let (start, end) = (offsets[rows.start], offsets[rows.end]);
        let slices = team
            .threads()
            .min((end - start) as usize / (parts.len().max(1) * SLICE))
            .max(1);
        let cut = |k: usize| {
            let entry = start + (end - start) / slices as i64 * k as i64;
            rows.start + offsets[rows.start..rows.end].partition_point(|&offset| offset < entry)
        };
        let slice = |k: usize| cut(k)..if k + 1 < slices { cut(k + 1) } else { rows.end };
        // The left points of a slice go with its rows, so that each thread writes to lines of its own there too.
        let (pieces, beside) = batch.beside;
        let pieces = if rows.end == batch.rows.end { pieces } else { 0 };
        let tasks = parts.len() + pieces.div_ceil(slices);
        team.run_in_shares(&mut states, slices * tasks, |reading, task| {
            let (k, task) = (task / tasks, task % tasks);
            if task == 0 {
                offsets[slice(k)]
                    .iter()
                    .step_by(LINE)
                    .for_each(|offset| prefetch(offset));
            }
            if task < parts.len() {
                // SAFETY: offsets ascend, so rows do not overlap; slices and parts share no rows, and each two are one
                // task, so no two tasks store the same row.
                let mut to = unsafe { to.alias() };
                return reading.read(arena, &parts[task..], slice(k), first, &batch.output, &mut to);
            }
            let piece = k * (tasks - parts.len()) + task - parts.len();
            if piece < pieces {
                beside(piece);
            }
            Ok(())
        })
    }
}
