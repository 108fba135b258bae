//! Fields of the caller's between owned points and their ghosts.

use std::ffi::c_void;

use super::checks::{array, count, enter, neargrid_mpi_search, slice, slice_mut};
use super::guard::guard;
use super::status::neargrid_status;
use crate::error::{Error, Result, status};
use crate::halo::Summand;

/// Elements of a point: at least one, and as many as memory could hold for `points`.
pub(super) fn each(value: i64, argument: &str, points: usize) -> Result<(usize, usize)> {
    let allowed = "greater than 0, and small enough for memory";
    match count(value, argument)? {
        0 => Err(Error::not_allowed(status::BAD_COUNT, argument, value, allowed)),
        each => match points.checked_mul(each).filter(|&len| len <= isize::MAX as usize / 8) {
            Some(len) => Ok((each, len)),
            None => Err(Error::not_allowed(status::BAD_COUNT, argument, value, allowed)),
        },
    }
}

/// Sends a field of this rank's points to their ghosts on other ranks, and receives that of its own ghosts, along the plan of
/// the last query. Collective. One message to each rank that has ghosts of this one.
///
/// `element_bytes`: what a point has of the field, such as 24 for three real64, or the size of a structure; the same on all
/// ranks. `owned`: an element for each of this rank's points. `ghosts`: receives one for each ghost, in their order; it may be
/// the end of the array that `owned` is the front of. They may be NULL where there are none.
/// Status: OK, NULL_POINTER, BAD_COUNT (element_bytes), BAD_STATE (no query since points or settings changed, or an exchange is
/// under way), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT. On failure `ghosts` is untouched.
///
/// # Safety
/// `search` is NULL or a valid handle; `owned` is NULL or readable and `ghosts` NULL or writable for
/// that many elements; they do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_halo_exchange(
    search: *mut neargrid_mpi_search,
    element_bytes: i64,
    owned: *const c_void,
    ghosts: *mut c_void,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        let asked = each(element_bytes, "element_bytes", search.owned()).and_then(|(bytes, len)| {
            // SAFETY: the caller's promise.
            let owned = unsafe { slice(owned.cast(), len, "owned") }?;
            let (_, len) = each(element_bytes, "element_bytes", search.ghost_count())?;
            // SAFETY: the caller's promise.
            Ok((bytes, owned, unsafe { array(ghosts.cast(), len, "ghosts") }?))
        });
        search.halo_exchange(asked)
    })
}

/// Begins a halo exchange and returns while it is under way: `owned` is free again, and every rank may compute what needs no
/// ghosts. Until neargrid_mpi_halo_finish nothing else may be asked of the handle but counters. Collective. All else as for
/// neargrid_mpi_halo_exchange.
///
/// # Safety
/// As for neargrid_mpi_halo_exchange.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_halo_begin(
    search: *mut neargrid_mpi_search,
    element_bytes: i64,
    owned: *const c_void,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        let asked = each(element_bytes, "element_bytes", search.owned()).and_then(|(bytes, len)| {
            // SAFETY: the caller's promise.
            Ok((bytes, unsafe { slice(owned.cast(), len, "owned") }?))
        });
        search.halo_begin(asked)
    })
}

/// Waits for the halo exchange that was begun, and writes what came to `ghosts`. Collective.
/// Status: OK, NULL_POINTER, BAD_STATE (none was begun), COMMUNICATION. After NULL_POINTER it can be called again.
///
/// # Safety
/// `search` is NULL or a valid handle; `ghosts` is NULL or writable for an element for each ghost.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_halo_finish(
    search: *mut neargrid_mpi_search,
    ghosts: *mut c_void,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        let len = search.ghost_count() * search.halo_bytes();
        // SAFETY: the caller's promise.
        search.halo_finish(unsafe { array(ghosts.cast(), len, "ghosts") })
    })
}

/// The body of all neargrid_mpi_halo_sum_*.
///
/// # Safety
/// As for neargrid_mpi_halo_sum_f64.
unsafe fn sum<T: Summand>(
    search: *mut neargrid_mpi_search,
    components: i64,
    ghosts: *const T,
    owned: *mut T,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        let lens = each(components, "components", search.ghost_count())
            .and_then(|(each_point, len)| Ok((each_point, len, each(components, "components", search.owned())?.1)));
        let asked = lens.and_then(|(components, of_ghosts, of_owned)| {
            // SAFETY: the caller's promise.
            Ok(unsafe {
                (
                    components,
                    slice(ghosts, of_ghosts, "ghosts")?,
                    slice_mut(owned, of_owned, "owned")?,
                )
            })
        });
        search.halo_sum(asked)
    })
}

/// Adds what ghosts have gathered, in real64, to the points that they are of, on the ranks that own those. Collective. A point
/// that is a ghost on several ranks gets theirs in the order of these, so that sums are the same in every run.
///
/// `components`: numbers of each point, the same on all ranks. `ghosts`: components numbers for each ghost, in their order.
/// `owned`: components numbers for each of this rank's points, to which is added. They may be NULL where there are none.
/// Status: as for neargrid_mpi_halo_exchange. On failure `owned` is untouched.
///
/// # Safety
/// `search` is NULL or a valid handle; `ghosts` is NULL or readable and `owned` NULL or writable for
/// that many numbers; they do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_halo_sum_f64(
    search: *mut neargrid_mpi_search,
    components: i64,
    ghosts: *const f64,
    owned: *mut f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { sum(search, components, ghosts, owned) }
}

/// As neargrid_mpi_halo_sum_f64, in real32.
///
/// # Safety
/// As for neargrid_mpi_halo_sum_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_halo_sum_f32(
    search: *mut neargrid_mpi_search,
    components: i64,
    ghosts: *const f32,
    owned: *mut f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { sum(search, components, ghosts, owned) }
}

/// As neargrid_mpi_halo_sum_f64, in int32; sums wrap around.
///
/// # Safety
/// As for neargrid_mpi_halo_sum_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_halo_sum_i32(
    search: *mut neargrid_mpi_search,
    components: i64,
    ghosts: *const i32,
    owned: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { sum(search, components, ghosts, owned) }
}

/// As neargrid_mpi_halo_sum_f64, in int64; sums wrap around.
///
/// # Safety
/// As for neargrid_mpi_halo_sum_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_halo_sum_i64(
    search: *mut neargrid_mpi_search,
    components: i64,
    ghosts: *const i64,
    owned: *mut i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { sum(search, components, ghosts, owned) }
}
