//! Results in chunks of whole rows, with memory that does not grow with the result. Batches of chunks are filled by the backend
//! that counted, and returned one chunk after another.

use std::ops::Range;
use std::time::Instant;

use super::ids::Layout;
use super::session::{Precision, Session, in_precision};
use super::steps::{Ask, Deliver, Run, job};
use super::{NeighborsKind, Phase, Search};
use crate::cpu::window::Batch;
use crate::error::{Error, Result, Status};
use crate::ids::{Labels, OutputMap};
use crate::list::{LeftColumn, Rows, fill_left, holds, reserve_discarding, resize_discarding};
use crate::threads::Team;

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

/// A result that is returned in chunks; [`chunks`](Search::chunks) makes it.
#[derive(Debug)]
pub struct Chunks<'a> {
    search: &'a mut Search,
}

impl Chunks<'_> {
    /// The next rows, as many as fit into the maximum number of entries; `None` after the last.
    #[allow(clippy::should_implement_trait)] // lends
    pub fn next(&mut self) -> Result<Option<Chunk<'_>>> {
        self.search.next_chunk()
    }

    /// The next rows as pairs: `left` is the number of a row, and `right` one of its ids; `None` after the last.
    pub fn next_pairs(&mut self) -> Result<Option<super::Pairs<'_>>> {
        self.search.next_chunk_of_pairs()
    }

    /// Entries of all chunks together.
    pub fn total(&self) -> i64 {
        self.search.stream.get().total
    }

    /// The handle, for example to compute the distances of the last chunk.
    pub fn search(&self) -> &Search {
        self.search
    }
}

/// A result on its way.
#[derive(Debug, Default)]
pub(super) struct Stream {
    kind: Option<NeighborsKind>,
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

holds! { Stream { offsets, ids, left; kind, layout, max_entries, total, kept, most, batch, rows, left_rows } }

impl Search {
    /// Starts to return rows in chunks: whole rows in order, with at most `max_entries` entries in each chunk. The memory used
    /// depends on the number of points and on `max_entries`, but not on the size of the result; rows that do not fit are searched
    /// again. If a row has more than `max_entries` entries, this call fails and reports its length. The skin is not used.
    ///
    /// ```
    /// # use neargrid::{NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.5)?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0, 3.0])?)?;
    /// let mut chunks = search.chunks(NeighborsKind::Full, 4)?;
    /// let mut rows = Vec::new();
    /// while let Some(chunk) = chunks.next()? {
    ///     rows.push((chunk.first_row, chunk.offsets.to_vec(), chunk.ids.to_vec()));
    /// }
    /// assert_eq!(rows[0], (0, vec![0, 1, 3], vec![1, 0, 2]));
    /// assert_eq!(rows[1], (2, vec![0, 2, 3], vec![1, 3, 2]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn chunks(&mut self, kind: NeighborsKind, max_entries: i64) -> Result<Chunks<'_>> {
        self.begin_chunks(kind, max_entries)?;
        Ok(Chunks { search: self })
    }

    /// What [`chunks`](Search::chunks) does, for callers who hold no reference meanwhile. Returns the entries of all. Chunks
    /// begun before continue if this call fails before it searches.
    pub(crate) fn begin_chunks(&mut self, kind: NeighborsKind, max_entries: i64) -> Result<i64> {
        if max_entries < 1 {
            let allowed = "greater than 0";
            return Err(Error::not_allowed(
                Status::BadCount,
                "max_entries",
                max_entries,
                allowed,
            ));
        }
        self.check_points_held()?;
        self.check_rows(kind, true)?;
        let (kept, most) = self.share_memory(max_entries)?;
        self.lists = Default::default(); // the memory is for chunks now
        let total = self.query(kind, &mut Deliver::Chunks { kept })?;
        let longest = self.longest_row();
        if longest > max_entries {
            let allowed = format_args!("at least {longest}, the length of the longest row");
            return Err(Error::not_allowed(
                Status::Capacity,
                "max_entries",
                max_entries,
                allowed,
            ));
        }
        let rows = self.inputs.rows_of(kind);
        let of = self.inputs.stream_of(self.report.query, self.sessions.stamp());
        self.stream
            .begin()
            .restart(kind, [max_entries, total, most], kept, rows);
        self.stream.finish(of);
        Ok(total)
    }

    /// The length of the longest row counted last.
    pub(super) fn longest_row(&self) -> i64 {
        let offsets = &self.found.counts.get().offsets;
        offsets.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// [`Chunks::next`].
    pub(crate) fn next_chunk(&mut self) -> Result<Option<Chunk<'_>>> {
        let cut = self.advance(Layout::Rows)?;
        Ok(cut.map(|(rows, first)| self.chunk(&rows, first)))
    }

    /// The chunk that [`advance`](Search::advance) returned: `rows`, whose ids begin at `first` in the batch.
    pub(super) fn chunk(&self, rows: &Range<usize>, first: usize) -> Chunk<'_> {
        let (stream, base) = (self.stream.get(), self.inputs.settings.index_base);
        let entries = *stream.offsets.last().unwrap_or(&0) - base;
        Chunk {
            first_row: (rows.start - stream.first_row(self.inputs.len)) as i64 + base,
            offsets: &stream.offsets,
            ids: &stream.ids[first..first + entries as usize],
        }
    }

    /// [`Chunks::next_pairs`].
    pub(crate) fn next_chunk_of_pairs(&mut self) -> Result<Option<super::Pairs<'_>>> {
        let Some((_, first)) = self.advance(Layout::Pairs)? else {
            return Ok(None);
        };
        let stream = self.stream.get();
        let right = &stream.ids[first..first + stream.left.len()];
        Ok((!right.is_empty()).then_some(super::Pairs {
            left: &stream.left,
            right,
        }))
    }

    /// Makes the next rows in `layout` those of the chunk, of pairs the left points too; returns them and where in the batch
    /// their ids begin. None behind the last. A failure ends the chunks, unless `layout` is refused.
    pub(super) fn advance(&mut self, layout: Layout) -> Result<Option<(Range<usize>, usize)>> {
        let of = self.inputs.stream_of(self.report.query, self.sessions.stamp());
        let stream = self.stream.get();
        let (true, Some(kind)) = (self.stream.is_of(&of), stream.kind) else {
            return Err(Error::BadState {
                missing: "chunks for the current points and settings",
                remedy: "chunks_begin",
            });
        };
        if stream.rows.is_empty() {
            return Ok(None);
        }
        let before = stream.layout.unwrap_or(layout);
        let plainest = |layout| self.found.plainest(&self.inputs, kind, layout);
        if plainest(before) != plainest(layout) {
            return Err(Error::BadState {
                missing: "chunks of this form",
                remedy: "chunks_begin (with global ids, rows and pairs cannot alternate)",
            });
        }
        let mut cut = self.next_of_batch(kind, before, layout);
        if let Err(error) = &cut
            && self.gives_up_gpu(error)
        {
            cut = self.next_of_batch(kind, before, layout);
        }
        let (rows, first) = cut?;
        let stream = self.stream.begin();
        (stream.layout, stream.rows.start) = (Some(before), rows.end);
        self.stream.finish(of);
        Ok(Some((rows, first)))
    }

    /// Fills the next batch if the last one is done, and cuts the next chunk of it. The rows are counted again where a GPU failed.
    fn next_of_batch(&mut self, kind: NeighborsKind, order: Layout, layout: Layout) -> Result<(Range<usize>, usize)> {
        let kept = self.stream.get().kept;
        let plan = match self.report.plan {
            Some(plan) if self.device.failure(&self.inputs).is_none() => plan,
            _ => self.plan_rows(kind)?,
        };
        let team = Team::new(plan.threads)?;
        let stream = &mut self.stream;
        let mut run = Run {
            inputs: &self.inputs,
            plan: &plan,
            team: &team,
            device: self.device.planned(&plan),
            found: &mut self.found,
            report: &mut self.report,
        };
        let stream = stream.begin();
        in_precision!(&mut self.sessions, session => {
            run.answer(session, &mut self.lists, None, kind, &mut Deliver::Chunks { kept })?;
            run.found.place_rows(run.inputs, kind, order)?;
            if stream.batch.end <= stream.rows.start {
                run.fill_batch(session, stream, kind, order)?;
            }
        }, none => return Err(Error::NO_POINTS));
        let cut = run.cut(stream, kind, layout);
        self.report.tested(&team);
        cut
    }

    /// Divides the memory there is for a result in chunks of that many entries at the most: bytes that the search may keep, and
    /// entries of a batch of several chunks. A limit bounds what is taken without one.
    fn share_memory(&self, max_entries: i64) -> Result<(usize, i64)> {
        let everyone = self.inputs.everyone();
        let (points, each) = (everyone as u64, size_of::<i32>() as u64);
        let batch = BATCH.max(everyone) as u64;
        let kept = (everyone * KEPT).max(KEPT_AT_LEAST);
        let Some(limit) = self.inputs.settings.memory_limit else {
            return Ok((kept, batch as i64));
        };
        // Offsets of all rows and, at the most, as many of a chunk's; a chunk's ids and left points.
        let most = max_entries as u64;
        let chunk = most.min(points.saturating_mul(points)).saturating_mul(2 * each);
        let columns = 2 + u64::from(self.inputs.ids.are_set());
        let fixed = chunk.saturating_add(8 * columns * (points + 1));
        let need = fixed.saturating_add(KEPT_AT_LIMIT as u64 * points);
        self.inputs.check_limit("a chunk of max_entries", need)?;
        let more = (batch * each).min((limit - need) / 4);
        Ok((((limit - fixed - more) as usize).min(kept), (more / each) as i64))
    }
}

impl Run<'_> {
    /// The next chunk of the batch: its rows, and where its ids begin. Its offsets and left points are made.
    fn cut(&self, stream: &mut Stream, kind: NeighborsKind, layout: Layout) -> Result<(Range<usize>, usize)> {
        let base = self.inputs.settings.index_base;
        let OutputMap { places, labels } = self.found.output(self.inputs, kind, base, layout);
        let rows = stream.chunk(places.offsets(), stream.rows.start);
        let start = places.offsets()[rows.start];
        resize_discarding(&mut stream.offsets, rows.len() + 1, 0, "the offsets of a chunk")?;
        let ends = &places.offsets()[rows.start..=rows.end];
        (stream.offsets.iter_mut().zip(ends)).for_each(|(to, end)| *to = end - start + base);
        if layout == Layout::Pairs && stream.left_rows != rows {
            stream.make_room_for_left(places.offsets(), &rows)?;
            let label = self.left_label(kind, rows.start, &labels);
            fill_left(self.team, &stream.offsets, label, Rows::new(&mut stream.left))?;
        }
        Ok((rows, (start - places.offsets()[stream.batch.start]) as usize))
    }

    /// What the rows from `first` on are called as left points.
    fn left_label<'b>(
        &'b self,
        kind: NeighborsKind,
        first: usize,
        labels: &'b Labels,
    ) -> impl Fn(usize) -> i32 + Sync + use<'b> {
        let (points, base) = (self.inputs.len, self.inputs.settings.index_base);
        move |k| match kind {
            NeighborsKind::Queries => ((first + k - points) as i64 + base) as i32,
            _ => labels.of(first + k),
        }
    }

    /// Fills the next batch.
    fn fill_batch<T: Precision>(
        &mut self,
        session: &mut Session<T>,
        stream: &mut Stream,
        kind: NeighborsKind,
        layout: Layout,
    ) -> Result<()> {
        let start = Instant::now();
        let base = self.inputs.settings.index_base;
        let ask = Ask {
            kind,
            cutoff: self.inputs.cutoff(kind)?,
            base,
            layout: Some(layout),
            kept: Some(stream.kept),
            is_listed: false,
            from_verlet: false,
        };
        let order = self.found.order.get();
        let job = job(self.inputs, self.plan, self.team, order, &ask)?;
        let output = self.found.output(self.inputs, kind, base, layout);
        let offsets = output.places.offsets();
        let (rows, next) = stream.batches(offsets);
        stream.make_room(offsets, &rows)?;
        let mut column = rows.start..rows.start;
        if let Some(device) = &mut self.device {
            (device.gpu()?).fill_rows(self.team, output, rows.clone(), next, Rows::new(&mut stream.ids))?;
        } else {
            // A batch that is one chunk gets its left points while it is filled, or threads would be woken for them alone.
            let is_whole = layout == Layout::Pairs && stream.chunk(offsets, rows.start) == rows;
            if is_whole {
                column = rows.clone();
            }
            stream.make_room_for_left(offsets, &column)?;
            let label = self.left_label(kind, column.start, &output.labels);
            let left = LeftColumn::new(&offsets[column.start..=column.end], label, Rows::new(&mut stream.left))?;
            let batch = Batch {
                rows: rows.clone(),
                end: stream.rows.end,
                output,
                kept: stream.kept,
                beside: (left.pieces(), &|piece| left.fill(piece)),
            };
            session.fill_batch(&job, order, &batch, Rows::new(&mut stream.ids))?;
        }
        (stream.batch, stream.left_rows) = (rows, column);
        self.report.fills += 1;
        self.report.took(Phase::Fill, start);
        Ok(())
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
    fn restart(&mut self, kind: NeighborsKind, [max_entries, total, most]: [i64; 3], kept: usize, rows: Range<usize>) {
        let none = rows.start..rows.start;
        (self.kind, self.layout) = (Some(kind), None);
        (self.max_entries, self.total, self.most, self.kept) = (max_entries, total, most, kept);
        (self.batch, self.left_rows, self.rows) = (none.clone(), none, rows);
        // Memory of a larger result is given back: a limit may be lower now.
        let pairs = max_entries.min(total) as usize;
        keep_at_most(&mut self.ids, pairs.max(most.min(total) as usize));
        keep_at_most(&mut self.left, pairs);
    }

    /// The first of all rows.
    fn first_row(&self, points: usize) -> usize {
        if self.kind == Some(NeighborsKind::Queries) {
            points
        } else {
            0
        }
    }

    /// The rows of the chunk that begins with row `first`.
    fn chunk(&self, offsets: &[i64], first: usize) -> Range<usize> {
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
        let mut batch = self.chunk(offsets, first);
        while batch.end < self.rows.end {
            let end = self.chunk(offsets, batch.end).end;
            if offsets[end] - offsets[first] > self.most {
                break;
            }
            batch.end = end;
        }
        batch
    }
}
