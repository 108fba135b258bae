//! Migration: points and their fields move to other ranks, so that each has as many, near each other in space.

use std::ffi::c_void;

use super::checks;
use super::ghosts::ALONE;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::points::points_asked;
use super::status::neargrid_status;
use crate::error::Result;
use crate::list::Out;
use crate::search::Precision;

/// # Safety
/// As for [`neargrid_migration_plan_f64`].
unsafe fn plan<T: Precision>(
    search: *mut neargrid_search,
    (dim, n): (i32, i64),
    (bases, stride): ([*const T; 3], i64),
    ids: *const i64,
    n_new: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut entered = unsafe { handle::enter(search)? };
        let (search, Some(ranks)) = entered.both() else {
            return Err(ALONE);
        };
        // SAFETY: the caller's promise.
        let asked = unsafe { points_asked(dim, n, bases, stride) }.and_then(|points| {
            // SAFETY: the caller's promise.
            let ids = (!ids.is_null()).then(|| unsafe { checks::slice(ids, points.len(), "ids") });
            // SAFETY: the caller's promise.
            Ok((points, ids.transpose()?, unsafe { checks::out(n_new, "n_new")? }))
        });
        let (asked, place) = match asked {
            Ok((points, ids, place)) => (Ok((points, ids)), Some(place)),
            Err(error) => (Err(error), None),
        };
        let after = ranks.plan_migration(search, asked)?;
        if let Some(place) = place {
            place.set(after as i64);
        }
        Ok(())
    })
}

/// Plans a migration of points in real64 that gives each rank as many points, or one more, near each other in space: they are ordered along
/// a Hilbert curve, and cut into equal parts (Skilling 2004, "Programming the Hilbert curve"). Points at the same place follow each other by id, so
/// that with ids the result does not depend on where points are now. The points of the
/// handle do not change; after neargrid_migration_move has moved all fields, set the new points. Collective.
///
/// - `dim`, `n`, `x`, `y`, `z`, `stride`: the points of this rank, as for neargrid_search_set_points_f64.
/// - `ids`: `n` global ids, which order points at the same place; or NULL on all ranks, where points are ordered rank by rank.
/// - `n_new`: receives the number of points that this rank will have.
///
/// Returns the statuses of neargrid_search_set_points_f64, and also BAD_STATE (a handle without ranks), BAD_COUNT (too many points for the
/// ranks), COMMUNICATION, DISAGREEMENT (other arguments on other ranks, or ids on some).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_migration_plan_f64(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    x: *const f64,
    y: *const f64,
    z: *const f64,
    stride: i64,
    ids: *const i64,
    n_new: *mut i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { plan(search, (dim, n), ([x, y, z], stride), ids, n_new) }
}

/// As neargrid_migration_plan_f64, for points in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_migration_plan_f32(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    x: *const f32,
    y: *const f32,
    z: *const f32,
    stride: i64,
    ids: *const i64,
    n_new: *mut i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { plan(search, (dim, n), ([x, y, z], stride), ids, n_new) }
}

/// Moves a field of the points that a migration was planned for to their new ranks. Collective.
///
/// - `bytes`: bytes of an element, the same on all ranks, greater than 0.
/// - `n_before`, `n_after`: number of points of this rank before and after.
/// - `before`: `n_before` elements. May be NULL if `n_before` is 0.
/// - `after`: receives `n_after` elements, in the order of the new points. May be NULL if `n_after` is 0.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`bytes`, `n_before`, `n_after`), BAD_VALUE (the arrays overlap), BAD_STATE (a handle without ranks, or
/// no migration planned), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_migration_move(
    search: *mut neargrid_search,
    bytes: i64,
    n_before: i64,
    before: *const c_void,
    n_after: i64,
    after: *mut c_void,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut entered = unsafe { handle::enter(search)? };
        let (_, Some(ranks)) = entered.both() else {
            return Err(ALONE);
        };
        let asked = || -> Result<(usize, &[u8], Out<u8>)> {
            let each = checks::count_of::<u8>(bytes, "bytes", 1)?;
            let [own, others] = [
                checks::count_of::<u8>(n_before, "n_before", each.max(1))? * each,
                checks::count_of::<u8>(n_after, "n_after", each.max(1))? * each,
            ];
            checks::disjoint(&[
                checks::written(before.cast_mut().cast::<u8>(), own, "before"),
                checks::written(after.cast::<u8>(), others, "after"),
            ])?;
            // SAFETY: the caller's promise.
            unsafe {
                Ok((
                    each,
                    checks::slice(before.cast::<u8>(), own, "before")?,
                    checks::array(after.cast::<u8>(), others, "after")?,
                ))
            }
        };
        ranks.migrate(asked())
    })
}
