//! A download while it lands: all threads of a team empty the staging buffers that are full, and do other work while none is.
//! One of them, the driver, waits for the device and keeps it busy.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::crew::Crew;
use super::{Download, PIECES, Transfer, piece_bytes};
use crate::error::Result;
use crate::gpu::device::Device;

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

/// The report of the driver thread to the others.
#[derive(Default)]
struct News {
    /// The bytes to consume.
    landed: Option<Arc<Landed>>,
    /// The number of times that it changed.
    edition: u64,
    over: bool,
}

#[derive(Default)]
struct Board {
    news: Mutex<News>,
    changed: Condvar,
}

impl Board {
    fn read(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn post(&self, landed: Option<Arc<Landed>>, over: bool) {
        let mut news = self.read();
        (news.landed, news.over) = (landed, over);
        news.edition += 1;
        drop(news);
        self.changed.notify_all();
    }

    /// Helps the driver until it is over.
    fn help(&self, crew: &Crew) {
        let mut read = 0;
        loop {
            let news = self.read();
            if news.over {
                return;
            }
            let (landed, is_new) = (news.landed.clone(), news.edition != read);
            read = news.edition;
            drop(news);
            match landed.filter(|_| is_new) {
                Some(landed) => landed.consume(crew),
                None if (crew.background)() => {}
                None => self.wait_for_news(read),
            }
        }
    }

    fn wait_for_news(&self, read: u64) {
        let waited = self.changed.wait_while(self.read(), |news| news.edition == read);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

/// Lets the others go, however the driver ends.
struct Over<'a>(&'a Board);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.post(None, true);
    }
}

/// The one thread that talks to the device.
struct Driver<'a> {
    transfer: &'a mut Transfer,
    device: &'a Device,
    download: Download,
}

impl Driver<'_> {
    fn drive(&mut self, board: &Board, crew: &Crew) -> Result<()> {
        let _over = Over(board);
        let (share, bytes) = (self.download.share, self.download.bytes);
        let whole = piece_bytes(self.device, share);
        while self.download.landed < bytes {
            let at = self.download.landed;
            let piece = &mut self.transfer.down[(at / whole) as usize % PIECES];
            let size = whole.min(bytes - at);
            while !piece.is_ready(self.device)? && (crew.background)() {}
            piece.wait(self.device)?;
            let view = piece.buffer.get_mapped_range(..size);
            let landed = Arc::new(Landed {
                view: view.map_err(|_| self.device.lost_or("a staging buffer is not mapped".to_owned()))?,
                share: share as usize,
                first: (at / share) as usize,
                taken: AtomicUsize::new(0),
            });
            board.post(Some(landed.clone()), false);
            landed.consume(crew);
            board.read().landed = None;
            take_back(landed);
            piece.buffer.unmap();
            self.download.landed += size;
            if self.download.issued < bytes {
                self.transfer.issue(self.device, &mut self.download)?;
            }
        }
        Ok(())
    }
}

/// Waits until no other thread consumes the last of it.
fn take_back(mut landed: Arc<Landed>) {
    while let Err(used) = Arc::try_unwrap(landed) {
        landed = used;
        std::thread::yield_now();
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
            None => board.help(crew),
        });
        drop(roles);
        result.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        self.busy = false;
        Ok(())
    }
}
