//! Results in chunks.

use std::ops::Range;

use super::{Parts, Search};
use crate::error::{Error, Result, Status};
use crate::search::chunks::{Chunk, Share};
use crate::search::inputs::Asked;
use crate::search::neighbors::{Layout, NeighborsKind, Pairs, Sought};
use crate::search::precision::by_precision;

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
    pub fn next_pairs(&mut self) -> Result<Option<Pairs<'_>>> {
        self.search.next_chunk_of_pairs()
    }

    /// Entries of all chunks together.
    pub fn total(&self) -> i64 {
        self.search.streams.stream.get().total
    }

    /// The handle, for example to compute the distances of the last chunk.
    pub fn search(&self) -> &Search {
        self.search
    }
}

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
        self.begin_chunks(kind.into(), max_entries)?;
        Ok(Chunks { search: self })
    }

    /// The work of [`chunks`](Search::chunks), for any rows. Returns the entries of all. Chunks
    /// begun before continue if this call fails before it searches.
    pub(super) fn begin_chunks(&mut self, sought: Sought, max_entries: i64) -> Result<i64> {
        let refuse = |status, allowed: &dyn std::fmt::Display| {
            Err(Error::not_allowed(status, "max_entries", max_entries, allowed))
        };
        if max_entries < 1 {
            return refuse(Status::BadCount, &"greater than 0");
        }
        self.check_points_held()?;
        self.check_rows(sought.kind, false)?;
        let share = Share::new(&self.inputs, max_entries)?;
        self.lists = Default::default(); // the memory is for chunks now
        let total = self.carry_out(Asked::Rows(sought), |search, plan, team| {
            by_precision!(search.session, T => {
                let Parts { mut query, streams, .. } = search.parts::<T>(plan, team, sought)?;
                streams.count(&mut query, share.kept)
            })
        })?;
        let longest = self.counted.longest_row();
        if longest > max_entries {
            let allowed = format_args!("at least {longest}, the length of the longest row");
            return refuse(Status::Capacity, &allowed);
        }
        let of = (self.inputs).stream_of(self.report.query, self.session.stamp(), sought.excluded_too);
        let rows = self.inputs.searched_rows(sought.kind);
        self.streams.begin(of, sought, share, total, rows);
        Ok(total)
    }

    /// [`Chunks::next`].
    pub(crate) fn next_chunk(&mut self) -> Result<Option<Chunk<'_>>> {
        let cut = self.advance(Layout::Rows, false)?;
        let last = |sought: Sought| self.inputs.rows_of(sought.kind).end;
        let end = self.streams.stream.get().sought.map_or(usize::MAX, last);
        let cut = cut.filter(|(rows, _)| rows.start < end);
        Ok(cut.map(|(rows, first)| self.chunk((rows.start..rows.end.min(end), first))))
    }

    /// The chunk that [`advance`](Search::advance) returned.
    pub(super) fn chunk(&self, cut: (Range<usize>, usize)) -> Chunk<'_> {
        let stream = self.streams.stream.get();
        let first_row = stream.sought.map_or(0, |sought| self.inputs.rows_of(sought.kind).start);
        stream.chunk(cut, first_row, self.inputs.settings.index_base)
    }

    /// [`Chunks::next_pairs`].
    pub(crate) fn next_chunk_of_pairs(&mut self) -> Result<Option<Pairs<'_>>> {
        let Some((_, first)) = self.advance(Layout::Pairs, false)? else {
            return Ok(None);
        };
        let pairs = self.streams.stream.get().pairs(first);
        Ok((!pairs.right.is_empty()).then_some(pairs))
    }

    /// Makes the next rows in `layout` those of the chunk, of pairs the left points too; returns them and where in the batch
    /// their ids begin. None after the last. A failure ends the chunks, unless `layout` is refused.
    pub(super) fn advance(&mut self, layout: Layout, excluded_too: bool) -> Result<Option<(Range<usize>, usize)>> {
        let of = (self.inputs).stream_of(self.report.query, self.session.stamp(), excluded_too);
        let Some((sought, before)) = self.streams.check(&of, &self.inputs, self.order.get(), layout)? else {
            return Ok(None);
        };
        let (rows, first) = self.carry_out_as(Asked::Rows(sought), [false, true], |search, plan, team| {
            by_precision!(search.session, T => {
                let Parts { mut query, streams, .. } = search.parts::<T>(plan, team, sought)?;
                streams.next(&mut query, [before, layout])
            })
        })?;
        self.streams.delivered(of, before, rows.end);
        Ok(Some((rows, first)))
    }
}
