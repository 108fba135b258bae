//! All pairs within the cutoff, each once.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::error::{Error, Result};

/// Counts the pairs without making a list: more than 2^31 of them are fine.
///
/// `npairs`: receives the number of pairs.
/// Status: OK, NULL_POINTER, BAD_STATE (no points or no cutoff set), BAD_CUTOFF, BAD_ENVIRONMENT (a wrong
/// NEARGRID_DEVICE), OUT_OF_MEMORY, NO_DEVICE, DEVICE_LOST, THREADS.
///
/// # Safety
/// `search` is NULL or a valid handle used by no other thread; `npairs` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_count(search: *mut neargrid_search, npairs: *mut i64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, npairs) = unsafe { (handle::borrow_mut(search)?, checks::out(npairs, "npairs")?) };
        *npairs = search.count_pairs()?;
        Ok(())
    })
}

/// Writes all pairs into the caller's arrays, ordered by (i, j), i < j, in the handle's index base.
///
/// `capacity`: elements that each array has. `npairs`: receives the number of pairs. `pair_i`, `pair_j`: filled up to
/// npairs; elements beyond are not touched; may be NULL where capacity is 0.
/// Status: as neargrid_pairs_count, and BAD_COUNT, CAPACITY: then npairs is the need and the arrays are untouched;
/// calling again with larger arrays only fills them and does not search again.
///
/// # Safety
/// `search` is NULL or a valid handle used by no other thread; `npairs` is NULL or writable; the arrays are NULL or
/// writable for `capacity` elements and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_copy(
    search: *mut neargrid_search,
    capacity: i64,
    npairs: *mut i64,
    pair_i: *mut i32,
    pair_j: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, npairs, left, right) = unsafe {
            (
                handle::borrow_mut(search)?,
                checks::out(npairs, "npairs")?,
                checks::rows(pair_i, "pair_i", capacity, "capacity")?,
                checks::rows(pair_j, "pair_j", capacity, "capacity")?,
            )
        };
        *npairs = report_need(search.pairs_into_rows("capacity", left, right), npairs)? as i64;
        Ok(())
    })
}

/// Gives all pairs in memory of the library, ordered and based as by neargrid_pairs_copy.
///
/// `npairs`: receives the number of pairs. `pair_i`, `pair_j`: receive arrays of npairs elements, which belong to the
/// handle and are valid until the next call on it that is not a question (info, counter, timing).
/// Status: as neargrid_pairs_count.
///
/// # Safety
/// `search` is NULL or a valid handle used by no other thread; the other pointers are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_view(
    search: *mut neargrid_search,
    npairs: *mut i64,
    pair_i: *mut *const i32,
    pair_j: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, npairs, pair_i, pair_j) = unsafe {
            (
                handle::borrow_mut(search)?,
                checks::out(npairs, "npairs")?,
                checks::out(pair_i, "pair_i")?,
                checks::out(pair_j, "pair_j")?,
            )
        };
        let pairs = search.pairs()?;
        (*pair_i, *pair_j) = (pairs.left.as_ptr(), pairs.right.as_ptr());
        *npairs = pairs.left.len() as i64;
        Ok(())
    })
}

/// The one output a failure sets: the need, where the arrays were too small.
pub fn report_need<R, N: TryFrom<i64>>(result: Result<R>, out: &mut N) -> Result<R> {
    if let Err(Error::Capacity { need, .. }) = result
        && let Ok(need) = N::try_from(need)
    {
        *out = need;
    }
    result
}
