//! Migration: points and their fields redistributed over the ranks.

use std::ffi::c_void;

use super::checks::{array, disjoint, enter, given, neargrid_mpi_search, out, slice, span};
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

/// Plans a migration of points that gives each rank the same number of points, or one more, close to each other in space. The
/// points of all ranks are ordered along a Hilbert curve through a cube around them, and the curve is cut into equal parts.
/// Points at the same place on the curve are ordered by global id. So with ids, the result does not depend on the present
/// distribution of the points; without ids it does. The call moves nothing and does not change the points of the search
/// (neargrid_mpi_search_set_points_f64). Collective.
///
/// - `dim`, `n`, `x`, `y`, `z`, `stride`: the points of this rank, as for neargrid_mpi_search_set_points_f64. Along a
///   periodic axis of the box, wrapped coordinates are used.
/// - `ids`: `n` global ids, or NULL on all ranks.
/// - `n_after`: receives the number of points that this rank will have.
///
/// Returns OK, NULL_POINTER, BAD_DIM, BAD_COUNT, BAD_VALUE (`stride`), NON_FINITE (also a coordinate that cannot be wrapped),
/// BAD_DOMAIN, BAD_STATE (a halo exchange is in progress), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT. On failure an earlier
/// plan remains.
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

/// Moves a field of the points as planned by neargrid_mpi_migration_plan_f64: coordinates, global ids or anything else. Call
/// it once for each field, or once for an array of structures. The plan remains and serves any number of fields. Each rank
/// sends one message to each rank that receives some of its points. Collective.
///
/// - `element_bytes`: size of the field of one point in bytes, for example 24 for three real64; the same on all ranks.
/// - `before`: one element for each point that the migration was planned for, in the same order. May be NULL if there are
///   none.
/// - `after`: receives one element for each point that this rank will have (`n_after`), in the new order. May be NULL if
///   there are none.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`element_bytes`), BAD_VALUE (arrays that overlap), BAD_STATE (no plan, or a halo
/// exchange is in progress), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT. On failure `after` is not changed.
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
            let (before, after) = (before.cast::<u8>(), after.cast::<u8>());
            disjoint(&[span(before, of_before, "before"), span(after, of_after, "after")])?;
            // SAFETY: the caller's promise, and apart.
            Ok(unsafe {
                (
                    bytes,
                    slice(before, of_before, "before")?,
                    array(after, of_after, "after")?,
                )
            })
        });
        search.migrate(asked)
    })
}
