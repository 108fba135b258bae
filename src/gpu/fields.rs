//! Fields that stay on the device from stage to stage: each is sent once, and again when it is another.
//!
//! in: versions of fields; out: their buffers. Nothing is computed here.

use super::device::Device;
use crate::error::Result;
use crate::list::push;
use crate::version::Version;

const WHAT: &str = "a field on the GPU";

/// The version of a field, and the words of a number: 1 in real32, 2 in real64.
pub type FieldOf = (Version, usize);

/// The fields on the device.
#[derive(Debug, Default)]
pub struct Fields {
    all: Vec<Stored>,
    made: u64,
}

#[derive(Debug)]
struct Stored {
    /// `None`: its field is no longer used, and another one of as many bytes may take its place.
    of: Option<FieldOf>,
    buffer: wgpu::Buffer,
    bytes: u64,
}

impl Fields {
    /// The buffer of a version, if it is there.
    pub fn find(&self, of: FieldOf) -> Option<&wgpu::Buffer> {
        let stored = self.all.iter().find(|stored| stored.of == Some(of));
        stored.map(|stored| &stored.buffer)
    }

    /// A buffer of `bytes` bytes for a version, which the caller fills: one that is out of use, or a new one.
    pub fn make(&mut self, device: &Device, of: FieldOf, bytes: u64) -> Result<wgpu::Buffer> {
        let is_free = |stored: &&mut Stored| stored.bytes == bytes && stored.of.is_none();
        if let Some(stored) = self.all.iter_mut().find(is_free) {
            stored.of = Some(of);
            return Ok(stored.buffer.clone());
        }
        let buffer = device.checked(WHAT, bytes, || {
            device.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(WHAT),
                size: bytes.max(16),
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            })
        })?;
        self.made += 1;
        let made = buffer.clone();
        let of = Some(of);
        push(&mut self.all, Stored { of, buffer, bytes }, WHAT)?;
        Ok(made)
    }

    /// Frees the buffers of versions that are no longer used, for fields of as many bytes as those that are; others are given back.
    pub fn retain(&mut self, is_used: impl Fn(Version) -> bool) {
        for stored in &mut self.all {
            stored.of = stored.of.filter(|&(of, _)| is_used(of));
        }
        let used = |bytes: u64, all: &[Stored]| all.iter().any(|stored| stored.of.is_some() && stored.bytes == bytes);
        let mut at = 0;
        while let Some(stored) = self.all.get(at) {
            match stored.of.is_none() && !used(stored.bytes, &self.all) {
                true => drop(self.all.swap_remove(at)),
                false => at += 1,
            }
        }
    }

    /// Forgets a version, whose buffer was not filled.
    pub fn forget(&mut self, of: FieldOf) {
        self.all.retain(|stored| stored.of != Some(of));
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.all.iter().map(|stored| stored.buffer.size()).sum()
    }

    /// Buffers made so far.
    pub fn made(&self) -> u64 {
        self.made
    }
}
