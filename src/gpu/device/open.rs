//! Devices of the process. In: which one, the hooks of the environment. Out: the open device.
//!
//! They are opened at first use, shared by all handles and threads, and stay open until the process ends or the driver
//! loses them. Whoever acquires one after a loss gets a new one. Each is tested once, before anybody gets it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use wgpu::{Features, Limits};

use super::{Device, Health, Outcome, lock};
use crate::error::{Error, Result};
use crate::gpu::adapters::{Adapter, DeviceInfo, adapters, are_inherited, devices};
use crate::gpu::beside;
use crate::gpu::choice::{choose, no_device};
use crate::gpu::fault::{Armed, Coming, Fault, Mask, UNIT};
use crate::gpu::loader::has_loader;
use crate::gpu::self_test::fault_of;
use crate::gpu::strict::float_controls;
use crate::plan::WantedDevice;
use crate::quiet::calmly;

/// Bytes of host memory that wgpu takes at a time; it takes no less.
pub(crate) const HOST_BLOCK: u64 = 4 << 20;

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
pub(super) fn check_loader() -> Result<()> {
    match has_loader() {
        true => Ok(()),
        false => Err(no_device(
            "this program was linked with -static, and has no loader for a driver: link it without -static",
        )),
    }
}

/// Why a forked process has no GPU.
pub(super) fn inherited() -> Error {
    let reason = "this process was forked after its parent had looked for GPUs, and cannot use them: fork before the first search";
    no_device(reason)
}

/// The same without a look at the environment.
#[cfg(test)]
pub fn acquire_masked(wanted: WantedDevice, software: bool, mask: Mask) -> Result<Arc<Device>> {
    acquire_armed(wanted, software, mask, || Ok(None))
}

/// The same with the `fault` that is to come.
pub(super) fn acquire_armed(
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
        Err(error) if device.health.given_up.load(Ordering::Relaxed) => ("hangs", error.to_string()),
        Err(error) => return Err(error),
    };
    let DeviceInfo { name, driver, .. } = &device.info;
    let text = format!("\"{name}\" with the driver \"{driver}\" {what}, which its test at the first use found: {why}");
    lock(&place.refusals).push((device.mask, text.clone()));
    Ok(Err(text))
}

/// An adapter in this process. Only `opening` is held for long.
#[derive(Debug, Default)]
pub(super) struct Place {
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
pub(super) fn place_of(index: usize) -> &'static Place {
    static PLACES: OnceLock<Vec<Place>> = OnceLock::new();
    &PLACES.get_or_init(|| adapters().iter().map(|_| Place::default()).collect())[index]
}

/// The tested device of an adapter. Threads that want the same wait for the one that opens and tests it.
fn obtain(
    place: &Place,
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
            let opened = calmly(|| open_device(adapter, mask)).unwrap_or_else(|text| Err(text.into_owned()));
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

fn open_device(adapter: &Adapter, mask: Mask) -> Outcome<Device> {
    let features = wanted_features(mask) & adapter.adapter.features();
    let limits = wanted_limits(&adapter.adapter.limits(), mask);
    let (device, queue) = pollster::block_on(adapter.adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("neargrid"),
        required_features: features,
        required_limits: limits.clone(),
        experimental_features: wgpu::ExperimentalFeatures::disabled(),
        // Blocks that do not grow; those on the host are half as large as those on the device.
        memory_hints: wgpu::MemoryHints::Manual {
            suballocated_device_memory_block_size: 2 * HOST_BLOCK..2 * HOST_BLOCK,
        },
        trace: wgpu::Trace::Off,
    }))
    .map_err(|error| error.to_string())?;
    let float_controls = float_controls(&adapter.adapter);
    let health = Arc::new(Health::default());
    health.watch(&device);
    Ok(Device {
        info: adapter.info.clone(),
        mask,
        subgroups: features.contains(Features::SUBGROUP) && has_subgroups_of(32, &adapter.adapter.get_info()),
        timestamps: features.contains(Features::TIMESTAMP_QUERY),
        timestamp_period: queue.get_timestamp_period(),
        max_binding: limits.max_storage_buffer_binding_size / UNIT * UNIT,
        max_buffer: limits.max_buffer_size / UNIT * UNIT,
        device,
        queue,
        health,
        armed: Armed::default(),
        float_controls: float_controls.filter(|_| features.contains(Features::PASSTHROUGH_SHADERS)),
        arithmetic: OnceLock::new(),
        later: Arc::default(),
        passed: AtomicBool::new(false),
        #[cfg(test)]
        submissions: Default::default(),
    })
}

fn has_subgroups_of(lanes: u32, info: &wgpu::AdapterInfo) -> bool {
    info.subgroup_min_size == lanes && info.subgroup_max_size == lanes
}

fn wanted_features(mask: Mask) -> Features {
    let mut wanted = Features::empty();
    wanted.set(Features::SUBGROUP, !mask.no_subgroups);
    wanted.set(Features::TIMESTAMP_QUERY, !mask.no_timestamps);
    wanted.set(Features::PASSTHROUGH_SHADERS, !mask.inexact);
    wanted
}

/// All that the adapter has for compute, and next to nothing else.
fn wanted_limits(has: &Limits, mask: Mask) -> Limits {
    let binding = has.max_storage_buffer_binding_size;
    let wanted = Limits {
        max_storage_buffer_binding_size: mask.binding.map_or(binding, |most| most.min(binding)),
        max_buffer_size: has.max_buffer_size,
        max_storage_buffers_per_shader_stage: has.max_storage_buffers_per_shader_stage,
        max_buffers_and_acceleration_structures_per_shader_stage: has
            .max_buffers_and_acceleration_structures_per_shader_stage,
        min_storage_buffer_offset_alignment: has.min_storage_buffer_offset_alignment,
        min_uniform_buffer_offset_alignment: has.min_uniform_buffer_offset_alignment,
        max_compute_workgroup_storage_size: has.max_compute_workgroup_storage_size,
        max_compute_invocations_per_workgroup: has.max_compute_invocations_per_workgroup,
        max_compute_workgroup_size_x: has.max_compute_workgroup_size_x,
        max_compute_workgroup_size_y: has.max_compute_workgroup_size_y,
        max_compute_workgroup_size_z: has.max_compute_workgroup_size_z,
        max_compute_workgroups_per_dimension: has.max_compute_workgroups_per_dimension,
        max_non_sampler_bindings: 1 << 16, // Direct3D sets memory aside for each
        ..Limits::downlevel_defaults()
    };
    wanted.or_worse_values_from(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;
    use crate::gpu::adapters::DeviceKind;

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
            inexact: true,
            binding: Some(1 << 20),
            ..Mask::default()
        };
        let device = acquire_masked(WantedDevice::Best, true, mask).unwrap();
        assert_eq!(device.device.features(), Features::empty());
        assert_eq!(device.float_controls, None);
        assert!(!device.subgroups && !device.timestamps);
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
