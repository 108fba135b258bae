//! Sums over the rows of blocks. Hits of all blocks are kept where they have room, for the next sum of the same positions. Elsewhere
//! they are counted a range of blocks at a time, each into the memory of the one before. Crowds follow, window by window.
//!
//! in: an index, or hits that there are; out: outputs on the device. Stages: `shaders/count.wgsl`, `split`, `sum`.

use super::{Summed, TOO_LARGE};
use crate::error::{Error, Result};
use crate::gpu::attempt::Attempt;
use crate::gpu::channel::Channel;
use crate::gpu::clock::Phase;
use crate::gpu::dispatch::{Before, Size};
use crate::gpu::hits::Hits;
use crate::gpu::kernels::{Slot, Stage};
use crate::gpu::params::{
    BLOCK_WORDS, BLOCKS_BEGIN, BLOCKS_COUNT, BLOCKS_HEAD_BYTES, BLOCKS_ROUND, BLOCKS_UNKEPT, BLOCKS_WORDS,
};
use crate::gpu::report::BlockProgress;
use crate::gpu::row_search::RowSearch;
use crate::points::Real;
use crate::threads::Team;

/// Numbers that are 0.
const NOTHING: [u8; 4] = [0; 4];

/// Crowds that are split at once, where their windows have room for no longer than they are summed over.
const CROWDS: u32 = 256;

/// As many workgroups as there are blocks in the range.
const BLOCKS: Size = Size::Indirect(Slot::Workgroups, 0);

impl RowSearch {
    /// Sums over the hits that there are. Returns the number of neighbors.
    pub(super) fn sum_kept<T: Real>(&mut self, channel: &mut Channel, summed: &Summed<T>, team: &Team) -> Result<i64> {
        self.send_fields(channel, summed, team)?;
        let Hits {
            blocks,
            crowds,
            rounds,
            entries,
        } = *self.hits.get();
        self.write_params(channel)?;
        let these = [0, blocks];
        let before = [
            Before::Write(Slot::Blocks, BLOCKS_BEGIN, bytemuck::bytes_of(&these)),
            Before::Write(Slot::Blocks, BLOCKS_ROUND, &NOTHING),
        ];
        let sum = [(Stage::Sum, Size::Workgroups(blocks.into()))];
        self.submit_pass(channel, self.sum_load(false), &before, (Phase::Fill, &sum))?;
        self.sum_rounds(channel, [0, crowds], rounds)?;
        Ok(entries)
    }

    /// Counts, and sums over what is counted. Returns the number of neighbors, or why the device does not do it.
    pub(super) fn count_and_sum<T: Real>(
        &mut self,
        channel: &mut Channel,
        summed: &Summed<T>,
        team: &Team,
    ) -> Result<Attempt> {
        let mut keeps = self.begin_blocks(channel, summed)?;
        self.send_fields(channel, summed, team)?; // while the device counts
        loop {
            if let Some(entries) = self.sum_blocks(channel, (summed, keeps), team)? {
                return Ok(Ok(entries));
            }
            if self.crowd_room > channel.device.max_binding / 4 / BLOCK_WORDS {
                return Ok(Err(TOO_LARGE));
            }
            keeps = self.begin_blocks(channel, summed)?;
        }
    }

    /// Makes room, and submits what lists the blocks and counts all of them, where their hits are kept, or else the first range of them.
    /// Returns whether they are kept.
    fn begin_blocks<T: Real>(&mut self, channel: &mut Channel, summed: &Summed<T>) -> Result<bool> {
        let keeps = self.make_room_for_hits(channel, summed.memory_limit)?;
        self.write_params(channel)?;
        let points = u64::from(self.params.points);
        let (load, phase) = match keeps {
            true => (self.count_load(), Phase::Count),
            false => (self.sum_load(false), Phase::Fill),
        };
        let mut stages = vec![
            (Stage::Scope, Size::Lanes(points.div_ceil(4).max(128), 256)),
            (Stage::ListBlocks, Size::Lanes(points, 256)),
        ];
        match keeps {
            true => stages.push((Stage::SizeBlocks, Size::Workgroups(1))),
            false => stages.extend([Stage::SizeRanges, Stage::NextRange].map(|stage| (stage, Size::Workgroups(1)))),
        }
        stages.push((Stage::Count, BLOCKS));
        let no_blocks = [Before::Clear(Slot::Blocks, Some(BLOCKS_HEAD_BYTES))];
        self.submit_pass(channel, load, &no_blocks, (phase, &stages))?;
        Ok(keeps)
    }

    /// Sums over all rows, after `begin_blocks`. Returns the number of neighbors, or `None` where more room is to be made.
    fn sum_blocks<T: Real>(
        &mut self,
        channel: &mut Channel,
        (summed, keeps): (&Summed<T>, bool),
        team: &Team,
    ) -> Result<Option<i64>> {
        let (points, room) = (self.params.points, u64::from(self.params.mask_words));
        let progress = self.sum_ranges(channel, keeps)?;
        let BlockProgress {
            whole,
            wanted,
            crowds,
            unkept,
            ranges,
            ..
        } = progress;
        if wanted > whole {
            team.cost().add(progress.tests());
            self.block_room[0] = u64::from(wanted) * 9 / 8 + 8;
            return Ok(None);
        }
        if keeps && unkept > 0 {
            self.note_hits(expected(room, whole - unkept, whole.into()));
        }
        self.sum_unkept(channel, unkept)?;
        let mut are_kept = keeps && unkept == 0;
        let windows = self.sum_crowds(channel, &mut are_kept, progress)?;
        let progress = match crowds > 0 || unkept > 0 {
            true => self.progress(channel)?,
            false => progress,
        };
        channel.read_clock()?;
        team.cost().add(progress.tests());
        let Some(windows) = windows else {
            return Ok(None);
        };
        if progress.unkept > 0 {
            return Err(Error::Internal {
                text: "hits of a sum had no room on the device".into(),
            });
        }
        if !keeps {
            self.ranges = Some((points, ranges.max(1)));
            self.note_hits(room * u64::from(ranges.max(1)) + BLOCK_WORDS * windows);
        }
        if are_kept {
            let rounds = progress.most_windows;
            self.keep_hits(
                (summed.classes, summed.excluded),
                Hits {
                    blocks: whole,
                    crowds,
                    rounds,
                    entries: progress.entries(),
                },
            );
        }
        Ok(Some(progress.entries()))
    }

    /// Sums over the rows of all blocks that have room: those that are counted, and ranges of others, which are counted here. Ends early
    /// where blocks had no room to be listed.
    fn sum_ranges(&mut self, channel: &mut Channel, keeps: bool) -> Result<BlockProgress> {
        let points = self.params.points;
        let range = self.params.mask_words / BLOCK_WORDS as u32;
        // As many ranges as there were in the last sum, or of blocks with half the points they may have.
        let likely = match self.ranges {
            _ if keeps => 1,
            Some((of, ranges)) if of == points => ranges,
            _ => (points / 64).div_ceil(range).max(1),
        };
        let each = [
            (Stage::NextRange, Size::Workgroups(1)),
            (Stage::Count, BLOCKS),
            (Stage::Sum, BLOCKS),
        ];
        let mut stages = vec![(Stage::Sum, BLOCKS)];
        let (mut ranges, mut is_rest) = (likely - 1, !keeps);
        loop {
            stages.extend((0..ranges).flat_map(|_| each));
            self.submit_pass(channel, self.sum_load(is_rest), &[], (Phase::Fill, &stages))?;
            let progress = self.progress(channel)?;
            channel.read_clock()?;
            let summed = progress.begin + progress.next;
            if progress.wanted > progress.whole || summed >= progress.whole {
                return Ok(progress);
            }
            ranges = (progress.whole - summed).div_ceil(range);
            is_rest = true;
            stages.clear();
        }
    }

    /// Counts the blocks again whose hits had no room, as many at once as surely have, and sums over their rows.
    fn sum_unkept(&mut self, channel: &mut Channel, unkept: u32) -> Result<()> {
        let batch = (self.params.mask_words / BLOCK_WORDS as u32).max(1);
        for begin in (0..unkept).step_by(batch as usize) {
            let next = batch.min(unkept - begin);
            self.params.again = 1;
            let written = self.write_params(channel);
            self.params.again = 0;
            written?;
            let blocks = Size::Workgroups(next.into());
            let stages = [(Stage::Count, blocks), (Stage::Sum, blocks)];
            let these = [begin, next];
            let before = [
                Before::Write(Slot::Blocks, BLOCKS_BEGIN, bytemuck::bytes_of(&these)),
                Before::Write(Slot::Blocks, BLOCKS_WORDS, &NOTHING),
                Before::Write(Slot::Blocks, BLOCKS_UNKEPT, &NOTHING),
            ];
            self.submit_pass(channel, self.sum_load(true), &before, (Phase::Fill, &stages))?;
        }
        match unkept {
            0 => Ok(()),
            _ => self.write_params(channel),
        }
    }

    /// Sums over the rows of crowds: of all at once where hits are kept, if their windows have room beside all blocks, which else are not
    /// kept; then of as many as surely have room. Returns the number of windows, or `None` where more room is to be made.
    fn sum_crowds(
        &mut self,
        channel: &mut Channel,
        are_kept: &mut bool,
        progress: BlockProgress,
    ) -> Result<Option<u64>> {
        let BlockProgress { whole, crowds, .. } = progress;
        let (room, most_windows) = (u64::from(self.params.mask_words), self.params.most_windows.into());
        let (mut begin, mut most, mut all_windows) = (0, CROWDS, 0);
        while begin < crowds {
            let next = if *are_kept { crowds } else { most.min(crowds - begin) };
            let progress = self.count_windows(channel, whole, [begin, next], *are_kept)?;
            let windows = u64::from(progress.count - whole);
            let have_room = match *are_kept {
                true => progress.unkept == 0,
                false => BLOCK_WORDS * windows <= room,
            };
            if have_room && windows <= most_windows {
                self.sum_rounds(channel, [begin, next], progress.most_windows)?;
                begin += next;
                all_windows += windows;
            } else if *are_kept {
                let counted = whole + windows.min(most_windows) as u32;
                self.note_hits(expected(room, counted - progress.unkept, u64::from(whole) + windows));
                self.block_room[1] = self.block_room[1].max(windows * 9 / 8);
                *are_kept = false;
            } else if next > 1 {
                most = next / 2;
            } else {
                self.block_room[1] = self.block_room[1].max(windows);
                self.crowd_room = windows;
                return Ok(None);
            }
        }
        Ok(Some(all_windows))
    }

    /// Splits crowds, `next` from number `begin` on, and counts their windows: `after` all hits that there are, or in their place.
    fn count_windows(
        &mut self,
        channel: &mut Channel,
        whole: u32,
        these: [u32; 2],
        after: bool,
    ) -> Result<BlockProgress> {
        let stages = [
            (Stage::Split, Size::Workgroups(these[1].into())),
            (Stage::SizeWindows, Size::Workgroups(1)),
            (Stage::Count, BLOCKS),
        ];
        let before = [
            Before::Write(Slot::Blocks, BLOCKS_BEGIN, bytemuck::bytes_of(&these)),
            Before::Write(Slot::Blocks, BLOCKS_COUNT, bytemuck::bytes_of(&whole)),
            Before::Write(Slot::Blocks, BLOCKS_UNKEPT, &NOTHING),
            Before::Write(Slot::Blocks, BLOCKS_WORDS, &NOTHING),
        ];
        let before = if after { &before[..3] } else { &before };
        self.submit_pass(channel, self.sum_load(true), before, (Phase::Fill, &stages))?;
        let progress = self.progress(channel)?;
        channel.read_clock()?;
        Ok(progress)
    }

    /// Sums over the rows of crowds that are split: in each round over a window of each, in ascending order of numbers.
    fn sum_rounds(&mut self, channel: &mut Channel, these: [u32; 2], rounds: u32) -> Result<()> {
        let sum = [(Stage::Sum, Size::Workgroups(these[1].into()))];
        for round in 1..=rounds {
            let before = [
                Before::Write(Slot::Blocks, BLOCKS_BEGIN, bytemuck::bytes_of(&these)),
                Before::Write(Slot::Blocks, BLOCKS_ROUND, bytemuck::bytes_of(&round)),
            ];
            self.submit_pass(channel, self.sum_load(true), &before, (Phase::Fill, &sum))?;
        }
        Ok(())
    }

    fn progress(&mut self, channel: &mut Channel) -> Result<BlockProgress> {
        channel.fetch(&self.buffers, (Slot::Blocks, 0))
    }
}

/// Words that the hits of `all` blocks and windows are expected to take, and some more, if those of `kept` took the `room`.
fn expected(room: u64, kept: u32, all: u64) -> u64 {
    room.div_ceil(kept.max(1).into()) * all * 9 / 8
}
