//! Fixed-radius search on the device: row lengths and offsets, then the ids of the rows, a chunk at a time.

use std::ops::Range;
use std::time::Instant;

use super::channel::Channel;
use super::chunks::RESULT;
use super::clock::Phase;
use super::dispatch::{Before, Size};
use super::hits::Hits;
use super::kernels::{Slot, Stage};
use super::labels::label_rows;
use super::left::LeftWork;
use super::params::{AHEAD, BLOCKS_BEGIN, BLOCKS_HEAD_BYTES, Chunk, Params, SCAN_BLOCK};
use super::queries::{Rule, Want};
use super::report::{BlockCounts, COUNTS_WORDS, COUNTS_WORDS_BY_RADII};
use super::row_search::RowSearch;
use super::transfer::id_bits;
use super::transfer::{Crew, Mapped, Packing, SHARE_IDS};
use crate::error::Result;
use crate::ids::{Labels, OutputMap, Places};
use crate::list::{Pieces, Rows};
use crate::points::Real;
use crate::threads::Team;
use crate::version::Version;

/// The stage that fills rows, and the one that does before the host knows how many ids there are: as many workgroups as `SizeAll` has written.
const FILL: [(Stage, Size); 1] = [(Stage::Fill, Size::Indirect(Slot::Workgroups, 0))];
const FILL_AHEAD: [(Stage, Size); 1] = [(Stage::Fill, Size::Indirect(Slot::Workgroups, AHEAD))];

impl RowSearch {
    /// BlockCounts all rows of the index and leaves their offsets on the device; `offsets` gets them with `base` added. Returns
    /// the total. `bound` is that of the index, except for the tie rule.
    pub fn count<T: Real>(
        &mut self,
        channel: &mut Channel,
        bound: T,
        rule: Rule,
        team: &Team,
        offsets: &mut [i64],
    ) -> Result<i64> {
        self.params.set_bound(bound);
        self.count_rows(channel, rule, team, offsets)
    }

    pub(super) fn count_rows(
        &mut self,
        channel: &mut Channel,
        rule: Rule,
        team: &Team,
        offsets: &mut [i64],
    ) -> Result<i64> {
        (self.placed, self.most_ids) = (false, u64::MAX);
        if self.filled.take().is_some() {
            channel.forget_times(); // of rows that nobody wanted
        }
        if self.params.points == 0 {
            offsets.fill(rule.base);
            return Ok(0);
        }
        self.set_classes(channel, (rule.classes, rule.excluded), team)?;
        let fills = std::mem::replace(&mut self.fills, false) || rule.eager;
        let room = self.room_ahead(channel);
        let is_short = fills && channel.speeds.is_short(&channel.device, self.fill_load(room.into()));
        let room = if is_short { room } else { 0 };
        self.params = Params {
            full: rule.full.into(),
            base: rule.base as u32,
            every_block: 0,
            room,
            lower_ghosts: rule.lower_ghosts,
            id_bits: id_bits(self.params.points - 1 + rule.base as u32),
            ..self.params
        };
        // The count is repeated where there are more blocks or windows than there was room for. Most clouds have no crowds: a handle
        // makes windows once it has seen one.
        let counts = loop {
            let counts = self.count_ahead(channel, rule.base, team, offsets)?;
            team.cost().add(counts.tests());
            if !self.leaves_out(counts) {
                break counts;
            }
            let wanted = [counts.blocks, counts.windows].map(|count| (u64::from(count) * 5).div_ceil(4));
            self.block_room = [0, 1].map(|k: usize| self.block_room[k].max(wanted[k]));
        };
        self.counts = counts;
        let total = offsets[offsets.len() - 1] - offsets[0];
        if !self.kernels.form().radii && counts.unkept == 0 {
            let hits = Hits {
                blocks: counts.blocks,
                crowds: counts.crowds,
                rounds: counts.most_windows,
                entries: total,
            };
            self.keep_hits((rule.classes, rule.excluded), hits);
        }
        if 0 < total && total <= room.into() {
            channel.speeds.begin(self.fill_load(total as u64));
            self.submit_rest(channel)?;
            self.filled = Some(0..offsets.len() - 1);
        } else {
            channel.read_clock()?; // where the device is busy filling, reading now would wait for it
        }
        Ok(total)
    }

    /// BlockCounts rows, and fills them if their ids have [`Params::room`]: the device goes on with it before the host knows how many
    /// there are.
    fn count_ahead(
        &mut self,
        channel: &mut Channel,
        base: i64,
        team: &Team,
        offsets: &mut [i64],
    ) -> Result<BlockCounts> {
        self.submit_count(channel)?;
        let start = Instant::now();
        let counts = match self.kernels.form().radii {
            true => COUNTS_WORDS_BY_RADII,
            false => COUNTS_WORDS,
        };
        let words = offsets.len() - 1 + counts;
        let source = self.buffers.get(Slot::Lengths.home().0)?;
        let download = channel.start_download(source, 4 * words as u64, None)?;
        if self.params.room > 0 {
            let all = [Before::Write(Slot::Chunk, 0, bytemuck::bytes_of(&Chunk::ALL))];
            self.submit(channel, &all, (Phase::Fill, &FILL_AHEAD))?;
        }
        let counts = channel.fetch_offsets(base, download, team, offsets)?;
        channel.downloaded(start);
        Ok(counts)
    }

    /// Ids that there is room for already, if rows are counted by blocks.
    fn room_ahead(&self, channel: &Channel) -> u32 {
        let room = (self.buffers.bytes_of(Slot::Ids) / 4).min(self.most_entries(channel));
        if self.kernels.form().radii { 0 } else { room as u32 }
    }

    /// BlockCounts rows into offsets on the device.
    fn submit_count(&mut self, channel: &mut Channel) -> Result<()> {
        if self.kernels.form().radii {
            return self.submit_count_by_radii(channel);
        }
        self.make_room_for_blocks(channel)?;
        self.write_params(channel)?;
        let points = u64::from(self.params.points);
        let blocks = Size::Indirect(Slot::Workgroups, 0);
        let mut stages = vec![
            (Stage::Scope, Size::Lanes(points.div_ceil(4).max(128), 256)),
            (Stage::ListBlocks, Size::Lanes(points, 256)),
            (Stage::SizeBlocks, Size::Workgroups(1)),
            (Stage::Count, blocks),
        ];
        if self.params.most_windows > 0 {
            stages.extend([
                (Stage::SizeCrowds, Size::Workgroups(1)),
                (Stage::Split, blocks),
                (Stage::SizeWindows, Size::Workgroups(1)),
                (Stage::Count, blocks),
            ]);
        }
        stages.extend([
            (Stage::ReduceRows, Size::Lanes(points + 1, SCAN_BLOCK)),
            (Stage::ApplyRows, Size::Lanes(points + 1, SCAN_BLOCK)),
            (Stage::SizeAll, Size::Workgroups(1)),
        ]);
        let no_blocks = [Before::Clear(Slot::Blocks, Some(BLOCKS_HEAD_BYTES))];
        self.submit_pass(channel, self.count_load(), &no_blocks, (Phase::Count, &stages))
    }

    /// Fills the rows counted last into the caller's memory. While the device works, the column of left points is written.
    pub fn fill(&mut self, channel: &mut Channel, team: &Team, mut want: Want) -> Result<()> {
        let OutputMap { places, labels } = want.output;
        let (offsets, rows) = (places.offsets(), places.offsets().len() - 1);
        self.fills = true;
        self.place_rows(channel, team, &places)?;
        let left = LeftWork::new(offsets, &labels, want.left)?;
        let write_left = || left.do_some();
        for (chunk, next) in self.chunks(channel, offsets, 0..rows, rows..rows)? {
            let place = (offsets[chunk.start] - offsets[0]) as usize..(offsets[chunk.end] - offsets[0]) as usize;
            let ids = want.ids.part(place);
            self.land(channel, (offsets, &labels), (chunk, next), ids, team, &write_left)?;
        }
        left.finish(team);
        Ok(())
    }

    /// [`fill`](Gpu::fill) for ids that are delivered as they are found: they stay where the device has put them. There is at
    /// least one. `None`, and nothing is done, where there is no such memory; that of `kept` is used again.
    pub fn fill_mapped(
        &mut self,
        channel: &mut Channel,
        team: &Team,
        OutputMap { places, labels }: OutputMap,
        left: Option<Rows>,
        kept: Option<Mapped>,
    ) -> Result<Option<Mapped>> {
        let (offsets, rows) = (places.offsets(), places.offsets().len() - 1);
        let bytes = |rows: Range<usize>| 4 * (offsets[rows.end] - offsets[rows.start]) as u64;
        let Some(mut mapped) = channel.transfer.mapped(&channel.device, kept, bytes(0..rows))? else {
            return Ok(None);
        };
        self.fills = true;
        self.place_rows(channel, team, &places)?;
        let (start, mut last) = (Instant::now(), None);
        for (chunk, next) in self.chunks(channel, offsets, 0..rows, rows..rows)? {
            self.begin(channel, offsets, chunk.clone())?;
            let source = self.buffers.get(Slot::Ids)?;
            last = Some(mapped.take(source, bytes(0..chunk.start), bytes(chunk))?);
            self.go_on(channel, offsets, next)?;
        }
        if let Some(last) = last {
            let left = LeftWork::new(offsets, &labels, left)?;
            mapped.show(bytes(0..rows), last, || left.finish(team))?;
        }
        channel.downloaded(start);
        channel.read_clock()?;
        Ok(Some(mapped))
    }

    /// Fills some of the rows counted last into `ids`. The device goes on with the rows `next` meanwhile.
    pub fn fill_rows(
        &mut self,
        channel: &mut Channel,
        team: &Team,
        OutputMap { places, labels }: OutputMap,
        rows: Range<usize>,
        next: Range<usize>,
        mut ids: Rows,
    ) -> Result<()> {
        let offsets = places.offsets();
        self.place_rows(channel, team, &places)?;
        for (chunk, next) in self.chunks(channel, offsets, rows.clone(), next)? {
            let start = offsets[rows.start];
            let place = (offsets[chunk.start] - start) as usize..(offsets[chunk.end] - start) as usize;
            let ids = ids.part(place);
            self.land(channel, (offsets, &labels), (chunk, next), ids, team, &|| false)?;
        }
        Ok(())
    }

    /// Brings the ids of `chunk` home, as the caller calls them. The device goes on with the `next` chunk meanwhile, and threads
    /// that have nothing to do with the `background`.
    fn land(
        &mut self,
        channel: &mut Channel,
        (offsets, labels): (&[i64], &Labels),
        (chunk, next): (Range<usize>, Option<Range<usize>>),
        ids: Rows,
        team: &Team,
        background: &(dyn Fn() -> bool + Sync),
    ) -> Result<()> {
        let entries = offsets[chunk.end] - offsets[chunk.start];
        let ids = Pieces::every(ids, SHARE_IDS)?;
        self.begin(channel, offsets, chunk.clone())?;
        let begin = Instant::now();
        let bits = self.params.id_bits;
        let packing = Packing::new(&channel.device, &self.kernels, &mut self.buffers, entries as u64, bits)?;
        let is_packed = packing.is_some();
        let crew = Crew {
            team,
            consume: &|share, bytes| match is_packed {
                true => ids.store_packed(share, bytes, bits),
                false => ids.store(share, bytemuck::cast_slice(bytes)),
            },
            background,
        };
        let (source, bytes) = (self.buffers.get(Slot::Ids)?, 4 * entries as u64);
        let download = match next {
            // The first pieces set out before the device goes on; the rest would wait for the next rows.
            Some(_) => channel.start_download(source, bytes, packing)?,
            None => channel.plan_download(source, bytes, packing)?,
        };
        self.go_on(channel, offsets, next)?;
        channel.finish_download(download, &crew)?;
        label_rows(team, offsets, chunk, (labels, self.least_to_label()), ids.into_stored())?;
        channel.downloaded(begin);
        match &self.filled {
            Some(_) => Ok(()), // busy with the next chunk: the clock is read after the last
            None => channel.read_clock(),
        }
    }

    /// Has the device fill the rows `chunk`, unless it does already.
    pub(super) fn begin(&mut self, channel: &mut Channel, offsets: &[i64], chunk: Range<usize>) -> Result<()> {
        if self.filled.take() != Some(chunk.clone()) {
            self.submit_rows(channel, offsets, chunk)?;
        }
        Ok(())
    }

    /// Has the device go on with the `next` rows, into its other buffer of ids.
    fn go_on(&mut self, channel: &mut Channel, offsets: &[i64], next: Option<Range<usize>>) -> Result<()> {
        if let Some(next) = next {
            self.buffers.swap_ids();
            self.submit_rows(channel, offsets, next.clone())?;
            self.filled = Some(next);
        }
        Ok(())
    }

    /// Tells the device where the rows that were counted are, as its own offsets do where none is elsewhere.
    pub(super) fn place_rows(&mut self, channel: &mut Channel, team: &Team, places: &Places) -> Result<()> {
        const ROWS: usize = 256;
        let moved = places.order().is_some();
        if self.params.points == 0 || moved == self.placed {
            return Ok(());
        }
        (self.filled, self.placed) = (None, moved);
        let (rows, buffer) = (self.params.points as usize, self.buffers.get(Slot::Offsets)?);
        channel.upload(team, [rows, 8], buffer, 0, |range, put| {
            let mut few = [0u64; ROWS];
            for first in range.clone().step_by(ROWS) {
                let few = &mut few[..(range.end - first).min(ROWS)];
                for (i, place) in (first..).zip(&mut *few) {
                    *place = places.of(i).start as u64;
                }
                put(first, bytemuck::cast_slice(few));
            }
        })
    }

    pub(super) fn submit_rows(&mut self, channel: &mut Channel, offsets: &[i64], rows: Range<usize>) -> Result<()> {
        let start = offsets[rows.start] - offsets[0];
        let entries = offsets[rows.end] - offsets[rows.start];
        self.submit_fill(channel, start, entries)
    }

    /// Fills the rows that have the `entries` ids from `start` on into the buffer of ids.
    fn submit_fill(&mut self, channel: &mut Channel, start: i64, entries: i64) -> Result<()> {
        self.buffers
            .ensure(&channel.device, Slot::Ids, 4 * entries as u64, RESULT)?;
        let words = |entry: i64| [entry as u32, (entry >> 32) as u32];
        let chunk = Chunk {
            start: words(start),
            end: words(start + entries),
        };
        if self.kernels.form().radii {
            self.submit_fill_by_radii(channel, chunk, entries as u64)?;
            return self.submit_lower(channel);
        }
        let all = self.counts.all();
        let before = [
            Before::Write(Slot::Chunk, 0, bytemuck::bytes_of(&chunk)),
            Before::Write(Slot::Blocks, BLOCKS_BEGIN, bytemuck::bytes_of(&all)),
        ];
        self.submit_pass(channel, self.fill_load(entries as u64), &before, (Phase::Fill, &FILL))?;
        self.submit_rest(channel)
    }

    /// Fills the rows of blocks whose hits had no room, after all others, and brings all into order.
    fn submit_rest(&mut self, channel: &mut Channel) -> Result<()> {
        self.submit_unkept(channel)?;
        self.submit_lower(channel)
    }

    /// The search once more from the points on the device to the rows on the device, which are those of `offsets`; for
    /// benchmarks. Returns the seconds from the first submission to the end of the last, the reading of the total between
    /// them included.
    pub fn again(&mut self, channel: &mut Channel, offsets: &[i64]) -> Result<f64> {
        (self.filled, self.placed, self.indexed) = (None, false, Version::new());
        channel.forget_times();
        let start = Instant::now();
        match self.kernels.form().radii {
            true => self.submit_index_by_radii(channel)?,
            false => self.submit_index(channel)?,
        }
        self.submit_count(channel)?;
        let total = (Slot::Offsets, 8 * u64::from(self.params.points));
        let _: u64 = channel.fetch(&self.buffers, total)?;
        let last = match self.kernels.form().radii {
            true => Slot::Rows,
            false => Slot::Blocks,
        };
        let mut fill = 0.0;
        for (rows, _) in self.chunks(channel, offsets, 0..offsets.len() - 1, 0..0)? {
            self.submit_rows(channel, offsets, rows)?;
            let _: [u32; 4] = channel.fetch(&self.buffers, (last, 0))?;
            fill = start.elapsed().as_secs_f64();
            channel.read_clock()?;
        }
        Ok(fill)
    }
}
