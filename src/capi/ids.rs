//! Global ids: numbers of the caller that decide order and ties.

use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use super::strides;
use crate::arguments::check_count;

/// Sets a global id for each point. Results then follow the ids instead of the point numbers: the same points in another
/// order, or in another process, give the same pairs in the same order. Results still contain point numbers in the index
/// base. The handle keeps a copy of the ids, which remains when points are set again.
///
/// - `n`: number of points, checked by the query, or 0 to remove the ids.
/// - `ids`: `n` int64 values. No two active points have the same; ghosts and absent points may have an id of another point, as
///   images of it do, if neargrid_search_set_active or neargrid_search_set_roles has said before that they are such. May be
///   NULL if `n` is 0.
/// - `stride`: distance from one id to the next in bytes, as for neargrid_search_set_points_f64.
///
/// With ids, `pair_i` is the point with the smaller id, or the active point of an active point and a ghost. Pairs are ordered
/// by the id of `pair_i`, then by that of `pair_j`. Row i is still the row of point or query i; its entries are ordered by
/// their ids. A half row lists the points with a larger id than its own point, and all ghosts in reach of an active point,
/// unless neargrid_search_set_ghost_pairs says otherwise. Points with the same id are ordered by their numbers.
///
/// Returns OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (`stride`, or two active points have the same id), OUT_OF_MEMORY. On failure the previous ids
/// remain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_ids(
    search: *mut neargrid_search,
    n: i64,
    ids: *const i64,
    stride: i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, ids) = unsafe {
            let n = check_count("n", n)?;
            (
                handle::enter(search)?,
                strides::strided(ids, n, (stride, "stride"), "ids")?,
            )
        };
        match search.both() {
            (_, Some(ranks)) => ranks.set_ids(&ids),
            (search, None) => search.set_ids(&ids),
        }
    })
}
