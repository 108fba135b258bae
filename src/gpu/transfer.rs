//! Between the caller's memory and the device's, in pieces through staging buffers that are kept: while the device copies
//! one piece, the threads of the team fill or empty another.
//!
//! Kernels never touch host-visible memory: their scattered accesses over the bus would be tens of times slower.

mod board;
mod crew;
mod landing;
mod loading;
mod mapped;
mod packed;
mod packing;
mod piece;

use std::ops::Range;
use std::sync::Arc;

use crate::error::Result;
use crate::gpu::device::Device;
use crate::list::Pieces;
use crate::points::{PointsView, Real};
use crate::threads::Team;

use crew::ITEMS;
pub use crew::{Crew, PutItems, share_of};
pub(crate) use crew::{SHARE, SHARE_IDS};
pub use mapped::Mapped;
pub use packed::id_bits;
pub use packing::Packing;
use piece::{PIECE, Piece};

/// Staging buffers for downloads: the device fills one while the host empties another.
const PIECES: usize = 2;

/// Bytes of the staging buffer for a few bytes.
const FEW: u64 = 256;

/// The staging buffers of a handle.
#[derive(Debug, Default)]
pub struct Transfer {
    /// For uploads: one, or two where there is more than it holds.
    up: Vec<Piece>,
    down: Vec<Piece>,
    few: Option<Piece>,
    /// Staging buffers made so far.
    made: u64,
    /// Bytes that were uploaded, and downloaded, so far.
    sent: u64,
    fetched: u64,
    /// A download is in progress, or has failed.
    busy: bool,
}

/// A download in progress.
#[derive(Debug)]
pub struct Download {
    source: wgpu::Buffer,
    /// The buffer in which it is packed on its way.
    packing: Option<Packing>,
    /// Bytes of a share, and of all of it, as they arrive.
    share: u64,
    bytes: u64,
    /// Bytes whose copies into staging buffers are submitted.
    issued: u64,
    /// Bytes that were consumed.
    landed: u64,
}

impl Transfer {
    /// Bytes of host memory held.
    pub fn bytes(&self) -> u64 {
        self.up.iter().chain(&self.down).map(|piece| piece.buffer.size()).sum()
    }

    /// Staging buffers made so far.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Bytes that were uploaded so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Bytes of downloads that were begun so far.
    pub fn fetched(&self) -> u64 {
        self.fetched
    }

    /// Host memory for a list of `bytes`: see [`Mapped::new`].
    pub fn mapped(&mut self, device: &Arc<Device>, kept: Option<Mapped>, bytes: u64) -> Result<Option<Mapped>> {
        Mapped::new(device, kept, bytes, &mut self.made)
    }

    /// Brings the coordinates of `view` to `destination`, point after point; those before number `first` are there.
    pub fn upload_points<T: Real>(
        &mut self,
        device: &Device,
        team: &Team,
        (view, first): (&PointsView<T>, usize),
        destination: &wgpu::Buffer,
    ) -> Result<()> {
        let size = view.dim() * size_of::<T>();
        let (items, start) = ([view.len() - first, size], (first * size) as u64);
        self.upload(device, team, items, destination, start, |range, put| {
            let points = first + range.start..first + range.end;
            put_points(view, points, &mut |point, bytes| put(point - first, bytes));
        })
    }

    /// Brings the first `bytes` bytes of `source` to the host: the threads of `team` consume them, share by share.
    pub fn download(
        &mut self,
        device: &Device,
        team: &Team,
        source: &wgpu::Buffer,
        bytes: u64,
        consume: &(dyn Fn(usize, &[u8]) + Sync),
    ) -> Result<()> {
        let crew = Crew {
            team,
            consume,
            background: &|| false,
        };
        let download = self.plan_download(device, source, bytes, None)?;
        self.finish_download(device, download, &crew)
    }

    /// Begins to bring the first `bytes` bytes of `source` to the host, or the ids that `packing` packs: as many pieces as there are
    /// staging buffers set out.
    pub fn start_download(
        &mut self,
        device: &Device,
        source: &wgpu::Buffer,
        bytes: u64,
        packing: Option<Packing>,
    ) -> Result<Download> {
        let mut download = self.plan_download(device, source, bytes, packing)?;
        self.set_out(device, &mut download)?;
        Ok(download)
    }

    /// The same download, whose first pieces set out while it is finished: other threads have work by then.
    pub fn plan_download(
        &mut self,
        device: &Device,
        source: &wgpu::Buffer,
        bytes: u64,
        packing: Option<Packing>,
    ) -> Result<Download> {
        let [share, bytes] = packing.as_ref().map_or([SHARE as u64, bytes], Packing::bytes);
        let whole = piece_bytes(device, share);
        self.fetched += bytes;
        if std::mem::replace(&mut self.busy, true) {
            self.down.clear(); // the download before failed: some may still be mapped
        }
        self.make_room_down(
            device,
            bytes.min(whole),
            bytes.div_ceil(whole).min(PIECES as u64) as usize,
        )?;
        Ok(Download {
            source: source.clone(),
            packing,
            share,
            bytes,
            issued: 0,
            landed: 0,
        })
    }

    /// Has the first pieces set out, where they have not.
    fn set_out(&mut self, device: &Device, download: &mut Download) -> Result<()> {
        let first = download.bytes.min(PIECES as u64 * piece_bytes(device, download.share));
        while download.issued < first {
            self.issue(device, download)?;
        }
        Ok(())
    }

    fn issue(&mut self, device: &Device, download: &mut Download) -> Result<()> {
        let whole = piece_bytes(device, download.share);
        let (at, piece) = (
            download.issued,
            &mut self.down[(download.issued / whole) as usize % PIECES],
        );
        let size = whole.min(download.bytes - at);
        let submission = device.checked("a download", 0, || {
            let mut encoder = device.device.create_command_encoder(&Default::default());
            match &download.packing {
                Some(packing) => packing.record(device, &mut encoder, &download.source, at..at + size, &piece.buffer),
                None => encoder.copy_buffer_to_buffer(&download.source, at, &piece.buffer, 0, size),
            }
            device.queue.submit([encoder.finish()])
        })?;
        piece.map(device, wgpu::MapMode::Read, submission)?;
        download.issued += size;
        Ok(())
    }

    /// Brings a few bytes of `source` to the host: one round trip.
    pub fn fetch(
        &mut self,
        device: &Device,
        source: &wgpu::Buffer,
        range: Range<u64>,
        read: impl FnOnce(&[u8]),
    ) -> Result<()> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let size = range.end - range.start;
        let mut piece = match self.few.take().filter(|piece| piece.buffer.size() >= size) {
            Some(piece) => piece,
            None => {
                self.made += 1;
                Piece::new(device, size.next_multiple_of(8).max(FEW), usage, false)?
            }
        };
        let submission = device.checked("a download", 0, || {
            let mut encoder = device.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(source, range.start, &piece.buffer, 0, size);
            device.queue.submit([encoder.finish()])
        })?;
        piece.map(device, wgpu::MapMode::Read, submission)?;
        piece.wait(device)?;
        let mapped = piece.buffer.get_mapped_range(..size);
        read(&mapped.map_err(|_| device.lost_or("a staging buffer is not mapped".to_owned()))?);
        piece.buffer.unmap();
        self.few = Some(piece); // not where it failed: it may still be mapped
        Ok(())
    }

    fn make_room_down(&mut self, device: &Device, bytes: u64, pieces: usize) -> Result<()> {
        let bytes = bytes.next_multiple_of(8);
        if self.down.iter().any(|piece| piece.buffer.size() < bytes) {
            self.down.clear();
        }
        while self.down.len() < pieces {
            let roomy = (bytes + bytes / 16).min(PIECE.max(bytes)).next_multiple_of(8).max(256);
            let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
            self.down.push(Piece::new(device, roomy, usage, false)?);
            self.made += 1;
        }
        Ok(())
    }
}

/// Stores a share of what is downloaded, each number as `change` leaves it.
pub(super) fn store_changed<N: bytemuck::Pod + Send>(
    numbers: &Pieces<N>,
    share: usize,
    bytes: &[u8],
    change: impl Fn(&mut N),
) {
    let (mut few, mut piece) = ([N::zeroed(); ITEMS], numbers.take(share));
    for (k, bytes) in bytes.chunks(size_of_val(&few)).enumerate() {
        let few = &mut few[..bytes.len() / size_of::<N>()];
        bytemuck::cast_slice_mut::<N, u8>(few).copy_from_slice(bytes);
        few.iter_mut().for_each(&change);
        piece.store(k * ITEMS..k * ITEMS + few.len(), few);
    }
}

/// Bytes of a piece: whole shares.
fn piece_bytes(device: &Device, share: u64) -> u64 {
    (PIECE.min(device.max_binding) / share).max(1) * share
}

/// Puts the coordinates of points `range` of `view`.
fn put_points<T: Real>(view: &PointsView<T>, range: Range<usize>, put: &mut dyn FnMut(usize, &[u8])) {
    if let Some(bytes) = view.bytes_of(range.clone()) {
        return put(range.start, bytes);
    }
    let mut few = [T::INFINITY; 3 * ITEMS];
    for first in range.clone().step_by(ITEMS) {
        let end = range.end.min(first + ITEMS);
        for i in first..end {
            for axis in 0..view.dim() {
                few[(i - first) * view.dim() + axis] = view.get(axis, i);
            }
        }
        put(first, bytemuck::cast_slice(&few[..(end - first) * view.dim()]));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;
    use crate::gpu::acquire;
    use crate::plan::WantedDevice;

    /// Data that is brought to the device in one buffer and in two that take turns, more and less of it, comes back the same.
    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn there_and_back() {
        let device = acquire(WantedDevice::Best, true).unwrap();
        let (team, mut transfer) = (Team::new(2).unwrap(), Transfer::default());
        let piece = piece_bytes(&device, SHARE as u64) as usize / 8;
        for (len, buffers) in [(piece - 5, 1), (3 * piece + 77, 2), (1000, 2), (4 * piece - 1, 2)] {
            let number = |i: usize| (i as u64 + len as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let bytes = 8 * len as u64;
            let there = device.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("neargrid.test"),
                size: bytes,
                usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let write = |range: Range<usize>, put: &mut PutItems| {
                range.for_each(|i| put(i, &number(i).to_ne_bytes()));
            };
            transfer.upload(&device, &team, [len, 8], &there, 0, write).unwrap();
            assert_eq!(transfer.up.len(), buffers, "{len}");
            let back: Vec<AtomicU64> = (0..len).map(|_| AtomicU64::new(0)).collect();
            let crew = Crew {
                team: &team,
                consume: &|share, bytes| {
                    for (to, bytes) in back[share * SHARE / 8..].iter().zip(bytes.as_chunks().0) {
                        to.store(u64::from_ne_bytes(*bytes), Relaxed);
                    }
                },
                background: &|| false,
            };
            let download = transfer.start_download(&device, &there, bytes, None).unwrap();
            transfer.finish_download(&device, download, &crew).unwrap();
            let wrong = (0..len).find(|&i| back[i].load(Relaxed) != number(i));
            assert_eq!(wrong, None, "{len}");
        }
    }
}
