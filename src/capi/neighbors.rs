//! The neighbors of each point, as CSR rows; distances and displacements of them.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::pairs::report_need;
use super::status::neargrid_status;
use crate::displacement::{PairList, Quantity, check_offsets};
use crate::error::{Error, Result};
use crate::search::{NeighborsKind, Precision};

/// Row i lists j > i: each pair once.
pub const NEARGRID_NEIGHBORS_HALF: i32 = 0;
/// Row i lists all j: each pair twice.
pub const NEARGRID_NEIGHBORS_FULL: i32 = 1;
/// Row q lists every point within the cutoff of query q, also one that coincides with it.
pub const NEARGRID_NEIGHBORS_QUERIES: i32 = 2;

pub(super) fn kind_of(kind: i32) -> Result<NeighborsKind> {
    let kinds = [
        (NEARGRID_NEIGHBORS_HALF, "half", NeighborsKind::Half),
        (NEARGRID_NEIGHBORS_FULL, "full", NeighborsKind::Full),
        (NEARGRID_NEIGHBORS_QUERIES, "queries", NeighborsKind::Queries),
    ];
    checks::choice(kind, "kind", &kinds)
}

/// Counts the ids in all rows without making a list.
///
/// `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES. `total`: receives the number of ids;
/// without queries their rows are none.
/// Status: as neargrid_pairs_count, and BAD_VALUE (kind). Rows of queries allow every rule of radii, and return BAD_STATE where
/// queries need radii and have none.
///
/// # Safety
/// `search` is NULL or a valid handle; `total` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_count(
    search: *mut neargrid_search,
    kind: i32,
    total: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, total) = unsafe { (handle::enter(search)?, checks::out(total, "total")?) };
        total.set(search.count_neighbors(kind_of(kind)?)?);
        Ok(())
    })
}

/// Writes the rows into the caller's arrays. In index base b, row i is `ids[offsets[i] - b]` to `ids[offsets[i + 1] - 1 - b]`,
/// ascending, or by global ids (neargrid_search_set_ids).
///
/// `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES. `capacity`: elements that ids has.
/// `total`: receives the number of ids. `offsets`: n + 1 elements, n the number of points set, or of queries. `ids`: filled up
/// to total, always with numbers of points; elements beyond are not touched; may be NULL where capacity is 0.
/// Status: as neargrid_neighbors_count, and BAD_COUNT (capacity), CAPACITY: then total is the need and both arrays are untouched;
/// calling again with a larger array only fills it and does not search again.
///
/// # Safety
/// `search` is NULL or a valid handle; `total` is NULL or writable; `offsets` is NULL or
/// writable for n + 1, `ids` for `capacity` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_copy(
    search: *mut neargrid_search,
    kind: i32,
    capacity: i64,
    total: *mut i64,
    offsets: *mut i64,
    ids: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, total, ids) = unsafe {
            (
                handle::enter(search)?,
                checks::out(total, "total")?,
                checks::rows(ids, "ids", capacity, "capacity")?,
            )
        };
        if offsets.is_null() {
            return Err(Error::NullPointer {
                argument: "offsets",
                expected: "an array of n + 1 elements",
            });
        }
        let filled = search.neighbors_into_rows("capacity", kind_of(kind)?, ids);
        let (made, need) = report_need(filled, &total)?;
        // SAFETY: not NULL; the caller keeps n + 1 elements writable, which is how many were made.
        unsafe { std::ptr::copy_nonoverlapping(made.as_ptr(), offsets, made.len()) };
        total.set(need as i64);
        Ok(())
    })
}

/// Gives the rows in memory of the library, laid out as by neargrid_neighbors_copy.
///
/// `n`: receives the number of rows. `total`: the number of ids. `offsets`, `ids`: receive arrays of n + 1 and total
/// elements, which belong to the handle and are valid until the next call on it that is not a question (info, counter,
/// timing, distances, displacements, order).
/// Status: as neargrid_neighbors_count; MEMORY_LIMIT also where the list itself takes more.
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_view(
    search: *mut neargrid_search,
    kind: i32,
    n: *mut i64,
    total: *mut i64,
    offsets: *mut *const i64,
    ids: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, n, total, offsets, ids) = unsafe {
            (
                handle::enter(search)?,
                checks::out(n, "n")?,
                checks::out(total, "total")?,
                checks::out(offsets, "offsets")?,
                checks::out(ids, "ids")?,
            )
        };
        let neighbors = search.neighbors(kind_of(kind)?)?;
        offsets.set(neighbors.offsets.as_ptr());
        ids.set(neighbors.ids.as_ptr());
        n.set(neighbors.offsets.len() as i64 - 1);
        total.set(neighbors.ids.len() as i64);
        Ok(())
    })
}

/// Writes the distance of each neighbor in rows the caller holds, in real64: `distances[k]` is that of the point in whose
/// row `ids[k]` stands and of this neighbor, computed as by neargrid_pairs_distances_f64. Half or full rows, or any other
/// ids of points; not rows of queries. Views stay valid, and may be given as offsets and ids.
///
/// `offsets`: n + 1 elements, n the number of points set; the first is the index base, and none is less than the one before.
/// `ids`, `distances`: as many elements as the last of offsets says, less the index base; may be NULL where that is 0.
/// Status: as neargrid_pairs_distances_f64; BAD_VALUE also for offsets that are none.
///
/// # Safety
/// `search` is NULL or a valid handle; the arrays are NULL or readable, `distances` writable, for
/// that many elements, and `distances` does not overlap the others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_distances_f64(
    search: *const neargrid_search,
    offsets: *const i64,
    ids: *const i32,
    distances: *mut f64,
) -> neargrid_status {
    let out = (distances, "distances");
    // SAFETY: the caller's promise.
    unsafe { of_rows(search, Quantity::Distance, offsets, ids, out) }
}

/// As neargrid_neighbors_distances_f64, for points in real32.
///
/// # Safety
/// As for neargrid_neighbors_distances_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_distances_f32(
    search: *const neargrid_search,
    offsets: *const i64,
    ids: *const i32,
    distances: *mut f32,
) -> neargrid_status {
    let out = (distances, "distances");
    // SAFETY: the caller's promise.
    unsafe { of_rows(search, Quantity::Distance, offsets, ids, out) }
}

/// Writes the displacement of each neighbor in rows the caller holds, in real64: `displacements[k][axis]` is the coordinate
/// of the point in whose row `ids[k]` stands minus that of this neighbor, as by neargrid_pairs_displacements_f64.
///
/// `displacements`: dim elements an id, dim that of the points set. All else as for neargrid_neighbors_distances_f64.
///
/// # Safety
/// As for neargrid_neighbors_distances_f64, with `displacements` writable for dim elements an id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_displacements_f64(
    search: *const neargrid_search,
    offsets: *const i64,
    ids: *const i32,
    displacements: *mut f64,
) -> neargrid_status {
    let out = (displacements, "displacements");
    // SAFETY: the caller's promise.
    unsafe { of_rows(search, Quantity::Displacement, offsets, ids, out) }
}

/// As neargrid_neighbors_displacements_f64, for points in real32.
///
/// # Safety
/// As for neargrid_neighbors_displacements_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_displacements_f32(
    search: *const neargrid_search,
    offsets: *const i64,
    ids: *const i32,
    displacements: *mut f32,
) -> neargrid_status {
    let out = (displacements, "displacements");
    // SAFETY: the caller's promise.
    unsafe { of_rows(search, Quantity::Displacement, offsets, ids, out) }
}

/// # Safety
/// As for [`neargrid_neighbors_distances_f64`], with room for `quantity` of each neighbor.
unsafe fn of_rows<T: Precision>(
    search: *const neargrid_search,
    quantity: Quantity,
    offsets: *const i64,
    ids: *const i32,
    (out, argument): (*mut T, &'static str),
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let search = unsafe { handle::enter(search)? };
        let width = search.width::<T>(quantity)?;
        // SAFETY: the caller's promise.
        let offsets = unsafe { checks::slice(offsets, search.len() + 1, "offsets")? };
        let total = check_offsets(offsets, search.index_base())?;
        let total = checks::count_of::<T>(total as i64, "the last of offsets", width)?;
        // SAFETY: the caller's promise.
        let (pairs, out) = unsafe {
            let ids = checks::slice(ids, total, "ids")?;
            (
                PairList::Rows(offsets, ids),
                checks::array(out, total * width, argument)?,
            )
        };
        search.write_quantity(argument, quantity, pairs, out)
    })
}
