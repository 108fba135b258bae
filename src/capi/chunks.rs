//! Results in chunks of whole rows.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::neighbors::{kind_of, neargrid_neighbors};
use super::status::neargrid_status;
use crate::ranks::Need;
use crate::search::Search;

/// Starts to return rows in chunks, so that a result may be larger than memory. The memory used depends on the number of
/// points and on `max_entries`, but not on the size of the result. Each chunk contains as many whole rows, in order, as fit
/// into `max_entries` entries. neargrid_chunks_next and neargrid_chunks_next_pairs return the chunks. The skin is not used.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF (each pair once), NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES.
/// - `max_entries`: maximum number of entries of a chunk, greater than 0.
/// - `total`: receives the number of entries of all chunks.
///
/// The sequence ends after the last chunk, and also when points or a setting change, by another query and by
/// neargrid_search_trim. A setter that repeats the current value does not end it, unless it takes an array. Calls that take
/// the handle as `const` do not end it.
///
/// Returns the statuses of neargrid_pairs_count, and also BAD_VALUE (`kind`), BAD_COUNT (`max_entries`), MEMORY_LIMIT (a
/// chunk of `max_entries` exceeds it), CAPACITY (a row has more than `max_entries` entries; the text says how many). If the
/// call fails before it searches, an earlier sequence continues: that is, after every failure except CAPACITY, OUT_OF_MEMORY,
/// NO_DEVICE, DEVICE_LOST and THREADS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_chunks_begin(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    max_entries: i64,
    total: *mut i64,
) -> neargrid_status {
    guard(|| {
        let asked = |_: &mut Search| {
            let kind = kind_of(kind)?;
            // SAFETY: the caller's promise.
            Ok((Need::Direct(kind), (kind, unsafe { checks::out(total, "total")? })))
        };
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.together("chunks_begin", asked, |search, (kind, total), meeting| {
            total.set(meeting.agree(search.chunks(kind, max_entries).map(|chunks| chunks.total()))?);
            Ok(())
        })
    })
}

/// Returns the next chunk as a view of rows. In index base b, row first_row + k is `ids[offsets[k] - b]` to
/// `ids[offsets[k + 1] - 1 - b]`, in ascending order, or in the order of the global ids.
///
/// - `first_row`: receives the number of the first row, which is that of a point or query, in the index base.
/// - `nrows`: receives the number of rows, or 0 after the last chunk; then `offsets` and `ids` receive NULL, and `first_row`
///   is not changed.
/// - `offsets`: receives a pointer to `nrows` + 1 elements; the first is the index base. Owned by the handle.
/// - `ids`: receives a pointer to as many elements as the last offset minus the index base. Owned by the handle.
///
/// Returns OK, NULL_POINTER, BAD_STATE (no chunks begun with the current points and settings), OUT_OF_MEMORY, DEVICE_LOST,
/// THREADS. After NULL_POINTER and BAD_STATE the sequence continues; any other failure ends it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_chunks_next(
    search: *mut neargrid_search,
    first_row: *mut i64,
    nrows: *mut i64,
    offsets: *mut *const i64,
    ids: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, first_row, nrows, offsets, ids) = unsafe {
            (
                handle::enter(search)?,
                checks::out(first_row, "first_row")?,
                checks::out(nrows, "nrows")?,
                checks::out(offsets, "offsets")?,
                checks::out(ids, "ids")?,
            )
        };
        match search.next_chunk()? {
            Some(chunk) => {
                first_row.set(chunk.first_row);
                nrows.set(chunk.offsets.len() as i64 - 1);
                offsets.set(chunk.offsets.as_ptr());
                ids.set(chunk.ids.as_ptr());
            }
            None => {
                nrows.set(0);
                offsets.set(std::ptr::null());
                ids.set(std::ptr::null());
            }
        }
        Ok(())
    })
}

/// Returns the next chunk as a view of pairs, ordered by (`pair_i`, `pair_j`): `pair_i` is the number of a row, which is that
/// of a query for NEARGRID_NEIGHBORS_QUERIES, and `pair_j` an id in this row. Calls may alternate with neargrid_chunks_next,
/// unless points have global ids: the order of pairs then differs from that of rows (BAD_STATE).
///
/// - `npairs`: receives the number of pairs, or 0 after the last chunk; then the other arguments receive NULL.
/// - `pair_i`, `pair_j`: receive pointers to arrays of `npairs` elements, owned by the handle.
///
/// Returns the statuses of neargrid_chunks_next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_chunks_next_pairs(
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
        match search.next_chunk_of_pairs()? {
            Some(pairs) => {
                npairs.set(pairs.left.len() as i64);
                pair_i.set(pairs.left.as_ptr());
                pair_j.set(pairs.right.as_ptr());
            }
            None => {
                npairs.set(0);
                pair_i.set(std::ptr::null());
                pair_j.set(std::ptr::null());
            }
        }
        Ok(())
    })
}
