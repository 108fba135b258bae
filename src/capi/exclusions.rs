//! Exclusions: pairs that no row lists.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::arguments::{check_count, check_offsets};
use crate::error::{Error, Result};
use crate::exclusions::ExcludedIds;

/// Sets pairs of points that are not neighbors, however near they are, such as atoms that bonds join. Pairs, rows of points,
/// counts, chunks and Verlet lists leave them out. The rows of queries, k nearest neighbors, groups and the rows of many systems do
/// not know them. In a cell an excluded pair is left out with all its images. The handle keeps a copy, which remains when points are
/// set again.
///
/// - `n`: number of rows, one for each point, checked by the query. Ignored if `offsets` is NULL.
/// - `offsets`: `n` + 1 elements. The first is the index base, and none is smaller than the one before. May be NULL to remove the
///   exclusions.
/// - `ids`: as many elements as the last offset says. In index base b, the points that point i does not list are
///   `ids[offsets[i] - b]` to `ids[offsets[i + 1] - 1 - b]`: numbers of points in the index base, also if points have global ids. A
///   row may be in any order and lists each point at most once, and each pair is in the rows of both points. May be NULL if there are
///   none.
/// - `classes`: for each element of `ids` the class of the pair, 1, 2 or 3, the same in both rows. May be NULL for 1 everywhere.
///
/// A statement of a formula that reads `class` has the terms of all pairs within the cutoff, and `class` is 0 for pairs that are not
/// excluded. Other statements have no terms of excluded pairs.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`n`, more than 2^31 - 1 ids), BAD_VALUE (an offset, an id, a class, a point that excludes
/// itself, a point twice in a row, a pair that is in one row alone or has two classes), OUT_OF_MEMORY. On failure the previous
/// exclusions remain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_exclusions(
    search: *mut neargrid_search,
    n: i64,
    offsets: *const i64,
    ids: *const i32,
    classes: *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut entered = unsafe { handle::enter(search)? };
        let (search, ranks) = entered.both();
        if let Some(ranks) = ranks {
            if !offsets.is_null() {
                return Err(Error::NotSupported { what: ACROSS });
            }
            ranks.set_exclusions(ExcludedIds::default());
            return Ok(());
        }
        // SAFETY: the caller's promise.
        let (offsets, ids, classes) = unsafe { rows(n, offsets, ids, classes, search.index_base())? };
        search.set_exclusions(offsets, ids, classes)
    })
}

/// As neargrid_search_set_exclusions, but with the global ids of points instead of their numbers, also across ranks. Set the points
/// and their ids (neargrid_search_set_ids) before: row i belongs to the present point i. From then on the exclusions follow the
/// ids, also if the points get other numbers or their count changes. Ids without a point play no part, and points with other ids
/// have no exclusions. If no ids are set, the point numbers are the ids. A query fails with BAD_STATE if ids were set or removed
/// after this call.
///
/// Across ranks the rows are those of this rank's points as they are numbered at the next query: set the rows again when the points
/// get other numbers. Partners may be points of any rank. Partners that are near no point of this rank play no part. The call is
/// not collective. The next query checks on all ranks that there is a row for each point, and that each pair is in both rows.
///
/// - `n`, `offsets`, `classes`: as for neargrid_search_set_exclusions.
/// - `ids`: global ids.
///
/// Returns the statuses of neargrid_search_set_exclusions, and also BAD_VALUE (no point has the id, on a handle without ranks).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_exclusions_by_ids(
    search: *mut neargrid_search,
    n: i64,
    offsets: *const i64,
    ids: *const i64,
    classes: *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut entered = unsafe { handle::enter(search)? };
        let (search, ranks) = entered.both();
        let base = search.index_base();
        // SAFETY: the caller's promise.
        let (offsets, ids, classes) = unsafe { rows(n, offsets, ids, classes, base)? };
        match ranks {
            Some(ranks) => {
                ranks.set_exclusions(ExcludedIds::new(offsets, ids, classes, base)?);
                Ok(())
            }
            None => search.set_exclusions_by_ids(offsets, ids, classes),
        }
    })
}

const ACROSS: &str = "exclusions by point numbers across ranks (use neargrid_search_set_exclusions_by_ids)";

/// Rows of excluded points: offsets, numbers or ids, and classes; none at all without offsets.
type Rows<'a, T> = (&'a [i64], &'a [T], Option<&'a [i32]>);

/// # Safety
/// As for [`neargrid_search_set_exclusions`].
unsafe fn rows<'a, T>(
    n: i64,
    offsets: *const i64,
    ids: *const T,
    classes: *const i32,
    base: i64,
) -> Result<Rows<'a, T>> {
    if offsets.is_null() {
        return Ok((&[], &[], None));
    }
    let n = check_count("n", n)?;
    // SAFETY: the caller's promise.
    let offsets = unsafe { checks::slice(offsets, n + 1, "offsets")? };
    let len = check_offsets("offsets", offsets, base)?;
    let len = checks::count_of::<T>(len as i64, "number of excluded ids", 1)?;
    // SAFETY: the caller's promise.
    unsafe {
        let classes = (!classes.is_null()).then(|| checks::slice(classes, len, "classes"));
        Ok((offsets, checks::slice(ids, len, "ids")?, classes.transpose()?))
    }
}
