//! Tests of properties that results do not show, because they would be right without them, or that no search of the suite comes to.
//!
//! in: clouds (`points`), and data made up for single stages; out: failures. `indexed` tests the box of cells and `curve` the order along
//! the z-order curve, `hits` all ways from counting to filling, `alone` stages on numbers of any size, `memory` searches without
//! memory, `batches` what is one submission. Needs a Vulkan device; lavapipe will do.

mod alone;
mod batches;
mod curve;
mod hits;
mod indexed;
mod memory;
mod points;

use bytemuck::{Pod, Zeroable};

use super::Gpu;
use super::acquire::acquire;
use super::clock::Phase;
use super::device::Device;
use super::dispatch::Size;
use super::fault::UNIT;
use super::kernels::{Slot, Stage};
use super::params::Params;
use crate::domain::bound;
use crate::threads::Team;

use crate::points::Real;
use points::Cloud;

/// `Shape` of `shaders/shared/shape.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Shape {
    pub origin_low: [u32; 3],
    pub cells: u32,
    pub origin_high: [u32; 3],
    pub verify: u32,
    pub dims: [u32; 3],
    pub folds: u32,
    pub multiplier: [u32; 3],
    pub wraps: u32,
    pub width: u32,
    pub by_integers: u32,
    pub reserved: [u32; 2],
}

/// A search on any device.
fn gpu() -> Gpu {
    let device = acquire(crate::plan::WantedDevice::Best, true)
        .expect("this test needs a Vulkan device; Mesa's lavapipe is one without a GPU");
    Gpu::new(device).unwrap()
}

/// Indexes `cloud`.
fn index<T: Real>(gpu: &mut Gpu, cloud: &Cloud<T>) {
    let bound = bound(cloud.cutoff, cloud.rule).unwrap();
    let cutoff = T::from_f64(cloud.cutoff).to_f64();
    let periods = cloud.periods();
    gpu.index((&cloud.view(), None), &periods, cutoff, bound, &Team::caller())
        .unwrap();
}

/// The buffer of `slot` and where in it the slot begins.
fn place(gpu: &Gpu, slot: Slot) -> (&wgpu::Buffer, u64) {
    let (home, half) = slot.home();
    let buffer = gpu.rows.buffers.get(home).unwrap();
    (buffer, half * (buffer.size() / 2 / UNIT * UNIT))
}

/// Elements of `slot`, from `first` on.
fn read<P: Pod>(gpu: &Gpu, slot: Slot, first: usize, len: usize) -> Vec<P> {
    let (buffer, start) = place(gpu, slot);
    read_buffer(
        &gpu.channel.device,
        buffer,
        start + (first * size_of::<P>()) as u64,
        len,
    )
}

/// Elements of `buffer`, from byte `from` on.
fn read_buffer<P: Pod>(device: &Device, buffer: &wgpu::Buffer, from: u64, len: usize) -> Vec<P> {
    let size = (len * size_of::<P>()) as u64;
    let (staging, submission) = device
        .checked("a test", size, || {
            let staging = device.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: size.max(8),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let mut encoder = device.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(buffer, from, &staging, 0, size);
            let submission = device.queue.submit([encoder.finish()]);
            (staging, submission)
        })
        .unwrap();
    device
        .map(staging.slice(..), wgpu::MapMode::Read, Some(submission))
        .and_then(|mapping| mapping.wait(device))
        .unwrap();
    let bytes = staging.get_mapped_range(..).unwrap();
    bytemuck::pod_collect_to_vec(&bytes[..size as usize])
}

/// Puts `values` at the front of `slot`, which is made to hold them.
fn write<P: Pod>(gpu: &mut Gpu, slot: Slot, values: &[P]) {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    let (home, size) = (slot.home().0, bytes.len() as u64);
    let shared = home != slot || slot == Slot::Keys;
    let room = if shared { 2 * size.next_multiple_of(UNIT) } else { size };
    gpu.rows
        .buffers
        .ensure(&gpu.channel.device, home, room, "a test")
        .unwrap();
    let (buffer, start) = place(gpu, slot);
    let device = &gpu.channel.device;
    (device.checked("a test", 0, || device.queue.write_buffer(buffer, start, bytes))).unwrap();
}

fn write_params(gpu: &mut Gpu) {
    let params = gpu.rows.params;
    write(gpu, Slot::Params, &[params]);
}

/// Runs `stage` alone in at least that many workgroups, a multiple of three where they are more than one: stages must not mind
/// workgroups they have no use for, as the last row of more than 65,535 has.
fn run(gpu: &mut Gpu, stage: Stage, workgroups: usize) {
    let workgroups = if workgroups == 1 {
        1
    } else {
        workgroups.next_multiple_of(3)
    };
    gpu.rows
        .submit(
            &mut gpu.channel,
            &[],
            (Phase::Index, &[(stage, Size::Workgroups(workgroups as u64))]),
        )
        .unwrap();
}
