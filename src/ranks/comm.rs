//! A communicator: the ranks that search together, through a table of C functions.

#![allow(unsafe_code)]

mod functions;
mod gathered;
mod mail;
mod rooms;
#[cfg(test)]
mod tests;

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result, Status, Words, words};
pub use functions::Functions;
use functions::Link;
pub use gathered::Gathered;
use gathered::SMALL;
pub use mail::{Delivered, Mail};
use rooms::{Rooms, WHAT};

/// The state of a communicator that all its users share.
#[derive(Debug)]
struct Shared {
    link: Link,
    rank: usize,
    size: usize,
    node_rank: usize,
    rooms: Mutex<Rooms>,
    /// The error of later calls.
    failure: Mutex<Option<Error>>,
}

// SAFETY: `Comm::new` asks for functions that any thread may call. The addresses in the rooms are read by the call that writes them.
unsafe impl Send for Shared {}
// SAFETY: as above; what changes is behind mutexes.
unsafe impl Sync for Shared {}

/// The ranks that search together. A clone is another user of the same communicator. Calls are collective unless stated otherwise:
/// every rank makes the same calls in the same order.
///
/// An error means that communication failed; ranks may then wait for each other forever. After that, every call fails: nobody knows
/// what other ranks received, and another call would take their messages for its own, or wait for ranks that wait elsewhere.
#[derive(Clone, Debug)]
pub struct Comm(Arc<Shared>);

/// Messages in progress: their bytes are read and written until they have been waited for. Dropping them waits for them, if the
/// communicator has not failed.
#[derive(Debug)]
pub struct Posted {
    comm: Comm,
    request: *mut c_void,
    is_waited_for: bool,
    out: Vec<Mail>,
    expected: Vec<Mail>,
}

// SAFETY: as for `Shared`; the request belongs to this alone.
unsafe impl Send for Posted {}
// SAFETY: nothing is read through a shared reference.
unsafe impl Sync for Posted {}

impl Drop for Posted {
    fn drop(&mut self) {
        if self.is_waited_for {
            return;
        }
        let waits = !self.comm.has_failed();
        // SAFETY: posted and not waited for; the buffers live until this returns, and for good if it fails.
        if !waits || unsafe { (self.comm.0.link.functions.wait)(self.comm.0.link.context, self.request) } != 0 {
            self.leave();
        }
    }
}

impl Posted {
    /// Leaves the buffers to messages that may still be on their way.
    fn leave(&mut self) {
        std::mem::forget((std::mem::take(&mut self.out), std::mem::take(&mut self.expected)));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rooms of a communicator, on all ranks or on none.
fn rooms_on_all(link: &Link, rank: usize, size: usize) -> Result<Rooms> {
    let rooms = crate::spare::check("a communicator").and_then(|()| Rooms::new(size));
    let mut first = [if rooms.is_ok() { i64::MAX } else { rank as i64 }];
    link.min(&mut first)?;
    match rooms {
        Ok(_) if first[0] < i64::MAX => Err(no_memory_on(first[0] as usize, size * Rooms::EACH)),
        rooms => rooms,
    }
}

impl Comm {
    /// The communicator of `size` ranks, of which this is number `rank`; `node_rank` ranks of this one's node have smaller numbers.
    /// Collective. The context is released when the last user is gone; on failure it is not released.
    ///
    /// # Safety
    /// The functions do what [`Functions`] says with this context, from any thread, as long as it is not released.
    pub unsafe fn new(
        functions: Functions,
        context: *mut c_void,
        rank: usize,
        size: usize,
        node_rank: usize,
    ) -> Result<Comm> {
        let link = Link { functions, context };
        let rooms = match rooms_on_all(&link, rank, size) {
            Ok(rooms) => rooms,
            Err(error) => {
                std::mem::forget(link);
                return Err(error);
            }
        };
        Ok(Comm(Arc::new(Shared {
            link,
            rank,
            size,
            node_rank,
            rooms: Mutex::new(rooms),
            failure: Mutex::new(None),
        })))
    }

    /// Leaves the context to the caller, if this is the only user. Not collective.
    pub fn abandon(self) {
        if let Some(shared) = Arc::into_inner(self.0) {
            std::mem::forget(shared.link);
        }
    }

    /// The number of this rank. Not collective.
    pub fn rank(&self) -> usize {
        self.0.rank
    }

    /// The number of ranks. Not collective.
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// The number of ranks of this one's node that have a smaller number. Not collective.
    pub fn node_rank(&self) -> usize {
        self.0.node_rank
    }

    /// Whether it failed. Not collective.
    pub fn has_failed(&self) -> bool {
        locked(&self.0.failure).is_some()
    }

    /// The result of `call`, unless an earlier one failed.
    fn try_to<R>(&self, call: impl FnOnce(&Shared) -> Result<R>) -> Result<R> {
        if let Some(error) = &*locked(&self.0.failure) {
            return Err(error.clone());
        }
        call(&self.0).inspect_err(|error| {
            if let Error::Refused {
                status: Status::Communication,
                text,
            } = error
            {
                let text = words(format_args!(
                    "communication failed in an earlier call ({text}): destroy the communicator and its searches"
                ));
                *locked(&self.0.failure) = Some(Error::Refused {
                    status: Status::Communication,
                    text,
                });
            }
        })
    }

    /// Replaces each value by its minimum over all ranks.
    pub fn min(&self, values: &mut [i64]) -> Result<()> {
        self.try_to(|shared| shared.link.min(values))
    }

    /// The bytes that each rank gave, any number, in the order of ranks.
    pub fn all_gather(&self, mine: &[u8]) -> Result<Gathered> {
        self.try_to(|shared| shared.all_gather(mine))
    }

    /// Sends a number to each rank; `received` becomes the one that each rank had for this.
    pub fn all_to_all(&self, values: &[i64], received: &mut [i64]) -> Result<()> {
        self.try_to(|shared| {
            assert_eq!(
                [values.len(), received.len()],
                [shared.size; 2],
                "one number for each rank"
            );
            let Link { functions, context } = &shared.link;
            // SAFETY: both arrays have an element for each rank.
            let code = unsafe { (functions.all_to_all)(*context, values.as_ptr(), received.as_mut_ptr()) };
            shared.link.check(code, "an exchange of numbers among all ranks")
        })
    }

    /// Sends and starts to receive, in order between any two ranks; empty mail does not travel. Not collective, but each rank
    /// must expect what the others send.
    pub fn post(&self, out: Vec<Mail>, expected: Vec<Mail>) -> Result<Posted> {
        self.try_to(|shared| shared.post(self.clone(), out, expected))
    }

    /// Waits until all messages were received and sent. It is an error if a message did not have the size that this rank expected.
    /// The communicator works on after this error, so that the other ranks can learn of it.
    pub fn wait(&self, mut posted: Posted) -> Result<Delivered> {
        self.try_to(|shared| {
            let Link { functions, context } = &shared.link;
            posted.is_waited_for = true;
            // SAFETY: posted, and not waited for before; the buffers live until this returns, and for good if it fails.
            let code = unsafe { (functions.wait)(*context, posted.request) };
            if code == OTHER_SIZE {
                return Ok(Err(other_size()));
            }
            shared
                .link
                .check(code, "the wait for messages")
                .inspect_err(|_| posted.leave())?;
            Ok(Ok(Delivered {
                came: std::mem::take(&mut posted.expected),
                sent: std::mem::take(&mut posted.out),
            }))
        })?
    }

    /// Sends and receives. Returns the messages received. If a message does not have the expected size, all communication ends: the
    /// other ranks do not learn of this failure.
    pub fn exchange(&self, out: Vec<Mail>, expected: Vec<Mail>) -> Result<Vec<Mail>> {
        let posted = self.post(out, expected)?;
        let done = self.wait(posted);
        self.try_to(|_| done).map(|done| done.came)
    }
}

/// The code of a wait that has received and sent all messages, one of which did not have the expected size.
const OTHER_SIZE: i32 = -1;

fn other_size() -> Error {
    Error::Refused {
        status: Status::Communication,
        text: Words::Borrowed("a message from another rank did not have the expected size"),
    }
}

/// The size that a rank tells which has no memory for what others give.
const NO_MEMORY: i64 = -1;

impl Shared {
    fn all_gather(&self, mine: &[u8]) -> Result<Gathered> {
        let mut rooms = locked(&self.rooms);
        let Rooms {
            sizes, counts, starts, ..
        } = &mut *rooms;
        let gathered = Gathered::new(self.size);
        let size = if gathered.is_ok() { mine.len() as i64 } else { NO_MEMORY };
        counts.fill(size_of::<i64>() as i32);
        self.gather_bytes(&size.to_ne_bytes(), bytemuck::cast_slice_mut(sizes), (counts, starts))?;
        if let Some(rank) = sizes.iter().position(|&size| size == NO_MEMORY) {
            return Err(no_memory_on(rank, SMALL));
        }
        let total: i64 = sizes.iter().sum();
        if total > i64::from(i32::MAX) {
            let argument = "number of bytes exchanged among all ranks";
            let allowed = format_args!("at most {}", i32::MAX);
            return Err(Error::not_allowed(Status::BadCount, argument, total, allowed));
        }
        let mut gathered = gathered?;
        let made = gathered.resize(sizes);
        if total > SMALL as i64 {
            let mut first = [if made.is_ok() { i64::MAX } else { self.rank as i64 }];
            self.link.min(&mut first)?;
            if first[0] < i64::MAX {
                return Err(no_memory_on(first[0] as usize, total as usize));
            }
        }
        let sized = counts.iter_mut().zip(&*sizes);
        sized.for_each(|(count, &size)| *count = size as i32);
        if total > 0 {
            self.gather_bytes(mine, gathered.bytes_mut(), (counts, starts))?; // of nothing at all, Open MPI makes an error
        }
        Ok(gathered)
    }

    /// The bytes that each rank gave, `counts` of them, one rank after the other; finds out where each one's start.
    fn gather_bytes(&self, mine: &[u8], all: &mut [u8], (counts, starts): (&[i32], &mut [i32])) -> Result<()> {
        let mut end = 0;
        for (start, &count) in starts.iter_mut().zip(counts) {
            *start = end;
            end += count;
        }
        assert!(
            end as usize == all.len() && counts[self.rank] as usize == mine.len() && starts.len() == counts.len(),
            "counts fit the arrays"
        );
        // SAFETY: counts and starts have an element for each rank and lie within `all`, as was just checked.
        let code = unsafe {
            (self.link.functions.all_gather)(
                self.link.context,
                mine.as_ptr().cast(),
                mine.len() as i32,
                all.as_mut_ptr().cast(),
                counts.as_ptr(),
                starts.as_ptr(),
            )
        };
        self.link.check(code, "a gather from all ranks")
    }

    fn post(&self, comm: Comm, out: Vec<Mail>, expected: Vec<Mail>) -> Result<Posted> {
        let mut rooms = locked(&self.rooms);
        let Rooms {
            out: sent,
            expected: received,
            ..
        } = &mut *rooms;
        let mut posted = Posted {
            comm,
            request: std::ptr::null_mut(),
            is_waited_for: true,
            out,
            expected,
        };
        sent.set(&mut posted.out);
        received.set(&mut posted.expected);
        // SAFETY: three arrays for each direction, of as many elements as said. The buffers they point to are the heap's, belong
        // to `posted`, which is not touched before it was waited for, and are written only where mail comes in.
        let code = unsafe {
            (self.link.functions.post)(
                self.link.context,
                sent.ranks.len() as i32,
                sent.ranks.as_ptr(),
                sent.places.as_ptr().cast(),
                sent.bytes.as_ptr(),
                received.ranks.len() as i32,
                received.ranks.as_ptr(),
                received.places.as_ptr(),
                received.bytes.as_ptr(),
                &mut posted.request,
            )
        };
        // Some messages may be on their way, and to wait for the others may be to wait forever.
        let checked = self.link.check(code, "sending and receiving");
        checked.inspect_err(|_| posted.leave())?;
        posted.is_waited_for = false;
        Ok(posted)
    }
}

fn no_memory_on(rank: usize, bytes: usize) -> Error {
    let (what, bytes) = (WHAT, bytes as u64);
    let text = words(Error::OutOfMemory { what, bytes });
    let status = Status::OutOfMemory;
    Error::OnRank { rank, status, text }
}
