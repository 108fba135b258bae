//! Communicators: functions of the caller by which ranks exchange numbers and bytes, and searches across their ranks.

use std::ffi::{c_char, c_void};

use super::exclusive::{self, Exclusive};
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::{NEARGRID_ABI_VERSION, neargrid_status};
use super::{checks, formula, openmp};
use crate::error::{Error, Result, Status, words};
use crate::kinds::GhostPairs;
use crate::ranks::{Comm, Functions, Ranks};
use crate::search::Search;

/// A communicator: the ranks that search together.
///
/// neargrid_comm_create makes it and neargrid_comm_destroy frees it. Searches that were made with it go on using it.
#[allow(non_camel_case_types)]
pub struct neargrid_comm {
    _opaque: [u8; 0],
}

/// Replaces each of `n` values by its minimum over all ranks. Returns 0, or a code of the communicator. Collective.
#[allow(non_camel_case_types)]
pub type neargrid_comm_min = Option<unsafe extern "C" fn(context: *mut c_void, n: i32, values: *mut i64) -> i32>;

/// Gathers bytes of all ranks in `all`: `counts[rank]` bytes of each, from `starts[rank]` on. This rank gives the `bytes` at `mine`. Returns
/// 0, or a code. Collective.
#[allow(non_camel_case_types)]
pub type neargrid_comm_all_gather = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        mine: *const c_void,
        bytes: i32,
        all: *mut c_void,
        counts: *const i32,
        starts: *const i32,
    ) -> i32,
>;

/// Sends a number to each rank and receives one from each. Returns 0, or a code. Collective.
#[allow(non_camel_case_types)]
pub type neargrid_comm_all_to_all =
    Option<unsafe extern "C" fn(context: *mut c_void, out: *const i64, received: *mut i64) -> i32>;

/// Starts to send `nout` and to receive `nin` messages, of which each has a rank, an address and a number of bytes. Messages between two
/// ranks arrive in order, and those without bytes do not travel. The buffers stay as they are until the request that it makes is waited
/// for. Returns 0, or a code.
#[allow(non_camel_case_types)]
pub type neargrid_comm_post = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        nout: i32,
        to: *const i32,
        out: *const *const c_void,
        out_bytes: *const i64,
        nin: i32,
        from: *const i32,
        received: *const *mut c_void,
        received_bytes: *const i64,
        request: *mut *mut c_void,
    ) -> i32,
>;

/// Waits until the messages of a request were received and sent, and frees the request. Returns 0, or a code. The code -1 says that
/// all were received and sent, but one of them did not have the expected size. After -1 the communicator works on, and all ranks
/// learn of the failure.
#[allow(non_camel_case_types)]
pub type neargrid_comm_wait = Option<unsafe extern "C" fn(context: *mut c_void, request: *mut c_void) -> i32>;

/// Writes what a code means to `text`, which has `capacity` bytes, with a NUL at the end.
#[allow(non_camel_case_types)]
pub type neargrid_comm_text =
    Option<unsafe extern "C" fn(context: *mut c_void, code: i32, text: *mut c_char, capacity: i32)>;

/// Frees the context: nothing uses it any more.
#[allow(non_camel_case_types)]
pub type neargrid_comm_release = Option<unsafe extern "C" fn(context: *mut c_void)>;

/// Makes a communicator from functions of the caller; neargrid_comm_mpi.c has those of MPI. Collective: it calls `min`. A rank whose
/// arguments are refused does not, and the others wait for it in vain.
///
/// - `abi_version`: NEARGRID_ABI_VERSION of the header that the program was compiled with.
/// - `rank`, `size`: the number of this rank, from 0, and the number of ranks.
/// - `node_rank`: the number of ranks of this one's node that have a smaller number. Ranks of a node share its GPUs by it.
/// - `context`: first argument of all functions.
/// - `min`, `all_gather`, `all_to_all`, `post`, `wait`, `text`, `release`: the functions. A call of them is made by the thread that calls
///   neargrid. After the first code other than 0, only `text` and `release` are called. The code -1 of `wait` is an exception.
/// - `comm`: receives the communicator, or NULL on failure. The caller frees it with neargrid_comm_destroy. `release` is called once, after
///   the last of the communicator and its searches was freed; on failure it is not called.
///
/// Returns OK, NULL_POINTER, ABI_MISMATCH, BAD_VALUE (`rank`, `size`, `node_rank`), OUT_OF_MEMORY, COMMUNICATION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_comm_create(
    abi_version: i32,
    rank: i32,
    size: i32,
    node_rank: i32,
    context: *mut c_void,
    min: neargrid_comm_min,
    all_gather: neargrid_comm_all_gather,
    all_to_all: neargrid_comm_all_to_all,
    post: neargrid_comm_post,
    wait: neargrid_comm_wait,
    text: neargrid_comm_text,
    release: neargrid_comm_release,
    comm: *mut *mut neargrid_comm,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let place = unsafe { checks::out(comm, "comm")? };
        place.set(std::ptr::null_mut());
        check_abi(abi_version)?;
        let functions = Functions {
            min: given(min, "min")?,
            all_gather: given(all_gather, "all_gather")?,
            all_to_all: given(all_to_all, "all_to_all")?,
            post: given(post, "post")?,
            wait: given(wait, "wait")?,
            text: given(text, "text")?,
            release: given(release, "release")?,
        };
        let size = number(size, "size", 1..=i32::MAX)?;
        let rank = number(rank, "rank", 0..=size as i32 - 1)?;
        let node_rank = number(node_rank, "node_rank", 0..=rank as i32)?;
        // SAFETY: the caller's promise.
        let made = unsafe { Comm::new(functions, context, rank, size, node_rank)? };
        let kept = Comm::clone(&made);
        let Some(made) = exclusive::into_raw(made) else {
            kept.abandon();
            return Err(Error::OutOfMemory {
                what: "a communicator",
                bytes: size_of::<Exclusive<Comm>>() as u64,
            });
        };
        place.set(made.cast());
        Ok(())
    })
}

/// Frees a communicator. Searches that were made with it go on. Does nothing if `comm` is NULL. Not collective.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_comm_destroy(comm: *mut neargrid_comm) {
    guard(|| {
        if !comm.is_null() {
            // SAFETY: the caller's promise.
            unsafe { exclusive::free(comm.cast::<Exclusive<Comm>>()) };
        }
        Ok(())
    });
}

/// Creates a search across the ranks of a communicator, with default settings and without points. Each rank sets its own points, and gets
/// their neighbors among the points of all ranks: those of other ranks that are near are its ghosts, which have the numbers after its own
/// points. Rows and results are those of this rank's points. They do not depend on how points are distributed over ranks, as far as global
/// ids say which point is which. A pair of two ranks is found once, by the rank of the smaller global id, unless
/// neargrid_search_set_ghost_pairs says otherwise.
///
/// Calls that set points or queries, and queries, are collective: all ranks make them in the same order, with the same kind.
/// Settings are not, but must be the same on all ranks that have points or queries (DISAGREEMENT). Only threads, backend, device
/// and memory limit may differ. A formula's text, numbers and tables, and the shapes of its fields, must be the same on all ranks,
/// too. A rank may have no points, but must set them. If a collective call fails on a rank, it fails on all with the same status
/// and text (DISAGREEMENT, COMMUNICATION, and the statuses of the call).
///
/// - `abi_version`: NEARGRID_ABI_VERSION of the header that the program was compiled with.
/// - `comm`: the communicator. It may have several searches; one thread at a time may call them.
/// - `search`: receives the handle, or NULL on failure. The caller frees it with neargrid_search_destroy, which is not collective.
///
/// Returns OK, NULL_POINTER, ABI_MISMATCH, BAD_VALUE (`comm` was destroyed), BAD_ENVIRONMENT, OUT_OF_MEMORY. Not collective.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_create_across(
    abi_version: i32,
    comm: *const neargrid_comm,
    search: *mut *mut neargrid_search,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { checks::out(search, "search")? };
        out.set(std::ptr::null_mut());
        check_abi(abi_version)?;
        if comm.is_null() {
            return Err(Error::NullPointer {
                argument: "comm",
                expected: "a communicator made by neargrid_comm_create",
            });
        }
        // SAFETY: not NULL, and the caller's promise.
        let entered = unsafe { exclusive::enter(comm.cast::<Exclusive<Comm>>()) };
        let entered = entered.map_err(|refused| handle::not_entered(refused, "comm", "neargrid_comm_create"))?;
        let mut made = Search::new()?;
        made.set_parallel_probe(openmp::in_parallel);
        made.set_ghost_pairs(GhostPairs::LargerIds);
        made.set_device_turn(entered.node_rank());
        let ranks = Ranks::new(Comm::clone(&entered));
        out.set(handle::into_raw(made, Some(ranks))?);
        Ok(())
    })
}

/// Fails in the place of a collective call, for callers that find faults in their arguments before they make it: the other ranks make the
/// call, and it fails on all of them with this status and text. A handle without ranks fails alone. Collective.
///
/// - `reason`: the status, greater than 0.
/// - `text`: the text that neargrid_last_error gets, after the number of this rank; UTF-8 with a NUL at the end.
///
/// Returns `reason` or that of a lower rank that fails, NULL_POINTER, BAD_VALUE (`reason`, `text`), OUT_OF_MEMORY, COMMUNICATION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_refuse(
    search: *mut neargrid_search,
    reason: neargrid_status,
    text: *const c_char,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut entered = unsafe { handle::enter(search)? };
        // SAFETY: the caller's promise.
        let text = unsafe { formula::text(text, "text") };
        let failure = match text {
            Ok(_) if reason < 1 => Error::not_allowed(Status::BadValue, "reason", reason, "greater than 0"),
            Ok(text) => Error::Refused {
                status: Status::of(reason),
                text: words(text),
            },
            Err(error) => error,
        };
        match entered.both().1 {
            Some(ranks) => ranks.refuse(failure),
            None => Err(failure),
        }
    })
}

pub(super) fn check_abi(abi_version: i32) -> Result<()> {
    match abi_version == NEARGRID_ABI_VERSION {
        true => Ok(()),
        false => Err(Error::AbiMismatch {
            compiled: abi_version,
            library: NEARGRID_ABI_VERSION,
        }),
    }
}

fn given<F>(function: Option<F>, argument: &'static str) -> Result<F> {
    function.ok_or(Error::NullPointer {
        argument,
        expected: "a function of the communicator",
    })
}

fn number(value: i32, argument: &'static str, allowed: std::ops::RangeInclusive<i32>) -> Result<usize> {
    if allowed.contains(&value) {
        return Ok(value as usize);
    }
    let allowed = format_args!("{} to {}", allowed.start(), allowed.end());
    Err(Error::not_allowed(Status::BadValue, argument, value, allowed))
}
