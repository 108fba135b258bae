//! Global ids: numbers of the caller's that ties and order follow.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::points::check_len;

/// Sets a global id per point, any int64 values, each once: ties and order then follow the ids, not the points' numbers, so that
/// the same points held in another order, or by another process, give the same pairs in the same order. What is delivered
/// stays the points' numbers in the index base. Of a pair, `pair_i` is the point of the smaller id, or of an active point and
/// a ghost the active one; pairs ascend by the id of `pair_i`, then of `pair_j`. Row i of neighbors and queries remains that
/// of point or query i; its ids ascend by their points' global ids. A half row lists the points whose id is larger than its
/// own, that of an active point all its ghosts too (unless neargrid_search_set_ghost_pairs says otherwise).
/// The ids are copied, and stay when points are set anew. No ids (n = 0) undo them.
///
/// `n`: number of points; another number than that of the points set is refused by the query. `ids`: n ids; not read where n
/// is 0.
/// Status: OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (two points have one id), OUT_OF_MEMORY. On failure nothing changes.
///
/// # Safety
/// `search` is NULL or a valid handle; `ids` is NULL or readable for `n` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_ids(
    search: *mut neargrid_search,
    n: i64,
    ids: *const i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, ids) = unsafe { (handle::enter(search)?, checks::slice(ids, check_len("n", n)?, "ids")?) };
        search.set_ids(ids)
    })
}
