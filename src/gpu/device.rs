//! An open GPU: its abilities, and all its failures as errors. In: work for it. Out: success, or the reason for a failure.
//!
//! Two properties of wgpu decide the design of [`Device`]. Error scopes only see the calling thread, so everything that uses
//! the device runs inside [`Device::checked`]. And a lost device reports no errors: its calls do nothing, so each step is
//! followed by a check for loss.

pub mod open;
mod spin;
pub mod wait;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use wgpu::ErrorFilter;

use super::adapters::{DeviceInfo, DeviceKind, are_inherited};
use super::beside;
use super::choice::inherited;
#[cfg(test)]
use super::fault::Coming;
use super::fault::{Armed, Fault, Mask};
use crate::error::{Error, Result, Words};
use crate::quiet::calmly;

/// A result, or a text about what went wrong.
pub type Outcome<T> = std::result::Result<T, String>;

/// The rounding of a device in real32, if an entry point asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatControls {
    /// Subnormal numbers are kept.
    pub subnormals: bool,
    /// Infinities, NaN and the sign of zero are kept.
    pub specials: bool,
    /// Numbers are rounded to the nearest.
    pub nearest: bool,
}

/// Arithmetic of a device that was tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    pub controls: FloatControls,
    /// fma rounds once.
    pub is_fused: bool,
    /// Differences in f64 are those of the CPU.
    pub has_doubles: bool,
    /// Operations in real64 in a microsecond, if they are those of the CPU.
    pub real64_rate: Option<u64>,
}

/// An open device.
#[derive(Debug)]
pub struct Device {
    /// Makes buffers and pipelines; only inside [`Device::checked`].
    pub device: wgpu::Device,
    /// Takes work; only inside [`Device::checked`].
    pub queue: wgpu::Queue,
    /// Its identity.
    pub info: DeviceInfo,
    /// The abilities without which it was opened.
    pub mask: Mask,
    /// Whether kernels may use subgroup operations: all subgroups have 32 lanes.
    pub subgroups: bool,
    /// Whether kernels may use numbers of 64 bits, in float and in integer.
    pub doubles: bool,
    /// Whether passes can be timed.
    pub timestamps: bool,
    /// Nanoseconds per tick of the timestamps.
    pub timestamp_period: f32,
    /// Bytes a kernel can see of one buffer, a multiple of 256.
    pub max_binding: u64,
    /// Bytes of the largest buffer, a multiple of 256.
    pub max_buffer: u64,
    /// The notes of its callbacks.
    health: Arc<Health>,
    /// A fault to come, for tests.
    pub armed: Armed,
    /// The rounding that it can be asked for.
    pub float_controls: Option<FloatControls>,
    /// Its arithmetic, if it was tested and is exact.
    pub arithmetic: OnceLock<Option<Exact>>,
    /// The test of its arithmetic, beside searches.
    pub later: Arc<beside::Later>,
    /// It has passed its test.
    pub passed: AtomicBool,
    /// The list of open devices that it is in until it is lost.
    open: &'static Mutex<Vec<Arc<Device>>>,
    /// Submissions of stages so far.
    #[cfg(test)]
    pub submissions: AtomicU64,
}

/// The reports of wgpu's callbacks, on any thread. They run under locks of wgpu, so they only store it.
#[derive(Debug, Default)]
struct Health {
    lost: AtomicBool,
    reason: Mutex<String>,
    /// Waits that ended well: the device makes progress.
    waits: AtomicU64,
    /// Tests have made it hang.
    hangs: AtomicBool,
    /// It ended no work for so long that it was given up.
    given_up: AtomicBool,
    /// The first error that no scope saw: one of another thread, or of a call outside [`Device::checked`].
    stray: Mutex<Option<wgpu::Error>>,
}

impl Device {
    /// Whether the driver gave it up, and [`acquire`](super::acquire) opens a new one, or it is a parent process's: all it held is gone.
    pub fn is_lost(&self) -> bool {
        are_inherited() || self.health.lost.load(Ordering::Acquire)
    }

    /// Whether it was given up because it ended no work.
    pub fn was_given_up(&self) -> bool {
        self.health.given_up.load(Ordering::Relaxed)
    }

    /// Runs `work`, all of it on this thread, and turns what wgpu has to say about it into an error: out of memory names
    /// `what` and `bytes`, which is how much memory the work takes, 0 for none.
    pub fn checked<R>(&self, what: &'static str, bytes: u64, work: impl FnOnce() -> R) -> Result<R> {
        let (mut work, mut result) = (Some(work), None);
        self.run_checked(what, bytes, &mut || result = work.take().map(|work| work()))?;
        result.ok_or_else(|| internal(Words::Borrowed("the step did not run")))
    }

    /// [`checked`](Device::checked) without a type parameter, so that it is compiled once.
    fn run_checked(&self, what: &'static str, bytes: u64, work: &mut dyn FnMut()) -> Result<()> {
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

    /// The outcome of a step, whose own error, if any, is `error`.
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
            return Err(inherited());
        }
        beside::check()?;
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
            lock(self.open).retain(|open| !std::ptr::eq(&**open, self));
        }
        lost
    }

    /// Lets a fault happen once.
    #[cfg(test)]
    pub fn arm(&self, coming: impl Into<Coming>) {
        self.armed.set(coming);
    }

    /// Whether a fault has yet to happen.
    #[cfg(test)]
    pub fn is_armed(&self) -> bool {
        self.armed.is_set()
    }

    /// The faults that tests ask for: wgpu calls back for a loss only once the queue is empty.
    fn trip(&self) {
        if self.armed.trip(Fault::Lost) {
            self.device.destroy();
            let _ = calmly(|| self.device.poll(self.until(None)));
        }
        if self.armed.trip(Fault::Hang) {
            if self.info.kind != DeviceKind::Software {
                spin::spin(&self.device, &self.queue);
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

/// The data under these locks is whole at every moment, so a panic elsewhere is no reason to give up.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::error::Status;
    use crate::gpu::acquire::acquire_masked;

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
        let map = |after| device.map(back.slice(..), wgpu::MapMode::Read, after)?.wait(device);
        map(Some(submission))?;
        let first = back.slice(..).get_mapped_range().unwrap().to_vec();
        back.unmap();
        map(None)?;
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
        let error = buffer(
            &device,
            device.device.limits().max_buffer_size + 1,
            wgpu::BufferUsages::COPY_DST,
        )
        .unwrap_err();
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
            size: device.device.limits().max_buffer_size + 1,
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
                true => lost.wait_for(Some(submission), |_| Some(())).unwrap_err(),
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
                    .wait_for(Some(submission), |_| Some(()))
                    .and_then(|()| echo(&stuck, &[1; 16]))
                    .unwrap_err(),
                false => echo(&stuck, &[1; 16]).unwrap_err(),
            };
            assert!(begin.elapsed().as_secs() < 30);
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
