//! Opening of a device, with the abilities and limits that a search needs. In: an adapter. Out: the open device.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use wgpu::{Features, Limits};

use super::{Device, Health, Outcome};
use crate::gpu::adapters::Adapter;
use crate::gpu::fault::{Armed, Mask, UNIT};
use crate::gpu::strict::float_controls;

/// Bytes of host memory that wgpu takes at a time; it takes no less.
pub(crate) const HOST_BLOCK: u64 = 4 << 20;

/// Features that numbers of 64 bits take.
const DOUBLES: Features = Features::SHADER_F64.union(Features::SHADER_INT64);

/// Opens `adapter` without what `mask` hides, for a list of `open` devices.
pub fn open_device(adapter: &Adapter, mask: Mask, open: &'static Mutex<Vec<Arc<Device>>>) -> Outcome<Device> {
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
        doubles: features.contains(DOUBLES),
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
        open,
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
    wanted.set(DOUBLES, !mask.no_f64);
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
