//! Results in chunks of whole rows, with memory that does not grow with the result. Batches of chunks are filled by the backend
//! that counted, and returned one chunk after another.

use std::ops::Range;
use std::time::Instant;

use super::counted::Query;
use super::inputs::Inputs;
use super::job::Job;
use super::made_from::StreamOf;
use super::neighbors::{Layout, Pairs, Sought};
use super::report::Phase;
use super::session::{Cut, with_source};
use crate::cpu::window::{Batch, RowWindow};
use crate::error::{Error, Result};
use crate::ids::{Labels, Order, OutputMap};
use crate::list::{LeftColumn, Rows, fill_left, holds, reserve_discarding, resize_discarding};
use crate::points::Precision;
use crate::version::Derived;

/// Entries of a batch of chunks, at least: then each costs more to be unpacked than the search for it.
const BATCH: usize = 1 << 20;

/// The most bytes that the search keeps for each point while a result is streamed, and for few points.
const KEPT: usize = 42;
const KEPT_AT_LEAST: usize = 1 << 22;

/// Bytes that it keeps for each point at the least, where a memory limit leaves no more.
const KEPT_AT_LIMIT: usize = 4;

/// Some rows of a result, laid out as in [`Neighbors`](super::Neighbors): row `first_row + k` is
/// `ids[offsets[k] - base .. offsets[k + 1] - base]`.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The number of the first row, in the handle's index base.
    pub first_row: i64,
    /// One more element than rows. The first is the index base.
    pub offsets: &'a [i64],
    /// Point numbers, ascending within a row, or ordered by the global ids if points have them.
    pub ids: &'a [i32],
}

/// Results in chunks.
#[derive(Debug, Default)]
pub struct Streams {
    /// The result on its way, while points and settings stay and no other query is made.
    pub stream: Derived<StreamOf, Stream>,
    /// Rows that the CPU keeps of it, and the blocks in which they are searched.
    window: RowWindow,
    cut: Cut,
}

holds! { Streams { stream, window, cut } }

/// A result on its way.
#[derive(Debug, Default)]
pub struct Stream {
    pub sought: Option<Sought>,
    /// Whether in rows or as pairs, from the first chunk on.
    layout: Option<Layout>,
    max_entries: i64,
    pub total: i64,
    /// Bytes that the search may keep.
    kept: usize,
    /// Entries of a batch of several chunks.
    most: i64,
    /// The rows whose ids are there.
    batch: Range<usize>,
    /// The rows that were not delivered yet.
    rows: Range<usize>,
    /// The rows whose left points are there.
    left_rows: Range<usize>,
    offsets: Vec<i64>,
    ids: Vec<i32>,
    left: Vec<i32>,
}

holds! { Stream { offsets, ids, left; sought, layout, max_entries, total, kept, most, batch, rows, left_rows } }

/// The memory that a result in chunks takes.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Entries of a chunk, at most.
    pub max_entries: i64,
    /// Bytes that the search may keep.
    pub kept: usize,
    /// Entries of a batch of several chunks.
    most: i64,
}

impl Share {
    /// Divides the memory there is for a result in chunks of that many entries at the most. A limit bounds what is taken without
    /// one.
    pub fn new(inputs: &Inputs, max_entries: i64) -> Result<Share> {
        let everyone = inputs.everyone();
        let (points, each) = (everyone as u64, size_of::<i32>() as u64);
        let batch = BATCH.max(everyone) as u64;
        let kept = (everyone * KEPT).max(KEPT_AT_LEAST);
        let Some(limit) = inputs.settings.memory_limit else {
            let most = batch as i64;
            return Ok(Share {
                max_entries,
                kept,
                most,
            });
        };
        // Offsets of all rows and, at the most, as many of a chunk's; a chunk's ids and left points.
        let most = max_entries as u64;
        let chunk = most.min(points.saturating_mul(points)).saturating_mul(2 * each);
        let columns = 2 + u64::from(inputs.ids.are_set());
        let fixed = chunk.saturating_add(8 * columns * (points + 1));
        let need = fixed.saturating_add(KEPT_AT_LIMIT as u64 * points);
        inputs.check_limit("a chunk of max_entries", need)?;
        let more = (batch * each).min((limit - need) / 4);
        Ok(Share {
            max_entries,
            kept: ((limit - fixed - more) as usize).min(kept),
            most: (more / each) as i64,
        })
    }
}

impl Streams {
    /// Frees the rows that are kept: another query has ended the chunks.
    pub fn end(&mut self) {
        self.window = RowWindow::default();
    }

    /// Counts the rows of a query, where they are not counted; returns how many entries they have.
    pub fn count<T: Precision>(&mut self, query: &mut Query<T>, kept: usize) -> Result<i64> {
        query.report.entries = 0;
        query.limit_memory(Some(kept))?;
        let Streams { window, cut, .. } = self;
        query.count_for_chunks(kept, |session, job, lengths| {
            session.find(None, job, |_, finder| {
                cut.make(&finder, job.team)?;
                let rows = (job.rows(), kept);
                with_source!(finder, cut, |source, workers| window
                    .count(source, job.team, workers, rows, lengths))
            })
        })?;
        query.report.entries = query.counted.total();
        Ok(query.report.entries)
    }

    /// Begins a stream of the rows counted last.
    pub fn begin(&mut self, of: StreamOf, sought: Sought, share: Share, total: i64, rows: Range<usize>) {
        self.stream.begin().restart(sought, share, total, rows);
        self.stream.finish(of);
    }

    /// The stream of `of`, of which more is wanted in `layout`: its rows, and the layout in which they are filled. None after
    /// the last chunk.
    pub fn check(
        &self,
        of: &StreamOf,
        inputs: &Inputs,
        order: &Order,
        layout: Layout,
    ) -> Result<Option<(Sought, Layout)>> {
        let stream = self.stream.get();
        let (true, Some(sought)) = (self.stream.is_of(of), stream.sought) else {
            return Err(Error::BadState {
                missing: "chunks for the current points and settings",
                remedy: "chunks_begin",
            });
        };
        if stream.rows.is_empty() {
            return Ok(None);
        }
        let plainest = |layout| inputs.plainest(order, sought.kind, layout);
        if !inputs.ids.are_set() && plainest(Layout::Rows) == Layout::Rows {
            // Only ghosts among other points are in another order, and their rows have no pairs: pairs are cut from rows.
            return Ok(Some((sought, Layout::Rows)));
        }
        let before = stream.layout.unwrap_or(layout);
        if plainest(before) != plainest(layout) {
            return Err(Error::BadState {
                missing: "chunks of this form",
                remedy: "chunks_begin (with global ids, rows and pairs cannot alternate)",
            });
        }
        Ok(Some((sought, before)))
    }

    /// Fills the next batch if the last one is done, and cuts the next chunk of it. The rows are counted again where a GPU failed.
    pub fn next<T: Precision>(
        &mut self,
        query: &mut Query<T>,
        [before, layout]: [Layout; 2],
    ) -> Result<(Range<usize>, usize)> {
        let kept = self.stream.begin().kept; // a failure ends the stream
        self.count(query, kept)?;
        query.counted.place_rows(&query.job, before)?;
        let stream = self.stream.get();
        if stream.batch.end <= stream.rows.start {
            self.fill_batch(query, before)?;
        }
        let output = query.counted.output(&query.job, before);
        self.stream.scratch().cut(&query.job, output, [before, layout])
    }

    /// The rows of the stream up to `end` were delivered in `layout`.
    pub fn delivered(&mut self, of: StreamOf, layout: Layout, end: usize) {
        let stream = self.stream.begin();
        (stream.layout, stream.rows.start) = (Some(layout), end);
        self.stream.finish(of);
    }

    /// Fills the next batch.
    fn fill_batch<T: Precision>(&mut self, query: &mut Query<T>, layout: Layout) -> Result<()> {
        let Streams { stream, window, cut } = self;
        let (start, stream, job) = (Instant::now(), stream.scratch(), &query.job);
        let output = query.counted.output(job, layout);
        let offsets = output.places.offsets();
        let (rows, next) = stream.batches(offsets);
        stream.make_room(offsets, &rows)?;
        let mut column = rows.start..rows.start;
        if let Some(device) = &mut query.device {
            (device.gpu()?).fill_rows(job.team, output, rows.clone(), next, Rows::new(&mut stream.ids))?;
        } else {
            // A batch that is one chunk gets its left points while it is filled, or threads would be woken for them alone.
            let is_whole = layout == Layout::Pairs && stream.chunk_rows(offsets, rows.start) == rows;
            if is_whole {
                column = rows.clone();
            }
            stream.make_room_for_left(offsets, &column)?;
            let label = left_label(job, (layout, column.start), &output.labels);
            let left = LeftColumn::new(&offsets[column.start..=column.end], label, Rows::new(&mut stream.left))?;
            let batch = &Batch {
                rows: rows.clone(),
                end: stream.rows.end,
                output,
                kept: stream.kept,
                beside: (left.pieces(), &|piece| left.fill(piece)),
            };
            let ids = Rows::new(&mut stream.ids);
            query.session.find(None, job, |_, finder| {
                with_source!(finder, cut, |source, workers| window
                    .fill(source, job.team, workers, batch, ids))
            })?;
        }
        (stream.batch, stream.left_rows) = (rows, column);
        query.report.fills += 1;
        query.report.took(Phase::Fill, start);
        Ok(())
    }
}

/// The names that rows of a layout, from `first` on, have as left points.
fn left_label<'b>(
    job: &Job,
    (layout, first): (Layout, usize),
    labels: &'b Labels,
) -> impl Fn(usize) -> i32 + Sync + use<'b> {
    let (points, base, of_queries) = (job.inputs.len, job.base(), job.kind.is_of_queries());
    let is_by_number = job.plainest(layout) == Layout::Rows;
    move |k| match of_queries {
        true => ((first + k - points) as i64 + base) as i32,
        false if is_by_number => ((first + k) as i64 + base) as i32,
        false => labels.of(first + k),
    }
}

/// Gives memory back that has room for more than `most` elements.
fn keep_at_most(memory: &mut Vec<i32>, most: usize) {
    if memory.capacity() > most {
        *memory = Vec::new();
    }
}

impl Stream {
    /// Begins with `rows`.
    fn restart(&mut self, sought: Sought, share: Share, total: i64, rows: Range<usize>) {
        let none = rows.start..rows.start;
        (self.sought, self.layout, self.total) = (Some(sought), None, total);
        (self.max_entries, self.most, self.kept) = (share.max_entries, share.most, share.kept);
        (self.batch, self.left_rows, self.rows) = (none.clone(), none, rows);
        // Memory of a larger result is given back: a limit may be lower now.
        let pairs = self.max_entries.min(total) as usize;
        keep_at_most(&mut self.ids, pairs.max(self.most.min(total) as usize));
        keep_at_most(&mut self.left, pairs);
    }

    /// The chunk of `rows`, which are numbered from `first_row` on and whose ids begin at `first` in the batch.
    pub fn chunk(&self, (rows, first): (Range<usize>, usize), first_row: usize, base: i64) -> Chunk<'_> {
        let entries = *self.offsets.last().unwrap_or(&0) - base;
        Chunk {
            first_row: (rows.start - first_row) as i64 + base,
            offsets: &self.offsets[..=rows.len()],
            ids: &self.ids[first..first + entries as usize],
        }
    }

    /// The pairs of the chunk whose ids begin at `first` in the batch.
    pub fn pairs(&self, first: usize) -> Pairs<'_> {
        Pairs {
            left: &self.left,
            right: &self.ids[first..first + self.left.len()],
        }
    }

    /// The next chunk of the batch, which was filled in one layout and is wanted in another: its rows, and where its ids begin. Its offsets
    /// and left points are made.
    fn cut(&mut self, job: &Job, output: OutputMap, [filled, layout]: [Layout; 2]) -> Result<(Range<usize>, usize)> {
        let OutputMap { places, labels } = output;
        let rows = self.chunk_rows(places.offsets(), self.rows.start);
        let start = places.offsets()[rows.start];
        resize_discarding(&mut self.offsets, rows.len() + 1, 0, "the offsets of a chunk")?;
        let ends = &places.offsets()[rows.start..=rows.end];
        (self.offsets.iter_mut().zip(ends)).for_each(|(to, end)| *to = end - start + job.base());
        if layout == Layout::Pairs && self.left_rows != rows {
            self.make_room_for_left(places.offsets(), &rows)?;
            let label = left_label(job, (filled, rows.start), &labels);
            fill_left(job.team, &self.offsets, label, Rows::new(&mut self.left))?;
        }
        let first = start - places.offsets()[self.batch.start];
        Ok((rows, first as usize))
    }

    /// The rows of the chunk that begins with row `first`.
    fn chunk_rows(&self, offsets: &[i64], first: usize) -> Range<usize> {
        let most = offsets[first].saturating_add(self.max_entries);
        let rows = &offsets[first..=self.rows.end];
        first..first + rows.partition_point(|&offset| offset <= most) - 1
    }

    /// The rows of the next batch, and of the one after it; none where there is none.
    fn batches(&self, offsets: &[i64]) -> (Range<usize>, Range<usize>) {
        let rows = self.batch(offsets, self.rows.start);
        let next = match rows.end < self.rows.end {
            true => self.batch(offsets, rows.end),
            false => rows.end..rows.end,
        };
        (rows, next)
    }

    /// Makes the ids as long as the batch has ids; what it takes more is taken once for all batches.
    fn make_room(&mut self, offsets: &[i64], batch: &Range<usize>) -> Result<()> {
        const WHAT: &str = "the ids of a chunk";
        let entries = (offsets[batch.end] - offsets[batch.start]) as usize;
        if self.ids.capacity() < entries {
            let most = self.most.max(self.max_entries).min(self.total) as usize;
            reserve_discarding(&mut self.ids, most, WHAT)?;
        }
        resize_discarding(&mut self.ids, entries, 0, WHAT)
    }

    /// Makes the left points as long as the rows of a chunk have entries; what it takes more is taken once for all chunks.
    fn make_room_for_left(&mut self, offsets: &[i64], rows: &Range<usize>) -> Result<()> {
        const WHAT: &str = "the left points of a chunk";
        let entries = (offsets[rows.end] - offsets[rows.start]) as usize;
        if self.left.capacity() < entries {
            let most = self.max_entries.min(self.total) as usize;
            reserve_discarding(&mut self.left, most, WHAT)?;
        }
        resize_discarding(&mut self.left, entries, 0, WHAT)
    }

    /// The rows of as many chunks, from row `first` on, as make a batch: at least one.
    fn batch(&self, offsets: &[i64], first: usize) -> Range<usize> {
        let mut batch = self.chunk_rows(offsets, first);
        while batch.end < self.rows.end {
            let end = self.chunk_rows(offsets, batch.end).end;
            if offsets[end] - offsets[first] > self.most {
                break;
            }
            batch.end = end;
        }
        batch
    }
}
