//! Rows of a fixed-radius search a batch at a time, out of memory that does not grow with the result. A pass over all blocks
//! keeps the rows of a span, from one on as far as memory reaches, each as a [code](Codes); batches are read from those, and
//! the next span is searched when its turn comes.
//!
//! in: the blocks of a [`Grid`](crate::grid::Grid), and which rows; out: counts of all rows, rows in place

use std::mem::take;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicUsize};

use super::codes::Codes;
use super::leaf::{LeafBox, LeafTest};
use super::pairs::{Framed, Pairs};
use super::query::is_pair;
use super::records::Leaf;
use super::simd::{Width, store_row};
use super::worker::{Count, EachRow, Worker};
use crate::error::Result;
use crate::grid::Block;
use crate::list::{Delivery, Rows, as_atomic_i64, as_atomic_u32, grow, prefetch, push, resize_discarding};
use crate::threads::Team;

const WHAT: &str = "what a search in chunks keeps";

/// Of the room for rows, as many hundredths are aimed at.
const AIM: usize = 98;

/// Rows that a thread reads at once, and those that are fetched before they are read.
const ROWS: usize = 512;
const AHEAD: usize = 8;

/// What is kept of a span of rows.
#[derive(Debug, Default)]
pub struct Spans {
    blocks: Vec<Block>,
    /// Where each row of the span is: worker after worker, each with the same share of all places.
    places: Vec<u32>,
    /// One for each worker.
    codes: Vec<Codes>,
    /// The rows that batches can be taken of, by their numbers in the delivery,
    rows: Range<usize>,
    /// where those are not the ones of the search.
    moved: bool,
    /// Bytes that a row took in the last pass.
    each: f64,
}

impl Spans {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
            + self.places.capacity() * size_of::<u32>()
            + self.codes.iter().map(Codes::bytes).sum::<usize>()
    }

    /// Places that a worker's codes may have.
    fn stride(&self) -> usize {
        u32::MAX as usize / self.codes.len()
    }
}

/// Rows that are delivered: those of a batch, and the end of all.
#[derive(Clone)]
pub struct Batch<'a> {
    pub rows: Range<usize>,
    pub end: usize,
    /// Where all rows stand, and what points are called; rows are those of the delivery.
    pub delivery: Delivery<'a>,
    /// Bytes that may be kept.
    pub kept: usize,
}

/// One pass over all blocks.
struct Pass<'a> {
    /// The first row that is kept, and the end of those: it comes down where memory does not reach.
    first: usize,
    end: AtomicUsize,
    /// For each row that is searched which one of the delivery it is; `None`: the same.
    order: Option<&'a [u32]>,
    /// Where the rows from `first` on are.
    places: &'a [AtomicU32],
    stride: usize,
    /// Rows are counted, all of them.
    lengths: Option<&'a [AtomicI64]>,
    /// Bytes that each worker may keep, and how many workers share the rows.
    room: usize,
    workers: usize,
}

/// One worker's part of a pass.
struct Passing<'a, T> {
    number: usize,
    worker: &'a mut Worker<T>,
    codes: &'a mut Codes,
    kept: Kept,
}

/// Rows that were to be kept so far, and bytes for them where there was room or not.
#[derive(Clone, Copy, Default)]
struct Kept {
    rows: usize,
    bytes: usize,
}

impl<T: Width> Pairs<'_, T> {
    /// Writes the length of row `i` to `lengths[i]`, and keeps of `rows` what it can from the first on in `kept` bytes.
    pub fn count_spans(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        spans: &mut Spans,
        (rows, kept): (Range<usize>, usize),
        lengths: &mut [i64],
    ) -> Result<()> {
        if self.query.classes.is_some() {
            lengths.fill(0); // not every point has a row
        }
        self.blocks(team, &mut spans.blocks)?;
        self.pass(team, workers, spans, (rows, kept), None, Some(as_atomic_i64(lengths)))
    }

    /// Writes the ids of a batch to `to`, which has room for as many as there are. Their span is searched where it was not yet.
    pub fn fill_batch(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        spans: &mut Spans,
        batch: &Batch,
        to: &Rows,
    ) -> Result<()> {
        let (mut first, order) = (batch.rows.start, batch.delivery.places.order);
        if spans.moved != order.is_some() {
            spans.rows = 0..0;
        }
        while first < batch.rows.end {
            if !spans.rows.contains(&first) {
                self.pass(team, workers, spans, (first..batch.end, batch.kept), order, None)?;
            }
            let end = batch.rows.end.min(spans.rows.end);
            read_rows(team, spans, first..end, batch, to)?;
            first = end;
        }
        Ok(())
    }

    fn pass(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        spans: &mut Spans,
        (rows, kept): (Range<usize>, usize),
        order: Option<&[u32]>,
        lengths: Option<&[AtomicI64]>,
    ) -> Result<()> {
        (spans.rows, spans.moved) = (0..0, order.is_some());
        let shares = workers.len();
        spans.codes.truncate(shares);
        while spans.codes.len() < shares {
            push(&mut spans.codes, Codes::default(), WHAT)?;
        }
        resize_discarding(&mut spans.places, rows.len(), 0, WHAT)?;
        let (stride, room) = (spans.stride(), kept.saturating_sub(4 * rows.len()) / shares);
        // Rows become shorter, if anything, so that there may be room for more of them.
        let more = if spans.each > 0.0 {
            (2.0 * (room * shares) as f64 / spans.each) as usize
        } else {
            usize::MAX
        };
        let end = rows.start.saturating_add(more.max(1)).min(rows.end);
        let Spans {
            blocks, places, codes, ..
        } = spans;
        let pass = Pass {
            first: rows.start,
            end: AtomicUsize::new(end),
            order,
            places: as_atomic_u32(places),
            stride,
            lengths,
            room: room.min(stride),
            workers: shares,
        };
        let around = self.most_around(blocks);
        let mut states = Vec::new();
        for (number, (worker, codes)) in workers.iter_mut().zip(codes).enumerate() {
            worker.reserve(around, self.query.grid.dim())?;
            codes.restart(pass.room)?;
            let state = Passing {
                number,
                worker,
                codes,
                kept: Kept::default(),
            };
            push(&mut states, state, WHAT)?;
        }
        team.run(&mut states, blocks.len(), |state, k| {
            self.keep_block(state, &pass, &blocks[k])
        })?;
        spans.rows = rows.start..pass.end.into_inner();
        let kept = states.iter().map(|state| state.kept);
        let [found, bytes] = kept.fold([0, 0], |[rows, bytes], kept| [rows + kept.rows, bytes + kept.bytes]);
        spans.each = bytes as f64 / found.max(1) as f64;
        Ok(())
    }

    /// Searches a block, keeps what it can of its rows in the span.
    fn keep_block(&self, state: &mut Passing<T>, pass: &Pass, block: &Block) -> Result<()> {
        loop {
            let (start, before, end) = (state.codes.len(), state.kept, pass.end.load(Relaxed));
            self.try_block(state, pass, block, &(pass.first..end))?;
            let (rows, bytes) = (state.kept.rows - before.rows, state.kept.bytes - before.bytes);
            if state.codes.len() <= pass.room || end - pass.first <= 1 {
                pass.aim(state, bytes, rows);
                return Ok(());
            }
            state.codes.truncate(start);
            state.kept = before;
            let share = (0.9 * (pass.room - start) as f64 / bytes as f64).min(0.9);
            let fewer = ((end - pass.first) as f64 * share) as usize;
            pass.end.fetch_min(pass.first + fewer.max(1), Relaxed);
        }
    }

    /// Searches a block and keeps `rows`, a row or so more than there is room for at the most, and counts all where that is
    /// wanted.
    fn try_block(&self, state: &mut Passing<T>, pass: &Pass, block: &Block, rows: &Range<usize>) -> Result<()> {
        if pass.lengths.is_none() && !self.has_rows(pass, block, rows) {
            return Ok(());
        }
        let is_behind = !self.query.full && pass.order.is_none();
        let least = if is_behind { pass.first as u32 } else { 0 };
        match self.frame(block, least, &mut state.worker.neighborhood)? {
            Some(framed) => self.keep_leaves(state, pass, &framed, rows),
            None => self.keep_by_coordinates(state, pass, block, rows),
        }
    }

    fn keep_leaves(&self, state: &mut Passing<T>, pass: &Pass, framed: &Framed, rows: &Range<usize>) -> Result<()> {
        let (view, bound, full) = (self.points()?, self.query.bound, self.query.full);
        let Passing {
            number, worker, codes, ..
        } = state;
        let Worker {
            neighborhood, scratch, ..
        } = &mut **worker;
        let (mut records, mut ranks) = (take(&mut scratch.records), take(&mut scratch.ranks));
        let mut allowed = take(&mut scratch.allowed);
        records.restart(0)?;
        let kernels = &framed.search.kernels;
        let mut test = LeafTest {
            fixed: framed.search.fixed,
            kernels,
            full,
            ranks: &mut ranks,
            allowed: self.query.classes.zip(Some(&mut allowed)),
            decide: &mut |pair| is_pair(view, self.query.periods, bound, pair),
        };
        let kept = &mut state.kept;
        let done = neighborhood.leaves(&framed.search, &framed.frame, framed.own, &mut |leaf| {
            let members = test.members(leaf)?;
            let first = |row: usize| {
                let below = |&rank: &u16| (leaf.id(rank.into()) as usize) < row;
                test.ranks[..members].partition_point(below)
            };
            // Rows that stand elsewhere are told apart when they are kept.
            let wanted = match pass.order {
                Some(_) => 0..members,
                None => first(rows.start)..first(rows.end),
            };
            let rest = if pass.lengths.is_some() {
                wanted.end..members
            } else {
                0..0
            };
            test.test_members(leaf, wanted, &mut records, &mut |records, start, counts| {
                let found = records.leaf(start, full).0;
                pass.count(leaf, &found, counts);
                scratch.each_row(kernels, &found, leaf.around.ids, full, &mut |i, row| {
                    pass.keep(*number, codes, kept, rows, (i, row))
                })?;
                records.truncate(start);
                Ok(())
            })?;
            test.test_members(leaf, rest, &mut records, &mut |records, start, counts| {
                pass.count(leaf, &records.leaf(start, full).0, counts);
                records.truncate(start);
                Ok(())
            })
        });
        (scratch.records, scratch.ranks, scratch.allowed) = (records, ranks, allowed);
        done
    }

    fn keep_by_coordinates(
        &self,
        state: &mut Passing<T>,
        pass: &Pass,
        block: &Block,
        rows: &Range<usize>,
    ) -> Result<()> {
        let (view, filter) = (self.points()?, self.filter(0));
        if let Some(lengths) = pass.lengths {
            (state.worker).by_coordinates(&self.query, view, 0, block, |scratch| Count {
                lengths,
                filter,
                scratch,
            })?;
        }
        let Passing {
            number,
            worker,
            codes,
            kept,
        } = state;
        let mut outcome = Ok(());
        worker.by_coordinates(&self.query, view, 0, block, |scratch| EachRow {
            filter,
            rows: pass.order.map_or(rows.clone(), |order| 0..order.len()),
            action: |i: u32, row: &[i32]| pass.keep(*number, codes, kept, rows, (i, row)),
            outcome: &mut outcome,
            scratch,
        })?;
        outcome
    }

    fn has_rows(&self, pass: &Pass, block: &Block, rows: &Range<usize>) -> bool {
        let (grid, mut has) = (self.query.grid, false);
        grid.places_of(block, |places| {
            has = has
                || grid.ids()[places]
                    .iter()
                    .any(|&id| rows.contains(&pass.row(id as usize)));
        });
        has
    }
}

impl Pass<'_> {
    /// Which row of the delivery row `i` is.
    fn row(&self, i: usize) -> usize {
        self.order.map_or(i, |order| order[i] as usize)
    }

    /// Keeps row `i` if it is one of `rows`; once there is no room it does nothing, so that all of the block is done again.
    fn keep(
        &self,
        number: usize,
        codes: &mut Codes,
        kept: &mut Kept,
        rows: &Range<usize>,
        (i, row): (u32, &[i32]),
    ) -> Result<()> {
        let i = self.row(i as usize);
        if !rows.contains(&i) {
            return Ok(());
        }
        kept.rows += 1;
        if row.is_empty() {
            return Ok(());
        }
        if codes.len() > self.room && rows.len() > 1 {
            kept.bytes += 2 * row.len(); // or so
            return Ok(());
        }
        let before = codes.len();
        let at = codes.push(row)?;
        Codes::check(at, self.stride)?;
        kept.bytes += codes.len() - before;
        self.places[i - self.first].store((number * self.stride + at) as u32, Relaxed);
        Ok(())
    }

    /// Stores the lengths of the rows of a record.
    fn count(&self, leaf: &LeafBox, record: &Leaf, counts: &[u32]) {
        let Some(lengths) = self.lengths else { return };
        let id = |&rank: &u16| leaf.id(rank.into()) as usize;
        record.ranks.iter().for_each(|rank| prefetch(&lengths[id(rank)]));
        for (rank, &count) in record.ranks.iter().zip(counts) {
            lengths[id(rank)].store(i64::from(count), Relaxed);
        }
    }

    /// Brings the end of the rows that are kept down to what there is room for, if those of the other blocks take as much as
    /// those of the last, which were `rows` and took `bytes`.
    fn aim<T>(&self, state: &Passing<T>, bytes: usize, rows: usize) {
        if bytes == 0 {
            return;
        }
        let (each, room) = (bytes as f64 / rows as f64, (self.room / 100 * AIM) as f64);
        let more = (room - state.codes.len() as f64).max(0.0) / each;
        let all = self.workers as f64 * (state.kept.rows as f64 + more);
        let end = self.first.saturating_add(all as usize).max(self.first + 1);
        self.end.fetch_min(end, Relaxed);
    }
}

/// Reads `rows`, which are kept, of a batch.
fn read_rows(team: &Team, spans: &Spans, rows: Range<usize>, batch: &Batch, to: &Rows) -> Result<()> {
    let Delivery { places, labels } = batch.delivery;
    let (stride, offsets) = (spans.stride(), places.offsets);
    let start = offsets[batch.rows.start];
    let place = |i: usize| (offsets[i] - start) as usize..(offsets[i + 1] - start) as usize;
    let code = |i: usize| {
        let at = spans.places[i - spans.rows.start] as usize;
        (&spans.codes[at / stride], at % stride)
    };
    let mut states = Vec::new();
    for _ in 0..team.threads() {
        push(&mut states, [Vec::new(), Vec::new()], "rows of the threads")?;
    }
    team.run(&mut states, rows.len().div_ceil(ROWS), |[memory, spare], task| {
        let first = rows.start + task * ROWS;
        let end = rows.end.min(first + ROWS);
        for i in first..end {
            let later = i + AHEAD;
            if later < end && !place(later).is_empty() {
                let (codes, at) = code(later);
                codes.prefetch(at, place(later).len());
            }
            let place = place(i);
            if place.is_empty() {
                continue;
            }
            grow(memory, place.len(), 0, "a row")?;
            grow(spare, labels.spare(place.len()), 0, "a row")?;
            let (codes, at) = code(i);
            let row = &mut memory[..place.len()];
            codes.read(at, labels.base as i32, row);
            labels.row(row, spare);
            store_row(to, place, row);
        }
        Ok(())
    })
}
