//! A board on which the driver of a transfer, the one thread that talks to the device, posts the staging buffer that all threads of a
//! team work on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::threads::wait_awake;

/// The board.
pub struct Board<W> {
    posted: Mutex<Option<Arc<W>>>,
    changed: Condvar,
    /// The number of times that it changed: threads that are awake look here, without the lock that others want.
    edition: AtomicU64,
    over: AtomicBool,
}

impl<W> Default for Board<W> {
    fn default() -> Board<W> {
        Board {
            posted: Mutex::new(None),
            changed: Condvar::new(),
            edition: AtomicU64::new(0),
            over: AtomicBool::new(false),
        }
    }
}

impl<W> Board<W> {
    fn read(&self) -> MutexGuard<'_, Option<Arc<W>>> {
        self.posted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Posts work in place of what was there.
    pub fn post(&self, work: &Arc<W>) {
        self.change(Some(work.clone()));
    }

    fn change(&self, work: Option<Arc<W>>) {
        let mut posted = self.read();
        *posted = work;
        self.edition.fetch_add(1, Ordering::Release);
        drop(posted);
        self.changed.notify_all();
    }

    /// Takes `work` down, where it is still there, and waits until no other thread does the last of it.
    pub fn take_down(&self, mut work: Arc<W>) {
        let mut posted = self.read();
        *posted = posted.take().filter(|there| !Arc::ptr_eq(there, &work));
        drop(posted);
        while let Err(used) = Arc::try_unwrap(work) {
            work = used;
            std::thread::yield_now();
        }
    }

    /// Helps the driver until it is over: `take_part` in what is posted, once, and then `background`, which says false where nothing
    /// is left.
    pub fn help(&self, take_part: impl Fn(&W), background: &(dyn Fn() -> bool + Sync)) {
        let mut read = 0;
        loop {
            if self.over.load(Ordering::Acquire) {
                return;
            }
            if self.edition.load(Ordering::Acquire) != read {
                let posted = self.read();
                read = self.edition.load(Ordering::Relaxed);
                let work = posted.clone();
                drop(posted);
                if let Some(work) = work {
                    take_part(&work);
                }
            } else if !background() {
                self.wait_for_news(read);
            }
        }
    }

    fn wait_for_news(&self, read: u64) {
        let is_old = || self.edition.load(Ordering::Acquire) == read;
        if !wait_awake(|| !is_old()) {
            let waited = self.changed.wait_while(self.read(), |_| is_old());
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Lets the others go when it is dropped, however the driver ends.
    pub fn until_over(&self) -> Over<'_, W> {
        Over(self)
    }
}

/// See [`Board::until_over`].
pub struct Over<'a, W>(&'a Board<W>);

impl<W> Drop for Over<'_, W> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Release);
        self.0.change(None);
    }
}
