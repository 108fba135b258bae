//! Hooks for tests and for bisecting problems, taken from the environment whenever a device is acquired.
//!
//! * `NEARGRID_GPU_MASK`: a comma list of what not to use of the device: `no-subgroups`, `no-timestamps`,
//!   `guarded` (shaders with all run-time checks), `binding=BYTES` (no binding larger than that). Each mask has its own device.
//! * `NEARGRID_GPU_FAULT`: what to break, once per process: `lost` destroys the device at its next step, `memory` refuses
//!   the next step that takes memory. (Real exhaustion would hurt other programs on the same device.)

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::error::{Error, Result};

const MASK: &str = "NEARGRID_GPU_MASK";
const FAULT: &str = "NEARGRID_GPU_FAULT";

/// Buffers may be cut at multiples of this on every device.
pub const UNIT: u64 = 256;

/// What of a device's abilities must not be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    /// As if there were no subgroup operations.
    pub no_subgroups: bool,
    /// As if there were no timestamps.
    pub no_timestamps: bool,
    /// Shaders compiled with checks of every index and loop.
    pub guarded: bool,
    /// The largest binding in bytes, a multiple of [`UNIT`].
    pub binding: Option<u64>,
}

impl Mask {
    /// What `NEARGRID_GPU_MASK` says now.
    pub fn read() -> Result<Mask> {
        match variable(MASK) {
            None => Ok(Mask::default()),
            Some(value) => Mask::parse(&value).ok_or(Error::BadEnvironment {
                variable: MASK,
                value,
                allowed: "a comma list of no-subgroups, no-timestamps, guarded and binding=BYTES (a multiple of 256, 4096 at least)",
            }),
        }
    }

    fn parse(text: &str) -> Option<Mask> {
        let mut mask = Mask::default();
        for word in text.split(',').map(str::trim) {
            match word.split_once('=') {
                None if word == "no-subgroups" => mask.no_subgroups = true,
                None if word == "no-timestamps" => mask.no_timestamps = true,
                None if word == "guarded" => mask.guarded = true,
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

/// What a test wants broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The device is destroyed.
    Lost = 1,
    /// An allocation fails.
    Memory = 2,
}

impl Fault {
    /// What `NEARGRID_GPU_FAULT` asks for, if it was not delivered in this process before.
    pub fn take() -> Result<Option<Fault>> {
        static DELIVERED: AtomicBool = AtomicBool::new(false);
        let Some(value) = variable(FAULT) else {
            return Ok(None);
        };
        let fault = match value.trim() {
            "lost" => Fault::Lost,
            "memory" => Fault::Memory,
            _ => {
                return Err(Error::BadEnvironment {
                    variable: FAULT,
                    value,
                    allowed: "lost or memory",
                });
            }
        };
        Ok((!DELIVERED.swap(true, Ordering::Relaxed)).then_some(fault))
    }
}

/// A fault that waits in a device for its moment.
#[derive(Debug, Default)]
pub struct Armed(AtomicU8);

impl Armed {
    /// Lets `fault` happen once.
    pub fn set(&self, fault: Fault) {
        self.0.store(fault as u8, Ordering::Relaxed);
    }

    /// Whether `fault` is to happen now; not again after that.
    pub fn trip(&self, fault: Fault) -> bool {
        let fault = fault as u8;
        self.0
            .compare_exchange(fault, 0, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
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
            no_subgroups: true,
            no_timestamps: true,
            binding: Some(1 << 20),
        };
        assert_eq!(Mask::parse("no-timestamps, binding=1048576,no-subgroups"), Some(all));
        for wrong in [
            "subgroups",
            "",
            "binding",
            "binding=",
            "binding=0",
            "binding=100",
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
}
