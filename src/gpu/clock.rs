//! How long the device works on each phase, by its own clock, where it has one.

use crate::error::Result;
use crate::gpu::device::Device;

/// Phases that are timed: index, count, fill.
pub(crate) const PHASES: usize = 3;

/// Bytes from one phase's times to the next: what resolving must be aligned to.
const STRIDE: u64 = 256;

/// Begin and end of each phase.
#[derive(Debug)]
pub struct Clock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    read: wgpu::Buffer,
    period: f64,
}

impl Clock {
    /// A clock for `device`, if it has one.
    pub fn new(device: &Device) -> Result<Option<Clock>> {
        if !device.timestamps {
            return Ok(None);
        }
        let buffer = |usage| {
            device.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("neargrid clock"),
                size: STRIDE * PHASES as u64,
                usage,
                mapped_at_creation: false,
            })
        };
        let clock = device.checked("the clock", STRIDE, || Clock {
            queries: device.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("neargrid clock"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * PHASES as u32,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            read: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            period: f64::from(device.timestamp_period) * 1e-9,
        })?;
        Ok(Some(clock))
    }

    /// Where a compute pass writes the times of `phase`.
    pub fn writes(&self, phase: usize) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * phase as u32),
            end_of_pass_write_index: Some(2 * phase as u32 + 1),
        }
    }

    /// Records the bringing home of the times of `phase`.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, phase: usize) {
        let (first, at) = (2 * phase as u32, STRIDE * phase as u64);
        encoder.resolve_query_set(&self.queries, first..first + 2, &self.resolved, at);
        encoder.copy_buffer_to_buffer(&self.resolved, at, &self.read, at, 16);
    }

    /// Seconds of `phase`, brought home by a submission that is done.
    pub fn seconds(&self, device: &Device, phase: usize) -> Result<f64> {
        let at = STRIDE * phase as u64;
        device.map(self.read.slice(at..at + 16), wgpu::MapMode::Read, None)?;
        let times = self.read.slice(at..at + 16).get_mapped_range();
        let seconds = times.map_or(0.0, |bytes| {
            let time = |k: usize| bytemuck::pod_read_unaligned::<u64>(&bytes[8 * k..8 * k + 8]);
            time(1).saturating_sub(time(0)) as f64 * self.period
        });
        self.read.unmap();
        Ok(seconds)
    }
}
