//! Values of contacts, from one list to the next.

use super::checks::{self, Written};
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::arguments::check_count;
use crate::carry::{Columns, Contacts};
use crate::error::Result;
use crate::points::Precision;

/// Carries the values of contacts from an old list to a new one, in real64. The entry of the new list that lists j in the row
/// of i takes the values that the old list has for j in the row of i. If it has none, it takes those for i in the row of j, each
/// times its sign; and if there is neither, zeros. So both lists may have half or full rows. The call needs no points and makes
/// no search; the handle gives the index base and the number of threads, which does not change the result.
///
/// - `old_first_row`: number of the first row of the old list, in the index base. It is the index base itself, unless the list is
///   a piece, such as a chunk. Ignored if `old_n` is 0.
/// - `old_n`: number of rows of the old list, one for each point from `old_first_row` on.
/// - `old_offsets`: `old_n` + 1 elements. The first is the index base, and none is smaller than the one before.
///   May be NULL if `old_n` is 0.
/// - `old_ids`: the point numbers that the rows list, as many as the last offset says. Each row ascends by point numbers, or all
///   rows ascend by `old_global_ids`. Points that share an id then ascend by their numbers. A row lists a point at most once. May
///   be NULL if there are none.
/// - `old_npoints`: number of elements of `old_global_ids`, at least as many as rows and as the point numbers say. Ignored if
///   that is NULL.
/// - `old_global_ids`: a global id for each point as the old list numbers them. A point is then the same in both lists if its id is
///   the same. Points may share an id, such as a point and its periodic images. Then the first of them in the old list is the first
///   in the new list, and so on. If a row lists an id several times, the first entry takes the values of the first, and so on. The
///   turned pair is looked for in the row of the first point with the id. May be NULL if points have the same numbers in both
///   lists.
/// - `first_row`, `n`, `offsets`: the same for the new list, which may be a view. `offsets` may be NULL if `n` is 0.
/// - `ids`: the same. May be NULL if there are none.
/// - `npoints`: the same.
/// - `global_ids`: the same. May be NULL only if `old_global_ids` is.
/// - `columns`: number of values of an entry, 0 or greater.
/// - `signs`: for each column 1, or -1 for a value that changes its sign when i and j are exchanged, such as a component of a
///   vector from i to j. The change is exact, also for 0. May be NULL for 1 everywhere.
/// - `old_values`: `columns` values for each entry of the old list, entry after entry. May be NULL if there are none.
/// - `values`: receives `columns` values for each entry of the new list. It must not overlap other arrays. May be NULL if there
///   are none.
/// - `nlost`: receives the number of entries of the old list that are lost: those whose pair the new list has in neither order.
///   Full rows count both directions. May be NULL if it is not needed.
/// - `lost`: receives the positions in `old_ids`, in the index base, of these entries, in ascending order. It has room for all
///   entries of the old list; elements after the first `nlost` are not changed. May be NULL if it is not needed.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`old_n`, `n`, `old_npoints`, `npoints`, `columns`), BAD_VALUE (a first row, invalid
/// offsets, a point number out of range, a row that does not ascend, a sign, global ids of one
/// list alone, overlapping arrays), OUT_OF_MEMORY, THREADS. On failure nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_carry_f64(
    search: *const neargrid_search,
    old_first_row: i64,
    old_n: i64,
    old_offsets: *const i64,
    old_ids: *const i32,
    old_npoints: i64,
    old_global_ids: *const i64,
    first_row: i64,
    n: i64,
    offsets: *const i64,
    ids: *const i32,
    npoints: i64,
    global_ids: *const i64,
    columns: i64,
    signs: *const i32,
    old_values: *const f64,
    values: *mut f64,
    nlost: *mut i64,
    lost: *mut i64,
) -> neargrid_status {
    let old = Given {
        first_row: old_first_row,
        n: old_n,
        offsets: old_offsets,
        ids: old_ids,
        npoints: old_npoints,
        global_ids: old_global_ids,
    };
    let new = Given {
        first_row,
        n,
        offsets,
        ids,
        npoints,
        global_ids,
    };
    // SAFETY: the caller's promise.
    unsafe {
        carry(
            search,
            [old, new],
            (columns, signs),
            (old_values, values),
            (nlost, lost),
        )
    }
}

/// As neargrid_carry_f64, for values in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_carry_f32(
    search: *const neargrid_search,
    old_first_row: i64,
    old_n: i64,
    old_offsets: *const i64,
    old_ids: *const i32,
    old_npoints: i64,
    old_global_ids: *const i64,
    first_row: i64,
    n: i64,
    offsets: *const i64,
    ids: *const i32,
    npoints: i64,
    global_ids: *const i64,
    columns: i64,
    signs: *const i32,
    old_values: *const f32,
    values: *mut f32,
    nlost: *mut i64,
    lost: *mut i64,
) -> neargrid_status {
    let old = Given {
        first_row: old_first_row,
        n: old_n,
        offsets: old_offsets,
        ids: old_ids,
        npoints: old_npoints,
        global_ids: old_global_ids,
    };
    let new = Given {
        first_row,
        n,
        offsets,
        ids,
        npoints,
        global_ids,
    };
    // SAFETY: the caller's promise.
    unsafe {
        carry(
            search,
            [old, new],
            (columns, signs),
            (old_values, values),
            (nlost, lost),
        )
    }
}

/// A list as it comes from C.
struct Given {
    first_row: i64,
    n: i64,
    offsets: *const i64,
    ids: *const i32,
    npoints: i64,
    global_ids: *const i64,
}

/// Names of its arguments, in the order of `Given`, but without the first.
type Names = [&'static str; 5];

const OLD: Names = ["old_n", "old_offsets", "old_ids", "old_npoints", "old_global_ids"];
const NEW: Names = ["n", "offsets", "ids", "npoints", "global_ids"];

impl Given {
    /// The list, checked as far as its arrays need.
    ///
    /// # Safety
    /// The arrays are readable for as many elements as [`neargrid_carry_f64`] says.
    unsafe fn contacts<'a>(&self, base: i64, [n, offsets, ids, npoints, global_ids]: Names) -> Result<Contacts<'a>> {
        // SAFETY: the caller's promise.
        let (given, ids) = unsafe { checks::listed(self.n, (self.offsets, self.ids), base, [n, offsets, ids])? };
        let points = match self.global_ids.is_null() {
            true => 0,
            false => check_count(npoints, self.npoints)?,
        };
        // SAFETY: the caller's promise.
        let global = unsafe { checks::slice(self.global_ids, points, global_ids)? };
        Ok(Contacts {
            first_row: self.first_row,
            offsets: given,
            ids,
            global_ids: (!self.global_ids.is_null()).then_some(global),
        })
    }
}

/// The addresses of a slice.
fn read<T>(slice: &[T], argument: &'static str) -> Written {
    checks::written(slice.as_ptr(), slice.len(), argument)
}

/// Refuses arrays that are written and share memory with each other, with a list, or with another array that is read.
fn check_apart(written: &[Written], [old, new]: [&Contacts; 2], others: [Written; 2]) -> Result<()> {
    checks::disjoint(written)?;
    let lists = [
        read(old.offsets, OLD[1]),
        read(old.ids, OLD[2]),
        read(old.global_ids.unwrap_or_default(), OLD[4]),
        read(new.offsets, NEW[1]),
        read(new.ids, NEW[2]),
        read(new.global_ids.unwrap_or_default(), NEW[4]),
    ];
    for (argument, output) in written.iter().filter(|(_, output)| !output.is_empty()) {
        for (other, input) in lists.iter().chain(&others).filter(|(_, input)| !input.is_empty()) {
            checks::apart(argument, output, other, input)?;
        }
    }
    Ok(())
}

/// # Safety
/// As for [`neargrid_carry_f64`].
unsafe fn carry<T: Precision>(
    search: *const neargrid_search,
    [old, new]: [Given; 2],
    (columns, signs): (i64, *const i32),
    (old_values, values): (*const T, *mut T),
    (nlost, lost): (*mut i64, *mut i64),
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let search = unsafe { handle::enter(search)? };
        let base = search.index_base();
        // SAFETY: the caller's promise.
        let [old, new] = unsafe { [old.contacts(base, OLD)?, new.contacts(base, NEW)?] };
        let most = old.ids.len().max(new.ids.len()).max(1);
        let count = checks::count_of::<T>(columns, "columns", most)?;
        // SAFETY: the caller's promise.
        let (signs, old_values) = unsafe {
            (
                checks::slice(signs, if signs.is_null() { 0 } else { count }, "signs")?,
                checks::slice(old_values, old.ids.len() * count, "old_values")?,
            )
        };
        let written = [
            checks::written(values, new.ids.len() * count, "values"),
            checks::written(nlost, 1, "nlost"),
            checks::written(lost, old.ids.len(), "lost"),
        ];
        check_apart(
            &written,
            [&old, &new],
            [read(old_values, "old_values"), read(signs, "signs")],
        )?;
        let columns = Columns { count, signs };
        let (carrying, team) = search.carrying(&old, &new)?;
        carrying.check_values(&columns, old_values.len(), new.ids.len() * count)?;
        // SAFETY: the caller's promise; what is written is apart from all that is read.
        let (values, places, number) = unsafe {
            (
                checks::array(values, new.ids.len() * count, "values")?,
                (!lost.is_null())
                    .then(|| checks::array(lost, old.ids.len(), "lost"))
                    .transpose()?,
                (!nlost.is_null()).then(|| checks::out(nlost, "nlost")).transpose()?,
            )
        };
        let parts = carrying.parts(&columns, values)?;
        if places.is_some() || number.is_some() {
            let lost = carrying.count_lost(&team)?;
            let places = places.map(|places| lost.parts(places)).transpose()?;
            places.into_iter().for_each(|parts| carrying.write_lost(&team, parts));
            number.into_iter().for_each(|number| number.set(lost.len() as i64));
        }
        carrying.write(&columns, old_values, &team, parts);
        Ok(())
    })
}
