//! Waiting for a device, which never lasts for ever. In: what to wait for. Out: it is done, or why it will not be.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Device, internal, lock};
use crate::error::{Error, Result, Words};
use crate::gpu::adapters::DeviceKind;
use crate::quiet::calmly;
use crate::threads::wait_awake;

/// The time to wait for another thread to deliver what it polled for us, before polling again.
const MOMENT: Duration = Duration::from_millis(10);

/// A device that ends no work for so long hangs: one that searches far more slowly than any known has time enough.
const PATIENCE: Duration = Duration::from_secs(60);

/// The same for one that the CPU plays, and for one that tests have made to hang.
const PATIENCE_WITH_SOFTWARE: Duration = Duration::from_secs(600);
const PATIENCE_WITH_FAULT: Duration = Duration::from_millis(200);

/// A mapping that was asked for, and what is reported of it from whichever thread polls the device.
#[derive(Debug)]
pub struct Mapping {
    done: Mutex<Option<bool>>,
    changed: Condvar,
    after: Option<wgpu::SubmissionIndex>,
}

impl Mapping {
    fn report(&self, is_mapped: bool) {
        *lock(&self.done) = Some(is_mapped);
        self.changed.notify_all();
    }

    /// Whether there is a report.
    pub fn is_done(&self) -> bool {
        lock(&self.done).is_some()
    }

    /// Waits for the report, of this thread's poll or of another's, which comes soon after the device is done: threads that poll at
    /// the same time run each other's callbacks.
    pub fn wait(&self, device: &Device) -> Result<()> {
        device.watch_for(&|| self.is_done())?;
        let is_mapped = device.wait_for(self.after.clone(), |moment| {
            let waited = (self.changed).wait_timeout_while(lock(&self.done), moment, |done| done.is_none());
            *waited.unwrap_or_else(PoisonError::into_inner).0
        })?;
        match is_mapped {
            true => Ok(()),
            false => Err(device.lost_or("a buffer could not be mapped")),
        }
    }
}

impl Device {
    /// Waits until the submission `after` is done, `None` if none is under way, and then for `news`, which may come from the thread
    /// that polled for this one: it is asked for them again and again, for a moment each time.
    pub fn wait_for<N>(
        &self,
        after: Option<wgpu::SubmissionIndex>,
        mut news: impl FnMut(Duration) -> Option<N>,
    ) -> Result<N> {
        self.alive()?;
        self.trip();
        self.poll(match &after {
            Some(_) => self.until(after.clone()),
            None => wgpu::PollType::Poll,
        })?;
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

    /// Looks again and again whether something is done, but not for long: a thread that sleeps meanwhile wakes up late. A device that the
    /// CPU plays needs the CPU.
    fn watch_for(&self, is_done: &dyn Fn() -> bool) -> Result<()> {
        let looked = Cell::new(Ok(()));
        let is_over = || {
            let seen = self.look();
            let failed = seen.is_err();
            looked.set(seen);
            failed || is_done()
        };
        if self.info.kind != DeviceKind::Software {
            wait_awake(is_over);
        }
        looked.into_inner()
    }

    /// Looks what is done, without waiting.
    pub fn look(&self) -> Result<()> {
        self.poll(wgpu::PollType::Poll)
    }

    /// Waits until all that was submitted is done, or the device is lost.
    pub fn settle(&self) {
        if !self.is_lost() {
            let _ = calmly(|| self.poll_once(self.until(None)));
        }
    }

    /// Asks for `slice` to be mapped: `after` the last submission that uses the buffer, `None` if none is under way. A buffer that
    /// cannot be mapped is of no more use.
    pub fn map(
        &self,
        slice: wgpu::BufferSlice<'_>,
        mode: wgpu::MapMode,
        after: Option<wgpu::SubmissionIndex>,
    ) -> Result<Arc<Mapping>> {
        let mapping = Arc::new(Mapping {
            done: Mutex::default(),
            changed: Condvar::default(),
            after,
        });
        let report = mapping.clone();
        self.checked("a mapping", 0, || {
            slice.map_async(mode, move |result| report.report(result.is_ok()));
        })?;
        Ok(mapping)
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
    pub(super) fn until(&self, submission_index: Option<wgpu::SubmissionIndex>) -> wgpu::PollType {
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
        self.health.given_up.store(true, Ordering::Relaxed);
        self.health.lose(
            wgpu::DeviceLostReason::Unknown,
            format!("it hangs: it finished no work in {patience:?}"),
        );
        self.alive()
            .err()
            .unwrap_or_else(|| internal("a device that hangs is not lost"))
    }

    /// The subject of `text`: a device that is being lost, of which other threads may hear first, or a bug.
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
}
