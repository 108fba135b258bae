//! Rows of a fixed-radius search a batch at a time, out of memory that does not grow with the result. A pass over all blocks
//! [keeps](Found::keep) the rows of a span, from one on as far as memory reaches; batches are read from those, block by block, and the
//! next span is searched when its turn comes.
//!
//! in: the blocks of a [`Grid`](crate::grid::Grid), and which rows; out: counts of all rows, rows in place

use std::mem::take;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize};
use std::sync::{Mutex, PoisonError};

use super::kept::{Found, Part, Reading};
use super::leaf::{LeafBox, LeafTest, Tested};
use super::pairs::{Framed, Pairs};
use super::query::is_pair;
use super::simd::Width;
use super::simd::fixed::{Kernels, Ranked, words_of};
use super::worker::{Count, EachRow, Worker};
use crate::error::Result;
use crate::grid::Block;
use crate::list::{Delivery, Pile, Rows, Taking, as_atomic_i64, prefetch, push};
use crate::threads::Team;

const WHAT: &str = "what a search in chunks keeps";

/// This share of the room for rows is aimed at while it is not known what they take, and this one when it is.
const AIM: f64 = 0.95;
const KNOWN: f64 = 0.997;

/// What is kept of a span of rows.
#[derive(Debug, Default)]
pub struct Spans {
    blocks: Vec<Block>,
    /// Of each block that has rows of the span those.
    parts: Vec<Part>,
    pile: Pile,
    /// Of each worker the rows of the block that it searches.
    found: Vec<Found>,
    /// The rows that batches can be taken of, by their numbers in the delivery,
    rows: Range<usize>,
    /// where those are not the ones of the search.
    moved: bool,
    cost: Option<Cost>,
}

/// Bytes that were kept in the last pass.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// Beside entries and rows,
    lists: f64,
    /// for a row,
    row: f64,
    /// and for an entry.
    entry: f64,
}

impl Spans {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
            + self.parts.capacity() * size_of::<Part>()
            + self.pile.bytes()
            + self.found.iter().map(Found::bytes).sum::<usize>()
    }

    /// The end of as many of `rows`, one at the least, as `room` bytes will do for by what the last pass cost.
    fn reach(&self, rows: &Range<usize>, offsets: &[i64], room: usize) -> Option<usize> {
        let cost = self.cost?;
        let bytes = |end: usize| {
            let entries = (offsets[end] - offsets[rows.start]) as f64;
            cost.lists + cost.row * (end - rows.start) as f64 + cost.entry * entries
        };
        let room = room as f64 * KNOWN;
        let (mut end, mut beyond) = (rows.start + 1, rows.end + 1);
        while beyond - end > 1 {
            let middle = end.midpoint(beyond);
            match bytes(middle) <= room {
                true => end = middle,
                false => beyond = middle,
            }
        }
        Some(end)
    }

    /// What was kept, in bytes.
    fn cost(&self) -> Option<Cost> {
        let sizes = self.parts.iter().map(Part::sizes);
        let sum = sizes.fold([0; 5], |sum, sizes| std::array::from_fn(|k| sum[k] + sizes[k]));
        let [lists, rows, entries, row_count, entry_count] = sum.map(|sum| sum as f64);
        (entry_count > 0.0).then(|| Cost {
            lists,
            row: rows / row_count,
            entry: entries / entry_count,
        })
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

/// Rows that are to be kept.
struct Span<'a> {
    rows: Range<usize>,
    /// How far memory reaches, where that is known.
    end: Option<usize>,
    /// For each row that is searched which one of the delivery it is; `None`: the same.
    order: Option<&'a [u32]>,
}

/// One pass over all blocks.
struct Pass<'a> {
    /// The first row that is kept, and the end of those: it comes down where memory does not reach.
    first: usize,
    end: AtomicUsize,
    /// Where that end was not known before.
    aim: Option<Mutex<Aim>>,
    blocks: usize,
    /// The memory did not do: all is to be done again for fewer rows.
    is_over: AtomicBool,
    /// For each row that is searched which one of the delivery it is; `None`: the same.
    order: Option<&'a [u32]>,
    /// Rows are counted, all of them.
    lengths: Option<&'a [AtomicI64]>,
    pile: Taking<'a>,
    /// Bytes of a block that a worker may have found before it keeps them.
    most: usize,
}

/// What tells, while blocks are searched, how far the memory for rows will reach.
#[derive(Default)]
struct Aim {
    /// Blocks so far, bytes of their numbers, rows, and bytes of these.
    blocks: usize,
    lists: usize,
    rows: usize,
    bytes: usize,
}

/// One worker's part of a pass.
struct Passing<'a, T> {
    worker: &'a mut Worker<T>,
    finding: Finding<'a>,
    parts: Vec<Part>,
}

/// The rows of a block that a worker found so far.
struct Finding<'a> {
    found: &'a mut Found,
    /// Bytes of them, where there was room or not, and how many there may be.
    bytes: usize,
    most: usize,
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
        let span = Span {
            rows,
            end: None,
            order: None,
        };
        self.pass(team, workers, spans, kept, span, Some(as_atomic_i64(lengths)))
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
                let rows = first..batch.end;
                let end = spans.reach(&rows, batch.delivery.places.offsets, batch.kept);
                let span = Span { rows, end, order };
                self.pass(team, workers, spans, batch.kept, span, None)?;
            }
            let end = batch.rows.end.min(spans.rows.end);
            spans.read(team, first..end, batch, to)?;
            first = end;
        }
        Ok(())
    }

    /// Passes over the blocks until a span is kept that begins as `span` does.
    fn pass(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        spans: &mut Spans,
        kept: usize,
        mut span: Span,
        lengths: Option<&[AtomicI64]>,
    ) -> Result<()> {
        (spans.rows, spans.moved) = (0..0, span.order.is_some());
        let around = self.most_around(&spans.blocks);
        for worker in &mut *workers {
            worker.reserve(around, self.query.grid.dim())?;
        }
        while !self.keep_span(team, workers, spans, kept, &mut span, lengths)? {}
        (spans.rows, spans.cost) = (span.rows, spans.cost());
        Ok(())
    }

    /// Keeps a span, and brings its end down to how far it reaches. False where it must be done again, for fewer rows.
    fn keep_span(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        spans: &mut Spans,
        kept: usize,
        span: &mut Span,
        lengths: Option<&[AtomicI64]>,
    ) -> Result<bool> {
        let Spans {
            blocks,
            parts,
            pile,
            found,
            ..
        } = spans;
        parts.clear();
        found.truncate(workers.len());
        while found.len() < workers.len() {
            push(found, Found::default(), WHAT)?;
        }
        let points = self.query.grid.len();
        let pass = Pass {
            first: span.rows.start,
            end: AtomicUsize::new(span.end.unwrap_or(span.rows.end)),
            aim: span.end.is_none().then(Mutex::default),
            blocks: blocks.len(),
            is_over: AtomicBool::new(false),
            order: span.order,
            lengths,
            pile: pile.take((kept / size_of::<u32>()).max(Part::most(points)), WHAT)?,
            most: kept / (2 * workers.len()),
        };
        let mut states = Vec::new();
        for (worker, found) in workers.iter_mut().zip(found) {
            let finding = Finding {
                found,
                bytes: 0,
                most: 0,
            };
            let parts = Vec::new();
            push(&mut states, Passing { worker, finding, parts }, WHAT)?;
        }
        team.run(&mut states, blocks.len(), |state, k| {
            self.keep_block(state, &pass, &blocks[k])
        })?;
        for part in states.into_iter().flat_map(|state| state.parts) {
            push(parts, part, WHAT)?;
        }
        let end = pass.end.load(Relaxed);
        let is_over = pass.is_over.load(Relaxed);
        match is_over {
            true => span.end = Some(end),
            false => span.rows.end = end,
        }
        Ok(!is_over)
    }

    /// Searches a block, keeps its rows in the span.
    fn keep_block(&self, state: &mut Passing<T>, pass: &Pass, block: &Block) -> Result<()> {
        loop {
            if pass.is_over.load(Relaxed) {
                return Ok(());
            }
            let end = pass.end.load(Relaxed);
            let rows = pass.first..end;
            state.finding.begin(if rows.len() > 1 { pass.most } else { usize::MAX });
            let is_listed = self.find_block(state, pass, block, &rows)?;
            let Finding { found, bytes, most } = &mut state.finding;
            if *bytes > *most {
                let fewer = 0.9 * rows.len() as f64 * *most as f64 / *bytes as f64;
                pass.end.fetch_min(pass.first + (fewer as usize).max(1), Relaxed);
                continue;
            }
            let numbers = is_listed.then(|| state.worker.neighborhood.ids());
            if pass.aims_far_below(found.sizes(numbers), end) {
                continue;
            }
            if found.is_empty() {
                return Ok(());
            }
            if let Some(part) = found.keep(numbers, pass.order, &pass.pile)? {
                return push(&mut state.parts, part, WHAT);
            }
            pass.end.fetch_min(pass.first + (rows.len() / 4 * 3).max(1), Relaxed);
            pass.is_over.store(true, Relaxed);
        }
    }

    /// Searches a block and finds `rows`, and counts all where that is wanted. Returns whether rows are places among the points
    /// around.
    fn find_block(&self, state: &mut Passing<T>, pass: &Pass, block: &Block, rows: &Range<usize>) -> Result<bool> {
        if pass.lengths.is_none() && !self.has_rows(pass, block, rows) {
            return Ok(false);
        }
        let is_behind = !self.query.full && pass.order.is_none();
        let least = if is_behind { pass.first as u32 } else { 0 };
        match self.frame(block, least, &mut state.worker.neighborhood)? {
            Some(framed) => self.find_in_leaves(state, pass, &framed, rows).map(|()| true),
            None => self.find_by_coordinates(state, pass, block, rows).map(|()| false),
        }
    }

    fn find_in_leaves(&self, state: &mut Passing<T>, pass: &Pass, framed: &Framed, rows: &Range<usize>) -> Result<()> {
        let (view, bound, full) = (self.points()?, self.query.bound, self.query.full);
        let Passing { worker, finding, .. } = state;
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
                    let below =
                        |place: usize| test.ranks[..members].partition_point(|&rank| leaf.number(rank.into()) < place);
                    below(places.start)..below(places.end)
                }
            };
            let tested = match pass.lengths {
                Some(_) => 0..members,
                None => wanted.clone(),
            };
            test.test_words(leaf, tested, &mut words, &mut |tested| {
                pass.count(leaf, tested);
                finding.push(kernels, leaf, &tested.part(&wanted, leaf.targets.len, full), full)
            })
        });
        (scratch.ranks, scratch.words, scratch.allowed) = (ranks, words, allowed);
        done
    }

    fn find_by_coordinates(
        &self,
        state: &mut Passing<T>,
        pass: &Pass,
        block: &Block,
        rows: &Range<usize>,
    ) -> Result<()> {
        let (view, filter) = (self.points()?, self.filter(0));
        let Passing { worker, finding, .. } = state;
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
                true => finding.push_row(i, row),
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

impl Finding<'_> {
    fn begin(&mut self, most: usize) {
        self.found.clear();
        (self.bytes, self.most) = (0, most);
    }

    /// Takes up rows of a leaf, where there is room.
    fn push(&mut self, kernels: &Kernels, leaf: &LeafBox, tested: &Tested, full: bool) -> Result<()> {
        let ranked = Ranked {
            index: leaf.targets.index,
            len: leaf.targets.len,
            ranks: tested.ranks,
            words: tested.words,
            full,
        };
        let entries: usize = tested.counts.iter().map(|&count| count as usize).sum();
        match self.has_room(size_of::<u16>() * entries) {
            true => self.found.push_leaf(kernels, &ranked, tested.counts),
            false => Ok(()),
        }
    }

    /// Takes up the row of point `number`, where there is room.
    fn push_row(&mut self, number: u32, row: &[i32]) -> Result<()> {
        match self.has_room(size_of_val(row)) {
            true => self.found.push_row(number, row),
            false => Ok(()),
        }
    }

    fn has_room(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        bytes > 0 && self.bytes <= self.most
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

    /// Brings the end of the rows that are kept down to what there is room for, with a block that has so many bytes of numbers, so
    /// many rows up to `end`, and bytes of these. Returns whether that is far below `end`: then the block does not count, as what
    /// was found of it is too much.
    fn aims_far_below(&self, [lists, rows, bytes]: [usize; 3], end: usize) -> bool {
        let Some(aim) = &self.aim else { return false };
        let mut aim = aim.lock().unwrap_or_else(PoisonError::into_inner);
        let next = Aim {
            blocks: aim.blocks + 1,
            lists: aim.lists + lists,
            rows: aim.rows + rows,
            bytes: aim.bytes + bytes,
        };
        if next.rows == 0 {
            *aim = next;
            return false;
        }
        let all_lists = next.lists as f64 / next.blocks as f64 * self.blocks as f64;
        let room = self.pile.len() as f64 * AIM * size_of::<u32>() as f64 - all_lists - next.bytes as f64;
        let more = room.max(0.0) * next.rows as f64 / next.bytes as f64;
        let reach = (next.rows + more as usize).max(1);
        self.end.fetch_min(self.first.saturating_add(reach), Relaxed);
        let is_far = reach < (end - self.first) / 10 * 9;
        if !is_far {
            *aim = next;
        }
        is_far
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
            reading.read(&self.pile, &self.parts[k], rows.clone(), first, &batch.delivery, to)
        })
    }
}
