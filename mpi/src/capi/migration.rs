//! Migration: points spread anew over the ranks, and fields of theirs.

use std::ffi::c_void;

use super::checks::{array, enter, given, neargrid_mpi_search, out, slice};
use super::guard::guard;
use super::halo::each;
use super::status::neargrid_status;
use crate::points::Real;

/// The body of both neargrid_mpi_migration_plan_*.
///
/// # Safety
/// As for neargrid_mpi_migration_plan_f64.
unsafe fn plan<T: Real>(
    search: *mut neargrid_mpi_search,
    dim: i32,
    n: i64,
    bases: [*const T; 3],
    stride: i64,
    ids: *const i64,
    n_after: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        // SAFETY: the caller's promise.
        let (n_after, refused) = match unsafe { out(n_after, "n_after") } {
            Ok(n_after) => (Some(n_after), Ok(())),
            Err(error) => (None, Err(error)),
        };
        // SAFETY: the caller's promise.
        let asked = unsafe { given(&mut search, (dim, n), bases, stride, ids) };
        let asked = asked.and_then(|given| refused.map(|()| given));
        let after = search.plan_migration(asked)?;
        if let Some(n_after) = n_after {
            n_after.set(after as i64);
        }
        Ok(())
    })
}

/// Plans where points go so that each rank has as many, up to one, and these are near each other in space: along Hilbert's curve
/// through a cube around all points of all ranks, cut into equal parts. Points at the same place of it stand in the order of their
/// global ids. So which rank gets which points, and in which order, does not depend on how they were spread before; without ids it
/// does. Collective. Nothing moves yet, and the points of the search (neargrid_mpi_search_set_points_f64) stay what they are.
///
/// `dim`, `n`, `x`, `y`, `z`, `stride`: this rank's points, as for neargrid_mpi_search_set_points_f64; along periodic axes of the
/// box they count where they are wrapped to. `ids`: n global ids, or NULL on all ranks. `n_after`: receives how many points
/// this rank will have.
/// Status: OK, NULL_POINTER, BAD_DIM, BAD_COUNT, BAD_VALUE (stride), NON_FINITE (a coordinate that cannot be wrapped, too), BAD_DOMAIN,
/// BAD_STATE (a halo exchange is under way), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT. On failure an earlier plan stays.
///
/// # Safety
/// `search` is NULL or a valid handle; coordinates and ids are readable and unchanged during the
/// call; `n_after` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_migration_plan_f64(
    search: *mut neargrid_mpi_search,
    dim: i32,
    n: i64,
    x: *const f64,
    y: *const f64,
    z: *const f64,
    stride: i64,
    ids: *const i64,
    n_after: *mut i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { plan(search, dim, n, [x, y, z], stride, ids, n_after) }
}

/// As neargrid_mpi_migration_plan_f64, in real32.
///
/// # Safety
/// As for neargrid_mpi_migration_plan_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_migration_plan_f32(
    search: *mut neargrid_mpi_search,
    dim: i32,
    n: i64,
    x: *const f32,
    y: *const f32,
    z: *const f32,
    stride: i64,
    ids: *const i64,
    n_after: *mut i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { plan(search, dim, n, [x, y, z], stride, ids, n_after) }
}

/// Moves a field of the points to where the plan of neargrid_mpi_migration_plan_f64 has them go: coordinates, global ids, whatever
/// belongs to them, a call each, or one for structures of it all. Collective. One message to each rank that gets points of this
/// one. The plan stays, for any number of fields.
///
/// `element_bytes`: what a point has of the field, such as 24 for three real64; the same on all ranks. `before`: an element for
/// each point that the migration was planned for, in their order. `after`: receives one for each point that this rank will have
/// (n_after), in their new order. They may be NULL where there are none.
/// Status: OK, NULL_POINTER, BAD_COUNT (element_bytes), BAD_STATE (no plan, or a halo exchange is under way), OUT_OF_MEMORY,
/// COMMUNICATION, DISAGREEMENT. On failure `after` is untouched.
///
/// # Safety
/// `search` is NULL or a valid handle; `before` is NULL or readable and `after` NULL or writable for
/// that many elements; they do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_migrate(
    search: *mut neargrid_mpi_search,
    element_bytes: i64,
    before: *const c_void,
    after: *mut c_void,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        let [n, n_after] = search.migration_counts();
        let lens = each(element_bytes, "element_bytes", n)
            .and_then(|(bytes, len)| Ok((bytes, len, each(element_bytes, "element_bytes", n_after)?.1)));
        let asked = lens.and_then(|(bytes, of_before, of_after)| {
            // SAFETY: the caller's promise.
            Ok(unsafe {
                (
                    bytes,
                    slice(before.cast(), of_before, "before")?,
                    array(after.cast(), of_after, "after")?,
                )
            })
        });
        search.migrate(asked)
    })
}
