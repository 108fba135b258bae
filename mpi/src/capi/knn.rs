//! The k nearest neighbors of this rank's points, rows of one length.

use super::checks::{array, choice, enter, neargrid_mpi_search, out};
use super::guard::guard;
use super::query::ghosts;
use super::status::neargrid_status;
use crate::core::KnnKind;
use crate::error::{Error, Result, status};
use crate::knn::{MAX_K, Measure, Nearest};
use crate::points::Real;
use crate::search::Search;

/// `NEARGRID_KNN_*` of neargrid.h; k is checked here, since arrays are of so many elements.
fn asked(kind: i32, k: i32, measure: i32) -> Result<Nearest> {
    let kinds = [(0, "others", KnnKind::Others), (1, "all", KnnKind::All)];
    let measures = [(0, "distance", Measure::Distance), (1, "square", Measure::Square)];
    let kind = choice(kind, "kind", &kinds)?;
    let measure = choice(measure, "measure", &measures)?;
    match usize::try_from(k).ok().filter(|k| (1..=MAX_K).contains(k)) {
        Some(k) => Ok(Nearest { kind, k, measure }),
        None => Err(Error::not_allowed(status::BAD_COUNT, "k", k, &format!("1 to {MAX_K}"))),
    }
}

/// The body of both neargrid_mpi_knn_view_*.
///
/// # Safety
/// As for neargrid_mpi_knn_view_f64.
unsafe fn view<T: Real>(
    search: *mut neargrid_mpi_search,
    [kind, k, measure]: [i32; 3],
    n: *mut i64,
    ids: *mut *const i32,
    distances: *mut *const T,
    counts: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        // SAFETY: the caller's promise.
        let (n, lists, counts) = unsafe {
            (
                out(n, "n"),
                (out(ids, "ids"), out(distances, "distances")),
                out(counts, "counts"),
            )
        };
        let outs = n.and_then(|n| Ok((n, lists.0?, lists.1?, counts?)));
        let (asked, outs) = match (asked(kind, k, measure), outs) {
            (Ok(asked), Ok(outs)) => (Ok(asked), Some(outs)),
            (Err(error), _) | (_, Err(error)) => (Err(error), None),
        };
        let found = search.knn::<T>(asked)?;
        if let Some((n, ids, distances, counts)) = outs {
            ids.set(found.ids.as_ptr());
            distances.set(found.distances.as_ptr());
            n.set(found.counts.len() as i64);
            counts.set(found.counts.as_ptr());
        }
        Ok(())
    })
}

/// Gives the k nearest of each of this rank's points among those of all ranks, in memory of the library, for points in real64:
/// row i is `ids[i * k]` to `ids[i * k + k - 1]`, ordered by distance squared, and where those are equal by global id. All as by
/// neargrid_knn_view_f64, which the rows of all ranks together are those of. Needs no cutoff. Collective.
///
/// Numbers of points are from the index base on those of this rank's own, and behind them those of the ghosts of this query
/// (neargrid_mpi_knn_ghosts_view_f64), which are others than those of pairs. Where all ranks together have less than k points,
/// the missing ids are the index base less one, and their distances infinite.
///
/// `kind`: NEARGRID_KNN_OTHERS or NEARGRID_KNN_ALL (a point is its own neighbor). `k`: 1 to NEARGRID_KNN_MAX. `measure`:
/// NEARGRID_KNN_DISTANCE or NEARGRID_KNN_SQUARE. All three are the same on all ranks. `n`: receives the number of rows, that of
/// this rank's points. `ids`, `distances`: receive arrays of n * k elements, `counts`: one of n, how many neighbors each row
/// has. They belong to the handle and are valid until the next query for k nearest, or until points or settings change.
/// Status: OK, NULL_POINTER, BAD_COUNT (k), BAD_VALUE (kind, measure, or the points set are real32), BAD_STATE (no points set, or
/// a halo exchange is under way), BAD_DOMAIN, NOT_SUPPORTED (with NEARGRID_BACKEND_GPU, as neargrid_knn_copy_f64), NO_DEVICE,
/// DEVICE_LOST, OUT_OF_MEMORY, THREADS, COMMUNICATION, DISAGREEMENT.
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_knn_view_f64(
    search: *mut neargrid_mpi_search,
    kind: i32,
    k: i32,
    measure: i32,
    n: *mut i64,
    ids: *mut *const i32,
    distances: *mut *const f64,
    counts: *mut *const i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { view(search, [kind, k, measure], n, ids, distances, counts) }
}

/// As neargrid_mpi_knn_view_f64, for points in real32.
///
/// # Safety
/// As for neargrid_mpi_knn_view_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_knn_view_f32(
    search: *mut neargrid_mpi_search,
    kind: i32,
    k: i32,
    measure: i32,
    n: *mut i64,
    ids: *mut *const i32,
    distances: *mut *const f32,
    counts: *mut *const i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { view(search, [kind, k, measure], n, ids, distances, counts) }
}

/// The body of both neargrid_mpi_knn_copy_*.
///
/// # Safety
/// As for neargrid_mpi_knn_copy_f64.
unsafe fn copy<T: Real>(
    search: *mut neargrid_mpi_search,
    [kind, k, measure]: [i32; 3],
    n: i64,
    ids: *mut i32,
    distances: *mut T,
    counts: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        let rows = search.owned();
        let arrays = asked(kind, k, measure).and_then(|asked| {
            if n != rows as i64 {
                let allowed = format!("{rows}, the number of this rank's points");
                return Err(Error::not_allowed(status::BAD_COUNT, "n", n, &allowed));
            }
            let len = |wanted: bool, len: usize| if wanted { len } else { 0 };
            // SAFETY: the caller's promise; arrays that are not wanted are NULL, and of no elements.
            Ok(unsafe {
                (
                    asked,
                    array(ids, rows * asked.k, "ids")?,
                    array(distances, len(!distances.is_null(), rows * asked.k), "distances")?,
                    array(counts, len(!counts.is_null(), rows), "counts")?,
                )
            })
        });
        let (asked, arrays) = match arrays {
            Ok((asked, ids, distances, counts)) => (Ok(asked), Some((ids, distances, counts))),
            Err(error) => (Err(error), None),
        };
        let found = search.knn::<T>(asked)?;
        if let Some((mut ids, mut distances, mut counts)) = arrays {
            ids.write(0, found.ids);
            distances.write(0, &found.distances[..distances.len()]);
            counts.write(0, &found.counts[..counts.len()]);
        }
        Ok(())
    })
}

/// Writes the k nearest of this rank's points into the caller's arrays, as by neargrid_mpi_knn_view_f64. Collective.
///
/// `n`: rows that the arrays have, as many as this rank has points. `ids`: n * k elements. `distances`: n * k elements, or NULL
/// where they are not wanted. `counts`: n elements, or NULL. All may be NULL where n is 0.
/// Status: as neargrid_mpi_knn_view_f64; BAD_COUNT (n). On failure the arrays are untouched.
///
/// # Safety
/// `search` is NULL or a valid handle; the arrays are NULL or writable for that many elements, and
/// do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_knn_copy_f64(
    search: *mut neargrid_mpi_search,
    kind: i32,
    k: i32,
    measure: i32,
    n: i64,
    ids: *mut i32,
    distances: *mut f64,
    counts: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy(search, [kind, k, measure], n, ids, distances, counts) }
}

/// As neargrid_mpi_knn_copy_f64, for points in real32.
///
/// # Safety
/// As for neargrid_mpi_knn_copy_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_knn_copy_f32(
    search: *mut neargrid_mpi_search,
    kind: i32,
    k: i32,
    measure: i32,
    n: i64,
    ids: *mut i32,
    distances: *mut f32,
    counts: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy(search, [kind, k, measure], n, ids, distances, counts) }
}

/// Gives the ghosts of the last query for k nearest in memory of the library, for points in real64: all points of other ranks
/// that its rows name, and some that they do not; the g-th has number n_owned + g, from the index base on. They stand in the
/// order of the ranks that own them, and of their numbers there. Halo exchanges know nothing of them. Collective.
///
/// `n`: receives their number. `ids`, `ranks`: receive arrays of n global ids, and of the ranks that own them. `positions`:
/// receives an array of n times dim coordinates, point after point, as their owners gave them. They are valid as long as the rows.
/// Status: OK, NULL_POINTER, BAD_VALUE (the points set are real32), BAD_STATE (no k nearest for the points and settings of now),
/// COMMUNICATION, DISAGREEMENT.
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_knn_ghosts_view_f64(
    search: *mut neargrid_mpi_search,
    n: *mut i64,
    ids: *mut *const i64,
    ranks: *mut *const i32,
    positions: *mut *const f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { ghosts(search, n, ids, ranks, positions, Search::knn_ghosts) }
}

/// As neargrid_mpi_knn_ghosts_view_f64, for points in real32.
///
/// # Safety
/// As for neargrid_mpi_knn_ghosts_view_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_knn_ghosts_view_f32(
    search: *mut neargrid_mpi_search,
    n: *mut i64,
    ids: *mut *const i64,
    ranks: *mut *const i32,
    positions: *mut *const f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { ghosts(search, n, ids, ranks, positions, Search::knn_ghosts) }
}
