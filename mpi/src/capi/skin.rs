//! The skin: plan and lists kept while points move little.

use super::checks::{enter, given, neargrid_mpi_search, out};
use super::guard::guard;
use super::status::neargrid_status;
use crate::points::Real;

/// Sets a skin, for points that move little from step to step. Plans and lists are then built for cutoff plus skin, and
/// neargrid_mpi_search_update_f64 keeps them while no point of any rank has moved by more than half the skin. Results are
/// exact for the current points. Like all settings it is not collective, but the next query fails if ranks have different
/// values (DISAGREEMENT).
///
/// - `skin`: in the unit of the coordinates, finite and at least 0; 0 (default) means no skin. A periodic axis must be at
///   least two cutoffs plus two skins long.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_set_skin(search: *mut neargrid_mpi_search, skin: f64) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { enter(search) }?.set_skin(skin))
}

/// The body of both neargrid_mpi_search_update_*.
///
/// # Safety
/// As for neargrid_mpi_search_update_f64.
unsafe fn update<T: Real>(
    search: *mut neargrid_mpi_search,
    dim: i32,
    n: i64,
    bases: [*const T; 3],
    stride: i64,
    ids: *const i64,
    rebuilt: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        // SAFETY: the caller's promise.
        let (rebuilt, refused) = match unsafe { out(rebuilt, "rebuilt") } {
            Ok(rebuilt) => (Some(rebuilt), Ok(())),
            Err(error) => (None, Err(error)),
        };
        // SAFETY: the caller's promise.
        let asked = unsafe { given(&mut search, (dim, n), bases, stride, ids) };
        let asked = asked.and_then(|given| refused.map(|()| given));
        let gave_up = search.update(asked)?;
        if let Some(rebuilt) = rebuilt {
            rebuilt.set(gave_up.into());
        }
        Ok(())
    })
}

/// Sets this rank's points of the next time step, in real64. It works as neargrid_mpi_search_set_points_f64, but keeps plan,
/// ghosts and list if no point of any rank has moved too far since the plan was made. In this case each rank sends the new
/// positions of the ghosts in one message to each rank that has some. Plan and list are discarded if, on any rank, the
/// number, dimension, precision or ids of the points changed, or a setting. Without a skin, or before the first query, this
/// is the same as neargrid_mpi_search_set_points_f64. Collective.
///
/// - `dim`, `n`, `x`, `y`, `z`, `stride`, `ids`: as for neargrid_mpi_search_set_points_f64, with the points in the same order
///   as before.
/// - `rebuilt`: receives 1 if the next query has to rebuild plan and list, otherwise 0; the same on all ranks.
///
/// Returns the statuses of neargrid_mpi_search_set_points_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_update_f64(
    search: *mut neargrid_mpi_search,
    dim: i32,
    n: i64,
    x: *const f64,
    y: *const f64,
    z: *const f64,
    stride: i64,
    ids: *const i64,
    rebuilt: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { update(search, dim, n, [x, y, z], stride, ids, rebuilt) }
}

/// As neargrid_mpi_search_update_f64, in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_update_f32(
    search: *mut neargrid_mpi_search,
    dim: i32,
    n: i64,
    x: *const f32,
    y: *const f32,
    z: *const f32,
    stride: i64,
    ids: *const i64,
    rebuilt: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { update(search, dim, n, [x, y, z], stride, ids, rebuilt) }
}

/// Reports how much of the skin the last neargrid_mpi_search_update_f64 used. Not collective, but the same on all ranks.
///
/// - `share`: receives twice the largest displacement of a point of any rank since the plan was made, divided by the skin. If
///   it is above 1, plan and list were discarded. It is 0 if there was no plan.
///
/// Returns OK, NULL_POINTER.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_search_skin_used(
    search: *mut neargrid_mpi_search,
    share: *mut f64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, share) = unsafe { (enter(search)?, out(share, "share")?) };
        share.set(search.skin_used());
        Ok(())
    })
}
