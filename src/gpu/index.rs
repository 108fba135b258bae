//! The index on the device: points in cell order, and the start of each cell.

use std::ops::Range;

use super::channel::Channel;
use super::clock::Phase;
use super::dispatch::{Before, Size};
use super::kernels::{Slot, Stage};
use super::params::{Params, SCAN_BLOCK, SHAPE_BYTES, SHARES, WORKGROUPS_BYTES};
use super::report::keys_bytes;
use super::row_search::RowSearch;
use super::shader::Form;
use super::transfer::PutItems;
use crate::domain::Periods;
use crate::error::Result;
use crate::points::{PointsView, Real, Stamp};
use crate::threads::Team;
use crate::version::Version;

const WHAT: &str = "the index on the GPU";

/// Cells may number this many per point: 4 bytes each.
const CELLS_PER_POINT: u64 = 4;

/// Bytes of a point in cell order.
const SORTED_BYTES: u64 = 16;

/// Cells that the cutoff spans.
const REACH: u32 = 1;

/// Small clouds may have this many cells all the same.
const CELLS_AT_LEAST: u64 = 4096;

/// Points of a workgroup that finds the extent, at least.
const SHARE: u64 = 1024;

impl RowSearch {
    /// Uploads points ahead of a search, `len` of a number of bytes each: those of `stamp`, after which others may follow. `write` puts
    /// their coordinates, wrapped along periodic axes, as for [`Channel::upload`].
    pub fn send(
        &mut self,
        channel: &mut Channel,
        [len, point_bytes]: [usize; 2],
        stamp: Stamp,
        team: &Team,
        write: impl Fn(Range<usize>, &mut PutItems) + Sync,
    ) -> Result<()> {
        self.sent = None;
        if len == 0 {
            return Ok(());
        }
        let bytes = (len * point_bytes) as u64;
        self.buffers.ensure(&channel.device, Slot::Coords, bytes, WHAT)?;
        let coords = self.buffers.get(Slot::Coords)?;
        channel.upload(team, [len, point_bytes], coords, 0, write)?;
        self.sent = Some((stamp, len));
        Ok(())
    }

    /// Uploads `view`, wrapped along periodic axes, except the coordinates that the device has already by the points' `stamp`, and
    /// sorts it into cells, for searches within `cutoff` (already rounded to `T`). Returns before the device is done.
    pub fn index<T: Real>(
        &mut self,
        channel: &mut Channel,
        (view, stamp): (&PointsView<T>, Option<Stamp>),
        periods: &Periods<T>,
        cutoff: f64,
        bound: T,
        team: &Team,
    ) -> Result<()> {
        let sent = self.sent.take().zip(stamp);
        let there = sent.map_or(0, |((before, len), stamp)| stamp.same_as(&before, len).min(view.len()));
        (self.filled, self.indexed) = (None, Version::new());
        channel.forget_times();
        self.reach = cutoff;
        self.params = Params {
            points: view.len() as u32,
            dim: view.dim() as u32,
            reach: REACH,
            shares: (view.len() as u64).div_ceil(SHARE).clamp(1, SHARES) as u32,
            ..Params::default()
        };
        self.params.set_search(cutoff, bound, periods);
        if view.is_empty() {
            return Ok(());
        }
        let point_bytes = (view.dim() * size_of::<T>()) as u64;
        if there > 0 {
            (self.buffers).extend(&channel.device, Slot::Coords, point_bytes * view.len() as u64, WHAT)?;
        }
        self.make_room(channel, view.len() as u64, point_bytes)?;
        let coords = self.buffers.get(Slot::Coords)?;
        channel.upload_points(team, (view, there), coords)?;
        self.sent = stamp.map(|stamp| (stamp, view.len()));
        self.submit_index(channel)
    }

    /// Buffers for a number of points of a number of bytes each.
    fn make_room(&mut self, channel: &mut Channel, points: u64, point_bytes: u64) -> Result<()> {
        self.take_form(
            channel,
            Form {
                windows: point_bytes.max(SORTED_BYTES) * points > channel.device.max_binding,
                periodic: self.params.is_periodic(),
                kinds: self.kernels.form().kinds, // counting finds out
                excluded: self.kernels.form().excluded,
                ..Form::of(&channel.device)
            },
        )?;
        let device = &channel.device;
        let most_cells = (CELLS_PER_POINT * points)
            .max(CELLS_AT_LEAST)
            .min(device.max_binding / 4 - 1);
        self.params.most_cells = most_cells as u32;
        let blocks = (most_cells.max(points) + 1).div_ceil(SCAN_BLOCK);
        for (slot, bytes) in [
            (Slot::Params, size_of::<Params>() as u64),
            (Slot::Chunk, size_of::<super::params::Chunk>() as u64),
            (Slot::Shape, SHAPE_BYTES),
            (Slot::Coords, point_bytes * points),
            (Slot::Extents, SHARES * 3 * 16),
            (Slot::Keys, keys_bytes(points)),
            (Slot::Starts, 4 * (most_cells + 1)),
            (Slot::Sorted, SORTED_BYTES * points),
            (Slot::Cells, 4 * points),
            (Slot::Sums, 8 * blocks),
            (Slot::Workgroups, WORKGROUPS_BYTES),
        ] {
            self.buffers.ensure(device, slot, bytes, WHAT)?;
        }
        Ok(())
    }

    /// Sorts the points that were uploaded.
    pub(super) fn submit_index(&mut self, channel: &mut Channel) -> Result<()> {
        self.write_params(channel)?;
        let (points, cells) = (u64::from(self.params.points), u64::from(self.params.most_cells) + 1);
        let stages = [
            (Stage::Extent, Size::Workgroups(u64::from(self.params.shares))),
            (Stage::LayShape, Size::Workgroups(1)),
            (Stage::Key, Size::Lanes(points, 256)),
            (Stage::ReduceCells, Size::Lanes(cells, SCAN_BLOCK)),
            (Stage::ApplyCells, Size::Lanes(cells, SCAN_BLOCK)),
            (Stage::Scatter, Size::Lanes(points, 256)),
        ];
        let no_starts = [Before::Clear(Slot::Starts, Some(4 * cells))];
        self.submit(channel, &no_starts, (Phase::Index, &stages))
    }
}
