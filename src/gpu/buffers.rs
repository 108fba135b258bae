//! The device memory of one handle: a buffer for each [`Slot`], enlarged when necessary, and the bind groups over them.

use crate::error::{Error, Result};
use crate::gpu::device::Device;
use crate::gpu::fault::UNIT;
use crate::gpu::kernels::{Kernels, SLOTS, STAGE_TABLE, STAGES, Slot, Stage};

/// The most that a buffer is made larger than it must be.
const SLACK: u64 = 1 << 18;

/// Buffers and bind groups of a handle.
#[derive(Debug)]
pub struct Buffers {
    buffers: [Option<wgpu::Buffer>; SLOTS],
    /// Slots whose buffers belong to others.
    lent: [bool; SLOTS],
    groups: [Option<Group>; STAGES],
    /// The other buffer of ids, where chunks take turns, and the bind groups that use it.
    spare: Spare,
    /// Buffers made so far.
    made: u64,
}

impl Default for Buffers {
    fn default() -> Buffers {
        Buffers {
            buffers: [const { None }; SLOTS],
            lent: [false; SLOTS],
            groups: [const { None }; STAGES],
            spare: Spare {
                ids: None,
                groups: [const { None }; STAGES],
            },
            made: 0,
        }
    }
}

/// The bind group of a stage, and the layout that it is of: kernels of another form have others.
type Group = (wgpu::BindGroupLayout, wgpu::BindGroup);

#[derive(Debug)]
struct Spare {
    ids: Option<wgpu::Buffer>,
    /// None of stages that do not use ids.
    groups: [Option<Group>; STAGES],
}

impl Buffers {
    /// Makes the buffer of `slot` hold `bytes`, without keeping what it held. A little slack keeps a slowly growing number
    /// of points from allocating at every step.
    pub fn ensure(&mut self, device: &Device, slot: Slot, bytes: u64, what: &'static str) -> Result<()> {
        let Some(bytes) = self.missing(device, slot, bytes, what)? else {
            return Ok(());
        };
        self.buffers[slot as usize] = None;
        self.unbind();
        self.buffers[slot as usize] = Some(make(device, slot, bytes, what)?);
        self.made += 1;
        Ok(())
    }

    /// [`ensure`](Buffers::ensure) for a buffer that is there, keeping what it held, also on failure.
    pub fn extend(&mut self, device: &Device, slot: Slot, bytes: u64, what: &'static str) -> Result<()> {
        let Some(bytes) = self.missing(device, slot, bytes, what)? else {
            return Ok(());
        };
        let (old, new) = (self.get(slot)?, make(device, slot, bytes, what)?);
        device.checked(what, 0, || {
            let mut encoder = device.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(old, 0, &new, 0, old.size());
            device.queue.submit([encoder.finish()]);
        })?;
        self.buffers[slot as usize] = Some(new);
        self.unbind();
        self.made += 1;
        Ok(())
    }

    /// The bytes to make of `slot` where it does not hold `bytes`.
    fn missing(&self, device: &Device, slot: Slot, bytes: u64, what: &'static str) -> Result<Option<u64>> {
        let bytes = bytes.next_multiple_of(16).max(16);
        if self.bytes_of(slot) >= bytes {
            return Ok(None);
        }
        let bindings = 1 + slot.windows().len() as u64;
        if bytes > (bindings * device.max_binding).min(device.max_buffer) {
            return Err(Error::OutOfMemory { what, bytes });
        }
        let whole = bytes.next_multiple_of(device.max_binding).min(device.max_buffer);
        Ok(Some((bytes + (bytes / 16).min(SLACK)).next_multiple_of(16).min(whole)))
    }

    /// Forgets the bind groups, as a buffer is another.
    fn unbind(&mut self) {
        (self.groups, self.spare.groups) = ([const { None }; STAGES], [const { None }; STAGES]);
    }

    /// Has `slot` show a buffer that belongs to others.
    pub fn lend(&mut self, slot: Slot, buffer: &wgpu::Buffer) {
        if self.buffers[slot as usize].as_ref() != Some(buffer) {
            self.buffers[slot as usize] = Some(buffer.clone());
            self.unbind();
        }
        self.lent[slot as usize] = true;
    }

    /// Lets the other buffer of ids take its turn.
    pub fn swap_ids(&mut self) {
        std::mem::swap(&mut self.buffers[Slot::Ids as usize], &mut self.spare.ids);
        let groups = self.groups.iter_mut().zip(&mut self.spare.groups);
        for ((group, spare), (.., slots)) in groups.zip(&STAGE_TABLE) {
            if slots.contains(&Slot::Ids) {
                std::mem::swap(group, spare);
            }
        }
    }

    /// Gives back both buffers of ids.
    pub fn forget_ids(&mut self) {
        (self.buffers[Slot::Ids as usize], self.spare.ids) = (None, None);
        self.unbind();
    }

    /// Buffers made so far: none for a search like the one before.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// The buffer of `slot`.
    pub fn get(&self, slot: Slot) -> Result<&wgpu::Buffer> {
        self.buffers[slot as usize].as_ref().ok_or_else(|| Error::Internal {
            text: format!("no buffer for {slot:?}").into(),
        })
    }

    /// Bytes of the buffer of `slot`, 0 for none.
    pub fn bytes_of(&self, slot: Slot) -> u64 {
        self.buffers[slot as usize].as_ref().map_or(0, wgpu::Buffer::size)
    }

    /// Bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        let own = self.buffers.iter().zip(self.lent).filter(|(_, lent)| !lent);
        let all = own.map(|(buffer, _)| buffer).chain([&self.spare.ids]);
        all.flatten().map(wgpu::Buffer::size).sum()
    }

    /// Makes the bind groups that are missing; every stage's buffers must be there.
    pub fn bind(&mut self, device: &Device, kernels: &Kernels, stages: impl Iterator<Item = Stage>) -> Result<()> {
        if self.bytes_of(Slot::Batch) == 0 {
            self.ensure(device, Slot::Batch, 4, "the number of a batch")?;
        }
        for stage in stages {
            let Some(kernel) = kernels.get(stage) else { continue };
            let made = &self.groups[stage as usize];
            if made.as_ref().is_none_or(|(layout, _)| *layout != kernel.layout) {
                let mut entries = Vec::new();
                let slots = STAGE_TABLE[stage as usize].3.iter();
                for &slot in slots.filter(|slot| slot.is_bound(stage, kernels.form())) {
                    let (home, half) = slot.home();
                    let buffer = self.get(home)?;
                    if home != slot {
                        entries.push(half_of(buffer, slot as u32, half));
                        continue;
                    }
                    entries.push(window(device, buffer, slot as u32, 0));
                    let windows = slot.windows().iter().zip(1..).filter(|_| kernels.form().windows);
                    entries.extend(windows.map(|(&binding, k)| window(device, buffer, binding, k)));
                }
                let group = device.checked("a bind group", 0, || {
                    device.device.create_bind_group(&wgpu::BindGroupDescriptor {
                        label: None,
                        layout: &kernel.layout,
                        entries: &entries,
                    })
                })?;
                self.groups[stage as usize] = Some((kernel.layout.clone(), group));
            }
        }
        Ok(())
    }

    /// The bind group of `stage`, made by [`bind`](Buffers::bind).
    pub fn group(&self, stage: Stage) -> Option<&wgpu::BindGroup> {
        self.groups[stage as usize].as_ref().map(|(_, group)| group)
    }
}

fn make(device: &Device, slot: Slot, bytes: u64, what: &'static str) -> Result<wgpu::Buffer> {
    device.checked(what, bytes, || {
        device.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size: bytes,
            usage: usage(slot),
            mapped_at_creation: false,
        })
    })
}

/// One half of `buffer`, which starts at a multiple of [`UNIT`].
fn half_of(buffer: &wgpu::Buffer, binding: u32, half: u64) -> wgpu::BindGroupEntry<'_> {
    let size = buffer.size() / 2 / UNIT * UNIT;
    part_of(buffer, binding, half * size, size)
}

/// Part `k` of `buffer`, each as large as a binding may be. Where the buffer ends before, a piece that nobody reads.
fn window<'a>(device: &Device, buffer: &'a wgpu::Buffer, binding: u32, k: u64) -> wgpu::BindGroupEntry<'a> {
    let start = Some(k * device.max_binding).filter(|&start| start < buffer.size());
    let offset = start.unwrap_or(0);
    let size = (buffer.size() - offset).min(device.max_binding);
    part_of(buffer, binding, offset, size)
}

fn part_of(buffer: &wgpu::Buffer, binding: u32, offset: u64, size: u64) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry {
        binding,
        resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer,
            offset,
            size: std::num::NonZeroU64::new(size),
        }),
    }
}

fn usage(slot: Slot) -> wgpu::BufferUsages {
    let copied = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
    match slot {
        slot if slot.is_uniform() => wgpu::BufferUsages::UNIFORM | copied,
        Slot::Workgroups | Slot::OtherEntries | Slot::Far => {
            wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT | copied
        }
        _ => wgpu::BufferUsages::STORAGE | copied,
    }
}
