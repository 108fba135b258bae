//! A download while it lands: all threads of a team empty the staging buffers that are full, and do other work while none is.
//! One of them, the driver, waits for the device and keeps it busy.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::board::Board;
use super::crew::Crew;
use super::{Download, PIECES, Transfer, piece_bytes};
use crate::error::Result;
use crate::gpu::device::Device;
use crate::threads::wait_awake;

/// A staging buffer that is full.
struct Landed {
    view: wgpu::BufferView,
    /// Bytes of a share of it, and the number of the first.
    share: usize,
    first: usize,
    /// Shares that threads have taken.
    taken: AtomicUsize,
}

impl Landed {
    /// Bytes of the `k`-th share of it.
    fn share(&self, k: usize) -> Option<Range<usize>> {
        let start = k.checked_mul(self.share).filter(|&start| start < self.view.len())?;
        Some(start..self.view.len().min(start + self.share))
    }

    /// Consumes share after share until all are taken.
    fn consume(&self, crew: &Crew) {
        loop {
            let k = self.taken.fetch_add(1, Ordering::Relaxed);
            let Some(range) = self.share(k) else { return };
            (crew.consume)(self.first + k, &self.view[range]);
        }
    }
}

/// The one thread that talks to the device.
struct Driver<'a> {
    transfer: &'a mut Transfer,
    device: &'a Device,
    download: Download,
}

impl Driver<'_> {
    fn drive(&mut self, board: &Board<Landed>, crew: &Crew) -> Result<()> {
        let _over = board.until_over();
        self.transfer.set_out(self.device, &mut self.download)?;
        let (share, bytes) = (self.download.share, self.download.bytes);
        let whole = piece_bytes(self.device, share);
        while self.download.landed < bytes {
            let at = self.download.landed;
            let piece = &mut self.transfer.down[(at / whole) as usize % PIECES];
            let size = whole.min(bytes - at);
            while !piece.is_ready(self.device)? && (crew.background)() {}
            wait_awake(|| piece.is_ready(self.device).unwrap_or(true));
            piece.wait(self.device)?;
            let view = piece.buffer.get_mapped_range(..size);
            let landed = Arc::new(Landed {
                view: view.map_err(|_| self.device.lost_or("a staging buffer is not mapped".to_owned()))?,
                share: share as usize,
                first: (at / share) as usize,
                taken: AtomicUsize::new(0),
            });
            board.post(&landed);
            landed.consume(crew);
            board.take_down(landed);
            piece.buffer.unmap();
            self.download.landed += size;
            if self.download.issued < bytes {
                self.transfer.issue(self.device, &mut self.download)?;
            }
        }
        Ok(())
    }
}

impl Transfer {
    /// Has `crew` consume `download`, all of it.
    pub fn finish_download(&mut self, device: &Device, download: Download, crew: &Crew) -> Result<()> {
        let (board, result) = (Board::default(), Mutex::new(Ok(())));
        let driver = Driver {
            transfer: self,
            device,
            download,
        };
        // The first is begun before any other, by the thread that hands out the others: so there always is a driver.
        let mut roles: Vec<_> = std::iter::once(Some(driver))
            .chain((1..crew.team.threads()).map(|_| None))
            .collect();
        crew.team.each(&mut roles, |role| match role {
            Some(driver) => *result.lock().unwrap_or_else(PoisonError::into_inner) = driver.drive(&board, crew),
            None => board.help(|landed: &Landed| landed.consume(crew), crew.background),
        });
        drop(roles);
        result.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        self.busy = false;
        Ok(())
    }
}
