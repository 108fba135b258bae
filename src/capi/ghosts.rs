//! Ghosts of a search across ranks, and fields that travel to them.

use std::ffi::c_void;

use super::checks::{self, Place};
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::error::{Error, Result};
use crate::list::Out;
use crate::ranks::Need;
use crate::search::{NeighborsKind, Precision};

pub(super) const ALONE: Error = Error::BadState {
    missing: "ranks of this handle",
    remedy: "search_create_across in the place of search_create",
};

/// Returns the ghosts of this rank as a view, for points in real64: the points of other ranks that rows may list. The point with number
/// `points` + k plus the index base is ghost k, where `points` is the number of this rank's points. Ghosts are ordered by the ranks that own
/// them, and by their point numbers there. Collective.
///
/// - `n`: receives the number of ghosts.
/// - `ids`, `ranks`: receive pointers to arrays of `n` elements: the global ids, and the ranks that own them.
/// - `positions`: receives a pointer to `n` times dim coordinates, point after point, wrapped along periodic axes of a box.
///
/// The arrays are owned by the handle. They are valid until points or settings are set, or a query needs other ghosts.
///
/// Returns the statuses of neargrid_pairs_count, and also BAD_VALUE (the points set are real32), BAD_STATE (a handle without ranks),
/// COMMUNICATION, DISAGREEMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_ghosts_view_f64(
    search: *mut neargrid_search,
    n: *mut i64,
    ids: *mut *const i64,
    ranks: *mut *const i32,
    positions: *mut *const f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { view(search, n, (ids, ranks), positions) }
}

/// As neargrid_ghosts_view_f64, for points in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_ghosts_view_f32(
    search: *mut neargrid_search,
    n: *mut i64,
    ids: *mut *const i64,
    ranks: *mut *const i32,
    positions: *mut *const f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { view(search, n, (ids, ranks), positions) }
}

/// The places of a view of ghosts.
struct View<'a, T> {
    n: Place<'a, i64>,
    ids: Place<'a, *const i64>,
    ranks: Place<'a, *const i32>,
    positions: Place<'a, *const T>,
}

impl<T> View<'_, T> {
    /// # Safety
    /// As for [`neargrid_ghosts_view_f64`].
    unsafe fn new(
        n: *mut i64,
        (ids, ranks): (*mut *const i64, *mut *const i32),
        positions: *mut *const T,
    ) -> Result<Self> {
        // SAFETY: the caller's promise.
        unsafe {
            Ok(View {
                n: checks::out(n, "n")?,
                ids: checks::out(ids, "ids")?,
                ranks: checks::out(ranks, "ranks")?,
                positions: checks::out(positions, "positions")?,
            })
        }
    }

    fn show(self, ids: &[i64], ranks: &[i32], positions: &[T]) {
        self.n.set(ids.len() as i64);
        self.ids.set(ids.as_ptr());
        self.ranks.set(ranks.as_ptr());
        self.positions.set(positions.as_ptr());
    }
}

/// # Safety
/// As for [`neargrid_ghosts_view_f64`].
unsafe fn view<T: Precision>(
    search: *mut neargrid_search,
    n: *mut i64,
    of_points: (*mut *const i64, *mut *const i32),
    positions: *mut *const T,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut entered, view) = unsafe { (handle::enter(search)?, View::new(n, of_points, positions)) };
        let (search, Some(held)) = entered.both() else {
            return Err(ALONE);
        };
        let precise = search.held::<T>().map(|_| ());
        let asked = precise.and_then(|()| Ok((Need::Direct(NeighborsKind::Full), view?)));
        let (view, ghosts) = held.ghosts::<T, _>(search, asked)?;
        view.show(ghosts.ids, ghosts.ranks, ghosts.positions);
        Ok(())
    })
}

/// Returns the points of other ranks that the k nearest of the last call name, as a view, for points in real64. The point with number
/// `points` + m plus the index base is ghost m of the view, where `points` is the number of this rank's points. These ghosts are not those
/// of neargrid_ghosts_view_f64: the k nearest points may be at any distance. Not collective.
///
/// - `n`: receives the number of ghosts.
/// - `ids`, `ranks`: receive pointers to arrays of `n` elements: the global ids, and the ranks that own the points.
/// - `positions`: receives a pointer to `n` times dim coordinates, point after point, wrapped along periodic axes.
///
/// The arrays are owned by the handle, and valid until the next call for k nearest points.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (the points are real32), BAD_STATE (a handle without ranks, or no k nearest points were found).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_knn_ghosts_view_f64(
    search: *mut neargrid_search,
    n: *mut i64,
    ids: *mut *const i64,
    ranks: *mut *const i32,
    positions: *mut *const f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { view_nearest(search, n, (ids, ranks), positions) }
}

/// As neargrid_knn_ghosts_view_f64, for points in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_knn_ghosts_view_f32(
    search: *mut neargrid_search,
    n: *mut i64,
    ids: *mut *const i64,
    ranks: *mut *const i32,
    positions: *mut *const f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { view_nearest(search, n, (ids, ranks), positions) }
}

/// Sends a field of this rank's points to the ghosts that they are on other ranks, and receives the field of this rank's ghosts. Collective.
///
/// - `bytes`: bytes of an element, the same on all ranks, greater than 0.
/// - `n_points`, `n_ghosts`: number of points of this rank, and of ghosts.
/// - `points`: `n_points` elements. May be NULL if `n_points` is 0.
/// - `ghosts`: receives `n_ghosts` elements, in the order of neargrid_ghosts_view_f64. May be NULL if `n_ghosts` is 0.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`bytes`, `n_points`, `n_ghosts`), BAD_VALUE (the arrays overlap), BAD_STATE (a handle without ranks,
/// or no ghosts for the current points: no query was made), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_halo_exchange(
    search: *mut neargrid_search,
    bytes: i64,
    n_points: i64,
    points: *const c_void,
    n_ghosts: i64,
    ghosts: *mut c_void,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut entered = unsafe { handle::enter(search)? };
        let (search, Some(held)) = entered.both() else {
            return Err(ALONE);
        };
        let asked = || -> Result<(usize, &[u8], Out<u8>)> {
            let each = checks::count_of::<u8>(bytes, "bytes", 1)?;
            let [own, others] = [
                checks::count_of::<u8>(n_points, "n_points", each.max(1))? * each,
                checks::count_of::<u8>(n_ghosts, "n_ghosts", each.max(1))? * each,
            ];
            checks::disjoint(&[
                checks::written(points.cast_mut().cast::<u8>(), own, "points"),
                checks::written(ghosts.cast::<u8>(), others, "ghosts"),
            ])?;
            // SAFETY: the caller's promise.
            unsafe {
                Ok((
                    each,
                    checks::slice(points.cast::<u8>(), own, "points")?,
                    checks::array(ghosts.cast::<u8>(), others, "ghosts")?,
                ))
            }
        };
        held.halo_exchange(search, asked())
    })
}

/// # Safety
/// As for [`neargrid_knn_ghosts_view_f64`].
unsafe fn view_nearest<T: Precision>(
    search: *mut neargrid_search,
    n: *mut i64,
    of_points: (*mut *const i64, *mut *const i32),
    positions: *mut *const T,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut entered, view) = unsafe { (handle::enter(search)?, View::new(n, of_points, positions)?) };
        let (search, Some(held)) = entered.both() else {
            return Err(ALONE);
        };
        search.held::<T>()?;
        let ghosts = &held.nearest()?.ghosts;
        view.show(&ghosts.ids, &ghosts.ranks, T::held(&ghosts.coords).unwrap_or_default());
        Ok(())
    })
}
