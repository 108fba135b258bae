//! Hooks for tests and for bisecting problems, taken from the environment whenever a device is acquired.
//!
//! * `NEARGRID_GPU_MASK`: a comma list of what not to use of the device: `no-subgroups`, `no-timestamps`, `no-f64`,
//!   `guarded` (shaders with all run-time checks), `binding=BYTES` (no binding larger than that); and `software`, which
//!   lets a device that the CPU plays pass for a real one, so that the automatic choice can be tested anywhere. Each mask
//!   has its own device. `batches` has long work done a few workgroups at a time, as on a device that is very slow, and
//!   `slow-f64` takes the device for one that is slower in real64 than the CPU.
//!   `wrong-loops` and `wrong-rows`, in a build with debug assertions alone, have it fail one of the tests that it is given when it
//!   is opened, and `inexact` the test of its arithmetic, so that sums are evaluated on the host.
//! * `NEARGRID_GPU_FAULT`, in a build with debug assertions alone: what to break, once per process: `lost` destroys the device at its next step, `memory` refuses
//!   the next step that takes memory, and `hang` has a shader spin for seconds from the next step on, and waits end after a
//!   fraction of one. (Real exhaustion would hurt other programs on the same device.) `lost=N`, `memory=N` and
//!   `hang=N` let N such steps pass first. A comma list is several of them, each after the one before.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::error::{Error, Result};

const MASK: &str = "NEARGRID_GPU_MASK";
const FAULT: &str = "NEARGRID_GPU_FAULT";

/// Whether this build can be told to fail, as tests do. A release cannot.
const BREAKS: bool = cfg!(any(test, debug_assertions));

/// Buffers may be cut at multiples of this on every device.
pub(crate) const UNIT: u64 = 256;

/// Abilities of a device that must not be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    /// As if there were no subgroup operations.
    pub no_subgroups: bool,
    /// As if there were no timestamps.
    pub no_timestamps: bool,
    /// As if there were no f64.
    pub no_f64: bool,
    /// As if arithmetic in f64 were slow.
    pub slow_f64: bool,
    /// Shaders compiled with checks of every index and loop.
    pub guarded: bool,
    /// Long work is done a few workgroups at a time.
    pub batches: bool,
    /// The largest binding in bytes, a multiple of [`UNIT`].
    pub binding: Option<u64>,
    /// A software device is as good as any.
    pub software: bool,
    /// It gets loops wrong when it is tested.
    pub wrong_loops: bool,
    /// It gets rows wrong when it is tested.
    pub wrong_rows: bool,
    /// Its arithmetic is not that of the CPU.
    pub inexact: bool,
}

impl Mask {
    /// The present value of `NEARGRID_GPU_MASK`.
    pub fn read() -> Result<Mask> {
        match variable(MASK) {
            None => Ok(Mask::default()),
            Some(value) => Mask::parse(&value).ok_or(Error::BadEnvironment {
                variable: MASK,
                value: value.into(),
                allowed: "a comma list of no-subgroups, no-timestamps, no-f64, slow-f64, guarded, batches, inexact, software and binding=BYTES (a multiple of \
                          256, 4096 at least)",
            }),
        }
    }

    fn parse(text: &str) -> Option<Mask> {
        let mut mask = Mask::default();
        for word in text.split(',').map(str::trim) {
            match word.split_once('=') {
                None if word == "no-subgroups" => mask.no_subgroups = true,
                None if word == "no-timestamps" => mask.no_timestamps = true,
                None if word == "no-f64" => mask.no_f64 = true,
                None if word == "slow-f64" => mask.slow_f64 = true,
                None if word == "guarded" => mask.guarded = true,
                None if word == "batches" => mask.batches = true,
                None if word == "software" => mask.software = true,
                None if word == "wrong-loops" && BREAKS => mask.wrong_loops = true,
                None if word == "wrong-rows" && BREAKS => mask.wrong_rows = true,
                None if word == "inexact" => mask.inexact = true,
                Some(("binding", bytes)) => mask.binding = Some(bytes.parse().ok().filter(is_binding)?),
                _ => return None,
            }
        }
        Some(mask)
    }
}

fn is_binding(bytes: &u64) -> bool {
    *bytes >= 4096 && bytes.is_multiple_of(UNIT)
}

/// The fault that a test wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The device is destroyed.
    Lost = 1,
    /// An allocation fails.
    Memory = 2,
    /// The device is busy for seconds.
    Hang = 3,
}

/// A fault after a number of steps at which it could have struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coming {
    pub fault: Fault,
    pub spared: u32,
}

impl From<Fault> for Coming {
    fn from(fault: Fault) -> Coming {
        Coming { fault, spared: 0 }
    }
}

/// Faults that happened in this process.
static HAPPENED: AtomicUsize = AtomicUsize::new(0);

impl Fault {
    /// The next fault that `NEARGRID_GPU_FAULT` asks for, unless one still waits for its moment.
    pub fn take() -> Result<Option<Coming>> {
        static TAKEN: AtomicUsize = AtomicUsize::new(0);
        let Some(value) = variable(FAULT).filter(|_| BREAKS) else {
            return Ok(None);
        };
        let Some(faults) = value.split(',').map(Coming::parse).collect::<Option<Vec<_>>>() else {
            return Err(Error::BadEnvironment {
                variable: FAULT,
                value: value.into(),
                allowed: "lost, memory, hang, or one of these with =STEPS, or a comma list of them",
            });
        };
        let next = HAPPENED.load(Ordering::Relaxed);
        let taken = TAKEN.compare_exchange(next, next + 1, Ordering::Relaxed, Ordering::Relaxed);
        Ok(faults.get(next).copied().filter(|_| taken.is_ok()))
    }
}

impl Coming {
    fn parse(text: &str) -> Option<Coming> {
        let text = text.trim();
        let (word, spared) = match text.split_once('=') {
            None => (text, 0),
            Some((word, steps)) => (word, steps.parse().ok()?),
        };
        let fault = match word {
            "lost" => Fault::Lost,
            "memory" => Fault::Memory,
            "hang" => Fault::Hang,
            _ => return None,
        };
        Some(Coming { fault, spared })
    }
}

/// A fault that waits in a device for its moment: the fault in the low byte, above it the steps to be spared.
#[derive(Debug, Default)]
pub struct Armed(AtomicU64);

impl Armed {
    /// Lets a fault happen once.
    pub fn set(&self, coming: impl Into<Coming>) {
        let Coming { fault, spared } = coming.into();
        self.0.store(u64::from(spared) << 8 | fault as u64, Ordering::Relaxed);
    }

    /// Whether a fault has yet to happen.
    #[cfg(test)]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Whether `fault` is to happen now, at a step where it can; not again after that.
    pub fn trip(&self, fault: Fault) -> bool {
        if !BREAKS {
            return false;
        }
        let next = |armed: u64| match (armed & 0xff == fault as u64, armed >> 8) {
            (false, _) => None,
            (true, 0) => Some(0),
            (true, _) => Some(armed - (1 << 8)),
        };
        let before = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        let trips = before.is_ok_and(|armed| armed >> 8 == 0);
        HAPPENED.fetch_add(trips.into(), Ordering::Relaxed);
        trips
    }
}

/// An unset or empty variable says nothing.
fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
    Some(value.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_lists_of_known_words() {
        let all = Mask {
            guarded: true,
            batches: true,
            no_subgroups: true,
            no_timestamps: true,
            no_f64: true,
            slow_f64: true,
            binding: Some(1 << 20),
            software: true,
            wrong_loops: true,
            wrong_rows: true,
            inexact: true,
        };
        let words = "no-timestamps, binding=1048576,no-subgroups,no-f64,slow-f64,software,batches,guarded,inexact,wrong-rows,wrong-loops";
        assert_eq!(Mask::parse(words), Some(all));
        for wrong in [
            "subgroups",
            "",
            "binding",
            "binding=",
            "binding=0",
            "binding=100",
            "binding=2048",
            "binding=-256",
            "no-subgroups=1",
        ] {
            assert_eq!(Mask::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_fault_trips_once() {
        let armed = Armed::default();
        assert!(!armed.trip(Fault::Lost));
        armed.set(Fault::Lost);
        assert!(!armed.trip(Fault::Memory));
        assert!(armed.trip(Fault::Lost));
        assert!(!armed.trip(Fault::Lost));
    }

    #[test]
    fn a_fault_spares_the_steps_it_is_told_to() {
        let armed = Armed::default();
        armed.set(Coming::parse("memory=2").unwrap());
        assert!(!armed.trip(Fault::Lost));
        let tripped = [(); 4].map(|()| armed.trip(Fault::Memory));
        assert_eq!(tripped, [false, false, true, false]);
        assert_eq!(Coming::parse("lost"), Some(Fault::Lost.into()));
        for wrong in ["", "lost=", "lost=-1", "lost=x", "found", "=1", "memory=99999999999"] {
            assert_eq!(Coming::parse(wrong), None, "{wrong}");
        }
    }
}
