//! Blocks of points whose rows are found together: the room there is for them, and for their hits.
//!
//! in: what the device says about the blocks of a count; out: buffers for them, and hits that are found again where they had no
//! room. Stages: `shaders/blocks.wgsl`, `count`, `split`.

use super::channel::Channel;
use super::clock::Phase;
use super::dispatch::{Before, Size};
use super::excluded::ListedBy;
use super::hits::{Hits, HitsOf};
use super::kernels::{Slot, Stage};
use super::params::{BLOCK_BYTES, BLOCK_ROWS, BLOCK_WORDS, BLOCKS_BEGIN, BLOCKS_HEAD_BYTES, BLOCKS_WORDS, Params};
use super::report::BlockCounts;
use super::row_search::RowSearch;
use crate::error::Result;

const WHAT: &str = "the blocks of a search on the GPU";

/// Words per point for hits kept from counting to filling, of half rows and of full rows. Rows of a hundred neighbors take this.
/// Blocks that find no room are counted again.
const HITS_PER_POINT: [u64; 2] = [30, 40];

/// Words of the hits of a range of blocks, where those of all blocks have no room.
const RANGE: u64 = 12 << 20;

/// Blocks that are counted again in one batch, at most. There is spare room for the hits of this many.
const BATCH: u64 = 256;

/// A search starts with room for one block per this many points, and for no window of a crowd.
const POINTS_PER_BLOCK: u64 = 16;

impl RowSearch {
    /// Room for blocks, for windows of crowds, and for hits.
    pub(super) fn make_room_for_blocks(&mut self, channel: &mut Channel) -> Result<()> {
        let points = u64::from(self.params.points);
        let most_words = channel.device.max_binding / 4;
        let spare = BLOCK_WORDS * BATCH.min(points).min(most_words / BLOCK_WORDS / 2).max(1);
        let hits = (HITS_PER_POINT[self.params.full as usize] * points).min(most_words.saturating_sub(spare)); // `ensure` refuses smaller bindings
        let blocks = self.room_of_blocks();
        self.set_room(channel, hits, spare, [blocks, self.block_room[1]])?;
        (self.buffers).ensure(&channel.device, Slot::Offsets, 8 * (points + 1), WHAT)?;
        self.params.mask_words = hits.min(self.most_hits) as u32;
        Ok(())
    }

    /// Blocks that there is room for.
    pub(super) fn room_of_blocks(&self) -> u64 {
        let points = u64::from(self.params.points);
        self.block_room[0].max(points.div_ceil(POINTS_PER_BLOCK) + 64)
    }

    /// Room for words of hits and spare ones after them, for blocks and for windows.
    pub(super) fn set_room(
        &mut self,
        channel: &mut Channel,
        hits: u64,
        spare: u64,
        [blocks, windows]: [u64; 2],
    ) -> Result<()> {
        self.hits.begin(); // the hits end here: a count writes to their buffers next, which may be others
        (self.params.mask_words, self.params.spare_words) = (hits as u32, spare as u32);
        self.buffers
            .ensure(&channel.device, Slot::Masks, 4 * (hits + spare), WHAT)?;
        self.params.most_blocks = (blocks + windows) as u32;
        self.params.most_windows = windows as u32;
        let listed = 4 * (blocks + windows) + 4 * BLOCK_ROWS * windows;
        let bytes = BLOCKS_HEAD_BYTES + BLOCK_BYTES * (blocks + windows);
        self.buffers.ensure(&channel.device, Slot::Blocks, bytes, WHAT)?;
        self.buffers.ensure(&channel.device, Slot::Listed, listed, WHAT)
    }

    /// Whether there was no room for some blocks or windows.
    pub(super) fn leaves_out(&self, counts: BlockCounts) -> bool {
        counts.windows > self.params.most_windows
            || u64::from(counts.blocks) + u64::from(counts.windows) > self.params.most_blocks.into()
    }

    /// BlockCounts the blocks again whose hits are not kept, as many at once as have room, and fills their rows.
    pub(super) fn submit_unkept(&mut self, channel: &mut Channel) -> Result<()> {
        let unkept = self.counts.unkept;
        let batch = self.params.spare_words / BLOCK_WORDS as u32;
        for begin in (0..unkept).step_by(batch as usize) {
            let next = batch.min(unkept - begin);
            self.params.again = 1;
            self.write_params(channel)?;
            self.params.again = 0;
            let blocks = Size::Workgroups(next.into());
            let (these, words) = ([begin, next], self.params.mask_words);
            let before = [
                Before::Write(Slot::Blocks, BLOCKS_BEGIN, bytemuck::bytes_of(&these)),
                Before::Write(Slot::Blocks, BLOCKS_WORDS, bytemuck::bytes_of(&words)),
            ];
            self.submit(
                channel,
                &before,
                (Phase::Fill, &[(Stage::Count, blocks), (Stage::Fill, blocks)]),
            )?;
        }
        if unkept > 0 {
            self.write_params(channel)?;
        }
        Ok(())
    }

    /// The inputs of the hits that a count by the parameters gives.
    pub(super) fn hits_of(&self, (classes, excluded): ListedBy) -> HitsOf {
        let Params {
            bound,
            full,
            every_block,
            ..
        } = self.params;
        HitsOf {
            index: self.indexed,
            bound,
            full,
            classes: classes.map(|classes| classes.of),
            excluded: excluded.map(|(version, _)| version),
            every_block: classes.is_none() || every_block == 1,
        }
    }

    /// The device has the `hits` of a count by the parameters.
    pub(super) fn keep_hits(&mut self, listed_by: ListedBy, hits: Hits) {
        let of = self.hits_of(listed_by);
        *self.hits.begin() = hits;
        self.hits.finish(of);
    }

    /// Room for blocks, and for the hits of all of them, or else of a range of them. Returns whether it is for all.
    pub(super) fn make_room_for_hits(&mut self, channel: &mut Channel, memory_limit: Option<u64>) -> Result<bool> {
        let (points, full) = (u64::from(self.params.points), self.params.full as usize);
        let most = channel.device.max_binding / 4;
        let range = RANGE.min(BLOCK_WORDS * points);
        let all = (HITS_PER_POINT[full].max(self.hits_per_point[full]) * points).max(range);
        // A quarter of a limit, or what there is already.
        let allowed = memory_limit.map_or(most, |limit| (limit / 16).max(RANGE).min(most));
        let keeps = all <= allowed.max(self.buffers.bytes_of(Slot::Masks) / 4).min(most);
        let blocks = self.room_of_blocks();
        let windows = self.block_room[1].max(blocks / 64).min(most / BLOCK_WORDS).max(1);
        let hits = if keeps { all } else { range };
        let hits = hits.max(BLOCK_WORDS * self.crowd_room.max(1)).min(most);
        self.set_room(channel, hits, 0, [blocks, windows])?;
        Ok(keeps)
    }

    /// Notes how many words the hits take. The next ones get as much room.
    pub(super) fn note_hits(&mut self, words: u64) {
        let points = u64::from(self.params.points);
        self.hits_per_point[self.params.full as usize] = words.div_ceil(points.max(1));
    }
}
