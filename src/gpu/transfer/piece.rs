//! A staging buffer, which is mapped except while the device copies it.

use std::sync::Arc;

use crate::error::Result;
use crate::gpu::device::Device;
use crate::gpu::device::open::HOST_BLOCK;
use crate::gpu::device::wait::Mapping;

/// Bytes of a staging buffer: they fill a block except for what buffers for a few bytes need. Larger ones would be faster, but
/// they are what a search takes of the host's memory beside its result.
pub(crate) const PIECE: u64 = HOST_BLOCK - (64 << 10);

/// One staging buffer.
#[derive(Debug)]
pub struct Piece {
    pub buffer: wgpu::Buffer,
    /// The mapping asked for last. None: mapped since it was made, or waited for.
    pending: Option<Arc<Mapping>>,
}

impl Piece {
    pub fn new(device: &Device, bytes: u64, usage: wgpu::BufferUsages, mapped_at_creation: bool) -> Result<Piece> {
        let buffer = device.checked("a staging buffer", bytes, || {
            device.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("neargrid staging"),
                size: bytes,
                usage,
                mapped_at_creation,
            })
        })?;
        Ok(Piece { buffer, pending: None })
    }

    /// Asks for the mapping, to be ready after `submission`.
    pub fn map(&mut self, device: &Device, mode: wgpu::MapMode, submission: wgpu::SubmissionIndex) -> Result<()> {
        self.pending = Some(device.map(self.buffer.slice(..), mode, Some(submission))?);
        Ok(())
    }

    /// Whether the mapping asked for last is there.
    pub fn is_ready(&self, device: &Device) -> Result<bool> {
        let Some(mapping) = &self.pending else {
            return Ok(true);
        };
        device.look()?;
        Ok(mapping.is_done())
    }

    pub fn wait(&mut self, device: &Device) -> Result<()> {
        self.pending.take().map_or(Ok(()), |mapping| mapping.wait(device))
    }
}
