//! The k nearest neighbors of this rank's points, rows of one length.

use super::checks::{array, choice, disjoint, enter, neargrid_mpi_search, out, span};
use super::guard::guard;
use super::query::ghosts;
use super::status::neargrid_status;
use crate::core::KnnKind;
use crate::error::{Error, Result, status};
use crate::knn::{MAX_K, Measure, Nearest};
use crate::points::Real;
use crate::search::Search;

/// `NEARGRID_KNN_*` of neargrid.h; k is checked here, since arrays are of that many elements.
fn asked(kind: i32, k: i32, measure: i32) -> Result<Nearest> {
    let kinds = [(0, "others", KnnKind::Others), (1, "all", KnnKind::All)];
    let measures = [
        (0, "distance", Measure::Distance),
        (1, "square", Measure::Square),
        (2, "radius", Measure::Radius),
    ];
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

/// Returns the k nearest points of each of this rank's points, among the points of all ranks, as a view, for points in
/// real64. Row i is `ids[i * k]` to `ids[i * k + k - 1]`, ordered by squared distance and then by global id. The rows of all
/// ranks together are those of neargrid_knn_view_f64 for all points. No cutoff is needed. Collective.
///
/// - `kind`: NEARGRID_KNN_OTHERS, or NEARGRID_KNN_ALL to include the point itself.
/// - `k`: 1 to NEARGRID_KNN_MAX.
/// - `measure`: NEARGRID_MEASURE_DISTANCE, NEARGRID_MEASURE_SQUARE or NEARGRID_MEASURE_RADIUS. `kind`, `k` and `measure` are the same on
///   all ranks.
/// - `n`: receives the number of rows, which is the number of this rank's points.
/// - `ids`, `distances`: receive pointers to arrays of `n` * `k` elements.
/// - `counts`: receives a pointer to an array of `n` elements: the number of neighbors of each row.
///
/// The arrays are owned by the handle, and valid until the next query for k nearest, or until points or settings change.
/// Points are numbered from the index base: first this rank's own points, then the ghosts of this query
/// (neargrid_mpi_knn_ghosts_view_f64), which differ from the ghosts of pairs. If all ranks together have fewer than k points,
/// the missing ids are the index base minus 1 and their distances infinite.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`k`), BAD_VALUE (`kind`, `measure`, or the points set are real32), BAD_STATE (no
/// points set, or a halo exchange is in progress), BAD_DOMAIN, NOT_SUPPORTED (NEARGRID_BACKEND_GPU, as for
/// neargrid_knn_copy_f64), NO_DEVICE, DEVICE_LOST, OUT_OF_MEMORY, THREADS, COMMUNICATION, DISAGREEMENT.
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
            disjoint(&[
                span(ids, rows * asked.k, "ids"),
                span(distances, rows * asked.k, "distances"),
                span(counts, rows, "counts"),
            ])?;
            // SAFETY: the caller's promise; they are apart, and arrays that are not wanted are NULL, and of no elements.
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

/// Copies the k nearest points of this rank's points into the caller's arrays, with the contents of
/// neargrid_mpi_knn_view_f64. Collective.
///
/// - `kind`, `k`, `measure`: as for neargrid_mpi_knn_view_f64.
/// - `n`: number of rows in the arrays, which is the number of this rank's points.
/// - `ids`: receives `n` * `k` point numbers.
/// - `distances`: receives `n` * `k` distances or squared distances, or NULL if they are not needed.
/// - `counts`: receives `n` elements, or NULL if they are not needed.
///
/// All arrays may be NULL if `n` is 0.
///
/// Returns the statuses of neargrid_mpi_knn_view_f64, and also BAD_COUNT (`n`). On failure the arrays are not changed.
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

/// Returns the ghosts of the last query for k nearest as a view, for points in real64: all points of other ranks that appear
/// in its rows, and possibly more. Ghost g (from 0) has point number n_owned + g plus the index base. Ghosts are ordered by
/// the rank that owns them, then by their point numbers there. Halo exchanges do not include them. Collective.
///
/// - `n`: receives the number of ghosts.
/// - `ids`, `ranks`: receive pointers to arrays of `n` elements: the global ids, and the ranks that own them.
/// - `positions`: receives a pointer to `n` times dim coordinates, point after point, as their owners passed them.
///
/// The arrays are owned by the handle and valid as long as the rows.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (the points set are real32), BAD_STATE (no k nearest for the current points and
/// settings), COMMUNICATION, DISAGREEMENT.
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
