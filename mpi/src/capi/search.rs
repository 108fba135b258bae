//! Handles: their life, settings, points, and questions.

use std::ffi::{CStr, c_char};

use super::checks::{self, enter, neargrid_mpi_search, out, slice};
use super::guard::guard;
use super::status::{COUNTERS, NEARGRID_MPI_ABI_VERSION, neargrid_status};
use crate::comm::site::Site;
use crate::error::{Error, Result, status};
use crate::points::{Domain, Real};
use crate::search::Search;

/// The ABI version of the library at run time. Callable always, from any thread.
#[unsafe(no_mangle)]
pub extern "C" fn neargrid_mpi_abi_version() -> i32 {
    NEARGRID_MPI_ABI_VERSION
}

/// The library's version, "major.minor.patch". Static: never free it. Callable always, from any thread.
#[unsafe(no_mangle)]
pub extern "C" fn neargrid_mpi_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Makes a search of all ranks of a communicator, with default settings and no points. Collective. C programs call
/// neargrid_mpi_search_create, which takes an MPI_Comm.
///
/// `abi_version`: NEARGRID_MPI_ABI_VERSION of the header compiled against. `comm`: the communicator as Fortran knows it, `comm`
/// of module mpi or `comm%MPI_VAL` of mpi_f08. It is duplicated, and MPI's errors on the duplicate are returned. `search`:
/// receives the handle, NULL on failure; the caller owns it and frees it with neargrid_mpi_search_destroy.
/// MPI_Init or MPI_Init_thread was called; with several threads the one that calls may call MPI.
/// Status: OK, NULL_POINTER, ABI_MISMATCH, BAD_STATE (no MPI), BAD_VALUE (comm), BAD_ENVIRONMENT, OUT_OF_MEMORY,
/// COMMUNICATION. NULL_POINTER, ABI_MISMATCH, BAD_STATE and BAD_VALUE are not agreed on: they are this rank's alone.
///
/// # Safety
/// `search` is NULL or writable.
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
                "abi_version = {abi_version} does not match this library, whose ABI version is {NEARGRID_MPI_ABI_VERSION}"
            );
            return Err(Error::new(status::ABI_MISMATCH, text));
        }
        let search = Search::create(Site::open(comm)?)?;
        handle.set(checks::into_raw(search)?);
        Ok(())
    })
}

/// Frees a handle and all it holds; its views become invalid. Collective, and to be called before MPI_Finalize: afterwards
/// the duplicated communicator is MPI's to clean up. A halo exchange under way is waited for. NULL is nothing to free. Where a call of
/// another thread on the handle is under way, that call frees it at its end.
///
/// # Safety
/// `search` is NULL or a handle not freed before, and no call on it begins any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_destroy(search: *mut neargrid_mpi_search) {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { checks::free(search) };
        Ok(())
    });
}

/// Sets the search radius: as neargrid_search_set_cutoff. Not collective, as all settings; ranks that have different ones are
/// refused by the next query (DISAGREEMENT). Threads and backend are each rank's own.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_cutoff(
    search: *mut neargrid_mpi_search,
    cutoff: f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_cutoff(cutoff))
}

/// Sets whether points exactly one cutoff apart are a pair: as neargrid_search_set_tie_rule.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_tie_rule(
    search: *mut neargrid_mpi_search,
    rule: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_tie_rule(rule))
}

/// Sets where numbers of points start, 0 (default) or 1: as neargrid_search_set_index_base. Global ids that are given by this
/// library start there too; set it before the points.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_index_base(
    search: *mut neargrid_mpi_search,
    base: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_index_base(base))
}

/// Sets how many threads this rank searches with: as neargrid_search_set_threads.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_threads(
    search: *mut neargrid_mpi_search,
    threads: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_threads(threads))
}

/// Sets who searches on this rank: as neargrid_search_set_backend. NEARGRID_BACKEND_AUTO, the default, takes the CPU on ranks
/// without a GPU.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_backend(
    search: *mut neargrid_mpi_search,
    backend: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_backend(backend))
}

/// Sets which GPU this rank searches on, where it searches on one: an index as for neargrid_search_set_device, or
/// NEARGRID_DEVICE_AUTO (default): the ranks of a node (MPI_COMM_TYPE_SHARED) take its GPUs in turn, by their number there
/// (neargrid_search_set_device_turn). The variable NEARGRID_DEVICE overrides this.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_device(
    search: *mut neargrid_mpi_search,
    device: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_device(device))
}

/// Sets an axis-aligned box, the same on all ranks: as neargrid_search_set_box, but points are kept.
///
/// # Safety
/// `search` is NULL or a valid handle; the arrays are NULL or readable for `dim` elements.
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

/// Makes this rank fail in the next collective call on the handle, and with it all ranks: for bindings to other languages, which
/// find out what C cannot, such as arrays of the wrong size. Of several before one call the first counts. Not collective.
///
/// `number`: the status that the call will return, not OK. `text`: NUL-terminated UTF-8, what the text will be.
/// Status: OK, NULL_POINTER, BAD_VALUE.
///
/// # Safety
/// `search` is NULL or a valid handle; `text` is NULL or NUL-terminated.
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
            return Err(checks::null("text", "what the text will be"));
        }
        if number == 0 {
            let allowed = "the status of a failure";
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

/// Gives this rank's points, in real64, and their global ids. They are copied. Collective; a rank may have none.
///
/// `dim`: 1, 2 or 3, the same on all ranks. `n`: 0 to 2^31 - 1. `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64.
/// `ids`: n global ids, any int64 values, each on one point of one rank; or NULL on all ranks: points are numbered from the
/// index base on, rank by rank. Pairs, order and ties follow them. Unless ids ascend on each rank, and those of no rank are
/// among another's, each travels once to be compared.
/// Status: OK, NULL_POINTER, BAD_DIM, BAD_COUNT, BAD_VALUE (stride; an id that is there twice), NON_FINITE, BAD_STATE (a halo
/// exchange is under way), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT. On failure the handle keeps what it had.
///
/// # Safety
/// `search` is NULL or a valid handle; coordinates and ids are readable and unchanged during the
/// call.
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
///
/// # Safety
/// As for neargrid_mpi_search_set_points_f64.
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

/// Tells a number about the search on this rank: `counter` is one of NEARGRID_MPI_COUNTER_*. Not collective. Those of a plan
/// are 0 where there is none for the points and settings of now.
/// Status: OK, NULL_POINTER, BAD_VALUE.
///
/// # Safety
/// `search` is NULL or a valid handle; `value` is NULL or writable.
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
