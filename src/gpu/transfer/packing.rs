//! Ids that the device packs on their way to the host, so that fewer bytes cross the bus. `crate::list` unpacks them.

use std::num::NonZeroU64;
use std::ops::Range;

use super::crew::SHARE_IDS;
use super::packed::packed_bytes;
use super::piece::PIECE;
use crate::error::{Error, Result};
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Device;
use crate::gpu::kernels::{Kernel, Kernels, Slot, Stage};

/// Lanes of a workgroup of `shaders/pack.wgsl`.
const WIDTH: u64 = 256;

/// Bytes of ids.
const ID: u64 = size_of::<i32>() as u64;

/// The form in which the ids of a download are packed.
#[derive(Debug)]
pub struct Packing {
    kernel: Kernel,
    params: wgpu::Buffer,
    /// A piece of them.
    packed: wgpu::Buffer,
    ids: u64,
    bits: u32,
}

impl Packing {
    /// Packs that many ids of `bits` bits; `None` where it would not pay, because they fit a staging buffer or have too many bits.
    pub fn new(
        device: &Device,
        kernels: &Kernels,
        buffers: &mut Buffers,
        ids: u64,
        bits: u32,
    ) -> Result<Option<Packing>> {
        if ids * ID <= PIECE || bits >= 32 || device.max_binding < ID * PIECE {
            return Ok(None);
        }
        let kernel = kernels.get(Stage::Pack).cloned().ok_or_else(|| Error::Internal {
            text: "no kernel for Pack".into(),
        })?;
        buffers.ensure(device, Slot::Packed, PIECE, "ids on their way to the host")?;
        Ok(Some(Packing {
            kernel,
            params: buffers.get(Slot::Params)?.clone(),
            packed: buffers.get(Slot::Packed)?.clone(),
            ids,
            bits,
        }))
    }

    /// Bytes of a share, and of all ids.
    pub fn bytes(&self) -> [u64; 2] {
        let bytes = |ids| packed_bytes(ids, self.bits).next_multiple_of(4) as u64;
        [bytes(SHARE_IDS), bytes(self.ids as usize)]
    }

    /// Has the device pack the bytes `range` of the download, from the `ids`, and copy them to `target`.
    pub fn record(
        &self,
        device: &Device,
        encoder: &mut wgpu::CommandEncoder,
        ids: &wgpu::Buffer,
        range: Range<u64>,
        target: &wgpu::Buffer,
    ) {
        let [share, _] = self.bytes();
        let each = SHARE_IDS as u64;
        let (first, bytes) = (range.start / share * each, range.end - range.start);
        let end = (range.end.div_ceil(share) * each).min(self.ids);
        let group = self.bind(device, ids, first..end);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.kernel.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups((bytes / 4).div_ceil(WIDTH) as u32, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&self.packed, 0, target, 0, bytes);
    }

    fn bind(&self, device: &Device, ids: &wgpu::Buffer, range: Range<u64>) -> wgpu::BindGroup {
        let ids = wgpu::BufferBinding {
            buffer: ids,
            offset: ID * range.start,
            size: NonZeroU64::new(ID * (range.end - range.start)),
        };
        let entry = |slot, resource| wgpu::BindGroupEntry {
            binding: slot as u32,
            resource,
        };
        device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.kernel.layout,
            entries: &[
                entry(Slot::Params, self.params.as_entire_binding()),
                entry(Slot::Ids, wgpu::BindingResource::Buffer(ids)),
                entry(Slot::Packed, self.packed.as_entire_binding()),
            ],
        })
    }
}
