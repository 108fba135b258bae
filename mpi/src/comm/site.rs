//! The site's MPI, through the functions of `shim/shim.c`. ARCHITECTURE.md of the repository
//! lists the files with `unsafe` code.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void};

use super::{Comm, Delivered, Mail};
use crate::error::{Error, Result, filled, resize, room, status};

#[repr(C)]
struct RawComm {
    _opaque: [u8; 0],
}

#[repr(C)]
struct RawPosted {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    fn shim_open(
        handle: i32,
        opened: *mut *mut RawComm,
        rank: *mut i32,
        size: *mut i32,
        node_rank: *mut i32,
        refusal: *mut i32,
    ) -> c_int;
    fn shim_close(this: *mut RawComm) -> c_int;
    fn shim_min(this: *const RawComm, values: *mut i64, count: i32) -> c_int;
    fn shim_all_gather(
        this: *const RawComm,
        mine: *const c_void,
        bytes: i32,
        all: *mut c_void,
        counts: *const i32,
        starts: *const i32,
    ) -> c_int;
    fn shim_all_to_all(this: *const RawComm, out: *const i64, received: *mut i64) -> c_int;
    fn shim_post(
        this: *const RawComm,
        nout: i32,
        to: *const i32,
        out: *const *mut c_void,
        out_bytes: *const i64,
        nin: i32,
        from: *const i32,
        received: *const *mut c_void,
        received_bytes: *const i64,
        posted: *mut *mut RawPosted,
    ) -> c_int;
    fn shim_wait(posted: *mut RawPosted) -> c_int;
    fn shim_text(code: c_int, text: *mut c_char, capacity: i32);
}

/// A duplicate of the caller's communicator.
pub struct Site {
    raw: *mut RawComm,
    rank: usize,
    size: usize,
    node_rank: usize,
    rooms: RefCell<Rooms>,
}

/// Bytes gathered from all ranks for which each rank has room at any time.
const SMALL: usize = 1 << 14;

/// Memory for what is gathered. It is there before: a rank that is refused some in the middle of a call leaves others waiting.
#[derive(Default)]
struct Rooms {
    /// One for each rank.
    sizes: Vec<i64>,
    counts: Vec<i32>,
    starts: Vec<i32>,
    /// At least `SMALL`.
    bytes: Vec<u8>,
}

impl Rooms {
    fn new(ranks: usize) -> Result<Rooms> {
        const WHAT: &str = "data exchanged by all ranks";
        Ok(Rooms {
            sizes: filled(ranks, 0, WHAT)?,
            counts: filled(ranks, 0, WHAT)?,
            starts: filled(ranks, 0, WHAT)?,
            bytes: filled(SMALL, 0, WHAT)?,
        })
    }

    /// Makes room for as many bytes as there are of each rank; returns lists of these sizes, still empty.
    fn grow(&mut self, total: usize) -> Result<Vec<Vec<u8>>> {
        const WHAT: &str = "data exchanged by all ranks";
        let most = total.max(self.bytes.len());
        resize(&mut self.bytes, most, 0, WHAT)?;
        let mut lists = room(self.sizes.len(), WHAT)?;
        for &size in &self.sizes {
            lists.push(room(size as usize, WHAT)?);
        }
        Ok(lists)
    }
}

/// Messages in progress: MPI reads and writes these bytes until they have been waited for.
pub struct Posted {
    raw: *mut RawPosted,
    out: Vec<Mail>,
    expected: Vec<Mail>,
}

// SAFETY: a communicator and mail under way belong to the process; which threads may call MPI is what the caller agreed on with
// it (`MPI_Init_thread`).
unsafe impl Send for Site {}
// SAFETY: as for `Site`.
unsafe impl Send for Posted {}

/// MPI's verdict as a result.
fn check(code: c_int, call: &str) -> Result<()> {
    if code == 0 {
        return Ok(());
    }
    let mut text = [0u8; 512];
    // SAFETY: the buffer has that many bytes, which stay NUL-terminated.
    unsafe { shim_text(code, text.as_mut_ptr().cast(), text.len() as i32) };
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(0);
    let text = String::from_utf8_lossy(&text[..end]);
    Err(Error::new(status::COMMUNICATION, format!("{call} failed: {text}")))
}

impl Site {
    /// Duplicates the communicator that Fortran knows as `handle`; collective.
    pub fn open(handle: i32) -> Result<Site> {
        let (mut raw, mut refusal) = (std::ptr::null_mut(), 0);
        let [mut rank, mut size, mut node_rank] = [0; 3];
        // SAFETY: all pointers are to variables that outlive the call.
        let code = unsafe { shim_open(handle, &mut raw, &mut rank, &mut size, &mut node_rank, &mut refusal) };
        check(code, "duplicating the communicator")?;
        let refuse = |status, text: &str| Err(Error::new(status, text));
        let [rank, size, node_rank] = [rank, size, node_rank].map(|count| count as usize);
        const NO_MEMORY: &str = "out of memory: cannot create a communicator";
        match refusal {
            0 => {
                let rooms = Rooms::new(size);
                let mut are_there = [i64::from(rooms.is_ok())];
                let site = Site {
                    raw,
                    rank,
                    size,
                    node_rank,
                    rooms: RefCell::new(rooms.unwrap_or_default()),
                };
                site.min(&mut are_there)?;
                match are_there {
                    [1] => Ok(site),
                    _ => refuse(status::OUT_OF_MEMORY, NO_MEMORY),
                }
            }
            1 => refuse(status::BAD_STATE, "MPI is not initialized: first call MPI_Init"),
            2 => refuse(
                status::BAD_STATE,
                "MPI is not available: MPI_Finalize was already called",
            ),
            3 => refuse(
                status::BAD_VALUE,
                "comm = MPI_COMM_NULL is not allowed: it must be a communicator",
            ),
            4 => refuse(
                status::BAD_VALUE,
                "comm is an intercommunicator: it must be an intracommunicator",
            ),
            _ => refuse(status::OUT_OF_MEMORY, NO_MEMORY),
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // SAFETY: made by shim_open and not used again. What MPI says at the end, nobody can use.
        let _ = unsafe { shim_close(self.raw) };
    }
}

impl Drop for Posted {
    fn drop(&mut self) {
        if self.raw.is_null() {
            return;
        }
        // SAFETY: posted and not waited for; the buffers live until this returns, and for good if it fails.
        if unsafe { shim_wait(self.raw) } != 0 {
            std::mem::forget((std::mem::take(&mut self.out), std::mem::take(&mut self.expected)));
        }
    }
}

/// Ranks, addresses and lengths of mail, as the shim takes them.
fn parts(mails: &mut [Mail]) -> (Vec<i32>, Vec<*mut c_void>, Vec<i64>) {
    let ranks = mails.iter().map(|mail| mail.rank as i32).collect();
    let bytes = mails.iter().map(|mail| mail.bytes.len() as i64).collect();
    let at = mails.iter_mut().map(|mail| mail.bytes.as_mut_ptr().cast()).collect();
    (ranks, at, bytes)
}

impl Comm for Site {
    type Posted = Posted;

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn node_rank(&self) -> usize {
        self.node_rank
    }

    fn min(&self, values: &mut [i64]) -> Result<()> {
        // SAFETY: the array has that many elements.
        let code = unsafe { shim_min(self.raw, values.as_mut_ptr(), values.len() as i32) };
        check(code, "MPI_Allreduce")
    }

    fn all_gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut rooms = self.rooms.borrow_mut();
        let Rooms {
            sizes, counts, starts, ..
        } = &mut *rooms;
        counts.fill(size_of::<i64>() as i32);
        let size = (mine.len() as i64).to_ne_bytes();
        self.gather_bytes(&size, bytemuck::cast_slice_mut(sizes), (counts, starts))?;
        let total: i64 = sizes.iter().sum();
        if total > i64::from(i32::MAX) {
            let text = format!("{total} bytes are too many to exchange among all ranks");
            return Err(Error::new(status::BAD_COUNT, text));
        }
        let total = total as usize;
        let lists = rooms.grow(total);
        let mut lists = if total > SMALL {
            self.agree_on_memory(lists, total)
        } else {
            lists
        }?;
        let Rooms {
            sizes,
            counts,
            starts,
            bytes,
        } = &mut *rooms;
        counts
            .iter_mut()
            .zip(&*sizes)
            .for_each(|(count, &size)| *count = size as i32);
        let bytes = &mut bytes[..total];
        if total > 0 {
            self.gather_bytes(mine, bytes, (counts, starts))?; // of nothing at all, Open MPI makes an error
        }
        let mut rest = &*bytes;
        for (list, &size) in lists.iter_mut().zip(&*sizes) {
            let (part, others) = rest.split_at(size as usize);
            list.extend_from_slice(part);
            rest = others;
        }
        Ok(lists)
    }

    fn all_to_all(&self, values: &[i64]) -> Result<Vec<i64>> {
        assert_eq!(values.len(), self.size, "one number for each rank");
        let mut received = vec![0; self.size];
        // SAFETY: both arrays have an element for each rank.
        let code = unsafe { shim_all_to_all(self.raw, values.as_ptr(), received.as_mut_ptr()) };
        check(code, "MPI_Alltoall")?;
        Ok(received)
    }

    fn post(&self, mut out: Vec<Mail>, mut expected: Vec<Mail>) -> Result<Posted> {
        let (to, sent, sent_bytes) = parts(&mut out);
        let (from, received, received_bytes) = parts(&mut expected);
        let mut posted = Posted {
            raw: std::ptr::null_mut(),
            out,
            expected,
        };
        // SAFETY: three arrays for each direction, of as many elements as said. The buffers they point to are the heap's,
        // belong to `posted`, which is not touched before it was waited for, and are written only where mail comes in.
        let code = unsafe {
            shim_post(
                self.raw,
                to.len() as i32,
                to.as_ptr(),
                sent.as_ptr(),
                sent_bytes.as_ptr(),
                from.len() as i32,
                from.as_ptr(),
                received.as_ptr(),
                received_bytes.as_ptr(),
                &mut posted.raw,
            )
        };
        if let Err(error) = check(code, "MPI_Isend or MPI_Irecv") {
            std::mem::forget(posted); // MPI may have its buffers, and to wait for the others may be to wait forever
            return Err(error);
        }
        Ok(posted)
    }

    fn wait(&self, mut posted: Posted) -> Result<Delivered> {
        let raw = std::mem::replace(&mut posted.raw, std::ptr::null_mut());
        // SAFETY: posted, and not waited for before; the buffers live until this returns, and for good if it fails.
        if let Err(error) = check(unsafe { shim_wait(raw) }, "MPI_Waitall") {
            std::mem::forget(posted); // messages may still be under way
            return Err(error);
        }
        Ok(Delivered {
            came: std::mem::take(&mut posted.expected),
            sent: std::mem::take(&mut posted.out),
        })
    }
}

impl Site {
    /// Fails on all ranks, with the same text, if one has no memory for what all give.
    fn agree_on_memory<R>(&self, made: Result<R>, total: usize) -> Result<R> {
        let mut first = [if made.is_ok() { i64::MAX } else { self.rank as i64 }];
        self.min(&mut first)?;
        if first[0] == i64::MAX {
            return made;
        }
        let text = format!(
            "rank {}: out of memory: cannot allocate {total} bytes for data exchanged by all ranks",
            first[0]
        );
        Err(Error::new(status::OUT_OF_MEMORY, text))
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
            shim_all_gather(
                self.raw,
                mine.as_ptr().cast(),
                mine.len() as i32,
                all.as_mut_ptr().cast(),
                counts.as_ptr(),
                starts.as_ptr(),
            )
        };
        check(code, "MPI_Allgatherv")
    }
}
