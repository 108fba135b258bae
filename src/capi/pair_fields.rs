//! Pair fields: named values of pairs, which formulas read and make, and which live from one run to the next.

use std::ffi::c_char;

use super::checks;
use super::fields::components_of;
use super::formula::text;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::error::{Error, Result, Status};
use crate::search::{PairFieldAsked, PairValues, Precision, Search};

const SET_BY_NUMBERS: &str =
    "pair fields by point numbers across ranks (use neargrid_search_set_pair_field_by_ids_f64)";
const COPIED_NUMBERS: &str = "pair fields by point numbers across ranks (use neargrid_pair_field_copy_ids_f64)";

/// # Safety
/// As for [`neargrid_search_set_pair_field_f64`].
unsafe fn set_pair_field<T: Precision>(
    search: *mut neargrid_search,
    name: *const c_char,
    (components, n): (i32, i64),
    rows: (*const i64, *const i32),
    values: *const T,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, name) = unsafe { (handle::enter_alone(search, SET_BY_NUMBERS)?, text(name, "name")?) };
        let (width, base) = (components_of(components)?, search.index_base());
        // SAFETY: the caller's promise.
        let (offsets, ids) = unsafe { checks::listed(n, rows, base, ["n", "offsets", "ids"])? };
        // SAFETY: the caller's promise.
        let values = unsafe { checks::slice(values, ids.len().saturating_mul(width), "values")? };
        search.set_pair_field(name, (offsets, ids), values, width)
    })
}

/// Sets a pair field, in real64: a number or a vector for each entry of rows, which formulas read by its name with `_ij`, and to which
/// they give new values. It lives from one run to the next: a statement `name_ij = ...` reads the newest value of its pair, whatever
/// rows the pair is in now. A pair that the rows do not have has the value 0. The handle keeps a copy of the rows and of the values.
///
/// - `name`: its name without `_ij`: a letter, and then letters, digits and `_`, without `_i`, `_j`, `_ij` or `_ji` at its end. `x`
///   is not allowed.
/// - `components`: 1, or the dimension of the points for a vector.
/// - `n`: number of rows, one for each point from the first on. If points are set, at most their number.
/// - `offsets`: `n` + 1 elements. The first is the index base, and none is smaller than the one before. May be NULL if `n` is 0.
/// - `ids`: the point numbers that the rows list, as many as the last offset says. Each row ascends by point numbers, or all rows
///   ascend by the global ids that are set, and lists a point at most once. May be NULL if there are none.
/// - `values`: `components` values for each entry, entry after entry. May be NULL if there are none.
///
/// Rows are of the points as they are numbered in the next run. If points are set, the rows must fit their numbers. If points have
/// global ids, set these before: the rows then follow the ids, whatever numbers the points get. neargrid_search_info names the pair
/// fields that the last run did not read. Across ranks rows list ids (neargrid_search_set_pair_field_by_ids_f64).
///
/// Returns OK, NULL_POINTER, BAD_DIM (`components`), BAD_COUNT (`n`), BAD_VALUE (`name`, invalid offsets, a point number out of range,
/// a row that does not ascend), OUT_OF_MEMORY, THREADS. On failure the pair field stays as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_pair_field_f64(
    search: *mut neargrid_search,
    name: *const c_char,
    components: i32,
    n: i64,
    offsets: *const i64,
    ids: *const i32,
    values: *const f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { set_pair_field(search, name, (components, n), (offsets, ids), values) }
}

/// As neargrid_search_set_pair_field_f64, in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_pair_field_f32(
    search: *mut neargrid_search,
    name: *const c_char,
    components: i32,
    n: i64,
    offsets: *const i64,
    ids: *const i32,
    values: *const f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { set_pair_field(search, name, (components, n), (offsets, ids), values) }
}

/// # Safety
/// As for [`neargrid_search_set_pair_field_by_ids_f64`].
unsafe fn set_by_ids<T: Precision>(
    search: *mut neargrid_search,
    name: *const c_char,
    (components, n): (i32, i64),
    rows: (*const i64, *const i64),
    values: *const T,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut entered = unsafe { handle::enter(search)? };
        let (search, ranks) = entered.both();
        let base = search.index_base();
        let asked = || {
            // SAFETY: the caller's promise.
            let (name, (offsets, ids)) = unsafe {
                (
                    text(name, "name")?,
                    checks::listed(n, rows, base, ["n", "offsets", "ids"])?,
                )
            };
            let components = components_of(components)?;
            // SAFETY: the caller's promise.
            let values = unsafe { checks::slice(values, ids.len().saturating_mul(components), "values")? };
            Ok(PairFieldAsked {
                name,
                offsets,
                ids,
                values,
                components,
            })
        };
        match ranks {
            Some(ranks) => ranks.set_pair_field(search, asked()),
            None => {
                let asked = asked()?;
                let rows = (asked.offsets, asked.ids);
                search.set_pair_field_by_ids(asked.name, rows, asked.values, asked.components)
            }
        }
    })
}

/// As neargrid_search_set_pair_field_f64, with rows that list the global ids of points in the place of their numbers, also across ranks.
/// Without ids they are the point numbers. With them, a program that goes on from a file may number its points in another way
/// than the one that wrote it, and have another number of ranks.
///
/// Set the points and their ids before. Row i is that of point i. An id may be that of no point, such as of one that is gone; such an entry
/// plays no part. Across ranks the call is collective. The rows are those of this rank's points, and partners may be points of any rank.
///
/// - `name`, `components`, `offsets`, `values`: as for neargrid_search_set_pair_field_f64.
/// - `n`: number of rows, one for each point from the first on, on this rank.
/// - `ids`: the global ids that the rows list, as many as the last offset says. Each row ascends. It may have an id more than once
///   only if points share ids: the second entry is that of the second point with the id, and so on. May be NULL if there are none.
///
/// Returns the statuses of neargrid_search_set_pair_field_f64, and across ranks also BAD_STATE (no points set), COMMUNICATION and
/// DISAGREEMENT (another name, number of components or precision on another rank).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_pair_field_by_ids_f64(
    search: *mut neargrid_search,
    name: *const c_char,
    components: i32,
    n: i64,
    offsets: *const i64,
    ids: *const i64,
    values: *const f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { set_by_ids(search, name, (components, n), (offsets, ids), values) }
}

/// As neargrid_search_set_pair_field_by_ids_f64, in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_pair_field_by_ids_f32(
    search: *mut neargrid_search,
    name: *const c_char,
    components: i32,
    n: i64,
    offsets: *const i64,
    ids: *const i64,
    values: *const f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { set_by_ids(search, name, (components, n), (offsets, ids), values) }
}

/// Returns the size of a pair field that was set or that a formula has made. Across ranks it is that of this rank's rows.
///
/// - `name`: its name without `_ij`.
/// - `components`: receives 1, or the dimension of the points for a vector.
/// - `n`: receives the number of rows.
/// - `entries`: receives the number of entries of all rows.
///
/// Returns OK, NULL_POINTER, BAD_STATE (no such pair field).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pair_field_size(
    search: *const neargrid_search,
    name: *const c_char,
    components: *mut i32,
    n: *mut i64,
    entries: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, name) = unsafe { (handle::enter(search)?, text(name, "name")?) };
        // SAFETY: the caller's promise.
        let (components, n, entries) = unsafe {
            (
                checks::out(components, "components")?,
                checks::out(n, "n")?,
                checks::out(entries, "entries")?,
            )
        };
        let [width, rows, total] = search.pair_field_size(name)?;
        components.set(width as i32);
        n.set(rows as i64);
        entries.set(total as i64);
        Ok(())
    })
}

/// Refuses a number of `what` that is not the one that a pair field has.
fn check_size(status: Status, argument: &'static str, given: i64, has: usize) -> Result<()> {
    if given == has as i64 {
        return Ok(());
    }
    let allowed = format_args!("{has}, as many as the pair field has");
    Err(Error::not_allowed(status, argument, given, allowed))
}

/// Copies what `get` gives, which has rows of ids of a type.
///
/// # Safety
/// As for [`neargrid_pair_field_copy_f64`].
unsafe fn copy<T: Precision, I: Copy + Send>(
    search: &Search,
    name: *const c_char,
    (components, n, entries): (i32, i64, i64),
    (offsets, ids): (*mut i64, *mut I),
    values: *mut T,
    get: fn(&Search, &str) -> Result<PairValues<T, I>>,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name, "name")? };
    let [width, rows, total] = search.pair_field_size(name)?;
    check_size(Status::BadDim, "components", components.into(), width)?;
    check_size(Status::BadCount, "n", n, rows)?;
    check_size(Status::BadCount, "entries", entries, total)?;
    checks::disjoint(&[
        checks::written(offsets, rows + 1, "offsets"),
        checks::written(ids, total, "ids"),
        checks::written(values, total * width, "values"),
    ])?;
    // SAFETY: the caller's promise; the arrays are apart.
    let (mut to_offsets, mut to_ids, mut to_values) = unsafe {
        (
            checks::array(offsets, rows + 1, "offsets")?,
            checks::array(ids, total, "ids")?,
            checks::array(values, total * width, "values")?,
        )
    };
    let got = get(search, name)?;
    to_offsets.write_all(0, &got.offsets);
    to_ids.write_all(0, &got.ids);
    to_values.write_all(0, &got.values);
    Ok(())
}

/// # Safety
/// As for [`neargrid_pair_field_copy_f64`].
unsafe fn copy_numbers<T: Precision>(
    search: *const neargrid_search,
    name: *const c_char,
    size: (i32, i64, i64),
    rows: (*mut i64, *mut i32),
    values: *mut T,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let search = handle::enter_alone(search, COPIED_NUMBERS)?;
            copy(&search, name, size, rows, values, Search::pair_field)
        }
    })
}

/// # Safety
/// As for [`neargrid_pair_field_copy_ids_f64`].
unsafe fn copy_ids<T: Precision>(
    search: *const neargrid_search,
    name: *const c_char,
    size: (i32, i64, i64),
    rows: (*mut i64, *mut i64),
    values: *mut T,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let search = handle::enter(search)?;
            copy(&search, name, size, rows, values, Search::pair_field_by_ids)
        }
    })
}

/// Copies a pair field that was set or that a formula has made to real64, and the rows whose entries have its values: those of the last
/// statement that made it, or as they were set. A restart needs them, and the global ids of the points. Across ranks rows list ids
/// (neargrid_pair_field_copy_ids_f64).
///
/// - `name`: its name without `_ij`.
/// - `components`, `n`, `entries`: the size, as neargrid_pair_field_size returns it.
/// - `offsets`: receives `n` + 1 elements, the begin of each row in `ids` and the end of the last, in the index base.
/// - `ids`: receives the point numbers that the rows list. May be NULL if `entries` is 0.
/// - `values`: receives `components` values for each entry, entry after entry. May be NULL if `entries` is 0.
///
/// Returns OK, NULL_POINTER, BAD_DIM (`components`), BAD_COUNT (`n`, `entries`), BAD_STATE (no such pair field), BAD_VALUE (overlapping
/// arrays), OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pair_field_copy_f64(
    search: *const neargrid_search,
    name: *const c_char,
    components: i32,
    n: i64,
    entries: i64,
    offsets: *mut i64,
    ids: *mut i32,
    values: *mut f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy_numbers(search, name, (components, n, entries), (offsets, ids), values) }
}

/// As neargrid_pair_field_copy_f64, to real32: real64 values are rounded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pair_field_copy_f32(
    search: *const neargrid_search,
    name: *const c_char,
    components: i32,
    n: i64,
    entries: i64,
    offsets: *mut i64,
    ids: *mut i32,
    values: *mut f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy_numbers(search, name, (components, n, entries), (offsets, ids), values) }
}

/// As neargrid_pair_field_copy_f64, with the global ids of points in the place of their numbers, also across ranks. Where no ids are set, they
/// are the point numbers. Each row ascends. With neargrid_search_set_pair_field_by_ids_f64 a program goes on from them on any number of
/// ranks.
///
/// Rows are those of this rank's points as the last statement that made the field had them. The call is not collective.
///
/// - `name`, `components`, `n`, `entries`, `offsets`, `values`: as for neargrid_pair_field_copy_f64.
/// - `ids`: receives the global ids that the rows list. May be NULL if `entries` is 0.
///
/// Returns the statuses of neargrid_pair_field_copy_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pair_field_copy_ids_f64(
    search: *const neargrid_search,
    name: *const c_char,
    components: i32,
    n: i64,
    entries: i64,
    offsets: *mut i64,
    ids: *mut i64,
    values: *mut f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy_ids(search, name, (components, n, entries), (offsets, ids), values) }
}

/// As neargrid_pair_field_copy_ids_f64, to real32: real64 values are rounded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_pair_field_copy_ids_f32(
    search: *const neargrid_search,
    name: *const c_char,
    components: i32,
    n: i64,
    entries: i64,
    offsets: *mut i64,
    ids: *mut i64,
    values: *mut f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy_ids(search, name, (components, n, entries), (offsets, ids), values) }
}
