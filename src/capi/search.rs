//! The handle: made, freed, and asked what it did.

use std::ffi::c_char;

use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::{NEARGRID_ABI_VERSION, neargrid_status};
use super::{checks, openmp};
use crate::error::{Error, Growing};
use crate::search::{Counter, Phase, Search};

/// Points set.
pub const NEARGRID_COUNTER_POINTS: i32 = 0;
/// Entries of the last result: pairs, or ids of neighbors.
pub const NEARGRID_COUNTER_ENTRIES: i32 = 1;
/// Indexes built since the handle was created.
pub const NEARGRID_COUNTER_INDEX_BUILDS: i32 = 2;
/// Searches that counted.
pub const NEARGRID_COUNTER_COUNTS: i32 = 3;
/// Lists filled.
pub const NEARGRID_COUNTER_FILLS: i32 = 4;
/// Threads of the last query, the calling one included.
pub const NEARGRID_COUNTER_THREADS: i32 = 5;
/// Cells of the index; 0 for one on a GPU, which alone knows them.
pub const NEARGRID_COUNTER_CELLS: i32 = 6;
/// Bytes the handle holds: points, index and its own lists.
pub const NEARGRID_COUNTER_BYTES_HELD: i32 = 7;
/// Backend of the last query, a NEARGRID_BACKEND_* number (AUTO before the first).
pub const NEARGRID_COUNTER_BACKEND: i32 = 8;
/// Bytes the handle holds on a GPU.
pub const NEARGRID_COUNTER_DEVICE_BYTES: i32 = 9;
/// Buffers made for a GPU since the handle was created; a search like the one before makes none.
pub const NEARGRID_COUNTER_DEVICE_ALLOCATIONS: i32 = 10;
/// Axes of the points set; 0 where none are.
pub const NEARGRID_COUNTER_DIM: i32 = 11;
/// Lists made with a skin since the handle was created.
pub const NEARGRID_COUNTER_SKIN_LISTS: i32 = 12;
/// Queries set.
pub const NEARGRID_COUNTER_QUERIES: i32 = 13;

/// Points to the device.
pub const NEARGRID_PHASE_UPLOAD: i32 = 0;
/// Building the index.
pub const NEARGRID_PHASE_INDEX: i32 = 1;
/// Counting rows.
pub const NEARGRID_PHASE_COUNT: i32 = 2;
/// Filling rows.
pub const NEARGRID_PHASE_FILL: i32 = 3;
/// Result to the host.
pub const NEARGRID_PHASE_DOWNLOAD: i32 = 4;
/// All of the query.
pub const NEARGRID_PHASE_TOTAL: i32 = 5;

/// Makes a search handle with default settings and no points.
///
/// `abi_version`: NEARGRID_ABI_VERSION of the header compiled against. `search`: receives the handle, NULL on failure;
/// the caller owns it and frees it with neargrid_search_destroy.
/// The variables NEARGRID_BACKEND (auto, cpu, gpu), NEARGRID_DEVICE (an index or a part of a GPU's name),
/// NEARGRID_THREADS (1 to 1024) and NEARGRID_SIMD (scalar, neon, avx2, avx512) are read here and override the setters.
/// Status: OK, NULL_POINTER, ABI_MISMATCH, BAD_ENVIRONMENT, OUT_OF_MEMORY.
///
/// # Safety
/// `search` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_create(
    abi_version: i32,
    search: *mut *mut neargrid_search,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { checks::out(search, "search")? };
        out.set(std::ptr::null_mut());
        if abi_version != NEARGRID_ABI_VERSION {
            return Err(Error::AbiMismatch {
                compiled: abi_version,
                library: NEARGRID_ABI_VERSION,
            });
        }
        let mut made = Search::new()?;
        made.set_parallel_probe(openmp::in_parallel);
        out.set(handle::into_raw(made)?);
        Ok(())
    })
}

/// Frees a handle and all it holds; its views become invalid. NULL is nothing to free. Where a call of another thread on the
/// handle is under way, that call frees it at its end.
///
/// # Safety
/// `search` is NULL or a handle not freed before, and no call on it begins any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_destroy(search: *mut neargrid_search) {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { handle::free(search) };
        Ok(())
    });
}

/// Gives back all memory that points and settings do not need: index, lists, scratch, buffers on a GPU. The next query makes
/// what it needs anew, with the same result. Views become invalid.
/// Status: OK, NULL_POINTER.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_trim(search: *mut neargrid_search) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.trim();
        Ok(())
    })
}

/// Tells in words what the last query ran on and why: one line each for backend, threads, simd, points, index, bytes.
///
/// `buffer`: `capacity` bytes, filled with the text cut to fit and a NUL; may be NULL where capacity is 0.
/// `length`: the text's full length without the NUL; may be NULL.
/// Status: OK, NULL_POINTER, OUT_OF_MEMORY.
///
/// # Safety
/// `search` is NULL or a valid handle; `buffer` and `length` are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_info(
    search: *const neargrid_search,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let search = unsafe { handle::enter(search)? };
        let mut text = Growing(String::new());
        search.write_info(&mut text).map_err(|_| Error::OutOfMemory {
            what: "a text",
            bytes: text.0.len() as u64 + 1,
        })?;
        // SAFETY: the caller's promise.
        unsafe { checks::text(&text.0, buffer, capacity, length) }
    })
}

/// Tells a number about the handle: `counter` is one of NEARGRID_COUNTER_*.
/// Status: OK, NULL_POINTER, BAD_VALUE.
///
/// # Safety
/// `search` is NULL or a valid handle; `value` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_counter(
    search: *const neargrid_search,
    counter: i32,
    value: *mut i64,
) -> neargrid_status {
    let counters = [
        (NEARGRID_COUNTER_POINTS, "points", Counter::Points),
        (NEARGRID_COUNTER_ENTRIES, "entries", Counter::Entries),
        (NEARGRID_COUNTER_INDEX_BUILDS, "index builds", Counter::IndexBuilds),
        (NEARGRID_COUNTER_COUNTS, "counts", Counter::Counts),
        (NEARGRID_COUNTER_FILLS, "fills", Counter::Fills),
        (NEARGRID_COUNTER_THREADS, "threads", Counter::Threads),
        (NEARGRID_COUNTER_CELLS, "cells", Counter::Cells),
        (NEARGRID_COUNTER_BYTES_HELD, "bytes held", Counter::BytesHeld),
        (NEARGRID_COUNTER_BACKEND, "backend", Counter::Backend),
        (NEARGRID_COUNTER_DEVICE_BYTES, "device bytes", Counter::DeviceBytes),
        (
            NEARGRID_COUNTER_DEVICE_ALLOCATIONS,
            "device allocations",
            Counter::DeviceAllocations,
        ),
        (NEARGRID_COUNTER_DIM, "dim", Counter::Dim),
        (NEARGRID_COUNTER_SKIN_LISTS, "skin lists", Counter::SkinLists),
        (NEARGRID_COUNTER_QUERIES, "queries", Counter::Queries),
    ];
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, value) = unsafe { (handle::enter(search)?, checks::out(value, "value")?) };
        value.set(search.counter(checks::choice(counter, "counter", &counters)?));
        Ok(())
    })
}

/// Tells the seconds the last query spent in a phase, one of NEARGRID_PHASE_*; 0 for a phase it did not need.
/// Status: OK, NULL_POINTER, BAD_VALUE.
///
/// # Safety
/// `search` is NULL or a valid handle; `seconds` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_timing(
    search: *const neargrid_search,
    phase: i32,
    seconds: *mut f64,
) -> neargrid_status {
    let phases = [
        (NEARGRID_PHASE_UPLOAD, "upload", Phase::Upload),
        (NEARGRID_PHASE_INDEX, "index", Phase::Index),
        (NEARGRID_PHASE_COUNT, "count", Phase::Count),
        (NEARGRID_PHASE_FILL, "fill", Phase::Fill),
        (NEARGRID_PHASE_DOWNLOAD, "download", Phase::Download),
        (NEARGRID_PHASE_TOTAL, "total", Phase::Total),
    ];
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, seconds) = unsafe { (handle::enter(search)?, checks::out(seconds, "seconds")?) };
        seconds.set(search.timing(checks::choice(phase, "phase", &phases)?));
        Ok(())
    })
}
