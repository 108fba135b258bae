//! The time that the device works on each phase, by its own clock if it has one.

use crate::error::Result;
use crate::gpu::device::Device;

/// Phases in which the device works.
#[derive(Clone, Copy, Debug)]
pub enum Phase {
    Index = 0,
    Count = 1,
    Fill = 2,
}

/// Submissions whose times wait to be read; they are numbered from 0.
pub(crate) const UNREAD: usize = 64;

/// Bytes from one submission's times to the next: what resolving must be aligned to.
const STRIDE: u64 = 256;

/// Begin and end of each submission.
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
                size: STRIDE * UNREAD as u64,
                usage,
                mapped_at_creation: false,
            })
        };
        let clock = device.checked("the clock", STRIDE, || Clock {
            queries: device.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("neargrid clock"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * UNREAD as u32,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            read: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            period: f64::from(device.timestamp_period) * 1e-9,
        })?;
        Ok(Some(clock))
    }

    /// The place to which the compute pass of a submission writes its times.
    pub fn writes(&self, submission: usize) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * submission as u32),
            end_of_pass_write_index: Some(2 * submission as u32 + 1),
        }
    }

    /// Records the bringing home of the times of a submission.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, submission: usize) {
        let (first, at) = (2 * submission as u32, STRIDE * submission as u64);
        encoder.resolve_query_set(&self.queries, first..first + 2, &self.resolved, at);
        encoder.copy_buffer_to_buffer(&self.resolved, at, &self.read, at, 16);
    }

    /// Adds what the first submissions took to the `seconds` of upload, index, count, fill and download: these are their `phases`.
    /// Waits until they are done: `last` is the last of them.
    pub fn read(
        &self,
        device: &Device,
        phases: &[Phase],
        last: Option<wgpu::SubmissionIndex>,
        seconds: &mut [f64; 5],
    ) -> Result<()> {
        if phases.is_empty() {
            return Ok(());
        }
        let at = ..STRIDE * phases.len() as u64;
        device
            .map(self.read.slice(at), wgpu::MapMode::Read, last)?
            .wait(device)?;
        if let Ok(bytes) = self.read.slice(at).get_mapped_range() {
            for (times, &phase) in bytes.chunks(STRIDE as usize).zip(phases) {
                let time = |k: usize| bytemuck::pod_read_unaligned::<u64>(&times[8 * k..8 * k + 8]);
                seconds[1 + phase as usize] += time(1).saturating_sub(time(0)) as f64 * self.period;
            }
        }
        self.read.unmap();
        Ok(())
    }
}
