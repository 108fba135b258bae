//! Queries: a second set of points whose neighbors among the points are searched.

use super::handle::neargrid_search;
use super::neighbors::{copy_rows, count_rows, view_rows};
use super::points::with_points;
use super::status::neargrid_status;
use crate::search::NeighborsKind;

/// Sets queries, in real64: a second set of points whose neighbors among the points are searched. neargrid_neighbors_count,
/// neargrid_neighbors_copy and neargrid_neighbors_view return them for the kind NEARGRID_NEIGHBORS_QUERIES. The handle keeps
/// a copy, which takes as much memory as the same number of points. Set the points first; setting points again,
/// neargrid_search_add_points_f64 and neargrid_search_update_f64 discard the queries. Types and ghosts do not matter to
/// queries: their rows list every point in reach.
///
/// - `dim`, `n`, `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64, with the dimension and precision of the
///   points. Points and queries together are at most 2^31 - 1. Queries may lie anywhere; in a periodic box the copy is
///   wrapped.
///
/// Returns the statuses of neargrid_search_set_points_f64, and also BAD_STATE (no points set), BAD_VALUE (the points set are
/// real32). On failure the handle keeps its previous queries, but after OUT_OF_MEMORY it has none.
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

/// Counts the ids in the rows of all queries without making a list; 0 where no queries are set.
///
/// `total`: receives the number of ids.
/// Status: as neargrid_pairs_count, but every rule of radii is allowed; BAD_STATE also where queries need radii and have none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_queries_count(search: *mut neargrid_search, total: *mut i64) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { count_rows(search, Ok(NeighborsKind::Queries), total) }
}

/// Writes the rows of all queries into the caller's arrays: row q lists every point within the cutoff of query q, one that
/// coincides with it too. In index base b, that is `ids[offsets[q] - b]` to `ids[offsets[q + 1] - 1 - b]`, ascending,
/// or by global ids (neargrid_search_set_ids); ids are those of points.
///
/// `capacity`: elements that ids has. `total`: receives the number of ids. `offsets`: n + 1 elements, n the number of
/// queries set. `ids`: filled up to total; elements beyond are not touched; may be NULL where capacity is 0.
/// Status: as neargrid_queries_count, and BAD_COUNT (capacity), CAPACITY: then total is the need and both arrays are untouched;
/// calling again with a larger array only fills it and does not search again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_queries_copy(
    search: *mut neargrid_search,
    capacity: i64,
    total: *mut i64,
    offsets: *mut i64,
    ids: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy_rows(search, Ok(NeighborsKind::Queries), (capacity, total), (offsets, ids)) }
}

/// Gives the rows of all queries in memory of the library, laid out as by neargrid_queries_copy.
///
/// `n`: receives the number of queries. `total`: the number of ids. `offsets`, `ids`: receive arrays of n + 1 and total
/// elements, which belong to the handle and are valid until the next call on it that is not a question (info, counter,
/// timing, distances, displacements, order).
/// Status: as neargrid_queries_count; MEMORY_LIMIT also where the list itself takes more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_queries_view(
    search: *mut neargrid_search,
    n: *mut i64,
    total: *mut i64,
    offsets: *mut *const i64,
    ids: *mut *const i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { view_rows(search, Ok(NeighborsKind::Queries), (n, total), (offsets, ids)) }
}
