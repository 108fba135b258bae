//! An open GPU: its abilities, and all its failures as errors. In: work for it. Out: success, or the reason for a failure.
//!
//! Two properties of wgpu decide the design of [`Device`]. Error scopes only see the calling thread, so everything that uses
//! the device runs inside [`Device::checked`]. And a lost device reports no errors: its calls do nothing, so each step is
//! followed by a check for loss.

mod open;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wgpu::{ErrorFilter, Limits};

use super::adapters::{DeviceInfo, DeviceKind, are_inherited};
use super::fault::{self, Armed, Fault, Mask};
use crate::error::{Error, Result, Words};
use crate::quiet::calmly;

pub(crate) use open::HOST_BLOCK;
pub use open::acquire;

/// How long to wait for another thread to deliver what it polled for us, before polling again.
const MOMENT: Duration = Duration::from_millis(10);

/// A device that ends no work for so long hangs: one that searches far more slowly than any known has time enough.
const PATIENCE: Duration = Duration::from_secs(60);

/// The same for one that the CPU plays, and for one that tests have made to hang.
const PATIENCE_WITH_SOFTWARE: Duration = Duration::from_secs(600);
const PATIENCE_WITH_FAULT: Duration = Duration::from_millis(200);

/// A result, or a text about what went wrong.
type Outcome<T> = std::result::Result<T, String>;

/// An open device.
#[derive(Debug)]
pub struct Device {
    /// Makes buffers and pipelines; only inside [`Device::checked`].
    pub device: wgpu::Device,
    /// Takes work; only inside [`Device::checked`].
    pub queue: wgpu::Queue,
    /// Which device it is.
    pub info: DeviceInfo,
    /// What it was opened without.
    pub mask: Mask,
    /// All limits in force.
    pub limits: Limits,
    /// Whether kernels may use subgroup operations.
    pub subgroups: bool,
    /// The smallest and the largest subgroup.
    pub subgroup_sizes: (u32, u32),
    /// Whether passes can be timed.
    pub timestamps: bool,
    /// Whether time can also be taken between passes.
    pub encoder_timestamps: bool,
    /// Nanoseconds per tick of the timestamps.
    pub timestamp_period: f32,
    /// Bytes a kernel can see of one buffer, a multiple of 256.
    pub max_binding: u64,
    /// Bytes of the largest buffer, a multiple of 256.
    pub max_buffer: u64,
    /// What its callbacks noted.
    health: Arc<Health>,
    /// A fault to come, for tests.
    armed: Armed,
    /// What its test said, once it was tested: why it must not be used.
    verdict: Mutex<Option<Outcome<()>>>,
}

/// What callbacks of wgpu report, on any thread. They run under locks of wgpu, so they only store it.
#[derive(Debug, Default)]
struct Health {
    lost: AtomicBool,
    reason: Mutex<String>,
    /// Waits that ended well: the device makes progress.
    waits: AtomicU64,
    /// Tests have made it hang.
    hangs: AtomicBool,
    /// The first error that no scope saw: one of another thread, or of a call outside [`Device::checked`].
    stray: Mutex<Option<wgpu::Error>>,
}

impl Device {
    /// Whether the driver gave it up, and [`acquire`] opens a new one, or it is a parent process's: all it held is gone.
    pub fn is_lost(&self) -> bool {
        are_inherited() || self.health.lost.load(Ordering::Acquire)
    }

    /// Runs `work`, all of it on this thread, and turns what wgpu has to say about it into an error: out of memory names
    /// `what` and `bytes`, which is how much memory the work takes, 0 for none.
    pub fn checked<R>(&self, what: &'static str, bytes: u64, work: impl FnOnce() -> R) -> Result<R> {
        self.alive()?;
        if bytes > 0 && self.armed.trip(Fault::Memory) {
            return Err(Error::OutOfMemory { what, bytes });
        }
        self.trip();
        let scopes = [ErrorFilter::Validation, ErrorFilter::Internal, ErrorFilter::OutOfMemory]
            .map(|filter| self.device.push_error_scope(filter));
        let result = calmly(work);
        // In reverse order, and all of them. Out of memory comes first: later errors follow from it.
        let popped = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop()));
        let errors: Vec<wgpu::Error> = popped.flatten().collect();
        self.verdict(errors.into_iter().next(), what, bytes)?;
        result.map_err(internal)
    }

    /// Waits until `submission` is done.
    #[cfg(test)]
    fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<()> {
        self.wait_for(submission, |_| Some(()))
    }

    /// Waits until `submission` is done, and then for its `news`, which may come from the thread that polled for this one: it is
    /// asked for them again and again, for a moment each time.
    pub fn wait_for<N>(&self, submission: wgpu::SubmissionIndex, news: impl FnMut(Duration) -> Option<N>) -> Result<N> {
        self.alive()?;
        self.trip();
        self.poll_for(self.until(Some(submission.clone())), Some(submission), news)
    }

    /// Looks what is done, without waiting.
    pub fn look(&self) -> Result<()> {
        self.poll(wgpu::PollType::Poll)
    }

    /// Polls once by `first`, and until `after` is done for as long as there are no `news`.
    fn poll_for<N>(
        &self,
        first: wgpu::PollType,
        after: Option<wgpu::SubmissionIndex>,
        mut news: impl FnMut(Duration) -> Option<N>,
    ) -> Result<N> {
        self.poll(first)?;
        let begin = Instant::now();
        loop {
            if let Some(news) = news(MOMENT) {
                return Ok(news);
            }
            self.poll(self.until(after.clone()))?;
            if begin.elapsed() > self.patience() {
                return Err(self.give_up());
            }
        }
    }

    /// Maps `slice` and waits until it is: `after` the last submission that uses the buffer, `None` if none is under way.
    /// A buffer that cannot be mapped is of no more use.
    ///
    /// Polling alone does not do: threads that poll at the same time run each other's callbacks, so a poll may return
    /// while another thread still holds our mapping.
    pub fn map(
        &self,
        slice: wgpu::BufferSlice<'_>,
        mode: wgpu::MapMode,
        after: Option<wgpu::SubmissionIndex>,
    ) -> Result<()> {
        let (deliver, delivery) = channel();
        self.checked("a mapping", 0, || {
            slice.map_async(mode, move |result| drop(deliver.send(result)));
        })?;
        let first = match &after {
            Some(_) => self.until(after.clone()),
            None => wgpu::PollType::Poll,
        };
        let mapped = self.poll_for(first, after, |moment| match delivery.recv_timeout(moment) {
            Ok(mapped) => Some(mapped.map_err(|error| error.to_string())),
            Err(RecvTimeoutError::Disconnected) => Some(Err("a mapping was dropped".to_owned())),
            Err(RecvTimeoutError::Timeout) => None,
        })?;
        mapped.map_err(|text| self.lost_or(text))
    }

    /// wgpu panics here when the device is lost. A device that hangs is given up.
    fn poll(&self, poll: wgpu::PollType) -> Result<()> {
        loop {
            let waits = self.health.waits.load(Ordering::Relaxed);
            let result = calmly(|| self.poll_once(poll.clone()));
            self.verdict(None, "work on the GPU", 0)?;
            match result {
                Ok(Ok(status)) => {
                    let ended = status.wait_finished().into();
                    self.health.waits.fetch_add(ended, Ordering::Relaxed);
                    return Ok(());
                }
                // Others' work came first, and some of it has ended meanwhile.
                Ok(Err(wgpu::PollError::Timeout)) if self.health.waits.load(Ordering::Relaxed) != waits => {}
                Ok(Err(wgpu::PollError::Timeout)) => return Err(self.give_up()),
                Ok(Err(error)) => return Err(self.lost_or(error.to_string())),
                Err(text) => return Err(self.lost_or(text)),
            }
        }
    }

    fn poll_once(&self, poll: wgpu::PollType) -> std::result::Result<wgpu::PollStatus, wgpu::PollError> {
        // A device in software does its work when it is submitted, so it hangs in appearance only.
        let waits = matches!(poll, wgpu::PollType::Wait { .. });
        if waits && self.info.kind == DeviceKind::Software && self.health.hangs.load(Ordering::Relaxed) {
            std::thread::sleep(self.patience());
            return Err(wgpu::PollError::Timeout);
        }
        self.device.poll(poll)
    }

    /// To poll until `submission`, or all before now, is done, or this has taken too long.
    fn until(&self, submission_index: Option<wgpu::SubmissionIndex>) -> wgpu::PollType {
        wgpu::PollType::Wait {
            submission_index,
            timeout: Some(self.patience()),
        }
    }

    /// For how long the device may end nothing.
    fn patience(&self) -> Duration {
        match self.info.kind {
            _ if self.health.hangs.load(Ordering::Relaxed) => PATIENCE_WITH_FAULT,
            DeviceKind::Software => PATIENCE_WITH_SOFTWARE,
            _ => PATIENCE,
        }
    }

    /// Counts a device that hangs among the lost ones.
    fn give_up(&self) -> Error {
        let patience = self.patience();
        self.health.lose(
            wgpu::DeviceLostReason::Unknown,
            format!("it hangs: it finished no work in {patience:?}"),
        );
        self.alive()
            .err()
            .unwrap_or_else(|| internal("a device that hangs is not lost"))
    }

    /// What `text` is about: a device that is being lost, of which other threads may hear first, or a bug.
    pub fn lost_or(&self, text: impl Into<Words>) -> Error {
        for _ in 0..50 {
            if let Err(lost) = self.alive() {
                return lost;
            }
            let _ = calmly(|| self.device.poll(self.until(None))); // delivers the news, or another thread does
            std::thread::sleep(Duration::from_millis(2));
        }
        internal(text)
    }

    /// What a step came to, whose own error, if any, is `error`.
    fn verdict(&self, error: Option<wgpu::Error>, what: &'static str, bytes: u64) -> Result<()> {
        let error = error.or_else(|| lock(&self.health.stray).take());
        if let Some(wgpu::Error::OutOfMemory { .. }) = error {
            self.forget_if_lost();
            return Err(Error::OutOfMemory { what, bytes });
        }
        self.alive()?;
        match error {
            Some(error) => Err(self.lost_or(format!("{what}: {error}"))),
            None => Ok(()),
        }
    }

    fn alive(&self) -> Result<()> {
        if are_inherited() {
            return Err(open::inherited());
        }
        match self.forget_if_lost() {
            false => Ok(()),
            true => Err(Error::DeviceLost {
                reason: format!("{}: {}", self.info.name, lock(&self.health.reason)).into(),
            }),
        }
    }

    /// So that it goes with the last handle that uses it.
    fn forget_if_lost(&self) -> bool {
        let lost = self.is_lost();
        if lost {
            lock(open::devices_of(self.info.index)).retain(|open| !std::ptr::eq(&**open, self));
        }
        lost
    }

    /// The faults that tests ask for: wgpu calls back for a loss only once the queue is empty.
    fn trip(&self) {
        if self.armed.trip(Fault::Lost) {
            self.device.destroy();
            let _ = calmly(|| self.device.poll(self.until(None)));
        }
        if self.armed.trip(Fault::Hang) {
            if self.info.kind != DeviceKind::Software {
                fault::spin(&self.device, &self.queue);
            }
            self.health.hangs.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Device {
    /// wgpu would wait for the queue of a lost device and panic if that fails.
    fn drop(&mut self) {
        if self.is_lost() {
            std::mem::forget(self.queue.clone());
        }
    }
}

impl Health {
    /// Has `device` note its loss and errors here.
    fn watch(self: &Arc<Health>, device: &wgpu::Device) {
        let notes = self.clone();
        device.set_device_lost_callback(move |reason, text| notes.lose(reason, text));
        let notes = self.clone();
        device.on_uncaptured_error(Arc::new(move |error| {
            lock(&notes.stray).get_or_insert(error);
        }));
    }

    fn lose(&self, reason: wgpu::DeviceLostReason, text: String) {
        *lock(&self.reason) = match reason {
            wgpu::DeviceLostReason::Destroyed => "it was destroyed".to_owned(),
            wgpu::DeviceLostReason::Unknown => text,
        };
        self.lost.store(true, Ordering::Release);
    }
}

fn internal(text: impl Into<Words>) -> Error {
    Error::Internal { text: text.into() }
}

/// What these locks guard is whole at every moment, so a panic elsewhere is no reason to give up.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::open::acquire_masked;
    use super::*;
    use crate::error::Status;

    /// A device no other test uses: masks have their own.
    fn device(binding: u64) -> Arc<Device> {
        let mask = Mask {
            binding: Some(binding),
            ..Mask::default()
        };
        acquire_masked(crate::plan::WantedDevice::Best, true, mask).unwrap()
    }

    fn buffer(device: &Device, size: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let description = wgpu::BufferDescriptor {
            label: Some("neargrid.test"),
            size,
            usage,
            mapped_at_creation: false,
        };
        device.checked("a test", size, || device.device.create_buffer(&description))
    }

    /// Bytes to the device and back.
    fn echo(device: &Device, bytes: &[u8]) -> Result<Vec<u8>> {
        use wgpu::BufferUsages as Usage;
        let size = bytes.len() as u64;
        let there = buffer(device, size, Usage::COPY_SRC | Usage::COPY_DST)?;
        let back = buffer(device, size, Usage::MAP_READ | Usage::COPY_DST)?;
        let submission = device.checked("a copy", 0, || {
            device.queue.write_buffer(&there, 0, bytes);
            let mut encoder = device.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&there, 0, &back, 0, size);
            device.queue.submit([encoder.finish()])
        })?;
        device.map(back.slice(..), wgpu::MapMode::Read, Some(submission))?;
        let first = back.slice(..).get_mapped_range().unwrap().to_vec();
        back.unmap();
        device.map(back.slice(..), wgpu::MapMode::Read, None)?;
        let again = back.slice(..).get_mapped_range().unwrap().to_vec();
        assert_eq!(first, again);
        Ok(again)
    }

    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn threads_share_one_device_and_get_their_own_results() {
        let shared = device(1 << 16);
        let work = |thread: u8| {
            let device = device(1 << 16);
            assert!(Arc::ptr_eq(&device, &shared));
            for round in 0..20 {
                let bytes = [thread ^ round; 64];
                assert_eq!(echo(&device, &bytes).unwrap(), bytes);
            }
        };
        std::thread::scope(|scope| (1..=4).for_each(|thread| drop(scope.spawn(move || work(thread)))));
    }

    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn errors_and_panics_are_internal_errors_and_leave_the_device_usable() {
        let device = device(1 << 17);
        let error = buffer(&device, device.limits.max_buffer_size + 1, wgpu::BufferUsages::COPY_DST).unwrap_err();
        assert_eq!(error.status(), Status::Internal);
        assert!(error.to_string().contains("neargrid.test"), "{error}");
        let error = device.checked("a test", 0, || panic!("on {}", "purpose")).unwrap_err();
        assert!(error.to_string().contains("on purpose"), "{error}");
        echo(&device, &[1; 16]).unwrap();
    }

    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn an_error_that_no_scope_sees_fails_the_next_step() {
        let device = device(1 << 18);
        let elsewhere = wgpu::BufferDescriptor {
            label: Some("neargrid.elsewhere"),
            size: device.limits.max_buffer_size + 1,
            usage: wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        let nested = || std::thread::scope(|scope| drop(scope.spawn(|| drop(device.device.create_buffer(&elsewhere)))));
        let error = device.checked("a test", 0, nested).unwrap_err();
        assert!(error.to_string().contains("neargrid.elsewhere"), "{error}");
        echo(&device, &[1; 16]).unwrap();
    }

    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn a_lost_device_is_a_status_and_is_replaced() {
        for in_wait in [false, true] {
            let lost = device(1 << 19);
            let submission = lost.checked("nothing", 0, || lost.queue.submit([])).unwrap();
            lost.armed.set(Fault::Lost);
            let error = match in_wait {
                true => lost.wait(submission).unwrap_err(),
                false => echo(&lost, &[1; 16]).unwrap_err(),
            };
            assert_eq!(error.status(), Status::DeviceLost);
            assert!(error.to_string().contains("destroyed"), "{error}");
            assert_eq!(echo(&lost, &[1; 16]).unwrap_err(), error);
            let fresh = device(1 << 19);
            assert!(lost.is_lost() && !fresh.is_lost() && !Arc::ptr_eq(&lost, &fresh));
            assert_eq!(echo(&fresh, &[3; 16]).unwrap(), [3; 16]);
        }
    }

    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn a_device_that_hangs_is_lost_and_is_replaced() {
        for in_wait in [false, true] {
            let stuck = device(1 << 22);
            let submission = stuck.checked("nothing", 0, || stuck.queue.submit([])).unwrap();
            stuck.armed.set(Fault::Hang);
            let begin = Instant::now();
            let error = match in_wait {
                true => stuck
                    .wait(submission)
                    .and_then(|()| echo(&stuck, &[1; 16]))
                    .unwrap_err(),
                false => echo(&stuck, &[1; 16]).unwrap_err(),
            };
            assert!(begin.elapsed() < PATIENCE);
            assert_eq!(error.status(), Status::DeviceLost);
            assert!(error.to_string().contains("it hangs"), "{error}");
            assert_eq!(echo(&stuck, &[1; 16]).unwrap_err(), error);
            let fresh = device(1 << 22);
            assert!(stuck.is_lost() && !fresh.is_lost() && !Arc::ptr_eq(&stuck, &fresh));
            assert_eq!(echo(&fresh, &[3; 16]).unwrap(), [3; 16]);
        }
    }

    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn memory_that_cannot_be_had_is_a_status_and_the_device_stays() {
        let device = device(1 << 21);
        device.armed.set(Fault::Memory);
        let error = echo(&device, &[1; 16]).unwrap_err();
        let (what, bytes) = ("a test", 16);
        assert_eq!(error, Error::OutOfMemory { what, bytes });
        assert_eq!(echo(&device, &[2; 16]).unwrap(), [2; 16]);
    }
}
