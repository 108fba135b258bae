//! Host memory that the device fills, and that stays mapped while it is read: a list that no thread has to copy out of
//! staging buffers.

use std::sync::Arc;

use super::piece::Piece;
use crate::error::{Error, Result};
use crate::gpu::adapters::are_inherited;
use crate::gpu::device::Device;

/// A list of ids where the device has put them.
#[derive(Debug)]
pub struct Mapped {
    view: Option<wgpu::BufferView>, // before the buffer, which outlives it
    piece: Piece,
    device: Arc<Device>,
}

impl Drop for Mapped {
    /// A forked process leaves alone what it inherited.
    fn drop(&mut self) {
        if are_inherited() {
            std::mem::forget((self.view.take(), self.piece.buffer.clone(), self.device.clone()));
        }
    }
}

impl Mapped {
    /// Memory for `bytes` that the device may write: that of `kept`, if there is room, or new, which is counted in `made`.
    /// `None` where the driver has none so large, or no more.
    pub fn new(device: &Arc<Device>, kept: Option<Mapped>, bytes: u64, made: &mut u64) -> Result<Option<Mapped>> {
        if let Some(mut kept) = kept.filter(|kept| kept.bytes() >= bytes && Arc::ptr_eq(&kept.device, device)) {
            kept.view = None;
            device.checked("a mapping", 0, || kept.piece.buffer.unmap())?;
            return Ok(Some(kept));
        }
        if bytes > device.max_buffer {
            return Ok(None);
        }
        // A little slack keeps a slowly growing list from taking new memory at every step. It takes pages whether used or not.
        let roomy = (bytes + bytes / 64).next_multiple_of(256).min(device.max_buffer);
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        match Piece::new(device, roomy, usage, false) {
            Ok(piece) => {
                *made += 1;
                let device = device.clone();
                Ok(Some(Mapped {
                    view: None,
                    piece,
                    device,
                }))
            }
            Err(Error::OutOfMemory { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Bytes of host memory held.
    pub fn bytes(&self) -> u64 {
        self.piece.buffer.size()
    }

    /// The ids.
    pub fn ids(&self) -> &[i32] {
        self.view.as_deref().map_or(&[], bytemuck::cast_slice)
    }

    /// Has the device copy the first `bytes` of `source` to byte `at` on.
    pub fn take(&self, source: &wgpu::Buffer, at: u64, bytes: u64) -> Result<wgpu::SubmissionIndex> {
        self.device.checked("a download", 0, || {
            let mut encoder = self.device.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(source, 0, &self.piece.buffer, at, bytes);
            self.device.queue.submit([encoder.finish()])
        })
    }

    /// Shows the first `bytes` after `submission`; until then `meanwhile` is done.
    pub fn show(&mut self, bytes: u64, submission: wgpu::SubmissionIndex, meanwhile: impl FnOnce()) -> Result<()> {
        self.piece.map(&self.device, wgpu::MapMode::Read, submission)?;
        meanwhile();
        self.piece.wait(&self.device)?;
        let view = self.piece.buffer.get_mapped_range(..bytes);
        let not_mapped = |_| self.device.lost_or("a list is not mapped".to_owned());
        self.view = Some(view.map_err(not_mapped)?);
        Ok(())
    }
}
