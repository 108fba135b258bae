//! The skin: lists kept while points move little.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::points::with_points;
use super::status::neargrid_status;
use crate::error::Result;
use crate::points::PointsView;
use crate::search::{Precision, Search};

/// Sets a skin, in the unit of the coordinates: finite and at least 0; 0 (default) is none. Queries for pairs and neighbors
/// then make a list of all within cutoff plus skin, which neargrid_search_update keeps as long as no point has moved by more
/// than half the skin, and answer from it. What they deliver is exact for the points of now, bit for bit that of a search
/// without a skin. Along a periodic axis the box must be at least two cutoffs and two skins long. Queries
/// (neargrid_search_set_queries_f64) are not answered from it.
/// Status: OK, NULL_POINTER, BAD_VALUE.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_skin(search: *mut neargrid_search, skin: f64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.set_skin(skin)
    })
}

/// Gives a handle the points of the next time step, in real64: as neargrid_search_set_points_f64, but the list made with the
/// skin is kept if no point has moved too far since it was made. A changed number, dim or precision of points, or a setting
/// that changed since, makes it anew; without a skin, or before the first query, this is neargrid_search_set_points_f64.
///
/// `dim`, `n`, `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64, the points in the same order as before.
/// `rebuilt`: receives 1 if the next query for pairs or neighbors must make the list anew, otherwise 0.
/// Status: as neargrid_search_set_points_f64.
///
/// # Safety
/// `search` is NULL or a valid handle; the coordinates are readable and unchanged during the
/// call; `rebuilt` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_update_f64(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    x: *const f64,
    y: *const f64,
    z: *const f64,
    stride: i64,
    rebuilt: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        with_points(search, dim, n, [x, y, z], stride, |search, view| {
            update(search, &view, rebuilt)
        })
    }
}

/// As neargrid_search_update_f64, in real32.
///
/// # Safety
/// As for neargrid_search_update_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_update_f32(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    x: *const f32,
    y: *const f32,
    z: *const f32,
    stride: i64,
    rebuilt: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        with_points(search, dim, n, [x, y, z], stride, |search, view| {
            update(search, &view, rebuilt)
        })
    }
}

/// # Safety
/// `rebuilt` is NULL or writable.
unsafe fn update<T: Precision>(search: &mut Search, view: &PointsView<T>, rebuilt: *mut i32) -> Result<()> {
    // SAFETY: the caller's promise.
    let rebuilt = unsafe { checks::out(rebuilt, "rebuilt")? };
    rebuilt.set(search.update(view)?.into());
    Ok(())
}

/// Tells how close the last neargrid_search_update came to a new list: twice the largest displacement since the list was made,
/// as a share of the skin.
///
/// `share`: receives it. Above 1 the update gave up the list; slightly below, too, where rounding might matter. 0 if there was
/// no list to compare with, and as soon as the points are set otherwise, or cutoff, skin, kinds, ids or radii change.
/// Status: OK, NULL_POINTER.
///
/// # Safety
/// `search` is NULL or a valid handle; `share` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_skin_used(search: *const neargrid_search, share: *mut f64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, share) = unsafe { (handle::enter(search)?, checks::out(share, "share")?) };
        share.set(search.skin_used());
        Ok(())
    })
}
