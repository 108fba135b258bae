//! The one way of work to a device: stages are recorded and submitted here, data is brought there and back, and the time of all of it
//! is noted.
//!
//! in: stages with their buffers and kernels, and how much work they are; out: submissions, before whose end most calls return.

use std::mem::{forget, take};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use super::adapters::are_inherited;
use super::beside;
use super::buffers::Buffers;
use super::clock::{Clock, Phase, UNREAD};
use super::device::Device;
use super::dispatch::{Before, Recording, Size};
use super::kernels::{Kernels, Slot, Stage};
use super::speeds::Speeds;
use super::transfer::{Crew, Download, Packing, PutItems, Transfer};
use crate::error::Result;
use crate::points::{PointsView, Real};
use crate::threads::Team;

/// Places of upload and download in the seconds of a query: upload, index, count, fill, download.
const UPLOAD: usize = 0;
const DOWNLOAD: usize = 4;

/// Buffers, and the kernels of the stages that use them.
pub type Bound<'a> = (&'a mut Buffers, &'a Kernels);

/// The way from a handle to its device.
#[derive(Debug)]
pub struct Channel {
    pub device: Arc<Device>,
    pub transfer: Transfer,
    clock: Option<Clock>,
    /// The measured speed of the device.
    pub speeds: Speeds,
    /// The most bytes that chunks of a result take, host and device together.
    pub memory_limit: Option<u64>,
    /// Phases of the submissions, by number, whose times are yet to be read from the clock.
    unread: Vec<Phase>,
    /// These are read when there is no room for more, once the speeds of their passes are known: a run goes on without them.
    pub times_wait: bool,
    /// The last of these.
    last: Option<wgpu::SubmissionIndex>,
    /// Seconds of the last query: upload, index, count, fill, download.
    seconds: [f64; 5],
}

impl Drop for Channel {
    /// A forked process leaves alone what it inherited: a driver would wait for locks of threads that are not there, or take
    /// from the parent what it still uses. Work beside searches, which may be broken off, ends with all that it has submitted:
    /// a driver in software compiles and computes on threads of its own, and an exit must not run its destructors under them.
    fn drop(&mut self) {
        if are_inherited() {
            forget((self.device.clone(), self.clock.take(), take(&mut self.transfer)));
        } else if beside::is_here() {
            self.device.settle();
        }
    }
}

impl Channel {
    pub fn new(device: Arc<Device>) -> Result<Channel> {
        Ok(Channel {
            clock: Clock::new(&device)?,
            device,
            transfer: Transfer::default(),
            speeds: Speeds::default(),
            memory_limit: None,
            unread: Vec::new(),
            times_wait: false,
            last: None,
            seconds: [0.0; 5],
        })
    }

    // --- stages -------------------------------------------------------------------------------

    /// Does what comes `before`, then runs `stages` as one timed pass. Returns before the device is done.
    pub fn submit(
        &mut self,
        bound: Bound,
        before: &[Before],
        pass: (Phase, &[(Stage, Size)]),
    ) -> Result<wgpu::SubmissionIndex> {
        self.submit_with_fields(bound, before, pass, None)
    }

    /// The same for stages that bind fields beside their buffers.
    pub fn submit_with_fields(
        &mut self,
        (buffers, kernels): Bound,
        before: &[Before],
        (phase, stages): (Phase, &[(Stage, Size)]),
        fields: Option<&wgpu::BindGroup>,
    ) -> Result<wgpu::SubmissionIndex> {
        buffers.bind(&self.device, kernels, stages.iter().map(|&(stage, _)| stage))?;
        if self.unread.len() == UNREAD {
            self.read_times()?;
        }
        let recording = Recording {
            device: &self.device,
            kernels,
            buffers,
            clock: self.clock.as_ref().map(|clock| (clock, self.unread.len())),
        };
        let submission = recording.submit(before, (phase, stages), fields)?;
        self.unread.push(phase);
        self.last = Some(submission.clone());
        Ok(submission)
    }

    /// Waits for all that was submitted, and reads its times.
    pub fn finish(&mut self) -> Result<()> {
        self.device.wait_for(self.last.clone(), |_| Some(()))?;
        self.read_times()
    }

    // --- data ---------------------------------------------------------------------------------

    /// Writes `value` to the front of the buffer of `slot`, for all stages submitted from now on.
    pub fn write<P: bytemuck::Pod>(&self, buffers: &Buffers, slot: Slot, value: &P) -> Result<()> {
        let (buffer, bytes) = (buffers.get(slot)?, bytemuck::bytes_of(value));
        (self.device).checked("parameters", 0, || self.device.queue.write_buffer(buffer, 0, bytes))
    }

    /// Brings a few bytes of a buffer home, from a byte on: one round trip.
    pub fn fetch<P: bytemuck::Pod>(&mut self, buffers: &Buffers, (slot, at): (Slot, u64)) -> Result<P> {
        let (mut found, source) = (P::zeroed(), buffers.get(slot)?);
        let range = at..at + size_of::<P>() as u64;
        (self.transfer).fetch(&self.device, source, range, |bytes| {
            found = bytemuck::pod_read_unaligned(bytes);
        })?;
        Ok(found)
    }

    /// Brings the first words of a buffer home: one round trip.
    pub fn fetch_words(&mut self, buffers: &Buffers, slot: Slot, words: &mut [u32]) -> Result<()> {
        let (source, bytes) = (buffers.get(slot)?, size_of_val(words) as u64);
        self.transfer.fetch(&self.device, source, 0..bytes, |bytes| {
            bytemuck::cast_slice_mut(words).copy_from_slice(bytes);
        })
    }

    /// [`Transfer::upload`].
    pub fn upload(
        &mut self,
        team: &Team,
        items: [usize; 2],
        to: &wgpu::Buffer,
        start: u64,
        write: impl Fn(Range<usize>, &mut PutItems) + Sync,
    ) -> Result<()> {
        let begin = Instant::now();
        (self.transfer).upload(&self.device, team, items, to, start, write)?;
        self.seconds[UPLOAD] += begin.elapsed().as_secs_f64();
        Ok(())
    }

    /// Brings the coordinates of `view` to `to`, point after point; those before number `first` are there.
    pub fn upload_points<T: Real>(
        &mut self,
        team: &Team,
        (view, first): (&PointsView<T>, usize),
        to: &wgpu::Buffer,
    ) -> Result<()> {
        let begin = Instant::now();
        (self.transfer).upload_points(&self.device, team, (view, first), to)?;
        self.seconds[UPLOAD] += begin.elapsed().as_secs_f64();
        Ok(())
    }

    /// [`Transfer::download`].
    pub fn download(
        &mut self,
        team: &Team,
        source: &wgpu::Buffer,
        bytes: u64,
        consume: &(dyn Fn(usize, &[u8]) + Sync),
    ) -> Result<()> {
        let begin = Instant::now();
        (self.transfer).download(&self.device, team, source, bytes, consume)?;
        self.downloaded(begin);
        Ok(())
    }

    /// [`Transfer::start_download`].
    pub fn start_download(&mut self, source: &wgpu::Buffer, bytes: u64, packing: Option<Packing>) -> Result<Download> {
        self.transfer.start_download(&self.device, source, bytes, packing)
    }

    /// [`Transfer::plan_download`].
    pub fn plan_download(&mut self, source: &wgpu::Buffer, bytes: u64, packing: Option<Packing>) -> Result<Download> {
        self.transfer.plan_download(&self.device, source, bytes, packing)
    }

    /// [`Transfer::finish_download`].
    pub fn finish_download(&mut self, download: Download, crew: &Crew) -> Result<()> {
        self.transfer.finish_download(&self.device, download, crew)
    }

    // --- time ---------------------------------------------------------------------------------

    /// Notes a download that took from `begin` until now.
    pub fn downloaded(&mut self, begin: Instant) {
        self.seconds[DOWNLOAD] += begin.elapsed().as_secs_f64();
    }

    /// Adds what the device's clock says about the submissions not read yet, unless it may wait. Waits until they are done.
    pub fn read_clock(&mut self) -> Result<()> {
        match self.times_wait && self.speeds.are_known() {
            true => Ok(()),
            false => self.read_times(),
        }
    }

    fn read_times(&mut self) -> Result<()> {
        let (unread, before, last) = (take(&mut self.unread), self.seconds, self.last.take());
        match &self.clock {
            Some(clock) => {
                clock.read(&self.device, &unread, last, &mut self.seconds)?;
                self.speeds.end(before, self.seconds);
            }
            None => self.speeds.drop_pending(),
        }
        Ok(())
    }

    /// Drops submissions whose times were not read, unless they wait: their rows are of no use.
    pub fn forget_times(&mut self) {
        if !self.times_wait {
            self.unread.clear();
            self.speeds.drop_pending();
        }
    }

    /// Seconds of upload, index, count, fill and download since they were taken last: index, count and fill by the
    /// device's clock where it has one, else 0.
    pub fn take_seconds(&mut self) -> [f64; 5] {
        take(&mut self.seconds)
    }

    /// Those that are still to be read.
    pub fn unread_phases(&self) -> impl Iterator<Item = usize> {
        self.unread.iter().map(|&phase| 1 + phase as usize)
    }
}
