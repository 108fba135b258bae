//! Exclusions: pairs that no row lists.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::arguments::{check_count, check_offsets};
use crate::error::{Error, Result};
use crate::exclusions::{ExcludedIds, Shift};

/// Sets pairs of points that are not neighbors, however near they are, such as atoms that bonds join. Pairs, rows of points,
/// counts, chunks and Verlet lists leave them out. The rows of queries, k nearest neighbors, groups and the rows of many systems do
/// not know them. In a cell an excluded pair is left out with all its images, or by neargrid_search_set_exclusions_shifts with one. The
/// handle keeps a copy, which remains when points are set again.
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
    // SAFETY: the caller's promise.
    unsafe { neargrid_search_set_exclusions_shifts(search, n, offsets, ids, std::ptr::null(), classes) }
}

/// As neargrid_search_set_exclusions, of one image of each point in a cell (neargrid_search_set_cell), as bonds in a cell that is smaller
/// than the cutoff need it. Point i does not list the image of point j by the shift S of three integers; other images of j are its
/// neighbors. S has the meaning of the shifts of neargrid_images_view: the image is at x_j + S1*a + S2*b + S3*c, with x_j as it was given.
///
/// - `n`, `offsets`, `ids`, `classes`: as for neargrid_search_set_exclusions. A row may list a point several times, each time by another
///   shift, and its own point by shifts that are not 0.
/// - `shifts`: 3 elements for each element of `ids`. The row of j has i by the shift -S, with the same class. May be NULL: then each pair
///   is left out with all its images.
///
/// Shifts are 0 along vectors that are not periodic, and everywhere where no cell is set; a query refuses others (BAD_VALUE). In a periodic
/// box it refuses all shifts (NOT_SUPPORTED), because points are brought into it. In formulas `class` is that of the image.
///
/// Returns the statuses of neargrid_search_set_exclusions, and also BAD_VALUE (a shift of -2^31).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_exclusions_shifts(
    search: *mut neargrid_search,
    n: i64,
    offsets: *const i64,
    ids: *const i32,
    shifts: *const i32,
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
        let given = unsafe { rows(n, offsets, ids, (shifts, classes), search.index_base())? };
        search.set_exclusions_shifts(given.offsets, given.ids, given.shifts, given.classes)
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
    // SAFETY: the caller's promise.
    unsafe { neargrid_search_set_exclusions_by_ids_shifts(search, n, offsets, ids, std::ptr::null(), classes) }
}

/// As neargrid_search_set_exclusions_shifts, with global ids as neargrid_search_set_exclusions_by_ids has them, also across ranks. There
/// positions are those that each rank gave.
///
/// - `n`, `offsets`, `shifts`, `classes`: as for neargrid_search_set_exclusions_shifts.
/// - `ids`: global ids.
///
/// Returns the statuses of neargrid_search_set_exclusions_by_ids, and also BAD_VALUE (a shift of -2^31).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_exclusions_by_ids_shifts(
    search: *mut neargrid_search,
    n: i64,
    offsets: *const i64,
    ids: *const i64,
    shifts: *const i32,
    classes: *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut entered = unsafe { handle::enter(search)? };
        let (search, ranks) = entered.both();
        let base = search.index_base();
        // SAFETY: the caller's promise.
        let given = unsafe { rows(n, offsets, ids, (shifts, classes), base)? };
        match ranks {
            Some(ranks) => {
                let rows = ExcludedIds::new(given.offsets, given.ids, given.classes, base)?;
                ranks.set_exclusions(rows.of_images(given.shifts, base)?);
                Ok(())
            }
            None => search.set_exclusions_by_ids_shifts(given.offsets, given.ids, given.shifts, given.classes),
        }
    })
}

const ACROSS: &str = "exclusions by point numbers across ranks (use neargrid_search_set_exclusions_by_ids)";

/// Rows of excluded points: offsets, numbers or ids, shifts and classes; none at all without offsets.
struct Rows<'a, T> {
    offsets: &'a [i64],
    ids: &'a [T],
    shifts: Option<&'a [Shift]>,
    classes: Option<&'a [i32]>,
}

/// # Safety
/// As for [`neargrid_search_set_exclusions`].
unsafe fn rows<'a, T>(
    n: i64,
    offsets: *const i64,
    ids: *const T,
    (shifts, classes): (*const i32, *const i32),
    base: i64,
) -> Result<Rows<'a, T>> {
    if offsets.is_null() {
        return Ok(Rows {
            offsets: &[],
            ids: &[],
            shifts: None,
            classes: None,
        });
    }
    let n = check_count("n", n)?;
    // SAFETY: the caller's promise.
    let offsets = unsafe { checks::slice(offsets, n + 1, "offsets")? };
    let len = check_offsets("offsets", offsets, base)?;
    let len = checks::count_of::<T>(len as i64, "number of excluded ids", 1)?;
    // SAFETY: the caller's promise.
    unsafe {
        let (with_shifts, with_classes) = (!shifts.is_null(), !classes.is_null());
        let shifts = with_shifts.then(|| checks::slice(shifts.cast::<Shift>(), len, "shifts"));
        let classes = with_classes.then(|| checks::slice(classes, len, "classes"));
        Ok(Rows {
            offsets,
            ids: checks::slice(ids, len, "ids")?,
            shifts: shifts.transpose()?,
            classes: classes.transpose()?,
        })
    }
}
