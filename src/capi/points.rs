//! Points into a handle.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::error::Result;
use crate::points::{PointsView, Real};
use crate::search::Search;

/// Gives a handle the points to search among, in real64. They are copied: the arrays are free again at return and are
/// never changed. Setting points again, also more or fewer or of another dim or precision, reuses memory.
///
/// `dim`: 1, 2 or 3. `n`: 0 to 2^31 - 1. `x`, `y`, `z`: the first point's coordinates; y is not read for dim 1, z not
/// below dim 3; may be NULL where n is 0. `stride`: bytes (not elements) from one point to the next, negative where points stand
/// backwards, the size of a coordinate or more either way, alignment not needed: `pos[n][3]` and Fortran's `pos(3, n)` have
/// y = x + 1, z = x + 2, stride 24; separate arrays have stride 8; arrays of structures their size. Axes may be one array, but
/// may not overlap in part.
/// Queries set before are forgotten; types and the number of active points stay.
/// Status: OK, NULL_POINTER, BAD_DIM (with a periodic box also another dim than the box's), BAD_COUNT (n), BAD_VALUE (stride),
/// NON_FINITE (with a periodic box also a coordinate that cannot be wrapped), BAD_DOMAIN, OUT_OF_MEMORY. On failure the handle
/// keeps the points it had, except that OUT_OF_MEMORY leaves none.
///
/// # Safety
/// `search` is NULL or a valid handle; the coordinates are readable and unchanged during the
/// call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_points_f64(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    x: *const f64,
    y: *const f64,
    z: *const f64,
    stride: i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        with_points(search, dim, n, [x, y, z], stride, |search, view| {
            search.set_points(&view)
        })
    }
}

/// As neargrid_search_set_points_f64, in real32.
///
/// # Safety
/// As for neargrid_search_set_points_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_points_f32(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    x: *const f32,
    y: *const f32,
    z: *const f32,
    stride: i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        with_points(search, dim, n, [x, y, z], stride, |search, view| {
            search.set_points(&view)
        })
    }
}

/// Gives a handle more points, in real64, behind those that it has: ghosts, say, that come later than a program's own points. A GPU
/// that searched the points before has these already, and gets those behind them. Queries set before are forgotten; all else
/// stays.
///
/// `dim`, `n`, `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64, of the dim and precision of the points that are
/// there; all together are at most 2^31 - 1. Their numbers follow on those of the others.
/// Status: as neargrid_search_set_points_f64, and BAD_STATE (no points set), BAD_VALUE (the points set are real32). On failure
/// the handle keeps the points it had.
///
/// # Safety
/// `search` is NULL or a valid handle; the coordinates are readable and unchanged during the
/// call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_add_points_f64(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    x: *const f64,
    y: *const f64,
    z: *const f64,
    stride: i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        with_points(search, dim, n, [x, y, z], stride, |search, view| {
            search.add_points(&view)
        })
    }
}

/// As neargrid_search_add_points_f64, in real32.
///
/// # Safety
/// As for neargrid_search_add_points_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_add_points_f32(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    x: *const f32,
    y: *const f32,
    z: *const f32,
    stride: i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        with_points(search, dim, n, [x, y, z], stride, |search, view| {
            search.add_points(&view)
        })
    }
}

/// The body of a function that takes points: checked handle and points, then `take`.
///
/// # Safety
/// As for [`neargrid_search_set_points_f64`].
pub(super) unsafe fn with_points<'a, T: Real>(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    [x, y, z]: [*const T; 3],
    stride: i64,
    take: impl FnOnce(&mut Search, PointsView<'a, T>) -> Result<()>,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let mut search = handle::enter(search)?;
            let bases = [(x, "x"), (y, "y"), (z, "z")];
            take(&mut search, checks::points(dim.into(), n, "n", bases, stride)?)
        }
    })
}
