//! Sums over neighbors on the device, a range of blocks at a time: `count` finds the hits of the blocks, and `sum` evaluates their
//! rows. The hits of the next range take the same memory. No list is made. Crowds follow, window by window.
//!
//! in: an index, a formula as shader code, and the fields; out: the outputs of all rows. Stages: `shaders/columns.wgsl`, `count`, `sum`.

mod fields;
mod kernels;
mod program;

pub use program::{Points as ShaderPoints, Reads as ShaderReads, Shader};

use std::ops::Range;
use std::sync::Arc;

use super::arithmetic::exact_arithmetic;
use super::channel::Channel;
use super::clock::Phase;
use super::device::Exact;
use super::dispatch::{Before, Size};
use super::kernels::{Kernels, Slot, Stage};
use super::params::{
    BLOCK_WORDS, BLOCKS_BEGIN, BLOCKS_BY_WINDOWS, BLOCKS_COUNT, BLOCKS_HEAD_BYTES, BLOCKS_UNKEPT, BLOCKS_WORDS, Params,
};
use super::report::BlockProgress;
use super::row_search::RowSearch;
use super::shader::{Form, Piece};
use super::speeds::{Load, Pass};
use super::transfer::SHARE;
use crate::error::{Error, Result};
use crate::kinds::Classes;
use crate::points::Real;
use crate::threads::Team;

/// Words of fields on their way, or as many as the results have.
const FIELDS: u64 = 8 << 20;

/// Words of the hits of a range of blocks.
const HITS: u64 = 12 << 20;

/// A number that is 0.
const NOTHING: [u8; 4] = [0; 4];

/// Crowds that are split at once.
const CROWDS: u32 = 256;

/// Puts the numbers of some points: takes the first point, and the bytes.
pub type Put<'a> = dyn FnMut(usize, &[u8]) + 'a;

/// A sum to be evaluated.
pub struct Summed<'a, T> {
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    pub classes: Option<&'a Classes<'a>>,
    pub bound: T,
    /// The points that have rows, by their numbers on the device.
    pub rows: Range<usize>,
    pub with_self: bool,
    pub shader: &'a Shader,
    /// Data that is the same for all pairs, and the numbers of tables.
    pub uniforms: &'a [f32],
    pub tables: &'a [f32],
    /// Numbers of all outputs of a row.
    pub width: usize,
    /// Puts what a field, by its number, has for a range of points.
    pub fill: &'a (dyn Fn(usize, Range<usize>, &mut Put) + Sync),
    /// Takes numbers of the outputs, the first of which has this place.
    pub take: &'a (dyn Fn(usize, &[f32]) + Sync),
}

/// Twin of the front of `Summed` in `shaders/shared/summed.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
struct Head {
    first_row: u32,
    rows: u32,
    with_self: u32,
    sign_bit: u32,
    first_point: u32,
    points: u32,
    unused: [u32; 2],
}

/// The result of a sum, or the reason why a device does not evaluate a formula.
pub type Attempt<N = i64> = std::result::Result<N, &'static str>;

const TOO_LARGE: &str = "points, fields or outputs larger than a binding";

impl RowSearch {
    /// Sums over the neighbors of the points that are indexed. Returns the number of neighbors, or why this device does not evaluate
    /// the formula.
    pub fn sum<T: Real>(&mut self, channel: &mut Channel, summed: &Summed<T>, team: &Team) -> Result<Attempt> {
        let Some(exact) = exact_arithmetic(channel, &self.kernels)? else {
            return Ok(Err("its arithmetic is not that of the CPU"));
        };
        if self.params.points == 0 || summed.rows.is_empty() {
            return Ok(Ok(0));
        }
        if self.kernels.form().windows {
            return Ok(Err(TOO_LARGE));
        }
        (self.filled, self.placed) = (None, false);
        channel.forget_times();
        self.set_classes(channel, summed.classes, team)?;
        self.take_formula(channel, summed.shader, exact)?;
        self.params.set_bound(summed.bound);
        self.params = Params {
            full: summed.full.into(),
            again: 2,
            room: 0,
            ..self.params
        };
        let found = self.sum_indexed(channel, summed, team);
        self.params.again = 0;
        found
    }

    fn sum_indexed<T: Real>(&mut self, channel: &mut Channel, summed: &Summed<T>, team: &Team) -> Result<Attempt> {
        if !self.make_room_for_sums(channel, summed)? {
            return Ok(Err(TOO_LARGE));
        }
        self.begin_blocks(channel)?;
        self.send_fields(channel, summed, team)?; // while the device counts
        let entries = loop {
            match self.sum_blocks(channel, team)? {
                Some(entries) => break entries,
                None if self.block_room[1] > channel.device.max_binding / 4 / BLOCK_WORDS => {
                    return Ok(Err(TOO_LARGE));
                }
                None => {
                    self.make_room_for_hits(channel)?;
                    self.begin_blocks(channel)?;
                }
            }
        };
        let bytes = 4 * (summed.rows.len() * summed.width) as u64;
        let results = self.buffers.get(Slot::Results)?;
        channel.download(team, results, bytes, &|share, bytes| {
            (summed.take)(share * (SHARE / size_of::<f32>()), bytemuck::cast_slice(bytes));
        })?;
        channel.read_clock()?;
        Ok(Ok(entries))
    }

    /// Room for records, results, fields, and what is the same for all pairs, which is written; false where a binding is too small.
    fn make_room_for_sums<T: Real>(&mut self, channel: &mut Channel, summed: &Summed<T>) -> Result<bool> {
        let points = u64::from(self.params.points);
        let records = 4 * points * summed.shader.record.len() as u64;
        let fields = points * summed.shader.record.components() as u64;
        let results = 4 * ((summed.rows.len() * summed.width) as u64).max(fields.min(FIELDS));
        let tables = 4 * summed.tables.len() as u64;
        if records.max(results).max(tables) > channel.device.max_binding {
            return Ok(false);
        }
        let constants = summed.shader.constants(summed.uniforms)?;
        let head = Head {
            first_row: summed.rows.start as u32,
            rows: summed.rows.len() as u32,
            with_self: summed.with_self.into(),
            sign_bit: 1 << 31,
            ..Head::default()
        };
        for (slot, bytes) in [
            (Slot::Records, records),
            (Slot::Results, results),
            (Slot::Tables, tables),
            (Slot::Summed, (size_of::<Head>() + size_of_val(&*constants)) as u64),
        ] {
            self.buffers.ensure(&channel.device, slot, bytes, "a sum on the GPU")?;
        }
        self.make_room_for_hits(channel)?;
        let (head_to, tables_to) = (self.buffers.get(Slot::Summed)?, self.buffers.get(Slot::Tables)?);
        channel.device.checked("the constants of a sum", 0, || {
            let queue = &channel.device.queue;
            queue.write_buffer(head_to, 0, bytemuck::bytes_of(&head));
            queue.write_buffer(head_to, size_of::<Head>() as u64, bytemuck::cast_slice(&constants));
            queue.write_buffer(tables_to, 0, bytemuck::cast_slice(summed.tables));
        })?;
        Ok(true)
    }

    /// Room for blocks, and for the hits of a range of them.
    fn make_room_for_hits(&mut self, channel: &mut Channel) -> Result<()> {
        let most = channel.device.max_binding / 4;
        let blocks = self.room_of_blocks();
        let windows = self.block_room[1].max(blocks / 64).min(most / BLOCK_WORDS);
        let hits = HITS
            .min(BLOCK_WORDS * u64::from(self.params.points))
            .max(BLOCK_WORDS * windows.min(HITS / BLOCK_WORDS));
        let hits = hits.max(BLOCK_WORDS * self.block_room[1]).min(most);
        self.set_room(channel, hits, 0, [blocks, windows.min(hits / BLOCK_WORDS).max(1)])
    }

    /// Submits what lists the blocks and counts the first range of them.
    fn begin_blocks(&mut self, channel: &mut Channel) -> Result<()> {
        self.write_params(channel)?;
        let points = u64::from(self.params.points);
        let stages = [
            (Stage::Scope, Size::Lanes(points.div_ceil(4).max(128), 256)),
            (Stage::ListBlocks, Size::Lanes(points, 256)),
            (Stage::SizeRanges, Size::Workgroups(1)),
            (Stage::NextRange, Size::Workgroups(1)),
            (Stage::Count, Size::Indirect(Slot::Workgroups, 0)),
        ];
        let no_blocks = [Before::Clear(Slot::Blocks, Some(BLOCKS_HEAD_BYTES))];
        self.submit_pass(channel, self.sum_load(false), &no_blocks, (Phase::Fill, &stages))
    }

    /// Sums over all rows, after `begin_blocks`. Returns the number of neighbors, or `None` where more room is to be made.
    fn sum_blocks(&mut self, channel: &mut Channel, team: &Team) -> Result<Option<i64>> {
        let points = self.params.points;
        let blocks = Size::Indirect(Slot::Workgroups, 0);
        let range = self.params.mask_words / BLOCK_WORDS as u32;
        // As many ranges as there were in the last sum, or of blocks with half the points they may have.
        let likely = match self.ranges {
            Some((of, ranges)) if of == points => ranges,
            _ => (points / 64).div_ceil(range).max(1),
        };
        let each = [
            (Stage::NextRange, Size::Workgroups(1)),
            (Stage::Count, blocks),
            (Stage::Sum, blocks),
        ];
        let mut stages = vec![(Stage::Sum, blocks)];
        let mut ranges = likely - 1;
        let progress = loop {
            stages.extend((0..ranges).flat_map(|_| each));
            self.submit_pass(channel, self.sum_load(true), &[], (Phase::Fill, &stages))?;
            let progress = self.progress(channel)?;
            channel.read_clock()?;
            if progress.wanted > progress.whole {
                team.cost().add(progress.tests());
                self.block_room[0] = u64::from(progress.wanted) * 9 / 8 + 8;
                return Ok(None);
            }
            if progress.begin + progress.next >= progress.whole {
                break progress;
            }
            ranges = (progress.whole - progress.begin - progress.next).div_ceil(range);
            stages.clear();
        };
        self.ranges = Some((self.params.points, progress.ranges.max(1)));
        self.sum_unkept(channel, progress.unkept)?;
        self.sum_crowds(channel, progress, team)
    }

    /// Counts the blocks again whose hits had no room, as many at once as surely have, and sums over their rows.
    fn sum_unkept(&mut self, channel: &mut Channel, unkept: u32) -> Result<()> {
        let batch = (self.params.mask_words / BLOCK_WORDS as u32).max(1);
        for begin in (0..unkept).step_by(batch as usize) {
            let next = batch.min(unkept - begin);
            self.params.again = 1;
            let written = self.write_params(channel);
            self.params.again = 2;
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

    /// Sums over the rows of crowds, as many at once as their windows have room. A window of each crowd follows the one before.
    fn sum_crowds(&mut self, channel: &mut Channel, mut progress: BlockProgress, team: &Team) -> Result<Option<i64>> {
        let (whole, crowds, unkept) = (progress.whole, progress.crowds, progress.unkept);
        let blocks = Size::Indirect(Slot::Workgroups, 0);
        let (mut begin, mut most) = (0, CROWDS);
        while begin < crowds {
            let next = most.min(crowds - begin);
            let stages = [
                (Stage::Split, Size::Workgroups(next.into())),
                (Stage::SizeWindows, Size::Workgroups(1)),
                (Stage::Count, blocks),
            ];
            let these = [begin, next];
            let these = Before::Write(Slot::Blocks, BLOCKS_BEGIN, bytemuck::bytes_of(&these));
            let before = [
                these,
                Before::Write(Slot::Blocks, BLOCKS_COUNT, bytemuck::bytes_of(&whole)),
                Before::Write(Slot::Blocks, BLOCKS_WORDS, &NOTHING),
                Before::Write(Slot::Blocks, BLOCKS_BY_WINDOWS, bytemuck::bytes_of(&1u32)),
            ];
            self.submit_pass(channel, self.sum_load(true), &before, (Phase::Fill, &stages))?;
            progress = self.progress(channel)?;
            channel.read_clock()?;
            let windows = u64::from(progress.count - whole);
            if windows <= self.params.most_windows.into() {
                for _ in 0..progress.most_windows {
                    let sum = [(Stage::Sum, Size::Workgroups(next.into()))];
                    self.submit_pass(channel, self.sum_load(true), &[these], (Phase::Fill, &sum))?;
                }
                begin += next;
            } else if next > 1 {
                most = next / 2;
            } else {
                self.block_room[1] = windows;
                team.cost().add(progress.tests());
                return Ok(None);
            }
        }
        if crowds > 0 || unkept > 0 {
            progress = self.progress(channel)?;
            channel.read_clock()?;
        }
        team.cost().add(progress.tests());
        match progress.unkept {
            0 => Ok(Some(progress.entries())),
            _ => Err(Error::Internal {
                text: "hits of a sum had no room on the device".into(),
            }),
        }
    }

    fn progress(&mut self, channel: &mut Channel) -> Result<BlockProgress> {
        channel.fetch(&self.buffers, (Slot::Blocks, 0))
    }

    /// The load of all parts of a sum; `is_rest`: of those after the first.
    fn sum_load(&self, is_rest: bool) -> Load {
        Load {
            is_rest,
            ..self.load(Pass::Sum)
        }
    }

    /// Takes the kernels of a formula, beside those of the search.
    fn take_formula(&mut self, channel: &mut Channel, shader: &Shader, exact: Exact) -> Result<()> {
        let form = Form {
            fused: exact.is_fused,
            doubles: exact.has_doubles && shader.is_wide,
            ..self.kernels.form()
        };
        let pieces = &shader.pieces;
        let is_known = |(of, known): &(Vec<Piece>, Arc<Kernels>)| of == pieces && Arc::ptr_eq(known, &self.kernels);
        if self.formula.as_ref().is_some_and(is_known) {
            return Ok(());
        }
        let kernels = kernels::of(&channel.device, form, pieces, exact.controls)?;
        self.kernels = Arc::new(self.kernels.with(kernels));
        self.formula = Some((pieces.clone(), self.kernels.clone()));
        Ok(())
    }
}
