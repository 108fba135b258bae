//! Devices of the process. In: which one, the hooks of the environment. Out: the open device.
//!
//! They are opened at first use, shared by all handles and threads, and stay open until the process ends or the driver
//! loses them. Whoever acquires one after a loss gets a new one. Each is tested once, before anybody gets it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};

use super::adapters::{DeviceInfo, adapters, are_inherited, devices};
use super::beside;
use super::choice::{choose, inherited, no_device};
use super::device::open::open_device;
use super::device::{Device, Outcome, lock};
use super::fault::{Coming, Fault, Mask};
use super::loader::has_loader;
use super::self_test::fault_of;
use crate::error::Result;
use crate::plan::WantedDevice;
use crate::quiet::calmly;

/// The process's device that is `wanted`; `software` allows one that the CPU plays. See [`choose`]. Waits until it is open.
pub fn acquire(wanted: WantedDevice, software: bool) -> Result<Arc<Device>> {
    if are_inherited() {
        return Err(inherited());
    }
    check_loader()?;
    let mask = Mask::read()?;
    acquire_armed(wanted, software || mask.software, mask, Fault::take)
}

/// Refuses a program that cannot load a driver.
pub fn check_loader() -> Result<()> {
    match has_loader() {
        true => Ok(()),
        false => Err(no_device(
            "this program was linked with -static, and has no loader for a driver: link it without -static",
        )),
    }
}

/// The same without a look at the environment.
#[cfg(test)]
pub fn acquire_masked(wanted: WantedDevice, software: bool, mask: Mask) -> Result<Arc<Device>> {
    acquire_armed(wanted, software, mask, || Ok(None))
}

/// The same with the `fault` that is to come.
pub fn acquire_armed(
    wanted: WantedDevice,
    software: bool,
    mask: Mask,
    fault: impl Fn() -> Result<Option<Coming>>,
) -> Result<Arc<Device>> {
    let mut refusals = Vec::new();
    for index in choose(&devices(), wanted, software)?.candidates {
        match obtain(place_of(index), index, mask, &fault)? {
            Ok(device) => return Ok(device),
            Err(refusal) => refusals.push(refusal),
        }
    }
    Err(no_device(refusals.join("; ")))
}

/// The verdict of the test of a device that was just opened. An error is no refusal: the next to acquire it tests again.
fn test(place: &Place, device: &Arc<Device>) -> Result<Outcome<()>> {
    if device.passed.load(Ordering::Relaxed) {
        return Ok(Ok(()));
    }
    let (what, why) = match fault_of(device) {
        Ok(None) => {
            device.passed.store(true, Ordering::Release);
            return Ok(Ok(()));
        }
        Ok(Some(fault)) => ("gives wrong results", fault),
        // Another test would wait as long again.
        Err(error) if device.was_given_up() => ("hangs", error.to_string()),
        Err(error) => return Err(error),
    };
    let DeviceInfo { name, driver, .. } = &device.info;
    let text = format!("\"{name}\" with the driver \"{driver}\" {what}, which its test at the first use found: {why}");
    lock(&place.refusals).push((device.mask, text.clone()));
    Ok(Err(text))
}

/// An adapter in this process. Only `opening` is held for long.
#[derive(Debug, Default)]
pub struct Place {
    /// Held by who opens a device or tests it.
    opening: Mutex<()>,
    /// The open devices that were not lost: one device per mask.
    pub devices: Mutex<Vec<Arc<Device>>>,
    /// The masks with which it has failed its test, and why.
    refusals: Mutex<Vec<(Mask, String)>>,
}

impl Place {
    pub fn refusal(&self, mask: Mask) -> Option<String> {
        let refusals = lock(&self.refusals);
        let known = refusals.iter().find(|(of, _)| *of == mask);
        known.map(|(_, why)| why.clone())
    }

    pub fn open(&self, mask: Mask) -> Option<Arc<Device>> {
        let mut open = lock(&self.devices);
        open.retain(|device| !device.is_lost());
        open.iter().find(|device| device.mask == mask).cloned()
    }
}

/// The adapter `index`.
pub fn place_of(index: usize) -> &'static Place {
    static PLACES: OnceLock<Vec<Place>> = OnceLock::new();
    &PLACES.get_or_init(|| adapters().iter().map(|_| Place::default()).collect())[index]
}

/// The tested device of an adapter. Threads that want the same wait for the one that opens and tests it.
fn obtain(
    place: &'static Place,
    index: usize,
    mask: Mask,
    fault: impl Fn() -> Result<Option<Coming>>,
) -> Result<Outcome<Arc<Device>>> {
    let _one_at_a_time = lock(&place.opening);
    if let Some(refusal) = place.refusal(mask) {
        return Ok(Err(refusal));
    }
    let device = match place.open(mask) {
        Some(device) => device,
        None => {
            beside::check()?;
            let adapter = &adapters()[index];
            let opened =
                calmly(|| open_device(adapter, mask, &place.devices)).unwrap_or_else(|text| Err(text.into_owned()));
            let device = match opened {
                Ok(device) => Arc::new(device),
                Err(why) => return Ok(Err(format!("\"{}\" cannot be opened: {why}", adapter.info.name))),
            };
            lock(&place.devices).push(device.clone());
            device
        }
    };
    if let Some(fault) = fault()? {
        device.armed.set(fault);
    }
    Ok(test(place, &device)?.map(|()| device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;
    use crate::gpu::adapters::DeviceKind;
    use crate::gpu::fault::UNIT;
    use wgpu::Features;

    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn software_is_refused_unless_allowed() {
        let first = acquire(WantedDevice::Best, true).unwrap();
        assert!(Arc::ptr_eq(&first, &acquire(WantedDevice::Best, true).unwrap()));
        if devices().iter().all(|device| device.kind == DeviceKind::Software) {
            assert_eq!(
                acquire(WantedDevice::Best, false).unwrap_err().status(),
                Status::NoDevice
            );
        }
        assert_eq!(
            acquire(WantedDevice::Named("no such"), true).unwrap_err().status(),
            Status::BadEnvironment
        );
    }

    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn a_mask_takes_abilities_away() {
        let mask = Mask {
            no_subgroups: true,
            no_timestamps: true,
            no_f64: true,
            inexact: true,
            binding: Some(1 << 20),
            ..Mask::default()
        };
        let device = acquire_masked(WantedDevice::Best, true, mask).unwrap();
        assert_eq!(device.device.features(), Features::empty());
        assert_eq!(device.float_controls, None);
        assert!(!device.subgroups && !device.timestamps && !device.doubles);
        assert_eq!(device.max_binding, 1 << 20);
        assert_eq!(device.device.limits().max_storage_buffer_binding_size, 1 << 20);
        assert_eq!(device.max_buffer, device.info.max_buffer / UNIT * UNIT);
    }

    /// A device that hangs in its test is refused from then on, and is not opened again.
    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn a_device_that_hangs_in_its_test_is_refused() {
        let mask = Mask {
            binding: Some(3 << 20),
            ..Mask::default()
        };
        let hang = || Ok(Some(Fault::Hang.into()));
        let refusal = acquire_armed(WantedDevice::Best, true, mask, hang).unwrap_err();
        assert_eq!(refusal.status(), Status::NoDevice);
        assert!(refusal.to_string().contains("hangs, which its test"), "{refusal}");
        assert_eq!(acquire_masked(WantedDevice::Best, true, mask).unwrap_err(), refusal);
        for info in devices() {
            assert!(
                lock(&place_of(info.index).devices)
                    .iter()
                    .all(|device| device.mask != mask)
            );
        }
    }
}
