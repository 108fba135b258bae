//! Calls that there are for each precision.

use std::ffi::c_char;
use std::ptr::{null, null_mut};

use super::calls::at;
use super::side::{FULL, POINTS, Plan, Real, SetPoints, Side, View, call};
use crate::capi::formula::neargrid_formula;
use crate::capi::ghosts::neargrid_halo_exchange;
use crate::capi::handle::neargrid_search;
use crate::capi::knn::{NEARGRID_KNN_OTHERS, NEARGRID_MEASURE_SQUARE, neargrid_knn, neargrid_measure};
use crate::capi::migration::neargrid_migration_move;
use crate::capi::neighbors::neargrid_neighbors;
use crate::capi::status::neargrid_status;

/// Coordinates as they are given to a call, from argument `first` on: x, y, z and the stride.
pub fn axes<T: Real>(side: &Side, w: usize, first: usize) -> ([*const T; 3], i64) {
    let x = T::places(side);
    let axis = |k: usize| at(w == first + k, x.wrapping_add(k), null());
    (
        std::array::from_fn(axis),
        at(w == first + 3, 3 * size_of::<T>() as i64, 3),
    )
}

pub fn points<T: Real>(side: &mut Side, w: usize, set: SetPoints<T>) -> neargrid_status {
    let ([x, y, z], stride) = axes(side, w, 3);
    call!(set(
        side.search,
        at(w == 1, 3, 4),
        at(w == 2, POINTS, -1),
        x,
        y,
        z,
        stride
    ))
}

type Update<T> = unsafe extern "C" fn(
    *mut neargrid_search,
    i32,
    i64,
    *const T,
    *const T,
    *const T,
    i64,
    *mut i32,
) -> neargrid_status;

pub fn update<T: Real>(side: &mut Side, w: usize, update: Update<T>) -> neargrid_status {
    let ([x, y, z], stride) = axes(side, w, 3);
    let rebuilt = at(w == 7, side.numbers[0].as_mut_ptr(), null_mut());
    call!(update(
        side.search,
        at(w == 1, 3, 0),
        at(w == 2, POINTS, -1),
        x,
        y,
        z,
        stride,
        rebuilt
    ))
}

pub fn ghosts<T: Real>(side: &mut Side, w: usize, view: View<T>) -> neargrid_status {
    let (mut ids, mut ranks, mut positions) = (null(), null(), null());
    let n = at(w == 1, &raw mut side.counts[0], null_mut());
    let (ids, ranks) = (
        at(w == 2, &raw mut ids, null_mut()),
        at(w == 3, &raw mut ranks, null_mut()),
    );
    call!(view(
        side.search,
        n,
        ids,
        ranks,
        at(w == 4, &raw mut positions, null_mut())
    ))
}

pub fn halo_exchange(side: &mut Side, w: usize) -> neargrid_status {
    let bytes = at(w == 6, at(w == 1, 8, -8), 4);
    let points = at(w == 3, side.doubles.as_ptr(), null()).cast();
    let ghosts = at(w == 5, side.reals.as_mut_ptr(), null_mut()).cast();
    let n = at(w == 4, side.ghosts, -1);
    call!(neargrid_halo_exchange(
        side.search,
        bytes,
        at(w == 2, POINTS, POINTS + 1),
        points,
        n,
        ghosts
    ))
}

type SolveRadii<T> = unsafe extern "C" fn(
    *mut neargrid_search,
    *mut neargrid_formula,
    neargrid_neighbors,
    *const c_char,
    f64,
    f64,
    f64,
    f64,
    i64,
    i64,
    *mut i64,
    *mut T,
    *mut i32,
    *mut i64,
) -> neargrid_status;

pub fn solve_radii<T: Real>(side: &mut Side, w: usize, solve: SolveRadii<T>) -> neargrid_status {
    let (formula, kind) = (at(w == 1, side.formula, null_mut()), at(w == 2, FULL, 9));
    let (field, target) = (at(w == 3, c"n".as_ptr(), null()), at(w == 12, 1.0, 2.0));
    let (least, most) = (at(w == 4, 0.01, -1.0), at(w == 5, 0.4, 0.0));
    let (tolerance, times) = (at(w == 6, 1e-6, -1.0), at(w == 7, 50, -1));
    let room = at(w == 8, POINTS, -1);
    let [n, unsolved] = [0, 1].map(|k| at(w == 9 + k, &raw mut side.counts[k], null_mut()));
    let radii = at(w == 11, side.reals.as_mut_ptr(), null_mut()).cast();
    let outcomes = side.numbers[0].as_mut_ptr();
    let search = side.search;
    call!(solve(
        search, formula, kind, field, target, least, most, tolerance, times, room, n, radii, outcomes, unsolved
    ))
}

type KnnCopy<T> = unsafe extern "C" fn(
    *mut neargrid_search,
    neargrid_knn,
    i32,
    neargrid_measure,
    i64,
    *mut i64,
    *mut i32,
    *mut T,
    *mut i32,
) -> neargrid_status;

pub fn knn_copy<T: Real>(side: &mut Side, w: usize, copy: KnnCopy<T>) -> neargrid_status {
    let (kind, k) = (at(w == 1, NEARGRID_KNN_OTHERS, 9), at(w == 7, at(w == 2, 3, 0), 4));
    let (measure, room) = (at(w == 3, NEARGRID_MEASURE_SQUARE, 9), at(w == 4, POINTS, -1));
    let n = at(w == 5, &raw mut side.counts[0], null_mut());
    let ids = at(w == 6, side.numbers[0].as_mut_ptr(), null_mut());
    let (distances, counts) = (side.reals.as_mut_ptr().cast(), side.numbers[1].as_mut_ptr());
    call!(copy(side.search, kind, k, measure, room, n, ids, distances, counts))
}

type KnnView<T> = unsafe extern "C" fn(
    *mut neargrid_search,
    neargrid_knn,
    i32,
    neargrid_measure,
    *mut i64,
    *mut *const i32,
    *mut *const T,
    *mut *const i32,
) -> neargrid_status;

pub fn knn_view<T: Real>(side: &mut Side, w: usize, view: KnnView<T>) -> neargrid_status {
    let (kind, k) = (at(w == 1, NEARGRID_KNN_OTHERS, 9), at(w == 6, at(w == 2, 3, 0), 4));
    let measure = at(w == 3, NEARGRID_MEASURE_SQUARE, 9);
    let (mut ids, mut distances, mut counts) = (null(), null(), null());
    let n = at(w == 4, &raw mut side.counts[0], null_mut());
    let ids = at(w == 5, &raw mut ids, null_mut());
    call!(view(
        side.search,
        kind,
        k,
        measure,
        n,
        ids,
        &raw mut distances,
        &raw mut counts
    ))
}

type GroupsFind<T> = unsafe extern "C" fn(
    *mut neargrid_search,
    i64,
    i64,
    *const T,
    i64,
    *const T,
    *const T,
    *const T,
    i64,
    *mut i64,
) -> neargrid_status;

pub fn groups_find<T: Real>(side: &mut Side, w: usize, find: GroupsFind<T>) -> neargrid_status {
    // Places do for masses and velocities. Where x is missing, the others have velocities.
    let ([x, y, z], stride) = axes(side, w, 4);
    let (masses, mass_stride) = (
        at(w == 8, T::places(side), null()),
        at(w == 3, size_of::<T>() as i64, 3),
    );
    let least = at(w == 9, at(w == 1, 2, 0), 3);
    let found = &raw mut side.counts[0];
    call!(find(
        side.search,
        least,
        at(w == 2, POINTS, 1),
        masses,
        mass_stride,
        x,
        y,
        z,
        stride,
        found
    ))
}

pub fn migration_plan<T: Real>(side: &mut Side, w: usize, plan: Plan<T>) -> neargrid_status {
    let ([x, y, z], stride) = axes(side, w, 3);
    let ids = side.ids.as_ptr();
    let ids = at(w == 9, at(w == 7, ids, ids.wrapping_byte_add(1)), null());
    let after = at(w == 8, &raw mut side.after, null_mut());
    call!(plan(
        side.search,
        at(w == 1, 3, 7),
        at(w == 2, POINTS, -1),
        x,
        y,
        z,
        stride,
        ids,
        after
    ))
}

pub fn migration_move(side: &mut Side, w: usize) -> neargrid_status {
    let bytes = at(w == 6, at(w == 1, 8, 0), 4);
    let before = at(w == 3, side.doubles.as_ptr(), null()).cast();
    let (n, after) = (
        at(w == 4, side.after, side.after + 1),
        at(w == 5, side.reals.as_mut_ptr(), null_mut()),
    );
    call!(neargrid_migration_move(
        side.search,
        bytes,
        at(w == 2, POINTS, 1),
        before,
        n,
        after.cast()
    ))
}

type SetPairField<T> = unsafe extern "C" fn(
    *mut neargrid_search,
    *const c_char,
    i32,
    i64,
    *const i64,
    *const i64,
    *const T,
) -> neargrid_status;

pub fn pair_field<T: Real>(side: &mut Side, w: usize, set: SetPairField<T>) -> neargrid_status {
    let (offsets, ids) = ([0, 1, 3], [7, 2, 9]);
    let name = at(w == 8, at(w == 1, c"a".as_ptr(), null()), c"b".as_ptr());
    let (components, n) = (at(w == 7, at(w == 2, 1, 4), 3), at(w == 3, 2, -1));
    let offsets = at(w == 4, offsets.as_ptr(), null());
    let (ids, values) = (at(w == 5, ids.as_ptr(), null()), at(w == 6, T::places(side), null()));
    call!(set(side.search, name, components, n, offsets, ids, values))
}
