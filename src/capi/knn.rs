//! The k nearest neighbors of each point or query, rows of one length.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::cpu::knn::Into;
use crate::error::{Error, Result, Status};
use crate::search::{KnnKind, Measure, Precision};

/// The nearest of each active point among all others.
pub const NEARGRID_KNN_OTHERS: i32 = 0;
/// The nearest of each active point among all points, itself included.
pub const NEARGRID_KNN_ALL: i32 = 1;
/// The nearest points of each query.
pub const NEARGRID_KNN_QUERIES: i32 = 2;
/// Distances.
pub const NEARGRID_KNN_DISTANCE: i32 = 0;
/// Distances squared.
pub const NEARGRID_KNN_SQUARE: i32 = 1;
/// The largest k.
pub const NEARGRID_KNN_MAX: i32 = 1024;

fn asked(kind: i32, measure: i32) -> Result<(KnnKind, Measure)> {
    let kinds = [
        (NEARGRID_KNN_OTHERS, "others", KnnKind::Others),
        (NEARGRID_KNN_ALL, "all", KnnKind::All),
        (NEARGRID_KNN_QUERIES, "queries", KnnKind::Queries),
    ];
    let measures = [
        (NEARGRID_KNN_DISTANCE, "distance", Measure::Distance),
        (NEARGRID_KNN_SQUARE, "square", Measure::Square),
    ];
    let kind = checks::choice(kind, "kind", &kinds)?;
    Ok((kind, checks::choice(measure, "measure", &measures)?))
}

/// Tells how many rows there are of a kind: as many as active points (all, where their number was not set), or queries.
///
/// `kind`: NEARGRID_KNN_OTHERS, NEARGRID_KNN_ALL or NEARGRID_KNN_QUERIES. `n`: receives the number of rows.
/// Status: OK, NULL_POINTER, BAD_VALUE, BAD_STATE (no points set), BAD_COUNT (more active points than points).
///
/// # Safety
/// `search` is NULL or a valid handle; `n` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_knn_rows(search: *const neargrid_search, kind: i32, n: *mut i64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, n) = unsafe { (handle::enter(search)?, checks::out(n, "n")?) };
        n.set(search.knn_rows(asked(kind, NEARGRID_KNN_DISTANCE)?.0)? as i64);
        Ok(())
    })
}

/// Writes the k nearest points of each active point, or of each query, into the caller's arrays: row i is `ids[i * k]` to
/// `ids[i * k + k - 1]`, ordered by distance squared, and where those are equal by id, in the handle's index base. Distances
/// are those of neargrid_pairs_distances_f64, correctly rounded roots of dx*dx + dy*dy + dz*dz summed left to right with
/// every operation rounded; infinite where that sum overflows. Where there are less than k points, the missing ids are the
/// index base less one, and their distances infinite.
///
/// Needs no cutoff. Along a periodic axis, of any length, each point counts once, where it is nearest. Every point may be a
/// neighbor, a ghost too, whatever its type; ghosts have no row. A point that coincides with another is its neighbor.
/// The same rows on the CPU and on a GPU.
///
/// `kind`: NEARGRID_KNN_OTHERS, NEARGRID_KNN_ALL or NEARGRID_KNN_QUERIES. `k`: 1 to NEARGRID_KNN_MAX. `measure`:
/// NEARGRID_KNN_DISTANCE or NEARGRID_KNN_SQUARE. `n`: rows that the arrays have, as many as
/// neargrid_knn_rows tells. `ids`: n * k elements. `distances`: n * k elements, or NULL where they are not
/// wanted. `counts`: n elements, receives how many neighbors each row has, or NULL. All may be NULL where n is 0.
/// Status: OK, NULL_POINTER, BAD_COUNT (n, k, more active points than points, ids set for another number of points), BAD_VALUE
/// (kind, measure, a device that is not there, or the points set are real32), BAD_STATE (no points set), BAD_ENVIRONMENT (a wrong
/// NEARGRID_DEVICE or NEARGRID_GPU_MASK), NOT_SUPPORTED (with NEARGRID_BACKEND_GPU: global ids that do not ascend, or a cloud on
/// more scales than real32 has), OUT_OF_MEMORY, NO_DEVICE, DEVICE_LOST, THREADS.
///
/// # Safety
/// `search` is NULL or a valid handle; the arrays are NULL or writable for that many elements, and
/// do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_knn_copy_f64(
    search: *mut neargrid_search,
    kind: i32,
    k: i32,
    measure: i32,
    n: i64,
    ids: *mut i32,
    distances: *mut f64,
    counts: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy(search, (kind, k, measure), n, ids, distances, counts) }
}

/// As neargrid_knn_copy_f64, for points in real32.
///
/// # Safety
/// As for neargrid_knn_copy_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_knn_copy_f32(
    search: *mut neargrid_search,
    kind: i32,
    k: i32,
    measure: i32,
    n: i64,
    ids: *mut i32,
    distances: *mut f32,
    counts: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy(search, (kind, k, measure), n, ids, distances, counts) }
}

/// Gives the k nearest in memory of the library, laid out as by neargrid_knn_copy_f64.
///
/// `n`: receives the number of rows. `ids`, `distances`: receive arrays of n * k elements, `counts`: one of n, which belong to
/// the handle and are valid until the next call on it that is not a question (info, counter, timing, distances, displacements,
/// order). All else as for neargrid_knn_copy_f64; and MEMORY_LIMIT.
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_knn_view_f64(
    search: *mut neargrid_search,
    kind: i32,
    k: i32,
    measure: i32,
    n: *mut i64,
    ids: *mut *const i32,
    distances: *mut *const f64,
    counts: *mut *const i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { view(search, (kind, k, measure), n, ids, distances, counts) }
}

/// As neargrid_knn_view_f64, for points in real32.
///
/// # Safety
/// As for neargrid_knn_view_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_knn_view_f32(
    search: *mut neargrid_search,
    kind: i32,
    k: i32,
    measure: i32,
    n: *mut i64,
    ids: *mut *const i32,
    distances: *mut *const f32,
    counts: *mut *const i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { view(search, (kind, k, measure), n, ids, distances, counts) }
}

/// # Safety
/// As for [`neargrid_knn_copy_f64`].
unsafe fn copy<T: Precision>(
    search: *mut neargrid_search,
    (kind, k, measure): (i32, i32, i32),
    n: i64,
    ids: *mut i32,
    distances: *mut T,
    counts: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        let (kind, measure) = asked(kind, measure)?;
        let rows = search.check_knn::<T>(kind, k.into())?;
        if n != rows as i64 {
            let whose = match kind {
                KnnKind::Queries => "queries",
                _ => "active points",
            };
            let allowed = format_args!("{rows}, the number of {whose}");
            return Err(Error::not_allowed(Status::BadCount, "n", n, allowed));
        }
        let k = k as usize;
        let elements = checks::count_of::<T>(n, "n", k)? * k;
        // SAFETY: the caller's promise; the arrays have `elements`, counts has `n`.
        let (into, counts) = unsafe {
            let ids = checks::rows(ids, "ids", elements as i64, "n")?;
            let distances = (!distances.is_null()).then(|| checks::rows(distances, "distances", elements as i64, "n"));
            let counts = (!counts.is_null()).then(|| checks::array(counts, rows, "counts"));
            let distances = distances.transpose()?;
            (Into { ids, distances }, counts.transpose()?)
        };
        let found = search.knn_into_rows(kind, k, measure, into)?;
        if let Some(mut counts) = counts {
            (0..rows).for_each(|row| counts.write(row, found as i32));
        }
        Ok(())
    })
}

/// # Safety
/// As for [`neargrid_knn_view_f64`].
unsafe fn view<T: Precision>(
    search: *mut neargrid_search,
    (kind, k, measure): (i32, i32, i32),
    n: *mut i64,
    ids: *mut *const i32,
    distances: *mut *const T,
    counts: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, n, ids, distances, counts) = unsafe {
            (
                handle::enter(search)?,
                checks::out(n, "n")?,
                checks::out(ids, "ids")?,
                checks::out(distances, "distances")?,
                checks::out(counts, "counts")?,
            )
        };
        let (kind, measure) = asked(kind, measure)?;
        search.check_knn::<T>(kind, k.into())?;
        let found = search.knn::<T>(kind, k as usize, measure)?;
        ids.set(found.ids.as_ptr());
        distances.set(found.distances.as_ptr());
        n.set(found.counts.len() as i64);
        counts.set(found.counts.as_ptr());
        Ok(())
    })
}
