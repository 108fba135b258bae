//! Setting and appending points.

use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use super::strides;
use crate::error::Result;
use crate::points::{PointsView, Real};
use crate::search::Search;

/// Sets the points to search, in real64. The handle keeps a copy, so the arrays may be changed or freed after the call.
/// Points may be set again at any time, with another number, dimension or precision; the handle reuses its memory.
///
/// - `dim`: 1, 2 or 3.
/// - `n`: number of points, 0 to 2^31 - 1.
/// - `x`, `y`, `z`: addresses of the coordinates of the first point. `y` is not read if `dim` is 1, and `z` only if `dim` is
///   3. They may be NULL if `n` is 0.
/// - `stride`: distance from one point to the next, in bytes (not elements). It may be negative, and its size must be at
///   least that of one coordinate. Coordinates need not be aligned. For `pos[n][3]` in C and `pos(3, n)` in Fortran, pass y =
///   x + 1, z = x + 2 and stride 24; for separate arrays, stride 8; for an array of structures, the size of the structure.
///   Two axes may be the same array. Otherwise no coordinate of one axis may overlap one of another: then the stride is wrong.
///
/// Setting points discards the queries. Types, global ids, radii and the number of active points stay set; the next query
/// checks that they match the number of points.
///
/// Returns OK, NULL_POINTER, BAD_DIM (also if `dim` is not that of a periodic box), BAD_COUNT (`n`), BAD_VALUE (`stride`),
/// NON_FINITE (also if a coordinate cannot be wrapped into a periodic box), BAD_DOMAIN, OUT_OF_MEMORY. On failure the handle
/// keeps its previous points, but after OUT_OF_MEMORY it has none.
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
        let of = ("set_points", Search::check_points, Search::take_checked);
        with_points(search, dim, n, ([x, y, z], stride), of)
    }
}

/// As neargrid_search_set_points_f64, in real32.
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
        let of = ("set_points", Search::check_points, Search::take_checked);
        with_points(search, dim, n, ([x, y, z], stride), of)
    }
}

/// Appends points, in real64, to those already set; for example ghosts that arrive later than the program's own points. A GPU
/// that has already searched the first points receives only the new ones. Queries are discarded; everything else stays set.
///
/// - `dim`, `n`, `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64, with the dimension and precision of the
///   points already set. The total is at most 2^31 - 1. The new points are numbered after the existing ones.
///
/// Returns the statuses of neargrid_search_set_points_f64, and also BAD_STATE (no points set), BAD_VALUE (the points set are
/// real32), DEVICE_LOST (a run has left the points on a GPU). On failure the handle keeps its points, except after DEVICE_LOST.
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
        let of = ("add_points", Search::check_added, Search::append_checked);
        with_points(search, dim, n, ([x, y, z], stride), of)
    }
}

/// As neargrid_search_add_points_f64, in real32.
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
        let of = ("add_points", Search::check_added, Search::append_checked);
        with_points(search, dim, n, ([x, y, z], stride), of)
    }
}

/// The body of a function that takes points: checked handle and points, then `take`.
///
/// # Safety
/// As for [`neargrid_search_set_points_f64`].
pub(super) unsafe fn with_points<'a, T: Real, C>(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    (bases, stride): ([*const T; 3], i64),
    (call, check, take): (
        &'static str,
        impl FnOnce(&Search, &PointsView<'a, T>) -> Result<C>,
        impl FnOnce(&mut Search, &PointsView<'a, T>, C) -> Result<()>,
    ),
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        let asked = |search: &mut Search| {
            // SAFETY: the caller's promise.
            let view = unsafe { points_asked(dim, n, bases, stride)? };
            let checked = check(search, &view)?;
            Ok((view, checked))
        };
        search.each(call, asked, |search, (view, checked)| take(search, &view, checked))
    })
}

/// The points that a call is given.
///
/// # Safety
/// As for [`neargrid_search_set_points_f64`].
pub(super) unsafe fn points_asked<'a, T: Real>(
    dim: i32,
    n: i64,
    [x, y, z]: [*const T; 3],
    stride: i64,
) -> Result<PointsView<'a, T>> {
    let bases = [(x, "x"), (y, "y"), (z, "z")];
    // SAFETY: the caller's promise.
    unsafe { strides::points(dim.into(), n, "n", bases, stride) }
}
