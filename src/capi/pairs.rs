//! All pairs within the cutoff, each once; distances and displacements of pairs.

use super::checks::{self, Place};
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::displacement::{PairList, Quantity};
use crate::error::{Error, Result, Status};
use crate::fields::Of;
use crate::list::Out;
use crate::ranks::{Meeting, Need};
use crate::search::{NeighborsKind, Precision, Search};

/// Pairs need what half rows need.
const HALF: Need = Need::Rows(NeighborsKind::Half);

/// Counts the pairs without building a list. The count may exceed 2^31.
///
/// - `npairs`: receives the number of pairs.
///
/// Returns OK, NULL_POINTER, BAD_STATE (no points or no cutoff set), BAD_CUTOFF, BAD_DOMAIN (a periodic axis is shorter than
/// two cutoffs plus two skins, or than twice the largest radius), BAD_COUNT (types, ids or radii set for another number of
/// points, or more active points than points), BAD_VALUE (radii in another precision or with a rule not allowed for pairs; no
/// such device), BAD_ENVIRONMENT (invalid NEARGRID_DEVICE or NEARGRID_GPU_MASK), NOT_SUPPORTED (backend GPU with both radii
/// and global ids that do not ascend), MEMORY_LIMIT (8 bytes for each row exceed it), OUT_OF_MEMORY, NO_DEVICE, DEVICE_LOST,
/// THREADS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_count(search: *mut neargrid_search, npairs: *mut i64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let asked = |_: &mut Search| Ok((HALF, unsafe { checks::out(npairs, "npairs")? }));
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.together("pairs_count", asked, |search, npairs, meeting| {
            npairs.set(meeting.agree(search.count_pairs())?);
            Ok(())
        })
    })
}

/// Copies all pairs into the caller's arrays, in the index base of the handle, with i < j and ordered by (i, j). If points
/// have global ids, these decide the order instead (neargrid_search_set_ids).
///
/// - `capacity`: number of elements of each array.
/// - `npairs`: receives the number of pairs.
/// - `pair_i`, `pair_j`: receive the pairs; elements after the first `npairs` are not changed. May be NULL if `capacity` is
///   0.
///
/// Returns the statuses of neargrid_pairs_count, and also BAD_COUNT (`capacity`), BAD_VALUE (the results would overlap),
/// CAPACITY. After CAPACITY, `npairs` is the size needed and the arrays are unchanged; another call with larger arrays does not
/// repeat the search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_copy(
    search: *mut neargrid_search,
    capacity: i64,
    npairs: *mut i64,
    pair_i: *mut i32,
    pair_j: *mut i32,
) -> neargrid_status {
    guard(|| {
        let asked = |_: &mut Search| {
            // SAFETY: the caller's promise.
            let arrays = unsafe {
                (
                    checks::out(npairs, "npairs")?,
                    checks::rows(pair_i, "pair_i", capacity, "capacity")?,
                    checks::rows(pair_j, "pair_j", capacity, "capacity")?,
                )
            };
            Ok((HALF, arrays))
        };
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.together("pairs_copy", asked, |search, (npairs, left, right), meeting| {
            let apart = apart(npairs.address(), [pair_i, pair_j]);
            let check = |pairs| agree_to_write(meeting, apart(pairs), (&npairs, pairs));
            let filled = search.pairs_into_rows("capacity", left, right, &check);
            npairs.set(report_need(filled, &npairs)? as i64);
            Ok(())
        })
    })
}

/// Returns all pairs as a view, with the contents of neargrid_pairs_copy.
///
/// - `npairs`: receives the number of pairs.
/// - `pair_i`, `pair_j`: receive pointers to arrays of `npairs` elements, owned by the handle.
///
/// Returns the statuses of neargrid_pairs_count. MEMORY_LIMIT also applies to the list itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_view(
    search: *mut neargrid_search,
    npairs: *mut i64,
    pair_i: *mut *const i32,
    pair_j: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        let asked = |_: &mut Search| {
            // SAFETY: the caller's promise.
            let outs = unsafe {
                (
                    checks::out(npairs, "npairs")?,
                    checks::out(pair_i, "pair_i")?,
                    checks::out(pair_j, "pair_j")?,
                )
            };
            Ok((HALF, outs))
        };
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.together("pairs_view", asked, |search, (npairs, pair_i, pair_j), meeting| {
            let pairs = meeting.agree(search.pairs())?;
            pair_i.set(pairs.left.as_ptr());
            pair_j.set(pairs.right.as_ptr());
            npairs.set(pairs.left.len() as i64);
            Ok(())
        })
    })
}

/// Computes distances and displacements of pairs that the caller holds, in real64. No search is made and no cutoff is needed: the
/// pairs may be any, in any order, including the arrays of a view.
///
/// - `npairs`: number of elements of each array.
/// - `pair_i`, `pair_j`: point numbers in the index base of the handle.
/// - `distances`: receives `npairs` distances, or NULL if they are not needed.
/// - `displacements`: receives `npairs` times dim numbers, where dim is that of the points set, or NULL if they are not needed.
///
/// The displacement `displacements[k][axis]` is the coordinate of `pair_i[k]` minus that of `pair_j[k]`. Along a periodic axis it
/// uses the wrapped coordinates and the nearest image: if the difference is above half the length, the length is subtracted; if
/// it is below minus half the length, the length is added. A distance is the correctly rounded square root of dx*dx + dy*dy +
/// dz*dz, summed from left to right, with each operation rounded and no fused multiply-add; dx is the displacement. It is
/// infinite if the sum overflows. All arrays may be NULL if `npairs` is 0.
///
/// Returns OK, NULL_POINTER (also if both results are NULL), BAD_COUNT, BAD_VALUE (the points set are real32, arrays that
/// overlap, or an id is not a point number: the text names the first one), BAD_STATE (no points set), OUT_OF_MEMORY, THREADS,
/// DEVICE_LOST (a run has left the points on a GPU). On failure nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_distances_f64(
    search: *const neargrid_search,
    npairs: i64,
    pair_i: *const i32,
    pair_j: *const i32,
    distances: *mut f64,
    displacements: *mut f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { of_pairs(search, npairs, [pair_i, pair_j], [distances, displacements]) }
}

/// As neargrid_pairs_distances_f64, for points in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pairs_distances_f32(
    search: *const neargrid_search,
    npairs: i64,
    pair_i: *const i32,
    pair_j: *const i32,
    distances: *mut f32,
    displacements: *mut f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { of_pairs(search, npairs, [pair_i, pair_j], [distances, displacements]) }
}

/// # Safety
/// As for [`neargrid_pairs_distances_f64`].
unsafe fn of_pairs<T: Precision>(
    search: *const neargrid_search,
    npairs: i64,
    [pair_i, pair_j]: [*const i32; 2],
    results: [*mut T; 2],
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        let dim = search.width::<T>(Quantity::Displacement)?;
        let len = checks::count_of::<T>(npairs, "npairs", dim)?;
        // SAFETY: the caller's promise.
        let (pairs, results) = unsafe {
            let columns = [
                checks::slice(pair_i, len, "pair_i")?,
                checks::slice(pair_j, len, "pair_j")?,
            ];
            (PairList::Columns(columns), between(results, len, dim)?)
        };
        search.write_between(Of::Points, pairs, results)
    })
}

/// The places of distances and displacements of `len` pairs, each where it is wanted.
///
/// # Safety
/// Each pointer is NULL or writable for `len` elements, the second for `len` * `dim`, during the call.
pub(super) unsafe fn between<'a, T: Precision>(
    [distances, displacements]: [*mut T; 2],
    len: usize,
    dim: usize,
) -> Result<[Option<Out<'a, T>>; 2]> {
    if len > 0 && distances.is_null() && displacements.is_null() {
        return Err(Error::NullPointer {
            argument: "distances",
            expected: "an array for the result, unless displacements is one",
        });
    }
    checks::disjoint(&[
        checks::written(distances, len, "distances"),
        checks::written(displacements, len * dim, "displacements"),
    ])?;
    // SAFETY: the caller's promise.
    unsafe {
        let distances = (!distances.is_null()).then(|| checks::array(distances, len, "distances"));
        let displacements =
            (!displacements.is_null()).then(|| checks::array(displacements, len * dim, "displacements"));
        Ok([distances.transpose()?, displacements.transpose()?])
    }
}

/// Refuses columns that overlap, or the number of pairs, where that many pairs would be written to them.
pub(super) fn apart<N>(npairs: *const N, [pair_i, pair_j]: [*mut i32; 2]) -> impl Fn(usize) -> Result<()> {
    let number = checks::written(npairs, 1, "npairs");
    move |pairs| {
        let columns = [(pair_i, "pair_i"), (pair_j, "pair_j")];
        let [left, right] = columns.map(|(column, argument)| checks::written(column, pairs, argument));
        checks::disjoint(&[number.clone(), left, right])
    }
}

/// The last agreement before arrays are written: on all ranks they are large enough and `apart`. Otherwise `need` is the one output that
/// is set, so that each rank knows its own.
pub fn agree_to_write<R, N: TryFrom<i64>>(
    meeting: &Meeting,
    apart: Result<R>,
    (out, need): (&Place<N>, usize),
) -> Result<R> {
    let agreed = meeting.agree(apart);
    let is_capacity = |error: &Error| error.status() == Status::Capacity;
    if let (true, Ok(need)) = (agreed.as_ref().is_err_and(is_capacity), N::try_from(need as i64)) {
        out.set(need);
    }
    agreed
}

/// The same for a call whose ranks agree on its arguments alone: `need` is that of this rank, as far as it is known.
///
/// # Safety
/// `out` is NULL or writable.
pub unsafe fn tell_need<R>(result: Result<R>, out: *mut i64, need: Option<usize>) -> Result<R> {
    if let (Err(error), Some(need)) = (&result, need)
        && error.status() == Status::Capacity
    {
        // SAFETY: the caller's promise.
        unsafe { checks::out(out, "n")? }.set(need as i64);
    }
    result
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
