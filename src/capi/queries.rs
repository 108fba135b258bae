//! Queries: a second set of points, whose neighbors among the points are sought.

use super::handle::neargrid_search;
use super::points::with_points;
use super::status::neargrid_status;

/// Gives a handle queries, in real64: a second set of points whose neighbors among the points are sought. They are copied,
/// and take memory as points do. neargrid_neighbors_* with NEARGRID_NEIGHBORS_QUERIES, neargrid_chunks_begin and neargrid_knn_* answer
/// them. The points must be set before, in the same dim and precision; setting points anew, or
/// neargrid_search_update, forgets the queries. Types and active points say nothing about queries: every point counts for them.
///
/// `dim`, `n`, `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64; points and queries together are at most
/// 2^31 - 1. Queries may lie anywhere; in a periodic box their copies are wrapped.
/// Status: as neargrid_search_set_points_f64, and BAD_STATE (no points set), BAD_VALUE (the points are in real32). On failure
/// the handle keeps the queries it had, except that OUT_OF_MEMORY leaves none.
///
/// # Safety
/// `search` is NULL or a valid handle; the coordinates are readable and unchanged during the
/// call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_queries_f64(
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
            search.set_queries(&view)
        })
    }
}

/// As neargrid_search_set_queries_f64, in real32.
///
/// # Safety
/// As for neargrid_search_set_queries_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_queries_f32(
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
            search.set_queries(&view)
        })
    }
}
