//! Search with a radius for each point on the device: points are sorted along a curve in space, under planes of boxes. A team
//! of lanes for each point goes down these planes. Rows are counted, then filled in any order and sorted. Everything else is as
//! for a search with a cutoff.
//!
//! in: points, radii; out: lengths and offsets of rows, and ids, in the buffers that `pairs` reads.

use super::channel::Channel;
use super::clock::Phase;
use super::dispatch::{Before, Size};
use super::kernels::{Slot, Stage};
use super::params::{Chunk, LEAF, Params, SCAN_BLOCK};
use super::queries::Rule;
use super::report::keys_bytes;
use super::row_search::RowSearch;
use super::scopes::classes_words;
use super::shader::Form;
use crate::domain::{Periods, TieRule};
use crate::error::Result;
use crate::points::{PointsView, Real};
use crate::radii::RadiusRule;
use crate::threads::Team;
use crate::version::Version;

/// Bytes of a point in its leaf, and of a node.
const LOCAL_BYTES: u64 = 16;
const NODE_BYTES: u64 = 48;

/// The least number of teams that count, if splitting leaves among them gives that many: fewer do not keep a device busy.
const LEAST_TEAMS: u64 = 1 << 12;

/// Bytes of a team whose points reach far, and in front of them all.
const FAR_BYTES: u64 = 8;
const FAR_HEAD_BYTES: u64 = 48;

/// The place in front of them of the sizes of the dispatches, for them and for rows that are found in order, and for
/// long ones: `Far` in `shaders/shared/far.wgsl`.
const FAR_WORKGROUPS: u64 = 0;
const DIRECT_WORKGROUPS: u64 = 16;
const LONG_WORKGROUPS: u64 = 32;

/// Leaves with what was found in them for a point, and blocks of them, that are kept, on average. Leaves of points that find
/// no room are searched again.
const KEPT: u64 = 16;
const KEPT_BYTES: u64 = 8;

/// Bytes before the last block of each team: those before `LAST_BLOCKS` in `shaders/shared/kept.wgsl`.
const LAST_BLOCKS_HEAD_BYTES: u64 = 12;

/// Rows with more ids than this and than this share of all points are found in order: sorting one takes a workgroup too long.
const DIRECT: u32 = 2048;
const DIRECT_SHARE: u32 = 32;

/// Bytes of such a row, and in front of them all: `Direct` in `shaders/direct.wgsl`.
const DIRECT_BYTES: u64 = 4 * 257;
const DIRECT_HEAD_BYTES: u64 = 8;

/// Bytes in front of the rows that a workgroup each sorts: `Rows` in `shaders/shared/rows.wgsl`.
const ROWS_HEAD_BYTES: u64 = 4;

/// Rows of a workgroup that sorts short ones: `ROWS` in `shaders/sort_rows.wgsl`.
const SORT_BLOCK: u64 = 8;

/// Points that a thread brings into a staging buffer at once.
const FEW: usize = 256;

impl RowSearch {
    /// Uploads `view`, wrapped along periodic axes, with the `radius` of each point, none above `largest`, sorts the points
    /// along a curve in space, and makes boxes around the points. Returns before the device is done.
    pub fn index_by_radii<T: Real>(
        &mut self,
        channel: &mut Channel,
        view: &PointsView<T>,
        periods: &Periods<T>,
        (largest, rule): (T, RadiusRule),
        radius: impl Fn(usize) -> T + Sync,
        team: &Team,
    ) -> Result<()> {
        (self.filled, self.sent, self.indexed) = (None, None, Version::new());
        channel.forget_times();
        self.reach = largest.to_f64();
        self.params = Params {
            points: view.len() as u32,
            dim: view.dim() as u32,
            ..Params::default()
        };
        let farthest = match largest == T::default() {
            true => farthest(view, team)?,
            false => 0.0,
        };
        self.params.set_radii(largest, farthest, periods, rule);
        if view.is_empty() {
            return Ok(());
        }
        self.make_room_by_radii(
            channel,
            view.len() as u64,
            (view.dim() * size_of::<T>()) as u64,
            size_of::<T>() as u64,
        )?;
        channel.upload_points(team, (view, 0), self.buffers.get(Slot::Coords)?)?;
        let radii = self.buffers.get(Slot::Radii)?;
        channel.upload(team, [view.len(), size_of::<T>()], radii, 0, |range, put| {
            let mut few = [T::default(); FEW];
            for first in range.clone().step_by(FEW) {
                let few = &mut few[..(range.end - first).min(FEW)];
                (first..).zip(&mut *few).for_each(|(i, to)| *to = radius(i));
                put(first, bytemuck::cast_slice(few));
            }
        })?;
        self.submit_index_by_radii(channel)
    }

    /// Sorts the points that were uploaded, and makes boxes around them. Returns before the device is done.
    pub(super) fn submit_index_by_radii(&mut self, channel: &mut Channel) -> Result<()> {
        let (coords, points) = (self.buffers.get(Slot::Coords)?, self.params.points);
        self.ztree.order(channel, coords, &self.params, [points, 0])?;
        self.buffers.lend(Slot::Entries, self.ztree.buffers.get(Slot::Entries)?);
        self.submit_boxes(channel)
    }

    /// Buffers for a number of points, with the bytes of each and of its radius.
    fn make_room_by_radii(
        &mut self,
        channel: &mut Channel,
        points: u64,
        point_bytes: u64,
        radius_bytes: u64,
    ) -> Result<()> {
        self.take_form(
            channel,
            Form {
                windows: point_bytes.max(LOCAL_BYTES) * points > channel.device.max_binding,
                periodic: self.params.is_periodic(),
                kinds: self.kernels.form().kinds, // counting finds out
                radii: true,
                ..Form::of(&channel.device)
            },
        )?;
        let [nodes, leaves] = self.params.nodes().map(u64::from);
        self.params.splits = splits(leaves);
        let teams = self.teams();
        let kept = (KEPT * points).min(channel.device.max_binding / KEPT_BYTES);
        self.params.mask_words = kept as u32;
        self.params.direct = DIRECT.max(self.params.points / DIRECT_SHARE);
        let what = "the index on the device";
        for (slot, bytes) in [
            (Slot::Params, size_of::<Params>() as u64),
            (Slot::Chunk, size_of::<Chunk>() as u64),
            (Slot::Coords, point_bytes * points),
            (Slot::Radii, radius_bytes * points),
            (Slot::Order, 4 * (points + classes_words(points))),
            (Slot::Sorted, LOCAL_BYTES * points),
            (Slot::Nodes, NODE_BYTES * nodes),
            (Slot::Keys, keys_bytes(points)),
            (Slot::Far, FAR_HEAD_BYTES + FAR_BYTES * teams),
            (Slot::Masks, KEPT_BYTES * kept),
            (Slot::MaskBases, LAST_BLOCKS_HEAD_BYTES + 4 * teams),
            (Slot::Sums, 8 * (points + 1).div_ceil(SCAN_BLOCK)),
            (Slot::Offsets, 8 * (points + 1)),
            (Slot::Rows, ROWS_HEAD_BYTES + 4 * points),
        ] {
            self.buffers.ensure(&channel.device, slot, bytes, what)?;
        }
        Ok(())
    }

    /// Makes boxes around the points as they were sorted.
    fn submit_boxes(&mut self, channel: &mut Channel) -> Result<()> {
        self.write_params(channel)?;
        let [nodes, leaves] = self.params.nodes();
        let groups = match self.params.rule == RadiusRule::Min as u32 {
            true => u64::from(leaves.div_ceil(LEAF)),
            false => 0,
        };
        let stages = [
            (Stage::Regroup, Size::Workgroups(groups)),
            (Stage::Leaves, Size::Lanes(u64::from(self.params.points), 256)),
            (Stage::Planes, Size::Workgroups(u64::from(nodes - leaves))),
        ];
        self.submit(channel, &[], (Phase::Index, &stages))
    }

    /// [`count`](Gpu::count) by radii.
    pub fn count_by_radii(
        &mut self,
        channel: &mut Channel,
        tie_rule: TieRule,
        rule: Rule,
        team: &Team,
        offsets: &mut [i64],
    ) -> Result<i64> {
        self.params.exclusive = (tie_rule == TieRule::Exclusive).into();
        self.count_rows(channel, rule, team, offsets)
    }

    /// Counts rows into offsets on the device.
    pub(super) fn submit_count_by_radii(&mut self, channel: &mut Channel) -> Result<()> {
        self.write_params(channel)?;
        let points = u64::from(self.params.points);
        let stages = [
            (Stage::CountNear, Size::Workgroups(self.teams())),
            (Stage::SizeFar, Size::Workgroups(1)),
            (Stage::CountFar, Size::Indirect(Slot::Far, FAR_WORKGROUPS)),
            (Stage::ReduceRows, Size::Lanes(points + 1, SCAN_BLOCK)),
            (Stage::ApplyRows, Size::Lanes(points + 1, SCAN_BLOCK)),
            (Stage::TellTests, Size::Workgroups(1)),
        ];
        let before = [
            Before::Clear(Slot::Far, Some(FAR_HEAD_BYTES)),
            Before::Clear(Slot::MaskBases, Some(LAST_BLOCKS_HEAD_BYTES)),
            Before::Clear(Slot::Keys, None),
        ];
        self.submit_pass(channel, self.count_load(), &before, (Phase::Count, &stages))
    }

    /// Fills the rows of a chunk, which have that many `entries`.
    pub(super) fn submit_fill_by_radii(&mut self, channel: &mut Channel, chunk: Chunk, entries: u64) -> Result<()> {
        let points = u64::from(self.params.points);
        let rows = (entries / u64::from(self.params.direct)).min(points);
        let bytes = DIRECT_HEAD_BYTES + DIRECT_BYTES * rows;
        (self.buffers).ensure(&channel.device, Slot::Direct, bytes, "the longest rows on the device")?;
        let stages = [
            (Stage::FindEnds, Size::Lanes(points, 256)),
            (Stage::FillNear, Size::Workgroups(self.params.nodes()[1].into())),
            (Stage::FillFar, Size::Indirect(Slot::Far, FAR_WORKGROUPS)),
            (Stage::SelectRows, Size::Lanes(points, 256)),
            (Stage::SizeSelected, Size::Workgroups(1)),
            (Stage::CountDirect, Size::Indirect(Slot::Far, DIRECT_WORKGROUPS)),
            (Stage::FillDirect, Size::Indirect(Slot::Far, DIRECT_WORKGROUPS)),
            (Stage::SortRows, Size::Lanes(points, SORT_BLOCK)),
            (Stage::SortLong, Size::Indirect(Slot::Far, LONG_WORKGROUPS)),
            (Stage::SortLongest, Size::Indirect(Slot::Far, LONG_WORKGROUPS)),
        ];
        let before = [
            Before::Write(Slot::Chunk, 0, bytemuck::bytes_of(&chunk)),
            Before::Clear(Slot::Direct, Some(DIRECT_HEAD_BYTES)),
            Before::Clear(Slot::Rows, Some(ROWS_HEAD_BYTES)),
        ];
        self.submit_pass(channel, self.fill_load(entries), &before, (Phase::Fill, &stages))
    }

    /// Teams that count for leaves.
    fn teams(&self) -> u64 {
        u64::from(self.params.nodes()[1]) * u64::from(self.params.splits)
    }
}

/// Teams that count for each of that many leaves, each of which looks at its share of the groups of leaves.
fn splits(leaves: u64) -> u32 {
    let wanted = LEAST_TEAMS.div_ceil(leaves.max(1)).next_power_of_two();
    match leaves > u64::from(LEAF) {
        true => wanted.min(8) as u32,
        false => 1, // there is one group
    }
}

/// The largest size of a coordinate.
fn farthest<T: Real>(view: &PointsView<T>, team: &Team) -> Result<f64> {
    let ends = view.extent(team)?.into_iter().take(view.dim()).flatten();
    Ok(ends
        .map(|end| end.to_f64().abs())
        .filter(|end| end.is_finite())
        .fold(0.0, f64::max))
}
