//! The GPU backend: the index and the fixed-radius search as compute stages on any vendor's device, through wgpu.
//!
//! in: [`PointsView`](crate::points::PointsView); out: row lengths and rows, the same bits as the CPU's. Device and pipelines
//! belong to the process, buffers to the handle. Here no setting is read, and nothing is searched on the CPU.
//!
//! Each stage has the name of its file in `shaders/`. The host code of the index is in `index`, that of the search in `pairs`;
//! `transfer` moves data, and `device` opens the GPU.

mod adapters;
mod arithmetic;
mod batches;
mod beside;
mod blocks;
mod buffers;
mod choice;
mod chunks;
mod clock;
mod curve;
mod device;
mod dispatch;
mod fault;
mod fof;
mod identity;
mod index;
mod kernels;
mod knn;
mod labels;
mod left;
mod loader;
mod pairs;
mod params;
mod queries;
mod radii;
#[cfg(test)]
mod reflection;
mod scopes;
mod self_test;
mod shader;
#[cfg(test)]
mod stages;
mod strict;
mod sum;
mod transfer;
mod ztree;

use std::mem::{forget, take};
use std::sync::Arc;

use crate::error::Result;
use crate::points::Stamp;
pub use adapters::{DeviceInfo, DeviceKind, devices};
pub use beside::{Hurry, late_reason, wait_for_gpus};
pub use choice::{DeviceChoice, choose_device};
pub use device::{Device, acquire, offered};
pub use identity::Identity;
pub use queries::{Asking, Linked, Links, Rule, Want, Wanted};
pub use sum::{Put, Shader, ShaderPoints, ShaderReads, Summed};
pub use transfer::Mapped;

use batches::Speeds;
use blocks::Counts;
use buffers::Buffers;
use clock::{Clock, Phase};
use kernels::{Family, Kernels};
use params::Params;
use shader::Form;
use transfer::Transfer;
use ztree::Ztree;

/// The part of a handle that lives on a device.
#[derive(Debug)]
pub struct Gpu {
    device: Arc<Device>,
    kernels: Arc<Kernels>,
    buffers: Buffers,
    transfer: Transfer,
    params: Params,
    /// The buffers in which points with radii are sorted.
    ztree: Ztree,
    /// Points and queries along the curve.
    curve: curve::Curve,
    /// Groups of friends of friends.
    fof: fof::Fof,
    /// Blocks and windows of crowds that earlier searches turned out to have.
    block_room: [u64; 2],
    /// Words of hits to keep at most, for tests.
    most_hits: u64,
    /// Ranges of blocks that the last sum took, and of how many points.
    ranges: Option<(u32, u32)>,
    /// The formula that the kernels are for, and these.
    formula: Option<(Vec<shader::Piece>, Arc<Kernels>)>,
    /// Blocks of the last count.
    counts: Counts,
    clock: Option<Clock>,
    /// The measured speed of the device.
    speeds: Speeds,
    /// The cutoff of the points that are indexed, or their largest radius.
    reach: f64,
    /// The most bytes that chunks of a result take, host and device together.
    memory_limit: Option<u64>,
    /// Rows were filled since they were counted last, so that those counted next are filled ahead.
    fills: bool,
    /// Ids of a chunk for which there was memory since the count.
    most_ids: u64,
    /// Rows whose ids are on the device already, or soon will be.
    filled: Option<std::ops::Range<usize>>,
    /// The stamp of the points whose coordinates the device has, and how many of them.
    sent: Option<(Stamp, usize)>,
    /// The offsets on the device are those of rows that are elsewhere than they were counted.
    placed: bool,
    /// Phases of the submissions, by number, whose times are yet to be read from the clock.
    unread: Vec<Phase>,
    /// The last of these.
    last: Option<wgpu::SubmissionIndex>,
    /// Rows of the k nearest.
    nearest: knn::Nearest,
    /// Seconds of the last query: upload, index, count, fill, download.
    seconds: [f64; 5],
}

impl Drop for Gpu {
    /// A forked process leaves alone what it inherited: a driver would wait for locks of threads that are not there, or take
    /// from the parent what it still uses.
    fn drop(&mut self) {
        if !adapters::are_inherited() {
            return;
        }
        forget((
            self.device.clone(),
            self.kernels.clone(),
            self.clock.take(),
            self.formula.take(),
        ));
        forget((take(&mut self.buffers), take(&mut self.transfer)));
        forget((take(&mut self.ztree), take(&mut self.curve)));
        forget((take(&mut self.fof), take(&mut self.nearest)));
    }
}

impl Gpu {
    /// A search on `device`, which is as yet empty.
    pub fn new(device: Arc<Device>) -> Result<Gpu> {
        Ok(Gpu {
            kernels: kernels::of(&device, Family::Pairs, Form::of(&device))?,
            clock: Clock::new(&device)?,
            speeds: Speeds::default(),
            reach: 0.0,
            device,
            buffers: Buffers::default(),
            transfer: Transfer::default(),
            params: Params::default(),
            ztree: Ztree::default(),
            curve: curve::Curve::default(),
            fof: fof::Fof::default(),
            block_room: [0; 2],
            most_hits: u64::MAX,
            ranges: None,
            formula: None,
            counts: Counts::default(),
            memory_limit: None,
            fills: false,
            most_ids: u64::MAX,
            filled: None,
            sent: None,
            placed: false,
            unread: Vec::new(),
            last: None,
            nearest: knn::Nearest::default(),
            seconds: [0.0; 5],
        })
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The device in words, a line each, for `info`.
    pub fn describe(&self) -> String {
        let Device { info, mask, .. } = &*self.device;
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
        [device, self.transfer.bytes()]
    }

    /// Seconds of upload, index, count, fill and download since they were taken last: index, count and fill by the
    /// device's clock where it has one, else 0.
    pub fn take_seconds(&mut self) -> [f64; 5] {
        std::mem::take(&mut self.seconds)
    }

    /// Those that are still to be read.
    pub fn unread_phases(&self) -> impl Iterator<Item = usize> {
        self.unread.iter().map(|&phase| 1 + phase as usize)
    }

    /// Sets the most bytes that chunks of a result take, on the device and on the host together.
    pub fn set_memory_limit(&mut self, limit: Option<u64>) {
        self.memory_limit = limit;
    }

    /// Buffers made so far, on the device and for transfers: none more for a search like the one before.
    pub fn allocations(&self) -> u64 {
        let made: u64 = self.all_buffers().map(Buffers::made).sum();
        made + self.transfer.made()
    }

    /// The buffers on the device.
    fn all_buffers(&self) -> impl Iterator<Item = &Buffers> {
        let searches = [
            &self.buffers,
            &self.ztree.buffers,
            &self.nearest.buffers,
            &self.fof.buffers,
        ];
        searches.into_iter().chain(self.curve.all_buffers())
    }

    /// Adds what the device's clock says about the submissions not read yet. Waits until they are done.
    fn read_clock(&mut self) -> Result<()> {
        let (unread, before) = (std::mem::take(&mut self.unread), self.seconds);
        if let Some(clock) = &self.clock {
            clock.read(&self.device, (0, &unread), self.last.take(), &mut self.seconds)?;
            self.speeds.end(before, self.seconds);
        }
        Ok(())
    }
}
