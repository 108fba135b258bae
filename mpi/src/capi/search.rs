//! Handles: creation, settings, points and counters.

use std::ffi::{CStr, c_char};

use super::checks::{self, enter, neargrid_mpi_search, out, slice};
use super::guard::guard;
use super::status::{COUNTERS, NEARGRID_MPI_ABI_VERSION, neargrid_status};
use crate::comm::site::Site;
use crate::error::{Error, Result, status};
use crate::points::{Domain, Real};
use crate::search::Search;

/// Returns the ABI version of the library at run time. Any thread may call this at any time.
#[unsafe(no_mangle)]
pub extern "C" fn neargrid_mpi_abi_version() -> i32 {
    NEARGRID_MPI_ABI_VERSION
}

/// Returns the version of the library as "major.minor.patch". The string is static; do not free it. Any thread may call this
/// at any time.
#[unsafe(no_mangle)]
pub extern "C" fn neargrid_mpi_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Creates a search on all ranks of a communicator, with default settings and without points. Collective. C programs call
/// neargrid_mpi_search_create, which takes an MPI_Comm.
///
/// - `abi_version`: NEARGRID_MPI_ABI_VERSION of the header that the program was compiled with.
/// - `comm`: the communicator as a Fortran handle: `comm` of the module mpi, or `comm%MPI_VAL` of mpi_f08. The library
///   duplicates it, and makes MPI return errors on the duplicate.
/// - `search`: receives the handle, or NULL on failure. The caller frees it with neargrid_mpi_search_destroy.
///
/// The program must have called MPI_Init or MPI_Init_thread. In a program with several threads, the calling thread must be
/// allowed to call MPI.
///
/// Returns OK, NULL_POINTER, ABI_MISMATCH, BAD_STATE (MPI is not initialized), BAD_VALUE (`comm`), BAD_ENVIRONMENT,
/// OUT_OF_MEMORY, COMMUNICATION. A rank returns NULL_POINTER, ABI_MISMATCH, BAD_STATE and BAD_VALUE on its own, without the
/// other ranks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_create_f(
    abi_version: i32,
    comm: i32,
    search: *mut *mut neargrid_mpi_search,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let handle = unsafe { out(search, "search") }?;
        handle.set(std::ptr::null_mut());
        if abi_version != NEARGRID_MPI_ABI_VERSION {
            let text = format!(
                "abi_version = {abi_version} does not match this library, whose ABI version is {NEARGRID_MPI_ABI_VERSION}: \
                 recompile with its header or module"
            );
            return Err(Error::new(status::ABI_MISMATCH, text));
        }
        let search = Search::create(Site::open(comm)?)?;
        handle.set(checks::into_raw(search)?);
        Ok(())
    })
}

/// Frees a handle and everything it holds, including its views. Collective. Call it before MPI_Finalize; after that, only MPI
/// can clean up the duplicated communicator. It waits for a halo exchange that is in progress. Does nothing if `search` is
/// NULL. If another thread is inside a call on the handle, that call frees the handle when it ends. No other call may use the
/// handle afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_destroy(search: *mut neargrid_mpi_search) {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { checks::free(search) };
        Ok(())
    });
}

/// Sets the cutoff, as neargrid_search_set_cutoff does. Like all settings it is not collective, but the next query fails if
/// ranks have different values (DISAGREEMENT). Only the number of threads, the backend and the device may differ between
/// ranks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_cutoff(
    search: *mut neargrid_mpi_search,
    cutoff: f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_cutoff(cutoff))
}

/// Sets whether two points exactly one cutoff apart are a pair, as neargrid_search_set_tie_rule does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_tie_rule(
    search: *mut neargrid_mpi_search,
    rule: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_tie_rule(rule))
}

/// Sets the index base, 0 (default) or 1, as neargrid_search_set_index_base does. Global ids that the library assigns also
/// start there. Set it before the points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_index_base(
    search: *mut neargrid_mpi_search,
    base: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_index_base(base))
}

/// Sets the number of threads of a query on this rank, as neargrid_search_set_threads does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_threads(
    search: *mut neargrid_mpi_search,
    threads: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_threads(threads))
}

/// Sets the backend that runs queries on this rank, as neargrid_search_set_backend does. With NEARGRID_BACKEND_AUTO, the
/// default, a rank without a GPU uses the CPU.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_backend(
    search: *mut neargrid_mpi_search,
    backend: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_backend(backend))
}

/// Selects the GPU that this rank uses. The environment variable NEARGRID_DEVICE overrides this setting.
///
/// - `choice`: NEARGRID_DEVICE_BEST, NEARGRID_DEVICE_INDEX, or NEARGRID_DEVICE_TURN (default): then the ranks of a node
///   (MPI_COMM_TYPE_SHARED) share its GPUs in turn, by their rank on the node.
/// - `number`: for NEARGRID_DEVICE_INDEX, as for neargrid_search_set_device. Not read for others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_device(
    search: *mut neargrid_mpi_search,
    choice: i32,
    number: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_device(choice, number))
}

/// Sets an axis-aligned box, as neargrid_search_set_box does; the same on all ranks. Unlike there, the points remain set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_box(
    search: *mut neargrid_mpi_search,
    dim: i32,
    lo: *const f64,
    length: *const f64,
    periodic: *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        if !(1..=3).contains(&dim) {
            return Err(Error::not_allowed(status::BAD_DIM, "dim", dim, "1, 2 or 3"));
        }
        let axes = dim as usize;
        // SAFETY: the caller's promise.
        let (lo, length) = unsafe { (slice(lo, axes, "lo")?, slice(length, axes, "length")?) };
        // SAFETY: the caller's promise.
        let flags = unsafe { slice(periodic, axes, "periodic") }?;
        let flag = |&flag: &i32| checks::choice(flag, "periodic", &[(0, "open", false), (1, "periodic", true)]);
        let periodic = flags.iter().map(flag).collect::<Result<Vec<_>>>()?;
        search.set_box(Domain {
            lo: lo.to_vec(),
            length: length.to_vec(),
            periodic,
        })
    })
}

/// Makes this rank, and with it all ranks, fail in the next collective call on the handle. Bindings to other languages use it
/// to report errors that C cannot see, such as arrays of the wrong size. If it is called several times before one collective
/// call, the first call counts. Not collective.
///
/// - `number`: the status that the collective call returns, not OK.
/// - `text`: its error text, NUL-terminated UTF-8.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_refuse(
    search: *mut neargrid_mpi_search,
    number: neargrid_status,
    text: *const c_char,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        if text.is_null() {
            return Err(checks::null("text", "the error text"));
        }
        if number == 0 {
            let allowed = "a status other than OK";
            return Err(Error::not_allowed(status::BAD_VALUE, "number", 0, allowed));
        }
        // SAFETY: not NULL, and the caller's promise.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        search.refuse_next(Error::new(number, text));
        Ok(())
    })
}

/// The body of both neargrid_mpi_search_set_points_*.
///
/// # Safety
/// As for neargrid_mpi_search_set_points_f64.
unsafe fn set_points<T: Real>(
    search: *mut neargrid_mpi_search,
    dim: i32,
    n: i64,
    bases: [*const T; 3],
    stride: i64,
    ids: *const i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        // SAFETY: the caller's promise.
        let asked = unsafe { checks::given(&mut search, (dim, n), bases, stride, ids) };
        search.set_points(asked)
    })
}

/// Sets the points of this rank, in real64, and their global ids. Points may be distributed over the ranks in any way, and a
/// rank may have none. The handle keeps a copy. Collective.
///
/// - `dim`: 1, 2 or 3, the same on all ranks.
/// - `n`: number of points of this rank, 0 to 2^31 - 1.
/// - `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64.
/// - `ids`: `n` global ids, any int64 values, each unique over all ranks; or NULL on all ranks, and the library then numbers
///   the points from the index base, rank by rank.
///
/// The pairs, their order and ties follow the global ids. The library checks that they are unique. This sends each id once,
/// unless the ids ascend on each rank and the ranges of ids on different ranks do not overlap.
///
/// Returns OK, NULL_POINTER, BAD_DIM, BAD_COUNT, BAD_VALUE (`stride`; a repeated id), NON_FINITE, BAD_STATE (a halo exchange
/// is in progress), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT. On failure the handle keeps its previous points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_points_f64(
    search: *mut neargrid_mpi_search,
    dim: i32,
    n: i64,
    x: *const f64,
    y: *const f64,
    z: *const f64,
    stride: i64,
    ids: *const i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { set_points(search, dim, n, [x, y, z], stride, ids) }
}

/// As neargrid_mpi_search_set_points_f64, in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_points_f32(
    search: *mut neargrid_mpi_search,
    dim: i32,
    n: i64,
    x: *const f32,
    y: *const f32,
    z: *const f32,
    stride: i64,
    ids: *const i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { set_points(search, dim, n, [x, y, z], stride, ids) }
}

/// Reads a counter of this rank. Counters of a plan are 0 if there is no plan for the current points and settings. Not
/// collective.
///
/// - `counter`: one of NEARGRID_MPI_COUNTER_*.
/// - `value`: receives its value.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_counter(
    search: *mut neargrid_mpi_search,
    counter: i32,
    value: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, value) = unsafe { (enter(search)?, out(value, "value")?) };
        value.set(search.counter(checks::choice(counter, "counter", &COUNTERS)?)?);
        Ok(())
    })
}
