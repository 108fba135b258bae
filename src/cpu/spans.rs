//! Rows of a search a batch at a time, out of memory that does not grow with the result. A pass over all blocks of a [`Source`]
//! [keeps](Found::keep) the rows of a span, from one on as far as memory reaches; batches are read from those, block by block,
//! and the next span is searched when its turn comes.
//!
//! in: a search, and which rows; out: counts of all rows, rows in place

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize};
use std::sync::{Mutex, PoisonError};

use super::kept::{Found, Part, Reading};
use super::simd::fixed::{Kernels, Ranked};
use super::simd::packed;
use crate::error::Result;
use crate::list::{Delivery, Pile, Rows, Taking, as_atomic_i64, push};
use crate::threads::Team;

const WHAT: &str = "what a search in chunks keeps";

/// This share of the room for rows is aimed at while it is not known what they take, and this one when it is.
const AIM: f64 = 0.95;
const KNOWN: f64 = 0.997;

/// Entries of a batch that a thread reads of a block, at least: then none writes to what another has in its caches.
const SLICE: usize = 2048;

/// A search block by block.
pub trait Source: Sync {
    /// What a worker needs.
    type Worker: Send;

    /// Number of points.
    fn points(&self) -> usize;

    /// Number of blocks.
    fn blocks(&self) -> usize;

    /// How rows are packed.
    fn packing(&self) -> packed::Kernels;

    /// Makes the workers ready for a pass.
    fn prepare(&self, workers: &mut [Self::Worker]) -> Result<()>;

    /// Finds the rows of a block that are wanted, as far as there is room, and counts all where that is. Returns the numbers
    /// of the points around, which rows are places among; `None` where they are numbers themselves.
    fn find<'w>(
        &self,
        worker: &'w mut Self::Worker,
        block: usize,
        wanted: &Wanted,
        finding: &mut Finding,
    ) -> Result<Option<&'w [u32]>>;
}

/// Which rows are to be found.
pub struct Wanted<'a> {
    /// Those of the delivery.
    pub rows: Range<usize>,
    /// For each row that is searched which one of the delivery it is; `None`: the same.
    pub order: Option<&'a [u32]>,
    /// All rows are counted.
    pub lengths: Option<&'a [AtomicI64]>,
}

impl Wanted<'_> {
    /// Whether the row of point `number` is one of them.
    #[inline]
    pub fn has(&self, number: usize) -> bool {
        let row = self.order.map_or(number, |order| order[number] as usize);
        self.rows.contains(&row)
    }
}

/// What is kept of a span of rows.
#[derive(Debug, Default)]
pub struct Spans {
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
        self.parts.capacity() * size_of::<Part>()
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
    /// Other work, in so many pieces, that is done meanwhile.
    pub beside: (usize, &'a (dyn Fn(usize) + Sync)),
}

/// Rows that are to be kept.
struct Span<'a> {
    rows: Range<usize>,
    /// How far memory reaches, where that is known.
    end: Option<usize>,
    /// As for those that are [wanted](Wanted).
    order: Option<&'a [u32]>,
    lengths: Option<&'a [AtomicI64]>,
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
    order: Option<&'a [u32]>,
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
#[repr(align(128))] // no line of it is another thread's too
struct Passing<'a, W> {
    worker: &'a mut W,
    finding: Finding<'a>,
    parts: Vec<Part>,
}

/// The rows of a block that a worker found so far.
pub struct Finding<'a> {
    found: &'a mut Found,
    packing: packed::Kernels,
    /// Bytes of them, where there was room or not, and how many there may be.
    bytes: usize,
    most: usize,
}

impl Spans {
    /// Writes the length of row `i` to `lengths[i]`, and keeps of `rows` what it can from the first on in `kept` bytes.
    pub fn count<S: Source>(
        &mut self,
        source: &S,
        team: &Team,
        workers: &mut [S::Worker],
        (rows, kept): (Range<usize>, usize),
        lengths: &mut [i64],
    ) -> Result<()> {
        lengths.fill(0); // not every point has a row
        let span = Span {
            rows,
            end: None,
            order: None,
            lengths: Some(as_atomic_i64(lengths)),
        };
        self.pass(source, team, workers, kept, span)
    }

    /// Writes the ids of a batch to `to`, which has room for as many as there are. Their span is searched where it was not yet.
    pub fn fill<S: Source>(
        &mut self,
        source: &S,
        team: &Team,
        workers: &mut [S::Worker],
        batch: &Batch,
        to: &Rows,
    ) -> Result<()> {
        let (mut first, order) = (batch.rows.start, batch.delivery.places.order);
        if self.moved != order.is_some() {
            self.rows = 0..0;
        }
        while first < batch.rows.end {
            if !self.rows.contains(&first) {
                let rows = first..batch.end;
                let span = Span {
                    end: self.reach(&rows, batch.delivery.places.offsets, batch.kept),
                    rows,
                    order,
                    lengths: None,
                };
                self.pass(source, team, workers, batch.kept, span)?;
            }
            let end = batch.rows.end.min(self.rows.end);
            self.read(source, team, first..end, batch, to)?;
            first = end;
        }
        Ok(())
    }

    /// Passes over the blocks until a span is kept that begins as `span` does.
    fn pass<S: Source>(
        &mut self,
        source: &S,
        team: &Team,
        workers: &mut [S::Worker],
        kept: usize,
        mut span: Span,
    ) -> Result<()> {
        (self.rows, self.moved) = (0..0, span.order.is_some());
        source.prepare(workers)?;
        while !self.keep(source, team, workers, kept, &mut span)? {}
        (self.rows, self.cost) = (span.rows, self.cost());
        Ok(())
    }

    /// Keeps a span, and brings its end down to how far it reaches. False where it must be done again, for fewer rows.
    fn keep<S: Source>(
        &mut self,
        source: &S,
        team: &Team,
        workers: &mut [S::Worker],
        kept: usize,
        span: &mut Span,
    ) -> Result<bool> {
        let Spans { parts, pile, found, .. } = self;
        parts.clear();
        found.truncate(workers.len());
        while found.len() < workers.len() {
            push(found, Found::default(), WHAT)?;
        }
        let most = (kept / size_of::<u32>()).max(Part::most(source.points()));
        let pass = Pass {
            first: span.rows.start,
            end: AtomicUsize::new(span.end.unwrap_or(span.rows.end)),
            aim: span.end.is_none().then(Mutex::default),
            blocks: source.blocks(),
            is_over: AtomicBool::new(false),
            order: span.order,
            lengths: span.lengths,
            pile: pile.take(most, WHAT)?,
            most: (kept / (2 * workers.len())).min(Part::MOST),
        };
        let mut states = Vec::new();
        for (worker, found) in workers.iter_mut().zip(found) {
            let finding = Finding {
                found,
                packing: source.packing(),
                bytes: 0,
                most: 0,
            };
            let parts = Vec::new();
            push(&mut states, Passing { worker, finding, parts }, WHAT)?;
        }
        team.run(&mut states, pass.blocks, |state, k| pass.block(source, state, k))?;
        for part in states.into_iter().flat_map(|state| state.parts) {
            push(parts, part, WHAT)?;
        }
        let (end, is_over) = (pass.end.load(Relaxed), pass.is_over.load(Relaxed));
        match is_over {
            true => span.end = Some(end),
            false => span.rows.end = end,
        }
        Ok(!is_over)
    }

    /// Reads `rows`, which are kept, of a batch: each thread a slice of them, out of all parts.
    fn read<S: Source>(&self, source: &S, team: &Team, rows: Range<usize>, batch: &Batch, to: &Rows) -> Result<()> {
        let mut states = Vec::new();
        for _ in 0..team.threads() {
            push(&mut states, Reading::new(source.packing()), WHAT)?;
        }
        let offsets = batch.delivery.places.offsets;
        let (first, parts) = (offsets[batch.rows.start], self.parts.len());
        let (start, end) = (offsets[rows.start], offsets[rows.end]);
        let slices = team
            .threads()
            .min((end - start) as usize / (parts.max(1) * SLICE))
            .max(1);
        let cut = |k: usize| {
            let entry = start + (end - start) / slices as i64 * k as i64;
            rows.start + offsets[rows.start..rows.end].partition_point(|&offset| offset < entry)
        };
        let slice = |k: usize| cut(k)..if k + 1 < slices { cut(k + 1) } else { rows.end };
        // What a slice's left points are goes with its rows, so that each thread writes to lines of its own there too.
        let (pieces, beside) = batch.beside;
        let pieces = if rows.end == batch.rows.end { pieces } else { 0 };
        let tasks = parts + pieces.div_ceil(slices);
        team.run_in_shares(&mut states, slices * tasks, |reading, task| {
            let (k, task) = (task / tasks, task % tasks);
            if task < parts {
                return reading.read(&self.pile, &self.parts[task..], slice(k), first, &batch.delivery, to);
            }
            let piece = k * (tasks - parts) + task - parts;
            if piece < pieces {
                beside(piece);
            }
            Ok(())
        })
    }
}

impl Pass<'_> {
    /// Searches a block, keeps its rows in the span.
    fn block<S: Source>(&self, source: &S, state: &mut Passing<S::Worker>, k: usize) -> Result<()> {
        while !self.is_over.load(Relaxed) {
            let wanted = Wanted {
                rows: self.first..self.end.load(Relaxed),
                order: self.order,
                lengths: self.lengths,
            };
            let rows = wanted.rows.len();
            state.finding.begin(if rows > 1 { self.most } else { usize::MAX });
            let numbers = source.find(state.worker, k, &wanted, &mut state.finding)?;
            let Finding { found, bytes, most, .. } = &mut state.finding;
            if *bytes > *most {
                let fewer = 0.9 * rows as f64 * *most as f64 / *bytes as f64;
                self.end.fetch_min(self.first + (fewer as usize).max(1), Relaxed);
                continue;
            }
            if self.aims_far_below(found.sizes(numbers), wanted.rows.end) {
                continue;
            }
            if found.is_empty() {
                return Ok(());
            }
            if let Some(part) = found.keep(numbers, self.order, &self.pile)? {
                return push(&mut state.parts, part, WHAT);
            }
            self.end.fetch_min(self.first + (rows / 4 * 3).max(1), Relaxed);
            self.is_over.store(true, Relaxed);
        }
        Ok(())
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
        let is_far = reach < (end - self.first) / 20 * 19;
        if !is_far {
            *aim = next;
        }
        is_far
    }
}

impl Finding<'_> {
    fn begin(&mut self, most: usize) {
        self.found.clear();
        (self.bytes, self.most) = (0, most);
    }

    /// Takes up rows of a leaf, whose lengths are `counts`, where there is room.
    pub fn push(&mut self, kernels: &Kernels, ranked: &Ranked, counts: &[u32]) -> Result<()> {
        let entries: usize = counts.iter().map(|&count| count as usize).sum();
        match self.has_room(size_of::<u16>() * entries) {
            true => self.found.push_leaf((kernels, &self.packing), ranked, counts),
            false => Ok(()),
        }
    }

    /// Takes up the row of point `number` as it is, where there is room.
    pub fn push_row(&mut self, number: u32, row: &[i32]) -> Result<()> {
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
