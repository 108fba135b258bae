//! Points and queries along the z-order curve on the device: the points, which the search for the k nearest and that for groups share, and
//! queries.
//!
//! in: the points held, followed by queries; out: their coordinates and indexes, made again where versions differ.

use std::ops::Range;

use super::buffers::Buffers;
use super::channel::Channel;
use super::kernels::Slot;
use super::params::Params;
use super::queries::Asking;
use super::ztree::{LEAF, Zorder, Ztree, zpoints_bytes};
use crate::error::Result;
use crate::points::Real;
use crate::threads::Team;
use crate::version::{Derived, Version};

const WHAT: &str = "the coordinates of points on the GPU";

/// Points, and queries.
type PointsOf = [Version; 2];

/// Indexes of a handle on the device.
#[derive(Debug, Default)]
pub struct Curve {
    /// Of the points, and after them of the queries.
    coords: Derived<PointsOf, Buffers>,
    pub points: Derived<Version, Ztree>,
    /// Of the part of the queries from some number on, in some unit: that of the points.
    pub queries: Derived<(PointsOf, usize, i32), Ztree>,
}

impl Curve {
    /// Coordinates as the caller gave them.
    pub fn coords(&self) -> Result<&wgpu::Buffer> {
        self.coords.get().get(Slot::Coords)
    }

    /// Whether coordinates, or points along the curve, are more than one binding of `most` bytes holds.
    pub fn has_windows(&self, most: u64) -> bool {
        self.coords.get().bytes_of(Slot::Coords) > most || self.points.get().has_windows()
    }

    /// The buffers on the device.
    pub fn all_buffers(&self) -> [&Buffers; 3] {
        let [points, queries] = [self.points.get(), self.queries.get()].map(|tree| &tree.buffers);
        [self.coords.get(), points, queries]
    }

    /// Uploads what is asked about and indexes the points for a search, within `radius` or for the nearest, where the device does
    /// not have it already. Returns whether it had no index.
    pub(super) fn index_points<T: Real>(
        &mut self,
        channel: &mut Channel,
        asking: Asking<T>,
        radius: Option<f64>,
        team: &Team,
    ) -> Result<bool> {
        let of = asking.of();
        let serves = |sent: &PointsOf| sent[0] == of[0] && (!asking.of_queries || *sent == of);
        if !self.coords.of().is_some_and(serves) {
            self.upload_coords(channel, asking, team)?;
        }
        let longest = asking.periods.lengths().into_iter().flatten().fold(0.0, f64::max);
        let unit = |zorder: &Zorder| zorder.unit(longest, radius);
        let held = self.points.get();
        if self.points.is_of(&of[0]) && held.tree.unit == unit(&held.zorder) {
            return Ok(false);
        }
        let (params, range) = (asking.params(), [asking.points as u32, 0]);
        let coords = self.coords.get().get(Slot::Coords)?;
        let tree = self.points.begin();
        tree.build(channel, coords, &params, range, unit)?;
        self.points.finish(of[0]);
        Ok(true)
    }

    fn upload_coords<T: Real>(&mut self, channel: &mut Channel, asking: Asking<T>, team: &Team) -> Result<()> {
        let (view, buffers) = (asking.view, self.coords.begin());
        let bytes = (view.len() * view.dim() * size_of::<T>()) as u64;
        buffers.ensure(&channel.device, Slot::Coords, bytes, WHAT)?;
        channel.upload_points(team, (view, 0), buffers.get(Slot::Coords)?)?;
        self.coords.finish(asking.of());
        Ok(())
    }

    /// Parts of the queries that are indexed at once: as many as one binding holds.
    pub(super) fn parts<T: Real>(&self, channel: &Channel, asking: Asking<T>) -> Vec<Range<usize>> {
        let queries = asking.view.len() - asking.points;
        let leaf_bytes = zpoints_bytes(LEAF as u32, size_of::<T>() > size_of::<f32>());
        let most = (channel.device.max_binding / leaf_bytes * LEAF) as usize;
        let starts = (0..queries).step_by(most);
        starts.map(|start| start..queries.min(start + most)).collect()
    }

    /// Indexes a part of the queries, unless the index is of it already.
    pub(super) fn index_queries<T: Real>(
        &mut self,
        channel: &mut Channel,
        asking: Asking<T>,
        part: Range<usize>,
    ) -> Result<()> {
        let unit = self.points.get().tree.unit;
        let of = (asking.of(), part.start, unit);
        if self.queries.is_of(&of) {
            return Ok(());
        }
        let first = asking.points + part.start;
        let (params, range) = (asking.params(), [part.len() as u32, first as u32]);
        let coords = self.coords.get().get(Slot::Coords)?;
        let tree = self.queries.begin();
        tree.build(channel, coords, &params, range, |_| unit)?;
        self.queries.finish(of);
        Ok(())
    }
}

impl<T: Real> Asking<'_, T> {
    pub(super) fn params(&self) -> Params {
        Params::along_curve(self.view.dim(), self.periods)
    }

    /// Versions of what is held.
    pub(super) fn of(&self) -> PointsOf {
        [self.stamp.points, self.stamp.queries]
    }
}
