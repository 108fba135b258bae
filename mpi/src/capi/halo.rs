//! Exchanges of the caller's fields between owned points and their ghosts.

use std::ffi::c_void;

use super::checks::{array, count, disjoint, enter, neargrid_mpi_search, slice, slice_mut, span};
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

/// Sends a field of this rank's points to their ghosts on other ranks, and receives the field of this rank's own ghosts,
/// using the plan of the last query. Each rank sends one message to each rank that has ghosts of its points. Collective.
///
/// - `element_bytes`: size of the field of one point in bytes, for example 24 for three real64, or the size of a structure;
///   the same on all ranks.
/// - `owned`: one element for each of this rank's points. May be NULL if there are none.
/// - `ghosts`: receives one element for each ghost, in the order of the ghosts. It may directly follow `owned` in one array.
///   May be NULL if there are none.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`element_bytes`), BAD_VALUE (arrays that overlap), BAD_STATE (no query since
/// points or settings changed, or another exchange is in progress), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT. On
/// failure `ghosts` is not changed.
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
            let ghosts = ghosts.cast::<u8>();
            disjoint(&[span(owned.as_ptr(), owned.len(), "owned"), span(ghosts, len, "ghosts")])?;
            // SAFETY: the caller's promise, and apart from what is read.
            Ok((bytes, owned, unsafe { array(ghosts, len, "ghosts") }?))
        });
        search.halo_exchange(asked)
    })
}

/// Starts a halo exchange and returns while it is in progress. `owned` may be changed or freed after the call, and the
/// program may compute what needs no ghosts. Until neargrid_mpi_halo_finish, call nothing else with the handle except
/// neargrid_mpi_search_counter. Collective.
///
/// Arguments and statuses are those of neargrid_mpi_halo_exchange.
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

/// Waits for the halo exchange in progress and writes the received field. Collective.
///
/// - `ghosts`: receives one element for each ghost, in the order of the ghosts. May be NULL if there are none.
///
/// Returns OK, NULL_POINTER, BAD_STATE (no exchange was started), COMMUNICATION. After NULL_POINTER the call can be repeated.
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
            disjoint(&[span(ghosts, of_ghosts, "ghosts"), span(owned, of_owned, "owned")])?;
            // SAFETY: the caller's promise, and apart.
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

/// Adds numbers collected on ghosts, in real64, to the points on the ranks that own them. If a point is a ghost on several
/// ranks, their contributions are added in the order of the ranks, so that the sum is the same in every run. Collective.
///
/// - `components`: numbers for each point, the same on all ranks.
/// - `ghosts`: `components` numbers for each ghost, in the order of the ghosts. May be NULL if there are none.
/// - `owned`: `components` numbers for each of this rank's points, to which the contributions are added. May be NULL if there
///   are none.
///
/// Returns the statuses of neargrid_mpi_halo_exchange. On failure `owned` is not changed.
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

/// As neargrid_mpi_halo_sum_f64, in int32. Sums wrap around on overflow.
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

/// As neargrid_mpi_halo_sum_f64, in int64. Sums wrap around on overflow.
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
