//! Rows of neighbors in other forms: padded to one length, with offsets of 32 bits, and counted in bins of distance.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::neighbors::{kind_of, neargrid_neighbors, rows_asked};
use super::pairs::{agree_to_write, report_need};
use super::status::neargrid_status;
use crate::error::{Error, Status, words};
use crate::list::resize_discarding;
use crate::ranks::Need;
use crate::search::Search;

/// Copies the rows of neighbors into a table whose rows all have `width` elements. Row i is `ids[i * width]` to
/// `ids[i * width + counts[i] - 1]`, in the order of neargrid_neighbors_copy; the rest of the row is filled with the index base
/// minus 1.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES.
/// - `n`: number of rows, which is the number of points, or of queries for NEARGRID_NEIGHBORS_QUERIES.
/// - `width`: number of elements of a row.
/// - `longest`: receives the number of neighbors in the longest row.
/// - `ids`: receives `n` * `width` elements.
/// - `counts`: receives `n` elements, the number of neighbors in each row.
///
/// The handle keeps the rows as a list too, as for neargrid_neighbors_view.
///
/// Returns the statuses of neargrid_neighbors_view, and also BAD_COUNT (`n`, `width`), BAD_VALUE (the results would overlap),
/// CAPACITY. After CAPACITY, `longest` is the width needed and both arrays are unchanged; another call with wider rows does not repeat
/// the search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_padded(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    n: i64,
    width: i64,
    longest: *mut i64,
    ids: *mut i32,
    counts: *mut i32,
) -> neargrid_status {
    guard(|| {
        let asked = |search: &mut Search| {
            // SAFETY: the caller's promise.
            let longest = unsafe { checks::out(longest, "longest")? };
            let kind = rows_asked(search, kind, n)?;
            let rows = search.rows(kind);
            let width = checks::count_of::<i32>(width, "width", rows.max(1))?;
            checks::disjoint(&[
                checks::written(longest.address(), 1, "longest"),
                checks::written(ids, rows * width, "ids"),
                checks::written(counts, rows, "counts"),
            ])?;
            // SAFETY: the caller's promise.
            let arrays = unsafe {
                (
                    checks::array(ids, rows * width, "ids")?,
                    checks::array(counts, rows, "counts")?,
                )
            };
            Ok((Need::Rows(kind), (kind, width, longest, arrays)))
        };
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.together(
            "neighbors_padded",
            asked,
            |search, (kind, width, longest, (ids, counts)), meeting| {
                let check = |widest| agree_to_write(meeting, Ok(()), (&longest, widest));
                let filled = search.padded_into(kind, width, (ids, counts), &check);
                longest.set(report_need(filled, &longest)?);
                Ok(())
            },
        )
    })
}

/// As neargrid_neighbors_copy, with offsets of 32 bits, for codes that have such arrays. More than 2^31 - 1 entries and index base are
/// refused.
///
/// - `total`: receives the number of ids.
/// - `offsets`: receives `n` + 1 elements.
///
/// The other arguments are as for neargrid_neighbors_copy.
///
/// Returns the statuses of neargrid_neighbors_copy, and also BAD_COUNT (too many entries). After CAPACITY, `total` is the size needed
/// where it fits into 32 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_copy_32(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    n: i64,
    capacity: i64,
    total: *mut i32,
    offsets: *mut i32,
    ids: *mut i32,
) -> neargrid_status {
    guard(|| {
        let asked = |search: &mut Search| {
            let kind = rows_asked(search, kind, n)?;
            // SAFETY: the caller's promise.
            let arrays = unsafe {
                (
                    checks::out(total, "total")?,
                    checks::rows(ids, "ids", capacity, "capacity")?,
                    checks::array(offsets, search.rows(kind) + 1, "offsets")?,
                )
            };
            Ok((Need::Rows(kind), (kind, arrays)))
        };
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.together(
            "neighbors_copy_32",
            asked,
            |search, (kind, (total, to, first)), meeting| {
                let of_rows = checks::written(offsets, search.rows(kind) + 1, "offsets");
                let number = checks::written(total.address(), 1, "total");
                let check = |entries| {
                    let of_ids = checks::written(ids, entries, "ids");
                    let apart = checks::disjoint(&[number.clone(), of_rows.clone(), of_ids]);
                    agree_to_write(meeting, apart, (&total, entries))
                };
                let filled = search.neighbors_into_rows_32(kind, first, to, &check);
                total.set(report_need(filled, &total)? as i32);
                Ok(())
            },
        )
    })
}

/// Counts neighbors in bins of distance, for a radial distribution function for example: `counts[k]` is the number of entries in
/// the rows of a kind with `edges[k]`^2 <= d2 < `edges[k + 1]`^2. Here d2 is the squared distance that decides about pairs, and edges
/// are rounded to the precision of the points before they are squared. No list of all rows is made.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF, which counts each pair once, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES.
/// - `nbins`: number of bins, 1 to 2^31 - 1.
/// - `edges`: `nbins` + 1 ascending numbers, from 0 or more to at most the cutoff. With cutoffs by types, that is the smallest
///   cutoff of types that interact and that two points have.
/// - `counts`: receives `nbins` counts.
///
/// Returns the statuses of neargrid_neighbors_count, and also BAD_COUNT (`nbins`), BAD_VALUE (edges), NOT_SUPPORTED (radii are set). On
/// failure the counts are unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_histogram(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    nbins: i64,
    edges: *const f64,
    counts: *mut i64,
) -> neargrid_status {
    guard(|| {
        let asked = |_: &mut Search| {
            let kind = kind_of(kind)?;
            let Some(len) = usize::try_from(nbins)
                .ok()
                .filter(|len| (1..=i32::MAX as usize).contains(len))
            else {
                let allowed = "1 to 2147483647";
                return Err(Error::not_allowed(Status::BadCount, "nbins", nbins, allowed));
            };
            // SAFETY: the caller's promise.
            let arrays = unsafe {
                (
                    checks::slice(edges, len + 1, "edges")?,
                    checks::array(counts, len, "counts")?,
                )
            };
            let mut made = Vec::new();
            resize_discarding(&mut made, len, 0, "the bins of distance")?;
            Ok((Need::Direct(kind), (kind, arrays, made)))
        };
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.together(
            "neighbors_histogram",
            asked,
            |search, (kind, (edges, mut to), mut made), meeting| {
                let fact = ("edges", words(format_args!("{edges:?}")));
                meeting.agree_on(&[fact], search.histogram(kind, edges, &mut made))?;
                to.write_all(0, &made);
                Ok(())
            },
        )
    })
}
