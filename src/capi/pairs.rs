//! All pairs within the cutoff, each once; distances and displacements of pairs.

use super::checks::{self, Place};
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::displacement::{PairList, Quantity};
use crate::error::{Error, Result};
use crate::search::Precision;

/// Counts the pairs without making a list: more than 2^31 of them are fine.
///
/// `npairs`: receives the number of pairs.
/// Status: OK, NULL_POINTER, BAD_STATE (no points or no cutoff set), BAD_CUTOFF, BAD_DOMAIN (a periodic axis shorter than two
/// cutoffs and two skins, or than twice the largest radius), BAD_COUNT (types, ids or radii set for another number of points, or
/// more active points than points), BAD_VALUE (radii in another precision, or by a rule that is not for pairs; a device that is
/// not there), BAD_ENVIRONMENT (a wrong NEARGRID_DEVICE or NEARGRID_GPU_MASK), NOT_SUPPORTED (backend gpu with radii and global
/// ids that do not ascend), MEMORY_LIMIT (8 bytes a row are more than it), OUT_OF_MEMORY, NO_DEVICE, DEVICE_LOST, THREADS.
///
/// # Safety
/// `search` is NULL or a valid handle; `npairs` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_count(search: *mut neargrid_search, npairs: *mut i64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, npairs) = unsafe { (handle::enter(search)?, checks::out(npairs, "npairs")?) };
        npairs.set(search.count_pairs()?);
        Ok(())
    })
}

/// Writes all pairs into the caller's arrays, ordered by (i, j), i < j, in the handle's index base; where points
/// have global ids, those decide (neargrid_search_set_ids).
///
/// `capacity`: elements that each array has. `npairs`: receives the number of pairs. `pair_i`, `pair_j`: filled up to
/// npairs; elements beyond are not touched; may be NULL where capacity is 0.
/// Status: as neargrid_pairs_count, and BAD_COUNT (capacity), CAPACITY: then npairs is the need and the arrays are untouched;
/// calling again with larger arrays only fills them and does not search again.
///
/// # Safety
/// `search` is NULL or a valid handle; `npairs` is NULL or writable; the arrays are NULL or
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
        let (mut search, npairs, left, right) = unsafe {
            (
                handle::enter(search)?,
                checks::out(npairs, "npairs")?,
                checks::rows(pair_i, "pair_i", capacity, "capacity")?,
                checks::rows(pair_j, "pair_j", capacity, "capacity")?,
            )
        };
        npairs.set(report_need(search.pairs_into_rows("capacity", left, right), &npairs)? as i64);
        Ok(())
    })
}

/// Gives all pairs in memory of the library, ordered and based as by neargrid_pairs_copy.
///
/// `npairs`: receives the number of pairs. `pair_i`, `pair_j`: receive arrays of npairs elements, which belong to the
/// handle and are valid until the next call on it that is not a question (info, counter, timing, distances,
/// displacements, order).
/// Status: as neargrid_pairs_count; MEMORY_LIMIT also where the list itself takes more.
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_view(
    search: *mut neargrid_search,
    npairs: *mut i64,
    pair_i: *mut *const i32,
    pair_j: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, npairs, pair_i, pair_j) = unsafe {
            (
                handle::enter(search)?,
                checks::out(npairs, "npairs")?,
                checks::out(pair_i, "pair_i")?,
                checks::out(pair_j, "pair_j")?,
            )
        };
        let pairs = search.pairs()?;
        pair_i.set(pairs.left.as_ptr());
        pair_j.set(pairs.right.as_ptr());
        npairs.set(pairs.left.len() as i64);
        Ok(())
    })
}

/// Writes the distance of each pair the caller holds, in real64: `distances[k]` is the correctly rounded root of
/// dx*dx + dy*dy + dz*dz for `pair_i[k]` and `pair_j[k]`, with dx as by neargrid_pairs_displacements_f64, summed left to right,
/// every operation rounded, no fused multiply-add; infinite where that sum overflows. Needs no cutoff and searches
/// nothing: any pairs will do, in any order. Views stay valid, and may be given as pair_i and pair_j.
///
/// `npairs`: elements that each array has. `pair_i`, `pair_j`: numbers of points, in the handle's index base. All may be NULL
/// where npairs is 0.
/// Status: OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (the points set are real32, or an id is no point's: the text names the
/// first), BAD_STATE (no points set), OUT_OF_MEMORY, THREADS. On failure nothing is written.
///
/// # Safety
/// `search` is NULL or a valid handle; the arrays are NULL or readable, `distances` writable, for
/// `npairs` elements, and `distances` does not overlap the others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_distances_f64(
    search: *const neargrid_search,
    npairs: i64,
    pair_i: *const i32,
    pair_j: *const i32,
    distances: *mut f64,
) -> neargrid_status {
    let out = (distances, "distances");
    // SAFETY: the caller's promise.
    unsafe { of_pairs(search, Quantity::Distance, npairs, [pair_i, pair_j], out) }
}

/// As neargrid_pairs_distances_f64, for points in real32.
///
/// # Safety
/// As for neargrid_pairs_distances_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_distances_f32(
    search: *const neargrid_search,
    npairs: i64,
    pair_i: *const i32,
    pair_j: *const i32,
    distances: *mut f32,
) -> neargrid_status {
    let out = (distances, "distances");
    // SAFETY: the caller's promise.
    unsafe { of_pairs(search, Quantity::Distance, npairs, [pair_i, pair_j], out) }
}

/// Writes the displacement of each pair the caller holds, in real64: `displacements[k][axis]` is the coordinate of
/// `pair_i[k]` minus that of `pair_j[k]`. Along a periodic axis it is that of the wrapped coordinates to the nearest image: a
/// difference above half a length less the length, one below minus half a length plus the length.
///
/// `displacements`: npairs times dim elements, dim that of the points set. All else as for neargrid_pairs_distances_f64.
///
/// # Safety
/// As for neargrid_pairs_distances_f64, with `displacements` writable for `npairs` times dim elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_displacements_f64(
    search: *const neargrid_search,
    npairs: i64,
    pair_i: *const i32,
    pair_j: *const i32,
    displacements: *mut f64,
) -> neargrid_status {
    let out = (displacements, "displacements");
    // SAFETY: the caller's promise.
    unsafe { of_pairs(search, Quantity::Displacement, npairs, [pair_i, pair_j], out) }
}

/// As neargrid_pairs_displacements_f64, for points in real32.
///
/// # Safety
/// As for neargrid_pairs_displacements_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_displacements_f32(
    search: *const neargrid_search,
    npairs: i64,
    pair_i: *const i32,
    pair_j: *const i32,
    displacements: *mut f32,
) -> neargrid_status {
    let out = (displacements, "displacements");
    // SAFETY: the caller's promise.
    unsafe { of_pairs(search, Quantity::Displacement, npairs, [pair_i, pair_j], out) }
}

/// # Safety
/// As for [`neargrid_pairs_distances_f64`], with room for `quantity` of each pair.
unsafe fn of_pairs<T: Precision>(
    search: *const neargrid_search,
    quantity: Quantity,
    npairs: i64,
    [pair_i, pair_j]: [*const i32; 2],
    (out, argument): (*mut T, &'static str),
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let search = unsafe { handle::enter(search)? };
        let width = search.width::<T>(quantity)?;
        let len = checks::count_of::<T>(npairs, "npairs", width)?;
        // SAFETY: the caller's promise.
        let (pairs, out) = unsafe {
            let columns = [
                checks::slice(pair_i, len, "pair_i")?,
                checks::slice(pair_j, len, "pair_j")?,
            ];
            (PairList::Columns(columns), checks::array(out, len * width, argument)?)
        };
        search.write_quantity(argument, quantity, pairs, out)
    })
}

/// The one output a failure sets: the need, where the arrays were too small.
pub fn report_need<R, N: TryFrom<i64>>(result: Result<R>, out: &Place<N>) -> Result<R> {
    if let Err(Error::Capacity { need, .. }) = result
        && let Ok(need) = N::try_from(need)
    {
        out.set(need);
    }
    result
}
