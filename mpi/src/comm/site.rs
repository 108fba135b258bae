//! The site's MPI, through the functions of `shim/shim.c`. ARCHITECTURE.md of the repository
//! lists the files with `unsafe` code.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};

use super::{Comm, Delivered, Mail};
use crate::error::{Error, Result, filled, room, status};

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
        match refusal {
            0 => Ok(Site {
                raw,
                rank,
                size,
                node_rank,
            }),
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
            _ => refuse(status::OUT_OF_MEMORY, "out of memory: cannot create a communicator"),
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
        if !self.raw.is_null() {
            // SAFETY: posted and not waited for; the buffers live until this returns.
            let _ = unsafe { shim_wait(self.raw) };
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
        let mut sizes: Vec<i64> = filled(self.size, 0, "data exchanged by all ranks")?;
        self.gather_bytes(
            &(mine.len() as i64).to_ne_bytes(),
            bytemuck::cast_slice_mut(&mut sizes),
            &vec![8; self.size],
        )?;
        let total: i64 = sizes.iter().sum();
        if total > i64::from(i32::MAX) {
            let text = format!("{total} bytes are too many to exchange among all ranks");
            return Err(Error::new(status::BAD_COUNT, text));
        }
        let mut all = filled(total as usize, 0u8, "data exchanged by all ranks")?;
        let counts: Vec<i32> = sizes.iter().map(|&size| size as i32).collect();
        if total > 0 {
            self.gather_bytes(mine, &mut all, &counts)?; // of nothing at all, Open MPI makes an error
        }
        let mut rest = &all[..];
        let mut apart = room(self.size, "data exchanged by all ranks")?;
        for &count in &counts {
            let (mine, others) = rest.split_at(count as usize);
            apart.push(mine.to_vec());
            rest = others;
        }
        Ok(apart)
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
        check(code, "MPI_Isend or MPI_Irecv")?;
        Ok(posted)
    }

    fn wait(&self, mut posted: Posted) -> Result<Delivered> {
        let raw = std::mem::replace(&mut posted.raw, std::ptr::null_mut());
        // SAFETY: posted, and not waited for before.
        check(unsafe { shim_wait(raw) }, "MPI_Waitall")?;
        Ok(Delivered {
            came: std::mem::take(&mut posted.expected),
            sent: std::mem::take(&mut posted.out),
        })
    }
}

impl Site {
    /// What each rank gave, `counts` bytes, one after the other.
    fn gather_bytes(&self, mine: &[u8], all: &mut [u8], counts: &[i32]) -> Result<()> {
        let starts: Vec<i32> = counts
            .iter()
            .scan(0, |end, count| Some(std::mem::replace(end, *end + count)))
            .collect();
        let end = counts.iter().map(|&count| count as usize).sum::<usize>();
        assert!(
            end == all.len() && counts[self.rank] as usize == mine.len(),
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
