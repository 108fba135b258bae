//! Rows of a fixed-radius search a batch at a time, out of memory that does not grow with the result. A pass over all blocks
//! [keeps](Kept) the rows of a span, from one on as far as memory reaches; batches are read from those, block by block, and the
//! next span is searched when its turn comes.
//!
//! in: the blocks of a [`Grid`](crate::grid::Grid), and which rows; out: counts of all rows, rows in place

use std::mem::take;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI64, AtomicUsize};

use super::kept::{Kept, Part, Reading};
use super::leaf::{LeafBox, LeafTest, Tested};
use super::pairs::{Framed, Pairs};
use super::query::is_pair;
use super::simd::Width;
use super::simd::fixed::{Kernels, Ranked, words_of};
use super::worker::{Count, EachRow, Worker};
use crate::error::Result;
use crate::grid::Block;
use crate::list::{Delivery, Rows, as_atomic_i64, prefetch, push};
use crate::threads::Team;

const WHAT: &str = "what a search in chunks keeps";

/// Of the room for rows, as many hundredths are aimed at.
const AIM: usize = 98;

/// What is kept of a span of rows.
#[derive(Debug, Default)]
pub struct Spans {
    blocks: Vec<Block>,
    /// Of each block that has rows of the span those, and which worker has them.
    parts: Vec<(usize, Part)>,
    /// One for each worker.
    kept: Vec<Kept>,
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
            + self.parts.capacity() * size_of::<(usize, Part)>()
            + self.kept.iter().map(Kept::bytes).sum::<usize>()
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
    keeping: Keeping<'a>,
    parts: Vec<(usize, Part)>,
}

/// What a worker keeps.
struct Keeping<'a> {
    kept: &'a mut Kept,
    found: Found,
    /// There was no room for a row of the block that is searched: it will be searched again for fewer.
    is_short: bool,
}

/// Rows that were to be kept so far, and bytes for them where there was room or not.
#[derive(Clone, Copy, Default)]
struct Found {
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
            spans.read(team, first..end, batch, to)?;
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
        spans.kept.truncate(shares);
        while spans.kept.len() < shares {
            push(&mut spans.kept, Kept::default(), WHAT)?;
        }
        let room = kept / shares;
        // Rows become shorter, if anything, so that there may be room for more of them.
        let more = if spans.each > 0.0 {
            (2.0 * (room * shares) as f64 / spans.each) as usize
        } else {
            usize::MAX
        };
        let end = rows.start.saturating_add(more.max(1)).min(rows.end);
        let pass = Pass {
            first: rows.start,
            end: AtomicUsize::new(end),
            order,
            lengths,
            room,
            workers: shares,
        };
        let Spans {
            blocks, parts, kept, ..
        } = spans;
        let around = self.most_around(blocks);
        let mut states = Vec::new();
        for (number, (worker, kept)) in workers.iter_mut().zip(kept).enumerate() {
            worker.reserve(around, self.query.grid.dim())?;
            kept.restart(pass.room)?;
            let keeping = Keeping {
                kept,
                found: Found::default(),
                is_short: false,
            };
            let state = Passing {
                number,
                worker,
                keeping,
                parts: Vec::new(),
            };
            push(&mut states, state, WHAT)?;
        }
        team.run(&mut states, blocks.len(), |state, k| {
            self.keep_block(state, &pass, &blocks[k])
        })?;
        spans.rows = rows.start..pass.end.into_inner();
        let found = states.iter().map(|state| state.keeping.found);
        let [found, bytes] = found.fold([0, 0], |[rows, bytes], found| [rows + found.rows, bytes + found.bytes]);
        spans.each = bytes as f64 / found.max(1) as f64;
        parts.clear();
        for part in states.into_iter().flat_map(|state| state.parts) {
            push(parts, part, WHAT)?;
        }
        Ok(())
    }

    /// Searches a block, keeps what it can of its rows in the span.
    fn keep_block(&self, state: &mut Passing<T>, pass: &Pass, block: &Block) -> Result<()> {
        loop {
            let (before, end) = (state.keeping.found, pass.end.load(Relaxed));
            state.keeping.is_short = false;
            state.keeping.kept.begin();
            let room = state.keeping.kept.left();
            self.try_block(state, pass, block, &(pass.first..end))?;
            let Keeping { kept, found, is_short } = &mut state.keeping;
            let (rows, bytes) = (found.rows - before.rows, found.bytes - before.bytes);
            if !*is_short {
                if let Some(part) = kept.end(pass.order)? {
                    push(&mut state.parts, (state.number, part), WHAT)?;
                }
                pass.aim(&state.keeping, bytes, rows);
                return Ok(());
            }
            kept.undo();
            *found = before;
            let share = (0.9 * room as f64 / bytes as f64).min(0.9);
            let fewer = ((end - pass.first) as f64 * share) as usize;
            pass.end.fetch_min(pass.first + fewer.max(1), Relaxed);
        }
    }

    /// Searches a block and keeps `rows` as far as there is room, and counts all where that is wanted.
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
        let Passing { worker, keeping, .. } = state;
        let Worker {
            neighborhood, scratch, ..
        } = &mut **worker;
        let (mut ranks, mut words) = (take(&mut scratch.ranks), take(&mut scratch.words));
        let mut allowed = take(&mut scratch.allowed);
        let kernels = &framed.search.kernels;
        let mut test = LeafTest {
            fixed: framed.search.fixed,
            kernels,
            full,
            ranks: &mut ranks,
            allowed: self.query.classes.zip(Some(&mut allowed)),
            decide: &mut |pair| is_pair(view, self.query.periods, bound, pair),
        };
        let place = |row: usize| neighborhood.ids().partition_point(|&id| (id as usize) < row);
        let places = place(rows.start)..place(rows.end);
        let done = neighborhood.leaves(&framed.search, &framed.frame, framed.own, &mut |leaf| {
            let members = test.members(leaf)?;
            let wanted = match pass.order {
                Some(order) => {
                    let is_wanted = |rank: u16| rows.contains(&(order[leaf.id(rank.into()) as usize] as usize));
                    0..retain(&mut test.ranks[..members], is_wanted)
                }
                None => {
                    let below = |place: usize| {
                        test.ranks[..members].partition_point(|&rank| leaf.number(rank.into()) < place)
                    };
                    below(places.start)..below(places.end)
                }
            };
            let tested = match pass.lengths {
                Some(_) => 0..members,
                None => wanted.clone(),
            };
            test.test_words(leaf, tested, &mut words, &mut |tested| {
                pass.count(leaf, tested);
                keeping.push(kernels, leaf, &tested.part(&wanted, leaf.targets.len, full), full, rows)
            })
        });
        (scratch.ranks, scratch.words, scratch.allowed) = (ranks, words, allowed);
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
        let Passing { worker, keeping, .. } = state;
        if let Some(lengths) = pass.lengths {
            worker.by_coordinates(&self.query, view, 0, block, |scratch| Count {
                lengths,
                filter,
                scratch,
            })?;
        }
        let mut outcome = Ok(());
        worker.by_coordinates(&self.query, view, 0, block, |scratch| EachRow {
            filter,
            rows: pass.order.map_or(rows.clone(), |order| 0..order.len()),
            action: |i: u32, row: &[i32]| match rows.contains(&pass.row(i as usize)) {
                true => keeping.push_row(i, row, rows),
                false => Ok(()),
            },
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

/// Brings those of `ranks` that are wanted to the front; returns how many.
fn retain(ranks: &mut [u16], is_wanted: impl Fn(u16) -> bool) -> usize {
    let mut kept = 0;
    for k in 0..ranks.len() {
        ranks[kept] = ranks[k];
        kept += usize::from(is_wanted(ranks[k]));
    }
    kept
}

impl Keeping<'_> {
    /// Keeps rows of a leaf, which are some of `rows`. Once there is no room it does nothing, so that all of the block is done
    /// again.
    fn push(
        &mut self,
        kernels: &Kernels,
        leaf: &LeafBox,
        tested: &Tested,
        full: bool,
        rows: &Range<usize>,
    ) -> Result<()> {
        let room = self.room(rows);
        let ranked = Ranked {
            index: leaf.targets.index,
            len: leaf.targets.len,
            ranks: tested.ranks,
            words: tested.words,
            full,
        };
        let bytes = (self.kept).push_leaf(kernels, &ranked, leaf.around.ids, tested.counts, room)?;
        self.take(tested.ranks.len(), bytes, room);
        Ok(())
    }

    /// Keeps the row of point `number`.
    fn push_row(&mut self, number: u32, row: &[i32], rows: &Range<usize>) -> Result<()> {
        let room = self.room(rows);
        let bytes = self.kept.push_row(number, row, room)?;
        self.take(1, bytes, room);
        Ok(())
    }

    /// Bytes that there is room for; a single row is always kept.
    fn room(&self, rows: &Range<usize>) -> usize {
        match self.is_short {
            true => 0,
            false if rows.len() <= 1 => usize::MAX,
            false => self.kept.left(),
        }
    }

    fn take(&mut self, rows: usize, bytes: usize, room: usize) {
        self.is_short |= bytes > room;
        self.found.rows += rows;
        self.found.bytes += bytes;
    }
}

impl<'a> Tested<'a> {
    /// Those of them that are some of the leaf's members `wanted`.
    fn part(&self, wanted: &Range<usize>, targets: usize, full: bool) -> Tested<'a> {
        let within = |member: usize| member.saturating_sub(self.first).min(self.ranks.len());
        let (start, end) = (within(wanted.start), within(wanted.end));
        let before = self.ranks[..start].iter();
        let words: usize = before.map(|&rank| words_of(rank.into(), targets, full)).sum();
        Tested {
            first: self.first + start,
            ranks: &self.ranks[start..end],
            words: &self.words[words..],
            counts: &self.counts[start..end],
        }
    }
}

impl Pass<'_> {
    /// Which row of the delivery row `i` is.
    fn row(&self, i: usize) -> usize {
        self.order.map_or(i, |order| order[i] as usize)
    }

    /// Stores the lengths of rows.
    fn count(&self, leaf: &LeafBox, tested: &Tested) {
        let Some(lengths) = self.lengths else { return };
        let id = |&rank: &u16| leaf.id(rank.into()) as usize;
        tested.ranks.iter().for_each(|rank| prefetch(&lengths[id(rank)]));
        for (rank, &count) in tested.ranks.iter().zip(tested.counts) {
            lengths[id(rank)].store(i64::from(count), Relaxed);
        }
    }

    /// Brings the end of the rows that are kept down to what there is room for, if those of the other blocks take as much as
    /// those of the last, which were `rows` and took `bytes`.
    fn aim(&self, keeping: &Keeping, bytes: usize, rows: usize) {
        if bytes == 0 {
            return;
        }
        let spare = self.room / 100 * (100 - AIM);
        let more = keeping.kept.left().saturating_sub(spare) as f64 * rows as f64 / bytes as f64;
        let all = self.workers as f64 * (keeping.found.rows as f64 + more);
        let end = self.first.saturating_add(all as usize).max(self.first + 1);
        self.end.fetch_min(end, Relaxed);
    }
}

impl Spans {
    /// Reads `rows`, which are kept, of a batch.
    fn read(&self, team: &Team, rows: Range<usize>, batch: &Batch, to: &Rows) -> Result<()> {
        let mut states = Vec::new();
        for _ in 0..team.threads() {
            push(&mut states, Reading::default(), WHAT)?;
        }
        let first = batch.delivery.places.offsets[batch.rows.start];
        team.run(&mut states, self.parts.len(), |reading, k| {
            let (worker, part) = &self.parts[k];
            reading.read(&self.kept[*worker], part, rows.clone(), first, &batch.delivery, to)
        })
    }
}
