//! Rows of a fixed-radius search a batch at a time, out of memory that does not grow with the result. A pass over all blocks
//! keeps what it finds out about a span of rows, from one on as far as memory reaches; batches of rows of the span are
//! unpacked from that, block by block, and the span that follows is searched when its turn comes.
//!
//! in: the blocks of a [`Grid`](crate::grid::Grid), and which rows; out: counts of all rows, rows in place

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI64, AtomicUsize};

use super::leaf::{LeafBox, LeafTest};
use super::pairs::{Framed, Pairs};
use super::query::is_pair;
use super::records::{Leaf, Records, SEAT, Seat};
use super::simd::fixed::{PADDING, WORD, kernels};
use super::simd::{Width, store_row};
use super::worker::{Count, Fill, Into, NO_SEAT, Scratch, Worker};
use crate::error::Result;
use crate::grid::Block;
use crate::list::{as_atomic_i64, grow, prefetch, push, resize_discarding};
use crate::threads::Team;

const WHAT: &str = "what a search in chunks keeps";

/// Of the room for records, as many parts of a hundred are aimed at.
const AIM: usize = 96;

/// Seats and words that are fetched before a row is unpacked.
const AHEAD: usize = 6;

/// What is kept of a span of rows.
#[derive(Debug, Default)]
pub struct Spans {
    blocks: Vec<Block>,
    parts: Vec<Part>,
    /// One for each worker.
    kept: Vec<Records>,
    /// The rows that batches can be taken of.
    rows: Range<usize>,
}

/// What is kept of a block: words of a worker's records, from one to another.
#[derive(Clone, Copy, Debug, Default)]
enum Part {
    /// None of its rows is kept.
    #[default]
    Nothing,
    /// It is searched by the caller's coordinates, for these rows.
    Rows { worker: u32, first: usize, end: usize },
    /// The numbers of all points around, then records, then a seat for each row in their order.
    Records {
        worker: u32,
        numbers: usize,
        leaves: usize,
        seats: usize,
        end: usize,
    },
}

impl Spans {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
            + self.parts.capacity() * size_of::<Part>()
            + self.kept.iter().map(Records::bytes).sum::<usize>()
    }
}

/// One pass over all blocks.
struct Pass<'a> {
    /// The first row that is kept, and the end of those: it comes down where memory does not reach.
    first: usize,
    end: AtomicUsize,
    /// Rows are counted, all of them.
    lengths: Option<&'a [AtomicI64]>,
    /// Words that each worker may keep.
    room: usize,
    /// Workers that share the rows.
    workers: usize,
}

/// One worker's part of a pass.
struct Passing<'a, T> {
    number: u32,
    worker: &'a mut Worker<T>,
    records: &'a mut Records,
    /// Rows kept so far.
    rows: usize,
    parts: Vec<(usize, Part)>,
}


impl<T: Width> Pairs<'_, T> {
    /// Writes the length of row `i` to `lengths[i]`, and keeps what it can of the rows from `first` to `end` in `bytes`.
    pub fn count_spans(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        spans: &mut Spans,
        rows: Range<usize>,
        bytes: usize,
        lengths: &mut [i64],
    ) -> Result<()> {
        if self.query.classes.is_some() {
            lengths.fill(0); // not every point has a row
        }
        self.blocks(team, &mut spans.blocks)?;
        self.pass(team, workers, spans, rows, bytes, Some(as_atomic_i64(lengths)))
    }

    /// Writes the ids plus `base` of `rows` to `into`, which has room for as many as there are. Their span is searched where it
    /// was not yet.
    pub fn fill_batch(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        spans: &mut Spans,
        (rows, end): (Range<usize>, usize),
        bytes: usize,
        into: &Into,
    ) -> Result<()> {
        let mut first = rows.start;
        while first < rows.end {
            if !spans.rows.contains(&first) {
                self.pass(team, workers, spans, first..end, bytes, None)?;
            }
            let batch = first..rows.end.min(spans.rows.end);
            let mut states: Vec<_> = workers.iter_mut().collect();
            team.run(&mut states, spans.blocks.len(), |worker, k| {
                self.unpack_block(worker, spans, k, batch.clone(), into)
            })?;
            first = batch.end;
        }
        Ok(())
    }

    fn pass(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        spans: &mut Spans,
        rows: Range<usize>,
        bytes: usize,
        lengths: Option<&[AtomicI64]>,
    ) -> Result<()> {
        let Spans { blocks, parts, kept, .. } = spans;
        spans.rows = 0..0;
        resize_discarding(parts, blocks.len(), Part::Nothing, WHAT)?;
        kept.truncate(workers.len());
        while kept.len() < workers.len() {
            push(kept, Records::default(), WHAT)?;
        }
        let pass = Pass {
            first: rows.start,
            end: AtomicUsize::new(rows.end),
            lengths,
            room: bytes / size_of::<u32>() / workers.len(),
            workers: workers.len(),
        };
        let around = self.most_around(blocks);
        let mut states = Vec::new();
        for (number, (worker, records)) in workers.iter_mut().zip(&mut *kept).enumerate() {
            worker.reserve(around, self.query.grid.dim())?;
            records.restart(pass.room)?;
            let state = Passing {
                number: number as u32,
                worker,
                records,
                rows: 0,
                parts: Vec::new(),
            };
            push(&mut states, state, WHAT)?;
        }
        team.run(&mut states, blocks.len(), |state, k| {
            let part = self.keep_block(state, &pass, &blocks[k])?;
            push(&mut state.parts, (k, part), WHAT)
        })?;
        parts.fill(Part::Nothing);
        for (k, part) in states.into_iter().flat_map(|state| state.parts) {
            parts[k] = part;
        }
        spans.rows = rows.start..pass.end.into_inner();
        Ok(())
    }

    /// Searches a block, keeps what it can of its rows in the span.
    fn keep_block(&self, state: &mut Passing<T>, pass: &Pass, block: &Block) -> Result<Part> {
        loop {
            let (start, before, end) = (state.records.len(), state.rows, pass.end.load(Relaxed));
            let part = self.try_block(state, pass, block, pass.first..end)?;
            let used = state.records.len() - start;
            if state.records.len() <= pass.room || end - pass.first <= 1 {
                pass.aim(state, used, state.rows - before);
                return Ok(part);
            }
            state.records.truncate(start);
            state.rows = before;
            pass.end.fetch_min(pass.first + (end - pass.first) * 3 / 4, Relaxed);
        }
    }

    /// Searches a block; what is kept of `rows` may become more than there is room for, but not much.
    fn try_block(&self, state: &mut Passing<T>, pass: &Pass, block: &Block, rows: Range<usize>) -> Result<Part> {
        let has_rows = self.has_rows(block, &rows);
        if !has_rows && pass.lengths.is_none() {
            return Ok(Part::Nothing);
        }
        let least = if self.query.full { 0 } else { pass.first as u32 };
        let Some(framed) = self.frame(block, least, &mut state.worker.neighborhood)? else {
            return self.keep_rows(state, pass, block, &rows);
        };
        let numbers = state.records.len();
        if has_rows {
            state.records.append(state.worker.neighborhood.ids())?;
        }
        let leaves = state.records.len();
        self.keep_leaves(state, pass, &framed, &rows)?;
        if !has_rows {
            return Ok(Part::Nothing);
        }
        let (first, len) = (state.records.len(), state.worker.scratch.seats.len());
        state.worker.scratch.keep_seats(state.records)?;
        state.rows += len;
        Ok(Part::Records {
            worker: state.number,
            numbers,
            leaves,
            seats: first,
            end: first + SEAT * len,
        })
    }

    /// Keeps records of the leaves of a block, of those members that are `rows`, and counts the others too where that is wanted.
    fn keep_leaves(&self, state: &mut Passing<T>, pass: &Pass, framed: &Framed, rows: &Range<usize>) -> Result<()> {
        let (view, bound, full) = (self.points()?, self.query.bound, self.query.full);
        let Worker {
            neighborhood, scratch, ..
        } = &mut *state.worker;
        let Scratch {
            ranks, allowed, seats, order, ..
        } = scratch;
        seats.clear();
        resize_discarding(order, neighborhood.ids().len(), NO_SEAT, WHAT)?;
        order.fill(NO_SEAT);
        let mut test = LeafTest {
            fixed: framed.search.fixed,
            kernels: &framed.search.kernels,
            full,
            ranks,
            allowed: self.query.classes.zip(Some(allowed)),
            decide: &mut |pair| is_pair(view, self.query.periods, bound, pair),
        };
        let records = &mut *state.records;
        neighborhood.leaves(&framed.search, &framed.frame, framed.own, &mut |leaf| {
            let members = test.members(leaf)?;
            let first = |row: usize| {
                let below = |&rank: &u16| (leaf.id(rank.into()) as usize) < row;
                test.ranks[..members].partition_point(below)
            };
            let kept = first(rows.start)..first(rows.end);
            let full_up = rows.len() > 1 && records.len() > pass.room;
            if !kept.is_empty() && !full_up {
                test.test_members(leaf, kept.clone(), records, &mut |records, start, counts| {
                    pass.count(leaf, &records.leaf(start, full).0, counts);
                    records.seats(start, full, |seat| {
                        let number = leaf.number(seat.rank.into());
                        order[number] = seats.len() as u16;
                        push(seats, seat, WHAT)
                    })
                })?;
            }
            if pass.lengths.is_some() && kept.end < members {
                test.test_members(leaf, kept.end..members, records, &mut |records, start, counts| {
                    pass.count(leaf, &records.leaf(start, full).0, counts);
                    records.truncate(start);
                    Ok(())
                })?;
            }
            Ok(())
        })
    }

    /// Counts a block that is searched by coordinates where that is wanted, and keeps which of `rows` are in it, ascending.
    fn keep_rows(&self, state: &mut Passing<T>, pass: &Pass, block: &Block, rows: &Range<usize>) -> Result<Part> {
        let (view, filter) = (self.points()?, self.filter(0));
        if let Some(lengths) = pass.lengths {
            (state.worker).by_coordinates(&self.query, view, 0, block, &mut |scratch| Count {
                lengths,
                filter: filter.clone(),
                scratch,
            })?;
        }
        let first = state.records.len();
        let grid = self.query.grid;
        let mut outcome = Ok(());
        grid.places_of(block, |places| {
            for &id in &grid.ids()[places] {
                if rows.contains(&(id as usize)) && outcome.is_ok() {
                    outcome = state.records.append(&[id]);
                }
            }
        });
        outcome?;
        let end = state.records.len();
        state.records.words_mut(first..end).sort_unstable();
        state.rows += end - first;
        Ok(Part::Rows {
            worker: state.number,
            first,
            end,
        })
    }

    fn has_rows(&self, block: &Block, rows: &Range<usize>) -> bool {
        let (grid, mut has) = (self.query.grid, false);
        grid.places_of(block, |places| {
            has = has || grid.ids()[places].iter().any(|&id| rows.contains(&(id as usize)));
        });
        has
    }

    /// Unpacks the rows of a block that are in `batch`.
    fn unpack_block(
        &self,
        worker: &mut Worker<T>,
        spans: &Spans,
        k: usize,
        batch: Range<usize>,
        into: &Into,
    ) -> Result<()> {
        match spans.parts[k] {
            Part::Nothing => Ok(()),
            Part::Rows { worker: number, first, end } => {
                let rows = spans.kept[number as usize].words(first..end);
                let next = rows.partition_point(|&row| (row as usize) < batch.start);
                if rows.get(next).is_none_or(|&row| row as usize >= batch.end) {
                    return Ok(());
                }
                let mut filter = self.filter(into.base);
                filter.rows = batch.start as u32..batch.end as u32;
                worker.by_coordinates(&self.query, self.points()?, into.base, &spans.blocks[k], &mut |scratch| Fill {
                    into,
                    filter: filter.clone(),
                    scratch,
                })
            }
            Part::Records {
                worker: number,
                numbers,
                leaves,
                seats,
                end,
            } => {
                let records = &spans.kept[number as usize];
                let (numbers, seats) = (records.words(numbers..leaves), records.seats_at(seats..end));
                let first = |row: usize| {
                    let below = |&seat: &_| (numbers[usize::from(Seat::of(seat).number)] as usize) < row;
                    seats.partition_point(below)
                };
                let seats = &seats[first(batch.start)..first(batch.end)];
                self.unpack_rows(&mut worker.scratch, records, numbers, seats, into)
            }
        }
    }

    /// Unpacks the rows of `seats`.
    fn unpack_rows(
        &self,
        scratch: &mut Scratch,
        records: &Records,
        numbers: &[u32],
        seats: &[[u32; SEAT]],
        into: &Into,
    ) -> Result<()> {
        let (full, kernels) = (self.query.full, kernels(self.query.isa, self.query.grid.dim()));
        let row_of = |seat: &Seat| numbers[usize::from(seat.number)] as usize;
        let Scratch { hits, row, .. } = scratch;
        let fetch = |&seat: &_| {
            let seat = Seat::of(seat);
            prefetch(&into.offsets[row_of(&seat)]);
            records.prefetch(&seat, full);
        };
        seats.iter().take(AHEAD).for_each(fetch);
        for (k, &seat) in seats.iter().enumerate() {
            seats.get(k + AHEAD).into_iter().for_each(fetch);
            let seat = &Seat::of(seat);
            let packed = records.row(seat, full);
            let padded = packed.words.len() * WORD + PADDING;
            grow(hits, padded, 0, "a row")?;
            grow(row, padded, 0, "a row")?;
            let found = kernels.unpack(&packed, hits);
            for (id, &hit) in row[..found].iter_mut().zip(&hits[..found]) {
                *id = numbers[usize::from(hit as u16)] as i32 + into.base;
            }
            store_row(into.rows, into.place(row_of(seat)), &row[..found]);
        }
        Ok(())
    }
}

impl Pass<'_> {
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
    /// those of the last, which were `rows` and took `words`.
    fn aim<T>(&self, state: &Passing<T>, words: usize, rows: usize) {
        if rows == 0 {
            return;
        }
        let (each, room) = (words as f64 / rows as f64, (self.room / 100 * AIM) as f64);
        let more = (room - state.records.len() as f64).max(0.0) / each;
        let all = self.workers as f64 * (state.rows as f64 + more);
        let end = self.first.saturating_add(all as usize).max(self.first + 1);
        self.end.fetch_min(end, Relaxed);
    }
}
