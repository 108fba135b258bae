//! The handle: creation, destruction, counters, times and info.

use std::ffi::c_char;

use super::comm::check_abi;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use super::{checks, openmp};
use crate::error::{Error, Growing};
use crate::search::{Counter, Phase, Search};

/// A counter of a search: one of NEARGRID_COUNTER_*.
#[allow(non_camel_case_types)]
pub type neargrid_counter = i32;

/// Number of points set.
pub const NEARGRID_COUNTER_POINTS: neargrid_counter = 0;
/// Entries of the last result: pairs, or ids in rows.
pub const NEARGRID_COUNTER_ENTRIES: neargrid_counter = 1;
/// Times an index was built since the handle was created.
pub const NEARGRID_COUNTER_INDEX_BUILDS: neargrid_counter = 2;
/// Times a search counted its result since the handle was created.
pub const NEARGRID_COUNTER_COUNTS: neargrid_counter = 3;
/// Times a list was filled since the handle was created.
pub const NEARGRID_COUNTER_FILLS: neargrid_counter = 4;
/// Threads of the last query, including the calling thread.
pub const NEARGRID_COUNTER_THREADS: neargrid_counter = 5;
/// Cells of the index on the CPU; 0 if the index is on a GPU.
pub const NEARGRID_COUNTER_CELLS: neargrid_counter = 6;
/// Bytes of host memory that the handle holds: points, index and its own lists.
pub const NEARGRID_COUNTER_BYTES_HELD: neargrid_counter = 7;
/// Backend of the last query, one of NEARGRID_BACKEND_*; NEARGRID_BACKEND_AUTO before the first query.
pub const NEARGRID_COUNTER_BACKEND: neargrid_counter = 8;
/// Bytes of GPU memory that the handle holds.
pub const NEARGRID_COUNTER_DEVICE_BYTES: neargrid_counter = 9;
/// Buffers allocated for a GPU since the handle was created. Repeating a search allocates none.
pub const NEARGRID_COUNTER_DEVICE_ALLOCATIONS: neargrid_counter = 10;
/// Dimension of the points set; 0 if none are set.
pub const NEARGRID_COUNTER_DIM: neargrid_counter = 11;
/// Times the list with a skin was built since the handle was created.
pub const NEARGRID_COUNTER_SKIN_LISTS: neargrid_counter = 12;
/// Number of queries set.
pub const NEARGRID_COUNTER_QUERIES: neargrid_counter = 13;
/// Distances that the last query tested; 0 if it needed no search.
pub const NEARGRID_COUNTER_DISTANCE_TESTS: neargrid_counter = 14;
/// Number of active points, which have rows.
pub const NEARGRID_COUNTER_ACTIVE: neargrid_counter = 15;
/// Number of times that the ranks of a handle searched for ghosts; 0 without ranks.
pub const NEARGRID_COUNTER_PLANS: neargrid_counter = 16;

/// A phase of a query: one of NEARGRID_PHASE_*.
#[allow(non_camel_case_types)]
pub type neargrid_phase = i32;

/// Copying the points to the GPU.
pub const NEARGRID_PHASE_UPLOAD: neargrid_phase = 0;
/// Building the index.
pub const NEARGRID_PHASE_INDEX: neargrid_phase = 1;
/// Counting the rows.
pub const NEARGRID_PHASE_COUNT: neargrid_phase = 2;
/// Filling the rows, or summing over them.
pub const NEARGRID_PHASE_FILL: neargrid_phase = 3;
/// Copying the result from the GPU.
pub const NEARGRID_PHASE_DOWNLOAD: neargrid_phase = 4;
/// The whole query.
pub const NEARGRID_PHASE_TOTAL: neargrid_phase = 5;

/// Creates a search with default settings and without points.
///
/// - `abi_version`: NEARGRID_ABI_VERSION of the header that the program was compiled with.
/// - `search`: receives the handle, or NULL on failure. The caller frees it with neargrid_search_destroy.
///
/// This function reads these environment variables, and they override the settings of the handle: NEARGRID_BACKEND (auto,
/// cpu, gpu), NEARGRID_DEVICE (an index, or part of a GPU's name), NEARGRID_THREADS (1 to 1024) and NEARGRID_SIMD (scalar,
/// neon, avx2, avx512). NEARGRID_TIE (inclusive, exclusive) sets the tie rule of a search that does not set one itself.
///
/// Returns OK, NULL_POINTER, ABI_MISMATCH, BAD_ENVIRONMENT, OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_create(
    abi_version: i32,
    search: *mut *mut neargrid_search,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { checks::out(search, "search")? };
        out.set(std::ptr::null_mut());
        check_abi(abi_version)?;
        let mut made = Search::new()?;
        made.set_parallel_probe(openmp::in_parallel);
        out.set(handle::into_raw(made, None)?);
        Ok(())
    })
}

/// Frees a handle and everything it holds, including its views. Does nothing if `search` is NULL. If another thread is inside
/// a call on the handle, that call frees the handle when it ends. No other call may use the handle afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_destroy(search: *mut neargrid_search) {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { handle::free(search) };
        Ok(())
    });
}

/// Frees all memory of the handle except points and settings: index, lists, work arrays and GPU buffers. Its views become
/// invalid. The next query rebuilds what it needs and gives the same result. Values that a run has left on a GPU come home first; if there
/// is no memory for them, the call frees nothing.
///
/// Returns OK, NULL_POINTER, OUT_OF_MEMORY, DEVICE_LOST (the values of a run were there, and are no longer set).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_trim(search: *mut neargrid_search) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.trim()
    })
}

/// Describes how the last query ran and why, as text: one line each for backend, threads, instruction set, points, index and
/// memory.
///
/// - `buffer`: receives the text and a terminating NUL, truncated to `capacity` bytes. May be NULL if `capacity` is 0.
/// - `capacity`: size of `buffer` in bytes.
/// - `length`: receives the length of the whole text without the NUL. May be NULL.
///
/// Returns OK, NULL_POINTER, OUT_OF_MEMORY.
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
            what: "the text",
            bytes: text.0.len() as u64 + 1,
        })?;
        // SAFETY: the caller's promise.
        unsafe { checks::text(&text.0, buffer, capacity, length) }
    })
}

/// Reads a counter of the handle.
///
/// - `counter`: one of NEARGRID_COUNTER_*.
/// - `value`: receives its value.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_counter(
    search: *const neargrid_search,
    counter: neargrid_counter,
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
        (
            NEARGRID_COUNTER_DISTANCE_TESTS,
            "distance tests",
            Counter::DistanceTests,
        ),
        (NEARGRID_COUNTER_ACTIVE, "active", Counter::Active),
        (NEARGRID_COUNTER_PLANS, "plans", Counter::Plans),
    ];
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut entered, value) = unsafe { (handle::enter(search)?, checks::out(value, "value")?) };
        let (search, ranks) = entered.both();
        value.set(match checks::choice(counter, "counter", &counters)? {
            Counter::Plans => ranks.map_or(0, |ranks| ranks.plans()),
            counter => search.counter(counter),
        });
        Ok(())
    })
}

/// Reads how long a phase of the last query took.
///
/// - `phase`: one of NEARGRID_PHASE_*.
/// - `seconds`: receives the time in seconds, or 0 if the query did not need this phase.
///
/// A query that only counts may let the GPU begin to fill. It then reports 0 for phases on the GPU, and the next query reports them.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_timing(
    search: *const neargrid_search,
    phase: neargrid_phase,
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
