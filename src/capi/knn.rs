//! The k nearest neighbors of each point or query, rows of one length.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::pairs::tell_need;
use super::status::neargrid_status;
use crate::cpu::knn::KnnRows;
use crate::error::{Error, Result};
use crate::list::Out;
use crate::ranks::{Found, Nearest};
use crate::search::{KnnKind, Measure, Precision, Search};

/// The points whose nearest are searched, and those among which: one of NEARGRID_KNN_OTHERS, NEARGRID_KNN_ALL and
/// NEARGRID_KNN_QUERIES.
#[allow(non_camel_case_types)]
pub type neargrid_knn = i32;

/// For each active point, its nearest points among all others.
pub const NEARGRID_KNN_OTHERS: neargrid_knn = 0;
/// For each active point, its nearest points among all points, including itself.
pub const NEARGRID_KNN_ALL: neargrid_knn = 1;
/// For each query, its nearest points.
pub const NEARGRID_KNN_QUERIES: neargrid_knn = 2;
/// The measure of how far a neighbor is: one of NEARGRID_MEASURE_*.
#[allow(non_camel_case_types)]
pub type neargrid_measure = i32;

/// Return distances.
pub const NEARGRID_MEASURE_DISTANCE: neargrid_measure = 0;
/// Return squared distances.
pub const NEARGRID_MEASURE_SQUARE: neargrid_measure = 1;
/// Return radii: the smallest number with c * c at least the squared distance, both rounded. As a cutoff or a radius it finds
/// the neighbor (inclusive rule), which the distance may miss, because its square is rounded.
pub const NEARGRID_MEASURE_RADIUS: neargrid_measure = 2;
/// The largest k.
pub const NEARGRID_KNN_MAX: i32 = 1024;

/// The query of a kind, k and measure.
fn asked((kind, k, measure): (i32, i32, i32)) -> Result<Nearest> {
    let kinds = [
        (NEARGRID_KNN_OTHERS, "others", KnnKind::Others),
        (NEARGRID_KNN_ALL, "all", KnnKind::All),
        (NEARGRID_KNN_QUERIES, "queries", KnnKind::Queries),
    ];
    let measures = [
        (NEARGRID_MEASURE_DISTANCE, "distance", Measure::Distance),
        (NEARGRID_MEASURE_SQUARE, "square", Measure::Square),
        (NEARGRID_MEASURE_RADIUS, "radius", Measure::Radius),
    ];
    Ok(Nearest {
        kind: checks::choice(kind, "kind", &kinds)?,
        k: k.try_into().unwrap_or(0),
        measure: checks::choice(measure, "measure", &measures)?,
    })
}

/// Sets the radius within which the k nearest are searched. A row then lists the nearest points that a search with this radius as
/// cutoff finds, by the same tie rule, and may have fewer than k.
///
/// - `radius`: finite and greater than 0, in the unit of the coordinates, or 0 (default) for any distance. For real32 points it is
///   rounded to real32. A query for the k nearest checks the range of its square, which depends on the precision of the points.
///
/// No other query depends on it.
///
/// Returns OK, NULL_POINTER, BAD_RADIUS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_knn_within(search: *mut neargrid_search, radius: f64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.set_knn_within(radius)
    })
}

/// Copies the k nearest points of each active point, or of each query, into the caller's arrays. Row i is `ids[i * k]` to
/// `ids[i * k + k - 1]`, ordered by squared distance and then by id, in the index base of the handle. The result is the same
/// on the CPU and on a GPU.
///
/// - `kind`: NEARGRID_KNN_OTHERS, NEARGRID_KNN_ALL or NEARGRID_KNN_QUERIES.
/// - `k`: 1 to NEARGRID_KNN_MAX.
/// - `measure`: NEARGRID_MEASURE_DISTANCE, NEARGRID_MEASURE_SQUARE or NEARGRID_MEASURE_RADIUS.
/// - `capacity`: number of rows that the arrays have room for.
/// - `n`: receives the number of rows: of active points, or of queries.
/// - `ids`: receives `n` * `k` point numbers.
/// - `distances`: receives `n` * `k` distances, squared distances or radii, or NULL if they are not needed.
/// - `counts`: receives the number of neighbors of each row (`n` elements), or NULL if they are not needed.
///
/// Elements after the first `n` rows are not changed, and all arrays may be NULL if `capacity` is 0. If there are fewer than k points,
/// or fewer within the radius of neargrid_search_set_knn_within, the missing ids are the index base minus 1 and their distances
/// infinite. The squared distance is dx*dx + dy*dy + dz*dz, summed from left to right, with each operation rounded;
/// the distance is its correctly rounded square root, as by neargrid_pairs_distances_f64. Both are infinite if the sum
/// overflows. The square of the distance may round to less than the squared distance: to search again with the k-th neighbor
/// in reach, take NEARGRID_MEASURE_RADIUS as the cutoff or the point's radius.
///
/// No cutoff is needed. Along a periodic axis of any length, each point counts once, at its nearest image. Every point can be
/// a neighbor, including ghosts, whatever its type; ghosts have no row. Points that coincide are neighbors of each other.
///
/// Across ranks the call is collective. Rows are those of this rank's points or queries, and neighbors may be points of any rank: ids
/// after those of this rank's points are the points of neargrid_knn_ghosts_view_f64. Ties are broken by global ids.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`capacity`, `k`, more active points than points, ids set for another number of points),
/// BAD_VALUE (`kind`, `measure`, arrays that overlap, no such device, or the points set are real32), BAD_RADIUS (the radius of
/// neargrid_search_set_knn_within in the precision of the points), BAD_STATE (no points set), BAD_ENVIRONMENT (invalid NEARGRID_DEVICE or NEARGRID_GPU_MASK), NOT_SUPPORTED (NEARGRID_BACKEND_GPU with global
/// ids that do not ascend, or with points on more scales than real32 can represent), CAPACITY, OUT_OF_MEMORY,
/// NO_DEVICE, DEVICE_LOST, THREADS. After CAPACITY, `n` is the number of rows needed and the arrays are unchanged; no search was
/// made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_knn_copy_f64(
    search: *mut neargrid_search,
    kind: neargrid_knn,
    k: i32,
    measure: neargrid_measure,
    capacity: i64,
    n: *mut i64,
    ids: *mut i32,
    distances: *mut f64,
    counts: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy(search, (kind, k, measure), (capacity, n), ids, distances, counts) }
}

/// As neargrid_knn_copy_f64, for points in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_knn_copy_f32(
    search: *mut neargrid_search,
    kind: neargrid_knn,
    k: i32,
    measure: neargrid_measure,
    capacity: i64,
    n: *mut i64,
    ids: *mut i32,
    distances: *mut f32,
    counts: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy(search, (kind, k, measure), (capacity, n), ids, distances, counts) }
}

/// Returns the k nearest neighbors as a view, with the contents of neargrid_knn_copy_f64.
///
/// - `kind`, `k`, `measure`: as for neargrid_knn_copy_f64.
/// - `n`: receives the number of rows.
/// - `ids`, `distances`: receive pointers to arrays of `n` * `k` elements, owned by the handle.
/// - `counts`: receives a pointer to an array of `n` elements, owned by the handle.
///
/// Returns the statuses of neargrid_knn_copy_f64, and also MEMORY_LIMIT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_knn_view_f64(
    search: *mut neargrid_search,
    kind: neargrid_knn,
    k: i32,
    measure: neargrid_measure,
    n: *mut i64,
    ids: *mut *const i32,
    distances: *mut *const f64,
    counts: *mut *const i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { view(search, (kind, k, measure), n, ids, distances, counts) }
}

/// As neargrid_knn_view_f64, for points in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_knn_view_f32(
    search: *mut neargrid_search,
    kind: neargrid_knn,
    k: i32,
    measure: neargrid_measure,
    n: *mut i64,
    ids: *mut *const i32,
    distances: *mut *const f32,
    counts: *mut *const i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { view(search, (kind, k, measure), n, ids, distances, counts) }
}

/// The query that is asked for, and its number of rows.
fn checked<T: Precision>(search: &Search, choices: (i32, i32, i32)) -> Result<(usize, Nearest)> {
    let asked = asked(choices)?;
    Ok((search.check_knn::<T>(asked.kind, choices.1.into())?, asked))
}

/// The arrays of the caller, of a number of rows.
struct Into<'a, T> {
    rows: usize,
    into: KnnRows<'a, T>,
    counts: Option<Out<'a, i32>>,
}

impl<T: Precision> Into<'_, T> {
    /// Writes rows that all ranks found.
    fn write(mut self, found: &Found) {
        let found = found.show::<T>();
        let all = 0..found.ids.len();
        self.into.ids.store(all.clone(), found.ids);
        if let Some(mut distances) = self.into.distances {
            distances.store(all, found.distances);
        }
        if let Some(mut counts) = self.counts {
            counts.write_all(0, found.counts);
        }
    }
}

/// The query, the place for the number of rows, and the arrays.
type Arrays<'a, T> = (Nearest, (checks::Place<'a, i64>, Into<'a, T>));

/// The arrays of the caller, checked.
///
/// # Safety
/// As for [`neargrid_knn_copy_f64`].
unsafe fn arrays<'a, T: Precision>(
    search: &Search,
    choices: (i32, i32, i32),
    (capacity, n, need): (i64, checks::Place<'a, i64>, &mut Option<usize>),
    ids: *mut i32,
    distances: *mut T,
    counts: *mut i32,
) -> Result<Arrays<'a, T>> {
    let (rows, asked) = checked::<T>(search, choices)?;
    let k = asked.k;
    *need = Some(rows);
    if checks::count_of::<T>(capacity, "capacity", k)? < rows {
        return Err(Error::Capacity {
            argument: "capacity",
            capacity,
            need: rows as i64,
        });
    }
    let elements = rows * k;
    checks::disjoint(&[
        checks::written(n.address(), 1, "n"),
        checks::written(ids, elements, "ids"),
        checks::written(distances, elements, "distances"),
        checks::written(counts, rows, "counts"),
    ])?;
    // SAFETY: the caller's promise; the arrays have `elements` or more, counts has `rows` or more.
    let (into, counts) = unsafe {
        let ids = checks::rows(ids, "ids", elements as i64, "capacity")?;
        let distances =
            (!distances.is_null()).then(|| checks::rows(distances, "distances", elements as i64, "capacity"));
        let counts = (!counts.is_null()).then(|| checks::array(counts, rows, "counts"));
        let distances = distances.transpose()?;
        (KnnRows { ids, distances }, counts.transpose()?)
    };
    Ok((asked, (n, Into { rows, into, counts })))
}

/// # Safety
/// As for [`neargrid_knn_copy_f64`].
unsafe fn copy<T: Precision>(
    search: *mut neargrid_search,
    choices: (i32, i32, i32),
    (capacity, n): (i64, *mut i64),
    ids: *mut i32,
    distances: *mut T,
    counts: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut entered, place) = unsafe { (handle::enter(search)?, checks::out(n, "n")) };
        let (search, ranks) = entered.both();
        let mut need = None;
        // SAFETY: the caller's promise.
        let arrays =
            place.and_then(|n| unsafe { arrays(search, choices, (capacity, n, &mut need), ids, distances, counts) });
        let (n, rows) = match ranks {
            Some(ranks) => {
                let found = ranks.knn::<T, _>(search, arrays);
                // SAFETY: the caller's promise.
                let ((n, arrays), found) = unsafe { tell_need(found, n, need)? };
                let rows = arrays.rows;
                arrays.write(found);
                (n, rows)
            }
            None => {
                // SAFETY: the caller's promise.
                let (Nearest { kind, k, measure }, (n, Into { rows, into, counts })) =
                    unsafe { tell_need(arrays, n, need)? };
                let lengths = search.knn_into_rows(kind, k, measure, into)?;
                if let Some(mut counts) = counts {
                    // SAFETY: the search has written all elements.
                    let ids = unsafe { checks::slice(ids, rows * k, "ids")? };
                    let lengths = lengths.of(ids, k).enumerate();
                    lengths.for_each(|(row, length)| counts.write(row, length));
                }
                (n, rows)
            }
        };
        n.set(rows as i64);
        Ok(())
    })
}

/// # Safety
/// As for [`neargrid_knn_view_f64`].
unsafe fn view<T: Precision>(
    search: *mut neargrid_search,
    choices: (i32, i32, i32),
    n: *mut i64,
    ids: *mut *const i32,
    distances: *mut *const T,
    counts: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut entered = unsafe { handle::enter(search)? };
        let (search, ranks) = entered.both();
        let outs = |search: &Search| {
            // SAFETY: the caller's promise.
            let outs = unsafe {
                (
                    checks::out(n, "n")?,
                    checks::out(ids, "ids")?,
                    checks::out(distances, "distances")?,
                    checks::out(counts, "counts")?,
                )
            };
            Ok((checked::<T>(search, choices)?.1, outs))
        };
        let outs = outs(search);
        let ((n, ids, distances, counts), found) = match ranks {
            Some(ranks) => {
                let (outs, found) = ranks.knn::<T, _>(search, outs)?;
                (outs, found.show())
            }
            None => {
                let (Nearest { kind, k, measure }, outs) = outs?;
                (outs, search.knn::<T>(kind, k, measure)?)
            }
        };
        ids.set(found.ids.as_ptr());
        distances.set(found.distances.as_ptr());
        n.set(found.counts.len() as i64);
        counts.set(found.counts.as_ptr());
        Ok(())
    })
}
