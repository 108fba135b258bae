//! The neighbors of each point, as CSR rows; distances and displacements of them.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::pairs::{agree_to_write, between, report_need};
use super::status::neargrid_status;
use crate::arguments::check_offsets;
use crate::displacement::{PairList, Quantity};
use crate::error::{Error, Result, Status};
use crate::fields::Of;
use crate::ranks::Need;
use crate::search::{NeighborsKind, Precision, Search};

/// The neighbors that rows list: one of NEARGRID_NEIGHBORS_*.
#[allow(non_camel_case_types)]
pub type neargrid_neighbors = i32;

/// Row i lists the neighbors j > i, so that each pair appears once.
pub const NEARGRID_NEIGHBORS_HALF: neargrid_neighbors = 0;
/// Row i lists all neighbors j, so that each pair appears twice.
pub const NEARGRID_NEIGHBORS_FULL: neargrid_neighbors = 1;
/// Row q lists the points within the cutoff of query q.
pub const NEARGRID_NEIGHBORS_QUERIES: neargrid_neighbors = 2;

pub(super) fn kind_of(kind: i32) -> Result<NeighborsKind> {
    let kinds = [
        (NEARGRID_NEIGHBORS_HALF, "half", NeighborsKind::Half),
        (NEARGRID_NEIGHBORS_FULL, "full", NeighborsKind::Full),
        (NEARGRID_NEIGHBORS_QUERIES, "queries", NeighborsKind::Queries),
    ];
    checks::choice(kind, "kind", &kinds)
}

/// Refuses what is not the number of rows.
pub(super) fn check_rows(n: i64, rows: usize, kind: NeighborsKind) -> Result<()> {
    if n == rows as i64 {
        return Ok(());
    }
    let whose = match kind {
        NeighborsKind::Queries => "queries",
        _ => "points",
    };
    let allowed = format_args!("{rows}, the number of {whose}");
    Err(Error::not_allowed(Status::BadCount, "n", n, allowed))
}

/// The kind of rows, of which there are `n`.
pub(super) fn rows_asked(search: &Search, kind: i32, n: i64) -> Result<NeighborsKind> {
    let kind = kind_of(kind)?;
    search.check_points_held()?;
    check_rows(n, search.rows(kind), kind)?;
    Ok(kind)
}

/// Counts the ids in all rows without building a list.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES.
/// - `total`: receives the number of ids. It is 0 for NEARGRID_NEIGHBORS_QUERIES if no queries are set.
///
/// Returns the statuses of neargrid_pairs_count, and also BAD_VALUE (`kind`). Full rows and queries allow every rule of
/// radii. BAD_STATE also means that queries need radii and have none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_count(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    total: *mut i64,
) -> neargrid_status {
    guard(|| {
        let asked = |_: &mut Search| {
            let kind = kind_of(kind)?;
            // SAFETY: the caller's promise.
            Ok((Need::Rows(kind), (kind, unsafe { checks::out(total, "total")? })))
        };
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.together("neighbors_count", asked, |search, (kind, total), meeting| {
            total.set(meeting.agree(search.count_neighbors(kind))?);
            Ok(())
        })
    })
}

/// Copies the rows of neighbors into the caller's arrays, in compressed form (CSR). In index base b, row i is
/// `ids[offsets[i] - b]` to `ids[offsets[i + 1] - 1 - b]`, in ascending order, or in the order of the global ids if they are
/// set (neargrid_search_set_ids). A row of queries lists all points within the cutoff, including points that coincide with
/// the query.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES.
/// - `n`: number of rows, which is the number of points, or of queries for NEARGRID_NEIGHBORS_QUERIES.
/// - `capacity`: number of elements of `ids`.
/// - `total`: receives the number of ids.
/// - `offsets`: receives `n` + 1 elements.
/// - `ids`: receives the point numbers; elements after the first `total` are not changed. May be NULL if `capacity` is 0.
///
/// Returns the statuses of neargrid_neighbors_count, and also BAD_COUNT (`n`, `capacity`), BAD_VALUE (the results would
/// overlap), CAPACITY. After CAPACITY, `total` is the size needed and both arrays are unchanged; another call with a larger array does
/// not repeat the search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_copy(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    n: i64,
    capacity: i64,
    total: *mut i64,
    offsets: *mut i64,
    ids: *mut i32,
) -> neargrid_status {
    guard(|| {
        let asked = |search: &mut Search| {
            // SAFETY: the caller's promise.
            let arrays = unsafe {
                (
                    checks::out(total, "total")?,
                    checks::rows(ids, "ids", capacity, "capacity")?,
                    checks::start(offsets, "offsets", "an array of n + 1 elements")?,
                )
            };
            let kind = rows_asked(search, kind, n)?;
            Ok((Need::Rows(kind), (kind, arrays)))
        };
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.together(
            "neighbors_copy",
            asked,
            |search, (kind, (total, to, first)), meeting| {
                let of_rows = checks::written(offsets, search.rows(kind) + 1, "offsets");
                let number = checks::written(total.address(), 1, "total");
                let check = |entries| {
                    let of_ids = checks::written(ids, entries, "ids");
                    let apart = checks::disjoint(&[number.clone(), of_rows.clone(), of_ids]);
                    agree_to_write(meeting, apart, (&total, entries))
                };
                let filled = search.neighbors_into_rows("capacity", kind, to, &check);
                let (made, need) = report_need(filled, &total)?;
                // SAFETY: the caller keeps n + 1 elements writable, which is how many were made in memory of the handle.
                unsafe { first.write(made) };
                total.set(need as i64);
                Ok(())
            },
        )
    })
}

/// Returns the rows of neighbors as a view, with the contents of neargrid_neighbors_copy.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES.
/// - `n`: receives the number of rows.
/// - `total`: receives the number of ids.
/// - `offsets`, `ids`: receive pointers to arrays of `n` + 1 and `total` elements, owned by the handle.
///
/// Returns the statuses of neargrid_neighbors_count. MEMORY_LIMIT also applies to the list itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_view(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    n: *mut i64,
    total: *mut i64,
    offsets: *mut *const i64,
    ids: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        let asked = |_: &mut Search| {
            let kind = kind_of(kind)?;
            // SAFETY: the caller's promise.
            let outs = unsafe {
                (
                    checks::out(n, "n")?,
                    checks::out(total, "total")?,
                    checks::out(offsets, "offsets")?,
                    checks::out(ids, "ids")?,
                )
            };
            Ok((Need::Rows(kind), (kind, outs)))
        };
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.together(
            "neighbors_view",
            asked,
            |search, (kind, (n, total, offsets, ids)), meeting| {
                let neighbors = meeting.agree(search.neighbors(kind))?;
                offsets.set(neighbors.offsets.as_ptr());
                ids.set(neighbors.ids.as_ptr());
                n.set(neighbors.offsets.len() as i64 - 1);
                total.set(neighbors.ids.len() as i64);
                Ok(())
            },
        )
    })
}

/// Computes distances and displacements of neighbors in rows that the caller holds, in real64: those of `ids[k]` from the point
/// in whose row it is, as neargrid_pairs_distances_f64 does. The rows may be half or full rows, a view, or any other rows of
/// points. For rows of queries see neargrid_queries_distances_f64.
///
/// - `n`: number of rows, which is the number of points set.
/// - `total`: number of elements of `ids`.
/// - `offsets`: `n` + 1 elements. The first is the index base, none is smaller than the one before, and the last is `total` plus
///   the index base.
/// - `ids`: `total` point numbers. May be NULL if `total` is 0.
/// - `distances`: receives `total` distances, or NULL if they are not needed.
/// - `displacements`: receives `total` times dim numbers, where dim is that of the points set, or NULL if they are not needed.
///
/// Returns the statuses of neargrid_pairs_distances_f64, and also BAD_VALUE (invalid offsets).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_distances_f64(
    search: *const neargrid_search,
    n: i64,
    total: i64,
    offsets: *const i64,
    ids: *const i32,
    distances: *mut f64,
    displacements: *mut f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        of_rows(
            search,
            Of::Points,
            [n, total],
            (offsets, ids),
            [distances, displacements],
        )
    }
}

/// As neargrid_neighbors_distances_f64, for points in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_distances_f32(
    search: *const neargrid_search,
    n: i64,
    total: i64,
    offsets: *const i64,
    ids: *const i32,
    distances: *mut f32,
    displacements: *mut f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        of_rows(
            search,
            Of::Points,
            [n, total],
            (offsets, ids),
            [distances, displacements],
        )
    }
}

/// Computes distances and displacements in rows of queries, in real64: those of `ids[k]` from the query in whose row it is. A
/// displacement is the query minus the point. Types, ghosts and the cutoff do not matter.
///
/// - `n`: number of rows, which is the number of queries set.
///
/// The other arguments are as for neargrid_neighbors_distances_f64.
///
/// Returns the statuses of neargrid_neighbors_distances_f64, and also BAD_STATE (no queries set).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_queries_distances_f64(
    search: *const neargrid_search,
    n: i64,
    total: i64,
    offsets: *const i64,
    ids: *const i32,
    distances: *mut f64,
    displacements: *mut f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        of_rows(
            search,
            Of::Queries,
            [n, total],
            (offsets, ids),
            [distances, displacements],
        )
    }
}

/// As neargrid_queries_distances_f64, for points and queries in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_queries_distances_f32(
    search: *const neargrid_search,
    n: i64,
    total: i64,
    offsets: *const i64,
    ids: *const i32,
    distances: *mut f32,
    displacements: *mut f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        of_rows(
            search,
            Of::Queries,
            [n, total],
            (offsets, ids),
            [distances, displacements],
        )
    }
}

/// # Safety
/// As for [`neargrid_neighbors_distances_f64`].
unsafe fn of_rows<T: Precision>(
    search: *const neargrid_search,
    of: Of,
    [n, total]: [i64; 2],
    (offsets, ids): (*const i64, *const i32),
    results: [*mut T; 2],
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        let dim = search.width::<T>(Quantity::Displacement)?;
        let rows = search.number_of(of)?;
        if n != rows as i64 {
            let allowed = format_args!(
                "{rows}, the number of {}",
                if of == Of::Points { "points" } else { "queries" }
            );
            return Err(Error::not_allowed(Status::BadCount, "n", n, allowed));
        }
        let len = checks::count_of::<T>(total, "total", dim)?;
        // SAFETY: the caller's promise.
        let offsets = unsafe { checks::slice(offsets, rows + 1, "offsets")? };
        let held = check_offsets("offsets", offsets, search.index_base())?;
        if held != len {
            let allowed = format_args!("{held}, as many as offsets say");
            return Err(Error::not_allowed(Status::BadCount, "total", total, allowed));
        }
        // SAFETY: the caller's promise.
        let (pairs, results) = unsafe {
            let ids = checks::slice(ids, len, "ids")?;
            (PairList::Rows(offsets, ids), between(results, len, dim)?)
        };
        search.write_between(of, pairs, results)
    })
}
