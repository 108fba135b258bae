//! Queries: a second set of points whose neighbors among the points are searched.

use super::checks;
use super::handle::neargrid_search;
use super::points::with_points;
use super::status::neargrid_status;
use crate::error::Result;
use crate::search::Search;

/// The owners of the values in an array: one of NEARGRID_OF_*.
#[allow(non_camel_case_types)]
pub type neargrid_of = i32;

/// An array has values of the points.
pub const NEARGRID_OF_POINTS: neargrid_of = 0;
/// An array has values of the queries.
pub const NEARGRID_OF_QUERIES: neargrid_of = 1;

/// Whether values are those of queries.
pub(super) fn are_queries(of: i32) -> Result<bool> {
    let of_which = [
        (NEARGRID_OF_POINTS, "points", false),
        (NEARGRID_OF_QUERIES, "queries", true),
    ];
    checks::choice(of, "of", &of_which)
}

/// Sets queries, in real64: a second set of points whose neighbors among the points are searched. neargrid_neighbors_count,
/// neargrid_neighbors_copy, neargrid_neighbors_view and neargrid_chunks_begin search them with NEARGRID_NEIGHBORS_QUERIES,
/// and neargrid_knn_copy_f64 and neargrid_knn_view_f64 with NEARGRID_KNN_QUERIES. The handle keeps a copy, which takes as
/// much memory as the same number of points. Set the points first; setting points again, neargrid_search_add_points_f64 and
/// neargrid_search_update_f64 discard the queries, and then calls that need them return BAD_STATE until queries are set again.
/// Types and ghosts do not matter to queries: their rows list every point in reach.
///
/// - `dim`, `n`, `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64, with the dimension and precision of the
///   points. Points and queries together are at most 2^31 - 1. Queries may lie anywhere; in a periodic box the copy is
///   wrapped.
///
/// Returns the statuses of neargrid_search_set_points_f64, and also BAD_STATE (no points set), BAD_VALUE (the points set are
/// real32), DEVICE_LOST (a run has left the points on a GPU). On failure the handle keeps its previous queries, but after OUT_OF_MEMORY it
/// has none.
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
        let of = ("set_queries", Search::check_queries, Search::take_queries);
        with_points(search, dim, n, ([x, y, z], stride), of)
    }
}

/// As neargrid_search_set_queries_f64, in real32.
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
        let of = ("set_queries", Search::check_queries, Search::take_queries);
        with_points(search, dim, n, ([x, y, z], stride), of)
    }
}
