//! Results a chunk of whole rows at a time, out of memory that does not grow with the result. Batches of chunks are filled by
//! whoever counted, and handed out chunk after chunk.

use std::ops::Range;

use super::ids::Layout;
use super::list::Ids;
use super::session::Sessions;
use super::{NeighborsKind, Phase, Purpose, Search};
use crate::cpu::spans::Batch;
use crate::error::{Error, Result, Status};
use crate::list::{Delivery, Labels, LeftColumn, Rows, fill_left, reserve_discarding, resize_discarding};
use crate::threads::Team;

/// Rows of a result, as [`Neighbors`](super::Neighbors) has all of them: row `first_row + k` is
/// `ids[offsets[k] - base .. offsets[k + 1] - base]`.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Which row the first is, in the handle's index base.
    pub first_row: i64,
    /// One more than there are rows; the first is the index base.
    pub offsets: &'a [i64],
    /// Ascending within a row.
    pub ids: &'a [i32],
}

/// Pairs of a result, a chunk at a time: [`chunks`](Search::chunks) makes it.
#[derive(Debug)]
pub struct Chunks<'a> {
    search: &'a mut Search,
}

impl Chunks<'_> {
    /// The next rows, as many as have no more entries together than was asked for; none behind the last.
    #[allow(clippy::should_implement_trait)] // lends
    pub fn next(&mut self) -> Result<Option<Chunk<'_>>> {
        self.search.next_chunk()
    }

    /// The next rows as pairs: `left` of a row, `right` one of its ids; none behind the last.
    pub fn next_pairs(&mut self) -> Result<Option<super::Pairs<'_>>> {
        self.search.next_chunk_of_pairs()
    }

    /// Entries of all chunks together.
    pub fn total(&self) -> i64 {
        self.search.stream.as_ref().map_or(0, |stream| stream.total)
    }

    /// The handle, to be asked about what it lent last: distances of its pairs.
    pub fn search(&self) -> &Search {
        self.search
    }
}

/// A result on its way.
#[derive(Debug)]
pub(super) struct Stream {
    kind: NeighborsKind,
    /// Whether in rows or as pairs, from the first chunk on.
    layout: Option<Layout>,
    max_entries: i64,
    pub(super) total: i64,
    /// Bytes that the search may keep.
    kept: usize,
    /// Entries of a batch of several chunks.
    most: i64,
    /// The rows whose ids are there.
    batch: Range<usize>,
    /// The rows that were not delivered yet.
    rows: Range<usize>,
    /// The rows whose left points are there.
    left: Range<usize>,
}

impl Search {
    /// Begins to deliver neighbors of a kind in chunks of whole rows, in order, each with at most `max_entries` entries. The
    /// handle's memory for that is bounded by the number of points and `max_entries`, whatever the result: it finds rows again
    /// that it cannot keep. A row that is longer than `max_entries` is refused now, with its length. A skin makes no difference.
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

    /// What [`chunks`](Search::chunks) does, for callers who hold no reference meanwhile. Returns the entries of all.
    pub(crate) fn begin_chunks(&mut self, kind: NeighborsKind, max_entries: i64) -> Result<i64> {
        if max_entries < 1 {
            return Err(Error::not_allowed(
                Status::BadCount,
                "max_entries",
                max_entries,
                "greater than 0",
            ));
        }
        self.check_points_held()?;
        self.forget(false);
        (self.left, self.ids) = (Vec::new(), Ids::default());
        let rows = self.rows_of(kind);
        let (kept, most) = self.share_memory(max_entries)?;
        let mut stream = Stream {
            kind,
            layout: None,
            max_entries,
            total: 0,
            kept,
            most,
            batch: rows.start..rows.start,
            left: rows.start..rows.start,
            rows,
        };
        let total = self.query(kind, Purpose::Chunks { kept }, |_, _, total| Ok(total));
        self.counted = None; // what was found out is not kept for all rows
        stream.total = total?;
        let longest = self.offsets.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        if longest > max_entries {
            let allowed = format!("at least {longest}, the entries of the longest row");
            return Err(Error::not_allowed(
                Status::Capacity,
                "max_entries",
                max_entries,
                allowed,
            ));
        }
        self.stream = Some(stream);
        Ok(self.entries() as i64)
    }

    /// [`Chunks::next`].
    pub(crate) fn next_chunk(&mut self) -> Result<Option<Chunk<'_>>> {
        let Some((rows, first)) = self.advance(Layout::Rows)? else {
            return Ok(None);
        };
        let entries = *self.chunk_offsets.last().unwrap_or(&0) - self.settings.index_base;
        Ok(Some(Chunk {
            first_row: self.row_number(rows.start),
            offsets: &self.chunk_offsets,
            ids: &self.ids[first..first + entries as usize],
        }))
    }

    /// [`Chunks::next_pairs`].
    pub(crate) fn next_chunk_of_pairs(&mut self) -> Result<Option<super::Pairs<'_>>> {
        let Some((_, first)) = self.advance(Layout::Pairs)? else {
            return Ok(None);
        };
        let right = &self.ids[first..first + self.left.len()];
        Ok((!right.is_empty()).then_some(super::Pairs {
            left: &self.left,
            right,
        }))
    }

    /// What number a row has for the caller.
    fn row_number(&self, row: usize) -> i64 {
        let kind = self.stream.as_ref().map(|stream| stream.kind);
        kind.map_or(0, |kind| self.row_number_of(kind, row))
    }

    fn row_number_of(&self, kind: NeighborsKind, row: usize) -> i64 {
        (row - self.rows_of(kind).start) as i64 + self.settings.index_base
    }

    /// Makes the next rows in `layout` those of the chunk, of pairs the left points too; returns them and where in the batch
    /// their ids begin. None behind the last.
    fn advance(&mut self, layout: Layout) -> Result<Option<(Range<usize>, usize)>> {
        let Some(stream) = &self.stream else {
            return Err(Error::BadState {
                missing: "chunks begun for the points and settings of now",
                remedy: "chunks_begin",
            });
        };
        if stream.rows.is_empty() {
            return Ok(None);
        }
        let (kind, before) = (stream.kind, stream.layout.unwrap_or(layout));
        if self.plainest(kind, before) != self.plainest(kind, layout) {
            return Err(Error::BadState {
                missing: "one order of all chunks: with global ids rows come in another than pairs",
                remedy: "chunks_begin",
            });
        }
        self.place_rows(kind, before)?;
        let Some(stream) = &mut self.stream else {
            return Ok(None);
        };
        stream.layout = Some(before);
        if stream.batch.end <= stream.rows.start {
            self.next_batch()?;
        }
        let (mut offsets, mut left) = (std::mem::take(&mut self.chunk_offsets), std::mem::take(&mut self.left));
        let cut = self.cut(layout, &mut offsets, &mut left);
        (self.chunk_offsets, self.left) = (offsets, left);
        let (rows, first) = cut?;
        if let Some(stream) = &mut self.stream {
            stream.rows.start = rows.end;
        }
        Ok(Some((rows, first)))
    }

    /// The next chunk of the batch: its rows, where its ids begin, its offsets and left points.
    fn cut(&self, layout: Layout, offsets: &mut Vec<i64>, left: &mut Vec<i32>) -> Result<(Range<usize>, usize)> {
        let Some(stream) = &self.stream else {
            return Ok((0..0, 0));
        };
        let Delivery { places, labels } = self.delivery(stream.kind, layout);
        let rows = stream.chunk(places.offsets, stream.rows.start);
        let (base, start) = (self.settings.index_base, places.offsets[rows.start]);
        resize_discarding(offsets, rows.len() + 1, 0, "the offsets of a chunk")?;
        let ends = places.offsets[rows.start..=rows.end].iter();
        offsets
            .iter_mut()
            .zip(ends)
            .for_each(|(to, end)| *to = end - start + base);
        if layout == Layout::Pairs && stream.left != rows {
            stream.make_room_for_left(left, places.offsets, &rows)?;
            let team = Team::new(self.plan.map_or(1, |plan| plan.threads))?;
            let label = self.left_label(stream.kind, rows.start, &labels);
            fill_left(&team, offsets, label, Rows::new(left))?;
        }
        Ok((rows, (start - places.offsets[stream.batch.start]) as usize))
    }

    /// What the rows from `first` on are called as left points.
    fn left_label<'a>(
        &'a self,
        kind: NeighborsKind,
        first: usize,
        labels: &'a Labels,
    ) -> impl Fn(usize) -> i32 + Sync + use<'a> {
        move |k| match kind {
            NeighborsKind::Queries => self.row_number_of(kind, first + k) as i32,
            _ => labels.of(first + k),
        }
    }

    /// Fills the next batch; where a GPU that was chosen automatically fails, all from here on by the CPU.
    fn next_batch(&mut self) -> Result<()> {
        let filled = self.fill_batch();
        let Err(error) = filled else { return Ok(()) };
        let begun = self.stream.as_ref();
        let begun = begun.map(|s| (s.kind, s.max_entries, s.rows.clone(), s.layout));
        self.forget(false);
        let Some((kind, max_entries, rows, layout)) = begun.filter(|_| self.gives_up_gpu(&error)) else {
            return Err(error);
        };
        self.begin_chunks(kind, max_entries)?;
        if let Some(stream) = &mut self.stream {
            (stream.batch, stream.rows) = (rows.start..rows.start, rows);
            stream.layout = layout;
        }
        self.place_rows(kind, layout.unwrap_or(Layout::Rows))?;
        self.fill_batch()
    }

    fn fill_batch(&mut self) -> Result<()> {
        let (Some(mut stream), Some(plan)) = (self.stream.take(), self.plan) else {
            return Ok(());
        };
        let (kind, layout) = (stream.kind, stream.layout.unwrap_or(Layout::Rows));
        let (mut ids, mut left) = (std::mem::take(&mut self.ids), std::mem::take(&mut self.left));
        let filled = self.timed(Phase::Fill, |search| {
            let team = Team::new(plan.threads)?;
            search.with_job(&plan, &team, kind, |search, job, session, gpu| {
                let delivery = search.delivery(kind, layout);
                let (rows, next) = stream.batches(delivery.places.offsets);
                stream.batch = rows.clone();
                let ids = ids.memory();
                stream.make_room(ids, delivery.places.offsets)?;
                let memory = Rows::new(ids);
                if let Some(gpu) = gpu {
                    return gpu.fill_rows(&team, delivery, rows, next, memory);
                }
                // A batch that is one chunk gets its left points while it is filled, or threads would be woken for them alone.
                let is_whole = layout == Layout::Pairs && stream.chunk(delivery.places.offsets, rows.start) == rows;
                let column = if is_whole { rows.clone() } else { rows.start..rows.start };
                stream.make_room_for_left(&mut left, delivery.places.offsets, &column)?;
                let label = search.left_label(kind, column.start, &delivery.labels);
                let offsets = &delivery.places.offsets[column.start..=column.end];
                let left = LeftColumn::new(offsets, label, Rows::new(&mut left));
                let batch = Batch {
                    rows,
                    end: stream.rows.end,
                    delivery,
                    kept: stream.kept,
                    beside: (left.pieces(), &|piece| left.fill(piece)),
                };
                stream.left = column;
                match session {
                    Sessions::F32(s) if job.is_by_radii() => s.fill_batch_by_radii(job, &batch, &memory),
                    Sessions::F64(s) if job.is_by_radii() => s.fill_batch_by_radii(job, &batch, &memory),
                    Sessions::F32(s) => s.fill_batch(job, &batch, &memory),
                    Sessions::F64(s) => s.fill_batch(job, &batch, &memory),
                    Sessions::None => Ok(()),
                }
            })
        });
        (self.ids, self.left) = (ids, left);
        self.fills += i64::from(filled.is_ok());
        self.stream = Some(stream);
        filled
    }
}

impl Stream {
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

    /// Makes `ids` as long as the batch has ids; what it takes more is taken once for all batches.
    fn make_room(&self, ids: &mut Vec<i32>, offsets: &[i64]) -> Result<()> {
        const WHAT: &str = "the ids of a chunk";
        let entries = (offsets[self.batch.end] - offsets[self.batch.start]) as usize;
        if ids.capacity() < entries {
            let most = self.most.max(self.max_entries).min(self.total) as usize;
            reserve_discarding(ids, most, WHAT)?;
        }
        resize_discarding(ids, entries, 0, WHAT)
    }

    /// Makes `left` as long as the rows of a chunk have entries; what it takes more is taken once for all chunks.
    fn make_room_for_left(&self, left: &mut Vec<i32>, offsets: &[i64], rows: &Range<usize>) -> Result<()> {
        const WHAT: &str = "the left points of a chunk";
        let entries = (offsets[rows.end] - offsets[rows.start]) as usize;
        if left.capacity() < entries {
            let most = self.max_entries.min(self.total) as usize;
            reserve_discarding(left, most, WHAT)?;
        }
        resize_discarding(left, entries, 0, WHAT)
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
