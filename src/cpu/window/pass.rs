//! A pass over all blocks: the rows of a span are found and kept, as far as memory allows.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Mutex, PoisonError};

use crate::cpu::doubt::Doubt;
use crate::cpu::row_store::{FoundRows, Part};
use crate::cpu::rows::{LeafRows, Lengths, Sink, Source, Wanted};
use crate::cpu::worker::Worker;
use crate::error::Result;
use crate::list::{Arena, ArenaWriter, holds, push};
use crate::simd::Simd;
use crate::threads::Team;

const WHAT: &str = "the rows kept for chunks";

/// This share of the room for rows is aimed at while it is not known what they take.
const AIM: f64 = 0.95;

/// Results of passes.
#[derive(Debug, Default)]
pub struct RowStore {
    /// Of each block that has rows of the span those.
    pub parts: Vec<Part>,
    pub arena: Arena,
    /// Of each worker the rows of the block that it searches.
    found: Vec<FoundRows>,
}

holds! { RowStore { parts, arena, found } }

/// Rows that are to be kept.
pub struct Window<'a> {
    pub rows: Range<usize>,
    /// The end of what memory is enough for, where that is known.
    pub end: Option<usize>,
    /// As for those that are [wanted](Wanted).
    pub order: Option<&'a [u32]>,
    /// All rows are counted.
    pub lengths: Option<Lengths<'a>>,
}

/// One pass over all blocks.
struct SpanPass<'a> {
    /// The first row that is kept, and the end of those: it comes down where memory does not reach.
    first: usize,
    end: AtomicUsize,
    /// Estimates, where that end was not known before.
    aim: Option<Mutex<Aim>>,
    blocks: usize,
    /// The memory did not do: all is to be done again for fewer rows.
    is_over: AtomicBool,
    order: Option<&'a [u32]>,
    arena: ArenaWriter<'a>,
    /// Bytes of a block that a worker may have found before it keeps them.
    most: usize,
}

/// Estimates, while blocks are searched, of how far the memory for rows will reach.
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
struct Passing<'a, M> {
    worker: &'a mut Worker<M>,
    collector: RowCollector<'a>,
    parts: Vec<Part>,
}

/// The rows of a block that a worker found so far.
struct RowCollector<'a> {
    found: &'a mut FoundRows,
    simd: Simd,
    /// Bytes of them, where there was room or not, and how many there may be.
    bytes: usize,
    most: usize,
    /// Those that are kept.
    kept: Wanted<'a>,
    /// Lengths, where all rows that are found are counted.
    lengths: Option<Lengths<'a>>,
}

/// Words for rows of that many points, of which `kept` bytes may be kept.
fn words(kept: usize, points: usize) -> usize {
    (kept / size_of::<u32>()).max(Part::most(points))
}

/// Entries that these have room for at the most.
pub fn most_entries(kept: usize, points: usize) -> usize {
    words(kept, points) * (size_of::<u32>() / size_of::<u16>())
}

impl RowStore {
    /// Keeps a span, and brings its end down to how far it reaches. False where it must be done again, for fewer rows.
    pub fn keep<S: Source>(
        &mut self,
        source: &S,
        team: &Team,
        workers: &mut [Worker<S::Memory>],
        kept: usize,
        span: &mut Window,
    ) -> Result<bool> {
        let RowStore { parts, arena, found } = self;
        parts.clear();
        found.truncate(workers.len());
        while found.len() < workers.len() {
            push(found, FoundRows::default(), WHAT)?;
        }
        let most = words(kept, source.points());
        let pass = SpanPass {
            first: span.rows.start,
            end: AtomicUsize::new(span.end.unwrap_or(span.rows.end)),
            aim: span.end.is_none().then(Mutex::default),
            blocks: source.blocks(),
            is_over: AtomicBool::new(false),
            order: span.order,
            arena: arena.take(most, WHAT)?,
            most: (kept / (2 * workers.len())).min(Part::MOST),
        };
        let mut states = Vec::new();
        for (worker, found) in workers.iter_mut().zip(found) {
            let collector = RowCollector {
                found,
                simd: source.simd(),
                bytes: 0,
                most: 0,
                kept: Wanted::ALL,
                lengths: span.lengths,
            };
            let parts = Vec::new();
            push(
                &mut states,
                Passing {
                    worker,
                    collector,
                    parts,
                },
                WHAT,
            )?;
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
}

impl<'a> SpanPass<'a> {
    /// Searches a block, keeps its rows in the span.
    fn block<S: Source>(&self, source: &S, state: &mut Passing<'a, S::Memory>, k: usize) -> Result<()> {
        while !self.is_over.load(Relaxed) {
            let wanted = Wanted {
                rows: self.first..self.end.load(Relaxed),
                order: self.order,
            };
            let rows = wanted.rows.len();
            state
                .collector
                .begin(&wanted, if rows > 1 { self.most } else { usize::MAX });
            let found = match state.collector.lengths {
                Some(_) => &Wanted::ALL,
                None => &wanted,
            };
            let numbers = source.find(
                &mut state.worker.search,
                k,
                found,
                &mut Doubt::Decide,
                &mut state.collector,
            )?;
            let RowCollector { found, bytes, most, .. } = &mut state.collector;
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
            if let Some(part) = found.keep(numbers, self.order, &self.arena)? {
                return push(&mut state.parts, part, WHAT);
            }
            self.end.fetch_min(self.first + (rows / 4 * 3).max(1), Relaxed);
            self.is_over.store(true, Relaxed);
        }
        Ok(())
    }

    /// Brings the end of the rows that are kept down to what there is room for, with a block that has that many bytes
    /// of numbers, that many rows up to `end`, and bytes of these. Returns whether that is far below `end`: then the
    /// block does not count, as what was found of it is too much.
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
        let room = self.arena.len() as f64 * AIM * size_of::<u32>() as f64 - all_lists - next.bytes as f64;
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

impl<'a> RowCollector<'a> {
    fn begin(&mut self, kept: &Wanted<'a>, most: usize) {
        self.found.clear();
        (self.bytes, self.most) = (0, most);
        self.kept = kept.clone();
    }

    fn keep(&mut self, rows: &LeafRows) -> Result<()> {
        let entries: usize = rows.counts.iter().map(|&count| count as usize).sum();
        match self.has_room(size_of::<u16>() * entries) {
            true => self.found.push_leaf(self.simd, rows),
            false => Ok(()),
        }
    }

    fn has_room(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        bytes > 0 && self.bytes <= self.most
    }
}

/// Takes up rows where there is room.
impl Sink for RowCollector<'_> {
    fn expect(&self, numbers: &[u32]) {
        if let Some(lengths) = self.lengths {
            lengths.prefetch(numbers);
        }
    }

    fn leaf(&mut self, rows: &LeafRows) -> Result<()> {
        let Some(lengths) = self.lengths else {
            return self.keep(rows);
        };
        lengths.store_leaf(rows);
        rows.parts(&self.kept.clone(), |part| self.keep(part))
    }

    fn row(&mut self, number: u32, row: &mut [i32]) -> Result<()> {
        if let Some(lengths) = self.lengths {
            lengths.store(number, row.len());
        }
        match self.kept.has(number as usize) && self.has_room(size_of_val(row)) {
            true => self.found.push_row(number, row),
            false => Ok(()),
        }
    }
}
