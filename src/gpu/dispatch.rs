//! Recording stages into a command buffer and submitting it.

use super::buffers::Buffers;
use super::clock::{Clock, Phase};
use super::device::Device;
use super::kernels::{Kernels, Slot, Stage};
use crate::error::Result;

/// Workgroups side by side in a dispatch, at most; more are laid out in rows of so many. Every device has as many. Twin:
/// `ROW_OF_WORKGROUPS` in `shaders/shared/grid_of_workgroups.wgsl`.
pub(crate) const ROW: u64 = 65535;

/// The number of workgroups of a stage.
#[derive(Clone, Copy, Debug)]
pub enum Size {
    /// One lane for each element, in workgroups of a fixed size.
    Lanes(u64, u64),
    /// So many workgroups.
    Workgroups(u64),
    /// As many as the device wrote to this buffer at this byte.
    Indirect(Slot, u64),
}

/// A change of a buffer before the stages of a submission.
#[derive(Clone, Copy, Debug)]
pub enum Before<'a> {
    /// That many bytes from the first on become 0; all for none.
    Clear(Slot, Option<u64>),
    /// Bytes are written, from a byte on.
    Write(Slot, u64, &'a [u8]),
    /// Bytes are copied on the device.
    Copy(&'a [BufferCopy]),
}

/// A copy of bytes from a buffer to another one.
#[derive(Clone, Debug)]
pub struct BufferCopy {
    /// Buffers, and the place in each.
    pub from: (wgpu::Buffer, u64),
    pub to: (wgpu::Buffer, u64),
    pub bytes: u64,
}

impl BufferCopy {
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder) {
        let Self { from, to, bytes } = self;
        encoder.copy_buffer_to_buffer(&from.0, from.1, &to.0, to.1, *bytes);
    }
}

/// The surroundings of stages that are recorded; their bind groups are made.
pub(super) struct Recording<'a> {
    pub device: &'a Device,
    pub kernels: &'a Kernels,
    pub buffers: &'a Buffers,
    /// The clock, and the number that the submission has for it.
    pub clock: Option<(&'a Clock, usize)>,
}

impl Recording<'_> {
    /// Records what comes `before`, then `stages`, as one timed pass, and submits. Returns before the device is done. `fields`: those
    /// that the stages bind beside their buffers.
    pub(super) fn submit(
        &self,
        before: &[Before],
        (phase, stages): (Phase, &[(Stage, Size)]),
        fields: Option<&wgpu::BindGroup>,
    ) -> Result<wgpu::SubmissionIndex> {
        #[cfg(test)]
        (self.device.submissions).fetch_add(u64::from(!stages.is_empty()), std::sync::atomic::Ordering::Relaxed);
        self.device.checked("a submission", 0, || {
            let mut encoder = self.device.device.create_command_encoder(&Default::default());
            for &change in before {
                match change {
                    Before::Clear(slot, bytes) => encoder.clear_buffer(self.buffers.get(slot)?, 0, bytes),
                    Before::Write(slot, at, bytes) => {
                        (self.device.queue).write_buffer(self.buffers.get(slot)?, at, bytes);
                    }
                    Before::Copy(copies) => copies.iter().for_each(|copy| copy.record(&mut encoder)),
                }
            }
            self.record(&mut encoder, (phase, stages), fields)?;
            if let Some((clock, number)) = self.clock {
                clock.resolve(&mut encoder, number);
            }
            Ok(self.device.queue.submit([encoder.finish()]))
        })?
    }

    fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (phase, stages): (Phase, &[(Stage, Size)]),
        fields: Option<&wgpu::BindGroup>,
    ) -> Result<()> {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(["index", "count", "fill"][phase as usize]),
            timestamp_writes: self.clock.map(|(clock, number)| clock.writes(number)),
        });
        for &(stage, size) in stages {
            let (Some(kernel), Some(group)) = (self.kernels.get(stage), self.buffers.group(stage)) else {
                continue; // a stage that is not run: `Scope` without kinds
            };
            pass.set_pipeline(&kernel.pipeline);
            pass.set_bind_group(0, group, &[]);
            if let Some(fields) = fields {
                pass.set_bind_group(1, fields, &[]);
            }
            let workgroups = match size {
                Size::Indirect(slot, at) => {
                    pass.dispatch_workgroups_indirect(self.buffers.get(slot)?, at);
                    continue;
                }
                Size::Workgroups(workgroups) => workgroups,
                Size::Lanes(lanes, each) => lanes.div_ceil(each),
            };
            pass.dispatch_workgroups(workgroups.min(ROW) as u32, workgroups.div_ceil(ROW) as u32, 1);
        }
        Ok(())
    }
}
