//! Fixed-radius search on the device: row lengths and offsets, then the ids of the rows, a chunk at a time.

use std::ops::Range;
use std::time::Instant;

use super::Gpu;
use super::dispatch::{Phase, Size};
use super::index::SCAN_BLOCK;
use super::kernels::{Slot, Stage};
use super::params::{CROWDED, Chunk, LONGEST, Params, ROWS_HEAD_BYTES};
use crate::error::Result;
use crate::list::Rows;
use crate::list::pieces::{store, store_left};
use crate::points::Real;
use crate::threads::Team;

/// Left points written at once while waiting for the device.
const LEFT_AT_ONCE: usize = 1 << 20;

/// Bytes into [`Slot::Rows`] where the dispatch sizes of short and of long rows are.
const SHORTS: u64 = 0;
const LONGS: u64 = 16;

/// Which rows are counted.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    /// 0 or 1, in offsets and ids.
    pub base: i64,
    /// They will be filled next: begin at once.
    pub eager: bool,
}

/// What the rows of a search hold, and where they go.
#[derive(Clone, Copy)]
pub struct Want<'a> {
    /// Offsets with `base` in them.
    pub offsets: &'a [i64],
    pub base: i64,
    pub ids: Rows<'a>,
    /// The column of left points, where it is wanted.
    pub left: Option<Rows<'a>>,
}

impl Gpu {
    /// Counts all rows of the index and leaves their offsets on the device; `offsets` gets them with `base` added. Returns
    /// the total. `cutoff` and `bound` are those of the index, but for the tie rule.
    pub fn count<T: Real>(
        &mut self,
        (cutoff, bound): (f64, T),
        Rule { full, base, eager }: Rule,
        team: &Team,
        offsets: &mut [i64],
    ) -> Result<i64> {
        self.filled = None;
        if self.params.points == 0 {
            offsets.fill(base);
            return Ok(0);
        }
        let short = self.device.subgroups;
        self.params = Params {
            full: full.into(),
            base: base as u32,
            longest: if short { LONGEST } else { 0 },
            crowded: CROWDED,
            ..self.params
        };
        self.params.set_cutoff(cutoff, bound);
        self.submit_count()?;
        let start = Instant::now();
        self.fetch_offsets(base, eager, team, offsets)?;
        self.seconds[4] += start.elapsed().as_secs_f64();
        self.unread = vec![Phase::Index, Phase::Count];
        if self.filled.is_none() {
            self.read_clocks()?; // else the device is busy filling, and reading them now would wait for it
        }
        Ok(offsets[offsets.len() - 1] - offsets[0])
    }

    /// Counts rows into offsets on the device.
    fn submit_count(&mut self) -> Result<()> {
        self.write_params()?;
        let points = u64::from(self.params.points);
        let stages = [
            (Stage::Count, Size::Lanes(points, 64)),
            (Stage::SizeDispatches, Size::Workgroups(1)),
            (Stage::CountLong, Size::Indirect(LONGS)),
            (Stage::ReduceRows, Size::Lanes(points + 1, SCAN_BLOCK)),
            (Stage::ScanRowSums, Size::Workgroups(1)),
            (Stage::ApplyRows, Size::Lanes(points + 1, SCAN_BLOCK)),
        ];
        self.submit(Phase::Count, &stages, |gpu, encoder| {
            encoder.clear_buffer(gpu.buffers.get(Slot::MaskBases)?, 0, Some(4));
            clear_rows(gpu, encoder)
        })?;
        Ok(())
    }

    /// The offsets with `base` added, and, if it is `eager`, the filling begun before they have all arrived.
    fn fetch_offsets(&mut self, base: i64, eager: bool, team: &Team, offsets: &mut [i64]) -> Result<()> {
        let Gpu {
            device,
            buffers,
            transfer,
            ..
        } = self;
        let (source, bytes) = (buffers.get(Slot::Offsets)?, 8 * offsets.len() as u64);
        let mut total = 0;
        let download = transfer.start_download(device, source, bytes)?;
        if eager {
            transfer.fetch(device, source, bytes - 8..bytes, |bytes| {
                total = bytemuck::pod_read_unaligned::<i64>(bytes);
            })?;
        }
        if 0 < total && total as u64 <= self.most_entries() {
            let rows = 0..offsets.len() - 1;
            self.submit_fill(rows.clone(), 0, total)?;
            self.filled = Some(rows);
        }
        let Gpu { device, transfer, .. } = self;
        transfer.finish_download(
            device,
            download,
            || Ok(false),
            |at, piece| {
                let part = &mut offsets[at as usize / 8..][..piece.len() / 8];
                let share = part.len().div_ceil(team.threads()).max(1 << 16);
                let mut shares: Vec<_> = part.chunks_mut(share).zip(piece.chunks(8 * share)).collect();
                team.each(&mut shares, |(part, piece)| {
                    for (offset, bytes) in part.iter_mut().zip(piece.chunks_exact(8)) {
                        *offset = bytemuck::pod_read_unaligned::<i64>(bytes) + base;
                    }
                });
                Ok(())
            },
        )
    }

    /// Fills the rows counted last into the caller's memory. While the device works, the column of left points is written.
    pub fn fill(&mut self, team: &Team, want: Want) -> Result<()> {
        let total = (want.offsets[want.offsets.len() - 1] - want.base) as usize;
        let mut left_done = if want.left.is_some() { 0 } else { total };
        let mut idle = || {
            let (range, Some(left)) = (left_done..total.min(left_done + LEFT_AT_ONCE), want.left) else {
                return Ok(false);
            };
            left_done = range.end;
            if range.is_empty() {
                return Ok(false);
            }
            store_left(team, want.offsets, want.base, range, left)?;
            Ok(true)
        };
        for rows in self.chunks(want.offsets) {
            let first = want.offsets[rows.start] - want.base;
            let entries = want.offsets[rows.end] - want.base - first;
            if self.filled.take() != Some(rows.clone()) {
                self.submit_fill(rows, first, entries)?;
            }
            let begin = Instant::now();
            let Gpu {
                device,
                buffers,
                transfer,
                ..
            } = self;
            let download = transfer.start_download(device, buffers.get(Slot::Ids)?, 4 * entries as u64)?;
            transfer.finish_download(device, download, &mut idle, |at, piece| {
                store(
                    team,
                    bytemuck::cast_slice(piece),
                    first as usize + at as usize / 4,
                    want.ids,
                )
            })?;
            self.seconds[4] += begin.elapsed().as_secs_f64();
            self.unread.push(Phase::Fill);
            self.read_clocks()?;
        }
        while idle()? {}
        Ok(())
    }

    /// Ranges of rows whose ids fit one buffer.
    fn chunks(&self, offsets: &[i64]) -> Vec<Range<usize>> {
        let most = self.most_entries() as i64;
        let (rows, mut first, mut chunks) = (offsets.len() - 1, 0, Vec::new());
        while first < rows && offsets[first] < offsets[rows] {
            let end = offsets.partition_point(|&offset| offset - offsets[first] <= most) - 1;
            let end = end.max(first + 1);
            chunks.push(first..end);
            first = end;
        }
        chunks
    }

    /// Fills `rows`, which have `entries` ids from `start` on, into the buffer of ids.
    fn submit_fill(&mut self, rows: Range<usize>, start: i64, entries: i64) -> Result<()> {
        let what = "the result on the device";
        self.buffers.ensure(&self.device, Slot::Ids, 4 * entries as u64, what)?;
        let chunk = Chunk {
            first: rows.start as u32,
            end: rows.end as u32,
            start: [start as u32, (start >> 32) as u32],
        };
        let stages = [
            (Stage::SelectRows, Size::Lanes(u64::from(self.params.points), 256)),
            (Stage::SizeDispatches, Size::Workgroups(1)),
            (Stage::Fill, Size::Indirect(SHORTS)),
            (Stage::FillLong, Size::Indirect(LONGS)),
        ];
        self.submit(Phase::Fill, &stages, |gpu, encoder| {
            let buffer = gpu.buffers.get(Slot::Chunk)?;
            gpu.device.queue.write_buffer(buffer, 0, bytemuck::bytes_of(&chunk));
            clear_rows(gpu, encoder)
        })?;
        Ok(())
    }

    /// Ids that one chunk may have.
    fn most_entries(&self) -> u64 {
        self.device.max_binding / 4
    }

    /// The search once more from the points on the device to the rows on the device, which are those of `offsets`; for
    /// benchmarks. Returns the seconds from the first submission to the end of the last, the reading of the total between
    /// them included.
    pub fn again(&mut self, offsets: &[i64]) -> Result<f64> {
        self.filled = None;
        self.unread = vec![Phase::Index, Phase::Count];
        let start = Instant::now();
        self.submit_index()?;
        self.submit_count()?;
        let Gpu {
            device,
            buffers,
            transfer,
            ..
        } = self;
        let at = 8 * u64::from(self.params.points);
        transfer.fetch(device, buffers.get(Slot::Offsets)?, at..at + 8, |_| ())?;
        let mut fill = 0.0;
        for rows in self.chunks(offsets) {
            let first = offsets[rows.start] - offsets[0];
            let entries = offsets[rows.end] - offsets[rows.start];
            self.submit_fill(rows, first, entries)?;
            let Gpu {
                device,
                buffers,
                transfer,
                ..
            } = self;
            transfer.fetch(device, buffers.get(Slot::Rows)?, 0..16, |_| ())?;
            fill = start.elapsed().as_secs_f64();
            self.unread.push(Phase::Fill);
            self.read_clocks()?;
        }
        Ok(fill)
    }
}

/// No row is selected.
fn clear_rows(gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
    encoder.clear_buffer(gpu.buffers.get(Slot::Rows)?, 0, Some(ROWS_HEAD_BYTES));
    Ok(())
}
