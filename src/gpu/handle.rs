//! The part of a handle that lives on a device: a channel to it, and a value for each feature that searches there.

use std::mem::{forget, take};
use std::ops::Range;
use std::sync::Arc;

use super::adapters::are_inherited;
use super::arithmetic::exact_arithmetic;
use super::attempt::Attempt;
use super::buffers::Buffers;
use super::channel::Channel;
use super::curve::Curve;
use super::device::Device;
use super::fault;
use super::fields::FieldOf;
use super::fof::Fof;
use super::knn::Nearest;
use super::queries::{Asking, Linked, Links, Rule, Want, Wanted};
use super::real64_rate;
use super::row_search::RowSearch;
use super::sum::each_point::EachPoint;
use super::sum::{Shader, Summed};
use super::transfer::{Mapped, PutItems, share_of};
use crate::domain::{Periods, TieRule};
use crate::error::Result;
use crate::ids::{Offsets, OutputMap};
use crate::list::Rows;
use crate::points::{PointsView, Real, Stamp};
use crate::radii::RadiusRule;
use crate::threads::Team;
use crate::version::Version;

/// The part of a handle that lives on a device.
#[derive(Debug)]
pub struct Gpu {
    pub(super) channel: Channel,
    pub(super) rows: RowSearch,
    /// Points and queries along the curve.
    curve: Curve,
    nearest: Nearest,
    fof: Fof,
}

impl Drop for Gpu {
    /// As that of [`Channel`].
    fn drop(&mut self) {
        if are_inherited() {
            forget((take(&mut self.curve), take(&mut self.fof), take(&mut self.nearest)));
        }
    }
}

impl Gpu {
    /// A search on `device`, which is as yet empty.
    pub fn new(device: Arc<Device>) -> Result<Gpu> {
        Ok(Gpu {
            rows: RowSearch::new(&device)?,
            channel: Channel::new(device)?,
            curve: Curve::default(),
            nearest: Nearest::default(),
            fof: Fof::default(),
        })
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.channel.device
    }

    /// The device in words, a line each, for `info`.
    pub fn describe(&self) -> String {
        let Device { info, mask, .. } = &*self.channel.device;
        let [device, host] = self.bytes();
        let address = info.identity.address.as_deref();
        let address = address.map_or(String::new(), |address| format!(", {address}"));
        let mask = match mask == &fault::Mask::default() {
            true => String::new(),
            false => format!("device mask: {mask:?}\n"),
        };
        format!(
            "device: {} ({:?}, {}{address})\n{mask}device bytes: {device} ({host} more in staging buffers)\n",
            info.name, info.kind, info.driver
        )
    }

    /// Bytes held, on the device and in staging buffers on the host.
    pub fn bytes(&self) -> [u64; 2] {
        let device: u64 = self.all_buffers().map(Buffers::bytes).sum();
        [device + self.rows.fields.bytes(), self.channel.transfer.bytes()]
    }

    /// [`Channel::take_seconds`].
    pub fn take_seconds(&mut self) -> [f64; 5] {
        self.channel.take_seconds()
    }

    /// [`Channel::unread_phases`].
    pub fn unread_phases(&self) -> impl Iterator<Item = usize> {
        self.channel.unread_phases()
    }

    /// Sets the most bytes that chunks of a result take, on the device and on the host together.
    pub fn set_memory_limit(&mut self, limit: Option<u64>) {
        self.channel.memory_limit = limit;
    }

    /// Buffers made so far, on the device and for transfers: none more for a search like the one before.
    pub fn allocations(&self) -> u64 {
        let made: u64 = self.all_buffers().map(Buffers::made).sum();
        made + self.rows.fields.made() + self.channel.transfer.made()
    }

    /// Bytes of points and fields that were sent so far.
    pub fn sent(&self) -> u64 {
        self.channel.transfer.sent()
    }

    /// Bytes of results and fields that were brought home so far.
    pub fn fetched(&self) -> u64 {
        self.channel.transfer.fetched()
    }

    /// The buffers on the device.
    fn all_buffers(&self) -> impl Iterator<Item = &Buffers> {
        let searches = [
            &self.rows.buffers,
            &self.rows.ztree.buffers,
            &self.nearest.buffers,
            &self.fof.buffers,
        ];
        searches.into_iter().chain(self.curve.all_buffers())
    }

    // --- rows ---------------------------------------------------------------------------------

    /// Points, `len` of a number of bytes each, whose coordinates a call of `write` puts for [`send`](Gpu::send).
    pub fn share_of(team: &Team, items: [usize; 2]) -> usize {
        share_of(team, items)
    }

    /// [`RowSearch::send`].
    pub fn send(
        &mut self,
        items: [usize; 2],
        stamp: Stamp,
        team: &Team,
        write: impl Fn(Range<usize>, &mut PutItems) + Sync,
    ) -> Result<()> {
        self.rows.send(&mut self.channel, items, stamp, team, write)
    }

    /// [`RowSearch::index`].
    pub fn index<T: Real>(
        &mut self,
        points: (&PointsView<T>, Option<Stamp>),
        periods: &Periods<T>,
        cutoff: f64,
        bound: T,
        team: &Team,
    ) -> Result<()> {
        self.rows.index(&mut self.channel, points, periods, cutoff, bound, team)
    }

    /// [`RowSearch::index_by_radii`].
    pub fn index_by_radii<T: Real>(
        &mut self,
        view: &PointsView<T>,
        periods: &Periods<T>,
        largest: (T, RadiusRule),
        radius: impl Fn(usize) -> T + Sync,
        team: &Team,
    ) -> Result<()> {
        self.rows
            .index_by_radii(&mut self.channel, view, periods, largest, radius, team)
    }

    /// [`RowSearch::count`].
    pub fn count<T: Real>(&mut self, bound: T, rule: Rule, team: &Team, offsets: &mut [i64]) -> Result<i64> {
        self.rows.count(&mut self.channel, bound, rule, team, offsets)
    }

    /// [`RowSearch::count_by_radii`].
    pub fn count_by_radii(&mut self, tie_rule: TieRule, rule: Rule, team: &Team, offsets: &mut [i64]) -> Result<i64> {
        self.rows
            .count_by_radii(&mut self.channel, tie_rule, rule, team, offsets)
    }

    /// [`RowSearch::fill`].
    pub fn fill(&mut self, team: &Team, want: Want) -> Result<()> {
        self.rows.fill(&mut self.channel, team, want)
    }

    /// [`RowSearch::brings_all_lower`].
    pub fn brings_all_lower(&self, offsets: &[i64], team: &Team) -> bool {
        self.rows.brings_all_lower(offsets, team)
    }

    /// [`RowSearch::fill_mapped`].
    pub fn fill_mapped(
        &mut self,
        team: &Team,
        output: OutputMap,
        left: Option<Rows>,
        kept: Option<Mapped>,
    ) -> Result<Option<Mapped>> {
        self.rows.fill_mapped(&mut self.channel, team, output, left, kept)
    }

    /// [`RowSearch::fill_rows`].
    pub fn fill_rows(
        &mut self,
        team: &Team,
        output: OutputMap,
        rows: Range<usize>,
        next: Range<usize>,
        ids: Rows,
    ) -> Result<()> {
        self.rows.fill_rows(&mut self.channel, team, output, rows, next, ids)
    }

    /// [`RowSearch::again`].
    pub fn again(&mut self, offsets: &[i64]) -> Result<f64> {
        self.rows.again(&mut self.channel, offsets)
    }

    /// Whether the device computes in real64 as the CPU does, but slower than `threads` of it.
    pub fn is_slower_in_real64(&mut self, threads: usize) -> Result<bool> {
        let exact = exact_arithmetic(&mut self.channel, &self.rows.kernels)?;
        let rate = exact.and_then(|exact| exact.real64_rate);
        Ok(rate.is_some_and(|rate| rate / (threads as u64) < real64_rate::of_a_thread()))
    }

    /// [`RowSearch::sum`].
    pub fn sum<T: Real>(&mut self, summed: &Summed<T>, team: &Team) -> Result<Attempt> {
        self.rows.sum(&mut self.channel, summed, team)
    }

    /// Begins or ends a run, which needs no times before its end.
    pub fn let_times_wait(&mut self, wait: bool) -> Result<()> {
        self.channel.times_wait = wait;
        self.channel.read_clock()
    }

    /// The reason why the device cannot run a shader, if there is one.
    pub fn why_not(&self, shader: &Shader) -> Option<&'static str> {
        shader.why_not_on(&self.channel.device.device.limits())
    }

    /// [`RowSearch::each_point`].
    pub fn each_point(&mut self, work: &EachPoint, team: &Team) -> Result<Attempt<Vec<u32>>> {
        self.rows.each_point(&mut self.channel, work, team)
    }

    /// [`RowSearch::move_points`].
    pub fn move_points(&mut self, of: FieldOf, dim: usize) -> Result<()> {
        self.rows.move_points(&self.channel, of, dim)
    }

    /// [`RowSearch::keep_points`].
    pub fn keep_points(&mut self, of: FieldOf, dim: usize) -> Result<()> {
        self.rows.keep_points(&self.channel, of, dim)
    }

    /// [`RowSearch::fetch_field`].
    pub fn fetch_field(
        &mut self,
        field: (FieldOf, usize),
        team: &Team,
        take: &(dyn Fn(usize, &[u8]) + Sync),
    ) -> Result<()> {
        self.rows.fetch_field(&mut self.channel, field, team, take)
    }

    /// Says that the device has the coordinates of `len` points of a stamp, or no known ones.
    pub fn set_sent(&mut self, sent: Option<(Stamp, usize)>) {
        self.rows.sent = sent;
    }

    /// Whether the device has the coordinates of all points of a stamp.
    pub fn has_points(&self, stamp: Stamp) -> bool {
        self.rows.sent.is_some_and(|(sent, _)| sent == stamp)
    }

    /// Whether the device has a field.
    pub fn has_field(&self, of: FieldOf) -> bool {
        self.rows.fields.find(of).is_some()
    }

    /// Keeps the fields of the versions that are still used.
    pub fn retain_fields(&mut self, is_used: impl Fn(Version) -> bool) {
        self.rows.fields.retain(is_used);
    }

    /// [`RowSearch::sum_by_radii`].
    pub fn sum_by_radii<T: Real>(&mut self, offsets: &Offsets, summed: &Summed<T>, team: &Team) -> Result<Attempt> {
        self.rows.sum_by_radii(&mut self.channel, offsets, summed, team)
    }

    // --- along the curve ----------------------------------------------------------------------

    /// Rows of the last search for k nearest that real32 could not decide, of its last chunk.
    pub fn hard_rows(&self) -> u32 {
        self.nearest.hard_rows()
    }

    /// [`Nearest::index`].
    pub fn index_nearest<T: Real>(&mut self, asking: Asking<T>, team: &Team) -> Result<bool> {
        self.nearest.index(&mut self.channel, &mut self.curve, asking, team)
    }

    /// [`Nearest::fill`].
    pub fn fill_nearest<T: Real>(&mut self, asking: Asking<T>, wanted: &mut Wanted<T>, team: &Team) -> Result<()> {
        self.nearest
            .fill(&mut self.channel, &mut self.curve, asking, wanted, team)
    }

    /// [`Fof::link`].
    pub fn link<T: Real>(&mut self, team: &Team, links: &Links<T>, labels: Rows) -> Result<Linked> {
        self.nearest.forget_rows();
        self.fof.link(&mut self.channel, &mut self.curve, team, links, labels)
    }
}
