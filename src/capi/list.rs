//! Lists: rows of neighbors that a handle gave to the caller.

use super::checks;
use super::exclusive::{self, Entered, Exclusive};
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::neighbors::{kind_of, neargrid_neighbors};
use super::status::neargrid_status;
use crate::error::{Error, Result, Status, words};
use crate::ranks::Need;
use crate::search::{MAX_CUTOFFS, NeighborList, Search};

/// A list: rows of neighbors that belong to the caller.
///
/// neargrid_neighbors_take makes a list and neargrid_list_destroy frees it. A list belongs to no search: it keeps its rows
/// whatever becomes of the handle. Any number of threads may read it at the same time, but not while a call changes or frees it.
#[allow(non_camel_case_types)]
pub struct neargrid_list {
    _opaque: [u8; 0],
}

const NO_MEMORY: Error = Error::OutOfMemory {
    what: "a list",
    bytes: size_of::<Exclusive<NeighborList>>() as u64,
};

/// Enters each list that is not NULL.
///
/// # Safety
///
/// Each is NULL or a list that lives.
unsafe fn enter_each<'a>(given: &[*mut neargrid_list]) -> Result<[Option<Entered<'a, NeighborList>>; MAX_CUTOFFS]> {
    let mut entered = [const { None }; MAX_CUTOFFS];
    for (k, (place, list)) in entered.iter_mut().zip(given).enumerate() {
        if list.is_null() {
            continue;
        }
        if let Some(first) = given[..k].iter().position(|earlier| earlier == list) {
            return Err(twice(first, k));
        }
        // SAFETY: not NULL, and the caller's promise.
        let list = unsafe { exclusive::enter(list.cast::<Exclusive<NeighborList>>()) };
        *place = Some(list.map_err(refused)?);
    }
    Ok(entered)
}

/// The refusal of two elements of `lists` that are the same list.
fn twice(first: usize, second: usize) -> Error {
    let value = format_args!("elements {first} and {second} (from 0), which are one list,");
    Error::not_allowed(Status::Busy, "lists", value, "different lists, or NULL")
}

/// Why a call gets no list.
fn refused(refused: exclusive::Refused) -> Error {
    handle::not_entered(refused, "list", "neargrid_neighbors_take")
}

/// Moves the rows of neighbors out of the handle into a list, which keeps them. They are those of neargrid_neighbors_view, and
/// nothing is copied: the handle gives its memory away, and goes on with the memory that the list had. Two lists that take turns
/// allocate nothing once they are large enough.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES.
/// - `list`: the address of a list, whose rows are replaced, or of NULL, in the place of which the caller receives a new list.
///   The caller frees it with neargrid_list_destroy.
///
/// The handle has these rows no more: asking it for them again searches again. Views of the handle become invalid, and so do
/// those of the list before. On failure the list keeps its rows.
///
/// Returns the statuses of neargrid_neighbors_view, and also BAD_VALUE (`list` was destroyed). BUSY also means that another call
/// uses the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_take(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    list: *mut *mut neargrid_list,
) -> neargrid_status {
    guard(|| {
        let asked = |_: &mut Search| {
            let kind = kind_of(kind)?;
            // SAFETY: the caller's promise.
            let place = unsafe { checks::out(list, "list")? };
            // SAFETY: the caller's promise; it is neither NULL nor misaligned.
            let list = unsafe { list.read() };
            if list.is_null() {
                return Ok((Need::Rows(kind), (kind, place, None)));
            }
            // SAFETY: not NULL, and the caller's promise.
            let entered = unsafe { exclusive::enter(list.cast::<Exclusive<NeighborList>>()) };
            Ok((Need::Rows(kind), (kind, place, Some(entered.map_err(refused)?))))
        };
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.together("neighbors_take", asked, |search, (kind, place, entered), meeting| {
            meeting.agree(search.make_taken(kind))?;
            if let Some(mut list) = entered {
                search.give_taken(kind, &mut list);
                return Ok(());
            }
            let mut made = NeighborList::new();
            search.give_taken(kind, &mut made);
            let made = exclusive::into_raw(made).ok_or(NO_MEMORY)?;
            place.set(made.cast());
            Ok(())
        })
    })
}

/// Moves rows of neighbors by several cutoffs into lists, a list for each cutoff. Each list has the rows that neargrid_neighbors_take
/// delivers with that cutoff, but the points are searched once, by the largest cutoff, where that is faster.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES.
/// - `n`: number of cutoffs, 1 to NEARGRID_CUTOFFS_MAX.
/// - `cutoffs`: `n` cutoffs, each as for neargrid_search_set_cutoff, in any order.
/// - `lists`: `n` elements, each a list, whose rows are replaced, or NULL, in the place of which the caller receives a new list.
///
/// The cutoff of the handle plays no part and stays. A skin is not used, and its list stays. A smaller cutoff's rows are taken out of
/// those of the largest by the CPU, also where a GPU finds them, unless rows are long, or points that are near each other are far
/// apart in memory: then there is a search for each cutoff. Views of the handle and of the lists become invalid. On failure
/// the lists keep their rows, and none is made.
///
/// Across ranks the call is collective, with the same cutoffs on all ranks.
///
/// Returns the statuses of neargrid_neighbors_take, and also BAD_COUNT (`n`), BAD_CUTOFF (the text names the first list whose cutoff
/// is refused) and NOT_SUPPORTED (rows by radii). BUSY also means that a list is there twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_neighbors_take_by_cutoffs(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    n: i64,
    cutoffs: *const f64,
    lists: *mut *mut neargrid_list,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        let asked = |_: &mut Search| {
            let kind = kind_of(kind)?;
            let count = checks::count_of::<*mut neargrid_list>(n, "n", 1)?;
            if !(1..=MAX_CUTOFFS).contains(&count) {
                let allowed = format_args!("1 to {MAX_CUTOFFS}");
                return Err(Error::not_allowed(Status::BadCount, "n", n, allowed));
            }
            // SAFETY: the caller's promise.
            let (cutoffs, given) = unsafe {
                (
                    checks::slice(cutoffs, count, "cutoffs")?,
                    checks::slice(lists.cast_const(), count, "lists")?,
                )
            };
            // SAFETY: the caller's promise.
            let entered = unsafe { enter_each(given)? };
            let largest = cutoffs.iter().fold(0.0, |most: f64, &cutoff| most.max(cutoff));
            Ok((Need::Within(kind, largest), (kind, cutoffs, entered)))
        };
        search.together(
            "neighbors_take_by_cutoffs",
            asked,
            |search, (kind, cutoffs, mut entered), meeting| {
                let count = cutoffs.len();
                let fact = ("cutoffs", words(format_args!("{cutoffs:?}")));
                meeting.agree_on(&[fact], search.make_by_cutoffs(kind, cutoffs))?;
                let mut made = Made::default();
                for k in (0..count).filter(|&k| entered[k].is_none()) {
                    made.0[k] = exclusive::into_raw(NeighborList::new()).ok_or(NO_MEMORY)?;
                }
                for (k, list) in entered.iter_mut().enumerate().take(count) {
                    if let Some(list) = list {
                        search.swap_by_cutoff(k, list);
                        continue;
                    }
                    // SAFETY: it was made here, and nobody else knows it.
                    let list = unsafe { exclusive::enter(made.0[k]) };
                    search.swap_by_cutoff(k, &mut *list.map_err(refused)?);
                    // SAFETY: the caller's promise; it is one of `n` elements.
                    unsafe { lists.add(k).write(made.give(k).cast()) };
                }
                Ok(())
            },
        )
    })
}

/// Lists that a call has made and not given away yet.
struct Made([*mut Exclusive<NeighborList>; MAX_CUTOFFS]);

impl Made {
    /// A list, which is the caller's from now on.
    fn give(&mut self, k: usize) -> *mut Exclusive<NeighborList> {
        std::mem::replace(&mut self.0[k], std::ptr::null_mut())
    }
}

impl Default for Made {
    fn default() -> Made {
        Made([std::ptr::null_mut(); MAX_CUTOFFS])
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for &list in self.0.iter().filter(|list| !list.is_null()) {
            // SAFETY: it was made by this call, which gave it to nobody.
            unsafe { exclusive::free(list) };
        }
    }
}

/// The most cutoffs of neargrid_neighbors_take_by_cutoffs.
pub const NEARGRID_CUTOFFS_MAX: i32 = 64;
const _: () = assert!(NEARGRID_CUTOFFS_MAX as usize == MAX_CUTOFFS);

/// Returns the rows of a list as a view, with the contents of neargrid_neighbors_copy. Its index base is `offsets[0]`.
///
/// - `n`: receives the number of rows.
/// - `total`: receives the number of ids.
/// - `offsets`, `ids`: receive pointers to arrays of `n` + 1 and `total` elements, owned by the list. They are valid until the
///   list takes other rows or is destroyed.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (`list` was destroyed). BUSY means that the list takes other rows meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_list_view(
    list: *const neargrid_list,
    n: *mut i64,
    total: *mut i64,
    offsets: *mut *const i64,
    ids: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (list, n, total, offsets, ids) = unsafe {
            (
                read(list)?,
                checks::out(n, "n")?,
                checks::out(total, "total")?,
                checks::out(offsets, "offsets")?,
                checks::out(ids, "ids")?,
            )
        };
        let neighbors = list.neighbors();
        offsets.set(neighbors.offsets.as_ptr());
        ids.set(neighbors.ids.as_ptr());
        n.set(neighbors.offsets.len() as i64 - 1);
        total.set(neighbors.ids.len() as i64);
        Ok(())
    })
}

/// A list that is read.
///
/// # Safety
/// `list` is NULL or came from [`neargrid_neighbors_take`], and no call frees or changes it before it was read.
unsafe fn read<'a>(list: *const neargrid_list) -> Result<&'a NeighborList> {
    if list.is_null() {
        return Err(Error::NullPointer {
            argument: "list",
            expected: "a list made by neargrid_neighbors_take",
        });
    }
    // SAFETY: not NULL, and the caller's promise.
    unsafe { exclusive::read(list.cast::<Exclusive<NeighborList>>()) }.map_err(refused)
}

/// Frees a list. Does nothing if `list` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_list_destroy(list: *mut neargrid_list) {
    guard(|| {
        if !list.is_null() {
            // SAFETY: not NULL, and the caller's promise.
            unsafe { exclusive::free(list.cast::<Exclusive<NeighborList>>()) };
        }
        Ok(())
    });
}
