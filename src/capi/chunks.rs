//! Results in chunks of whole rows.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::neighbors::kind_of;
use super::status::neargrid_status;

/// Begins to deliver rows in chunks, whose memory is bounded by the number of points and by max_entries, whatever the result:
/// lists may be larger than memory. Each chunk has whole rows, in order, as many as have max_entries entries together at the
/// most. The skin is not used. The chunks end with the last one, with a change of points or of any setting, with
/// another query, and with neargrid_search_trim. Setting what is set already changes nothing, except for arrays. Questions (info,
/// counter, timing, distances, displacements, order) leave them alone.
///
/// `kind`: NEARGRID_NEIGHBORS_HALF (the rows, or pairs, of each pair once), NEARGRID_NEIGHBORS_FULL or
/// NEARGRID_NEIGHBORS_QUERIES. `max_entries`: greater than 0. `total`: receives the entries of all chunks.
/// Status: as neargrid_pairs_count, and BAD_VALUE (kind), BAD_COUNT (max_entries), MEMORY_LIMIT (a chunk of max_entries takes
/// more), CAPACITY: a row has more entries than max_entries; the text says how many. Chunks begun before go on if
/// this call is refused before it searches: after every status except CAPACITY, OUT_OF_MEMORY, NO_DEVICE, DEVICE_LOST and THREADS.
///
/// # Safety
/// `search` is NULL or a valid handle; `total` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_chunks_begin(
    search: *mut neargrid_search,
    kind: i32,
    max_entries: i64,
    total: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, total) = unsafe { (handle::enter(search)?, checks::out(total, "total")?) };
        total.set(search.begin_chunks(kind_of(kind)?, max_entries)?);
        Ok(())
    })
}

/// Gives the next rows. In index base b, row first_row + k is `ids[offsets[k] - b]` to `ids[offsets[k + 1] - 1 - b]`, ascending.
///
/// `first_row`: receives the number of the first row (of a point, or of a query), from the index base on. `nrows`: the number
/// of rows; 0 behind the last, then the others are untouched but for NULL in offsets and ids. `offsets`, `ids`: receive arrays
/// of nrows + 1 elements, the first of which is the index base, and of as many as the last of those says; they belong to the
/// handle and are valid until the next call on it that is not a question.
/// Status: OK, NULL_POINTER, BAD_STATE (no chunks begun with the points and settings of now), OUT_OF_MEMORY, DEVICE_LOST,
/// THREADS. NULL_POINTER and BAD_STATE leave the chunks alone; any other failure ends them.
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
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

/// Gives the next rows as pairs: pair_i of a row (for NEARGRID_NEIGHBORS_QUERIES the number of the query), pair_j one of its
/// ids, ordered by both. May be called in turns with neargrid_chunks_next, but not where points have global ids, by which pairs
/// come in another order than rows (BAD_STATE).
///
/// `npairs`: receives the number of pairs; 0 behind the last, then the others receive NULL. `pair_i`, `pair_j`: receive arrays
/// of npairs elements, which belong to the handle and are valid until the next call on it that is not a question.
/// Status: as neargrid_chunks_next.
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
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
