//! An upload on its way: all threads of a team fill a staging buffer. While the driver has the device copy it, the others fill the
//! next one.

#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::board::Board;
use super::crew::{PutItems, SHARE, share_of};
use super::{Transfer, piece_bytes};
use crate::error::Result;
use crate::gpu::device::Device;
use crate::list::{Pieces, Rows};
use crate::threads::Team;

/// Staging buffers for uploads: one is filled while the device empties the other.
const PIECES_UP: usize = 2;

/// Items that are brought to a device.
struct Items<'a> {
    len: usize,
    /// Bytes of each.
    size: usize,
    /// The buffer that gets them, from a byte on.
    to: &'a wgpu::Buffer,
    start: u64,
    /// Gets the numbers of a share of the items, each once, and a function that puts the bytes of items of it.
    write: &'a (dyn Fn(Range<usize>, &mut PutItems) + Sync),
}

/// A staging buffer that is filled.
struct Filling {
    pieces: Pieces<'static, u8>,
    /// The mapping that the pieces are parts of.
    _view: wgpu::BufferViewMut,
    /// Its items, and how many of them are a share.
    items: Range<usize>,
    share: usize,
    /// Shares that threads have taken.
    taken: AtomicUsize,
}

impl Filling {
    fn new(mut view: wgpu::BufferViewMut, items: Range<usize>, share: usize, size: usize) -> Result<Filling> {
        let bytes = items.len() * size;
        let memory = view.slice(..bytes).as_raw_element_ptr();
        // SAFETY: mapped for as many bytes, until the view is dropped, which lives as long as the pieces and is not used otherwise.
        let memory = unsafe { Rows::<u8>::from_raw(memory.as_ptr().cast(), bytes) };
        Ok(Filling {
            pieces: Pieces::every(memory, share * size)?,
            _view: view,
            items,
            share,
            taken: AtomicUsize::new(0),
        })
    }

    /// Fills share after share until all are taken.
    fn fill(&self, items: &Items) {
        loop {
            let k = self.taken.fetch_add(1, Ordering::Relaxed);
            if k >= self.pieces.len() {
                return;
            }
            let (mut bytes_of, first) = (self.pieces.take(k), self.items.start + k * self.share);
            let end = self.items.end.min(first + self.share);
            (items.write)(first..end, &mut |item, bytes| {
                let at = (item - first) * items.size;
                bytes_of.store(at..at + bytes.len(), bytes);
            });
        }
    }
}

/// The one thread that talks to the device.
struct Driver<'a> {
    transfer: &'a mut Transfer,
    device: &'a Device,
    items: &'a Items<'a>,
    /// Items of a share and of a staging buffer.
    share: usize,
    most: usize,
}

impl Driver<'_> {
    fn drive(&mut self, board: &Board<Filling>) -> Result<()> {
        let _over = board.until_over();
        let mut filling = self.post(board, 0)?;
        loop {
            filling.fill(self.items);
            let (submitted, next) = (filling.items.start / self.most, filling.items.end);
            let is_last = next == self.items.len;
            // The others go on with the next buffer while this one is submitted, if the device is done with it.
            let after = match !is_last && self.transfer.is_free(self.device, submitted + 1)? {
                true => Some(self.post(board, next)?),
                false => None,
            };
            let items = filling.items.clone();
            board.take_down(filling);
            self.submit(submitted, items)?;
            filling = match after {
                Some(after) => after,
                None if is_last => return Ok(()),
                None => self.post(board, next)?,
            };
        }
    }

    /// Has all threads fill the next staging buffer, with the items from `first` on.
    fn post(&mut self, board: &Board<Filling>, first: usize) -> Result<Arc<Filling>> {
        let Items { len, size, .. } = *self.items;
        let room = (self.most.min(len) * size) as u64;
        let piece = self.transfer.room_up(self.device, first / self.most, room)?;
        let view = piece.buffer.get_mapped_range_mut(..);
        let view = view.map_err(|_| self.device.lost_or("a staging buffer is not mapped".to_owned()))?;
        let items = first..len.min(first + self.most);
        let filling = Arc::new(Filling::new(view, items, self.share, size)?);
        board.post(&filling);
        Ok(filling)
    }

    /// Has the device copy staging buffer `k`, which is full of `items`.
    fn submit(&mut self, k: usize, items: Range<usize>) -> Result<()> {
        let Items { size, to, start, .. } = *self.items;
        let (at, bytes) = (start + (items.start * size) as u64, (items.len() * size) as u64);
        let piece = &mut self.transfer.up[k % PIECES_UP];
        let submission = self.device.checked("an upload", 0, || {
            piece.buffer.unmap();
            let mut encoder = self.device.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&piece.buffer, 0, to, at, bytes);
            self.device.queue.submit([encoder.finish()])
        })?;
        piece.map(self.device, wgpu::MapMode::Write, submission)?;
        self.transfer.sent += bytes;
        Ok(())
    }
}

impl Transfer {
    /// Brings `len` items of `size` bytes, a multiple of 4, to `destination` from byte `start` on: `write` gets the numbers of a share
    /// of them, as many as [`share_of`] says, and a function that puts the bytes of items of it.
    pub fn upload(
        &mut self,
        device: &Device,
        team: &Team,
        [len, size]: [usize; 2],
        destination: &wgpu::Buffer,
        start: u64,
        write: impl Fn(Range<usize>, &mut PutItems) + Sync,
    ) -> Result<()> {
        let items = Items {
            len,
            size,
            to: destination,
            start,
            write: &write,
        };
        self.load(device, team, &items)
    }

    fn load(&mut self, device: &Device, team: &Team, items: &Items) -> Result<()> {
        let Items { len, size, .. } = *items;
        if len == 0 {
            return Ok(());
        }
        let share = share_of(team, [len, size]);
        let driver = Driver {
            transfer: self,
            device,
            items,
            share,
            most: (piece_bytes(device, SHARE as u64) as usize / size / share).max(1) * share,
        };
        let (board, result) = (Board::default(), Mutex::new(Ok(())));
        // As for downloads, the driver is the first to begin.
        let threads = team.threads().min(len.div_ceil(share));
        let mut roles: Vec<_> = std::iter::once(Some(driver))
            .chain((1..threads).map(|_| None))
            .collect();
        team.each(&mut roles, |role| match role {
            Some(driver) => *result.lock().unwrap_or_else(PoisonError::into_inner) = driver.drive(&board),
            None => board.help(|filling: &Filling| filling.fill(items), &|| false),
        });
        drop(roles);
        result.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether staging buffer `k` of uploads need not be waited for.
    fn is_free(&self, device: &Device, k: usize) -> Result<bool> {
        self.up
            .get(k % PIECES_UP)
            .map_or(Ok(true), |piece| piece.is_ready(device))
    }

    /// Staging buffer `k` of uploads, mapped, with room for `bytes`.
    fn room_up(&mut self, device: &Device, k: usize, bytes: u64) -> Result<&mut super::Piece> {
        let (k, bytes) = (k % PIECES_UP, bytes.next_multiple_of(8));
        if self.up.get(k).is_none_or(|piece| piece.buffer.size() < bytes) {
            self.up.truncate(k);
            let usage = wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC;
            self.up.push(super::Piece::new(device, bytes, usage, true)?);
            self.made += 1;
        }
        let piece = &mut self.up[k];
        piece.wait(device)?;
        Ok(piece)
    }
}
