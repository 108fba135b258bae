//! The collective calls. Each has arguments that a rank may give wrongly, by number; none for 0.

use std::ffi::c_char;
use std::ptr::{null, null_mut};

use super::side::{CUTOFF, N, Plan, ROOM, Real, SetPoints, Side, View, call};
use crate::capi::chunks::neargrid_chunks_begin;
use crate::capi::fof::neargrid_fof_copy_ids;
use crate::capi::formula::{neargrid_formula, neargrid_search_run};
use crate::capi::ghosts::{neargrid_ghosts_view_f32, neargrid_ghosts_view_f64, neargrid_halo_exchange};
use crate::capi::groups::{neargrid_groups_find_f32, neargrid_groups_find_f64};
use crate::capi::handle::neargrid_search;
use crate::capi::knn::*;
use crate::capi::list::{neargrid_neighbors_take, neargrid_neighbors_take_by_cutoffs};
use crate::capi::migration::{neargrid_migration_move, neargrid_migration_plan_f32, neargrid_migration_plan_f64};
use crate::capi::neighbors::*;
use crate::capi::padded::{neargrid_neighbors_copy_32, neargrid_neighbors_histogram, neargrid_neighbors_padded};
use crate::capi::pair_fields::{neargrid_search_set_pair_field_by_ids_f32, neargrid_search_set_pair_field_by_ids_f64};
use crate::capi::pairs::{neargrid_pairs_copy, neargrid_pairs_count, neargrid_pairs_view};
use crate::capi::points::*;
use crate::capi::queries::{neargrid_search_set_queries_f32, neargrid_search_set_queries_f64};
use crate::capi::skin::{neargrid_search_update_f32, neargrid_search_update_f64, neargrid_verlet_view};
use crate::capi::solve_radii::{neargrid_solve_radii_f32, neargrid_solve_radii_f64};
use crate::capi::status::neargrid_status;

const FULL: neargrid_neighbors = NEARGRID_NEIGHBORS_FULL;
/// Points of a rank and elements of an array, as counts.
const POINTS: i64 = N as i64;
const SPACE: i64 = ROOM as i64;

/// A collective call.
pub struct Call {
    /// Without the library.
    pub name: &'static str,
    /// The number of arguments that can be wrong.
    pub arguments: usize,
    /// Whether ranks compare their settings.
    pub is_query: bool,
    pub call: fn(&mut Side, wrong: usize) -> neargrid_status,
}

const fn query(name: &'static str, arguments: usize, call: fn(&mut Side, usize) -> neargrid_status) -> Call {
    let is_query = true;
    Call {
        name,
        arguments,
        is_query,
        call,
    }
}

const fn other(name: &'static str, arguments: usize, call: fn(&mut Side, usize) -> neargrid_status) -> Call {
    Call {
        is_query: false,
        ..query(name, arguments, call)
    }
}

/// An argument, or the wrong one in its place.
fn at<T>(is_wrong: bool, good: T, wrong: T) -> T {
    match is_wrong {
        true => wrong,
        false => good,
    }
}

pub const CALLS: &[Call] = &[
    other("search_set_points_f32", 6, |side, w| {
        points(side, w, neargrid_search_set_points_f32)
    }),
    other("search_set_points_f64", 6, |side, w| {
        points(side, w, neargrid_search_set_points_f64)
    }),
    other("search_add_points_f32", 6, |side, w| {
        points(side, w, neargrid_search_add_points_f32)
    }),
    other("search_add_points_f64", 6, |side, w| {
        points(side, w, neargrid_search_add_points_f64)
    }),
    other("search_set_queries_f32", 6, |side, w| {
        points(side, w, neargrid_search_set_queries_f32)
    }),
    other("search_set_queries_f64", 6, |side, w| {
        points(side, w, neargrid_search_set_queries_f64)
    }),
    other("search_update_f32", 7, |side, w| {
        update(side, w, neargrid_search_update_f32)
    }),
    other("search_update_f64", 7, |side, w| {
        update(side, w, neargrid_search_update_f64)
    }),
    query("pairs_count", 1, |side, w| {
        call!(neargrid_pairs_count(
            side.search,
            at(w == 1, &raw mut side.counts[0], null_mut())
        ))
    }),
    query("pairs_copy", 4, pairs_copy),
    query("pairs_view", 3, pairs_view),
    query("neighbors_count", 3, |side, w| {
        let kind = at(w == 3, at(w == 1, FULL, 9), NEARGRID_NEIGHBORS_HALF);
        call!(neargrid_neighbors_count(
            side.search,
            kind,
            at(w == 2, &raw mut side.counts[0], null_mut())
        ))
    }),
    query("neighbors_copy", 6, neighbors_copy),
    query("neighbors_copy_32", 6, neighbors_copy_32),
    query("neighbors_view", 5, neighbors_view),
    query("neighbors_padded", 6, neighbors_padded),
    query("neighbors_histogram", 5, neighbors_histogram),
    query("neighbors_take", 2, |side, w| {
        let list = at(w == 2, &raw mut side.lists[0], null_mut());
        call!(neargrid_neighbors_take(side.search, at(w == 1, FULL, 9), list))
    }),
    query("neighbors_take_by_cutoffs", 5, take_by_cutoffs),
    query("verlet_view", 6, verlet_view),
    query("chunks_begin", 3, |side, w| {
        let total = at(w == 3, &raw mut side.counts[0], null_mut());
        call!(neargrid_chunks_begin(
            side.search,
            at(w == 1, FULL, 9),
            at(w == 2, SPACE, 0),
            total
        ))
    }),
    query("ghosts_view_f32", 4, |side, w| {
        ghosts(side, w, neargrid_ghosts_view_f32)
    }),
    query("ghosts_view_f64", 4, |side, w| {
        ghosts(side, w, neargrid_ghosts_view_f64)
    }),
    other("halo_exchange", 6, halo_exchange),
    query("search_run", 5, |side, w| {
        let kind = at(w == 5, at(w == 2, FULL, 9), NEARGRID_NEIGHBORS_HALF);
        let times = at(w == 4, at(w == 3, 1, -1), 2);
        call!(neargrid_search_run(
            side.search,
            at(w == 1, side.formula, null_mut()),
            kind,
            times
        ))
    }),
    query("solve_radii_f32", 13, |side, w| {
        solve_radii(side, w, neargrid_solve_radii_f32)
    }),
    query("solve_radii_f64", 13, |side, w| {
        solve_radii(side, w, neargrid_solve_radii_f64)
    }),
    query("knn_copy_f32", 7, |side, w| knn_copy(side, w, neargrid_knn_copy_f32)),
    query("knn_copy_f64", 7, |side, w| knn_copy(side, w, neargrid_knn_copy_f64)),
    query("knn_view_f32", 6, |side, w| knn_view(side, w, neargrid_knn_view_f32)),
    query("knn_view_f64", 6, |side, w| knn_view(side, w, neargrid_knn_view_f64)),
    query("fof_copy_ids", 3, |side, w| {
        let labels = at(w == 2, side.longs.as_mut_ptr(), null_mut());
        let groups = at(w == 3, &raw mut side.counts[0], null_mut());
        call!(neargrid_fof_copy_ids(
            side.search,
            at(w == 1, POINTS, 1),
            labels,
            groups
        ))
    }),
    query("groups_find_f32", 9, |side, w| {
        groups_find(side, w, neargrid_groups_find_f32)
    }),
    query("groups_find_f64", 9, |side, w| {
        groups_find(side, w, neargrid_groups_find_f64)
    }),
    other("migration_plan_f32", 9, |side, w| {
        migration_plan(side, w, neargrid_migration_plan_f32)
    }),
    other("migration_plan_f64", 9, |side, w| {
        migration_plan(side, w, neargrid_migration_plan_f64)
    }),
    other("migration_move", 6, migration_move),
    query("search_set_pair_field_by_ids_f32", 8, |side, w| {
        pair_field(side, w, neargrid_search_set_pair_field_by_ids_f32)
    }),
    query("search_set_pair_field_by_ids_f64", 8, |side, w| {
        pair_field(side, w, neargrid_search_set_pair_field_by_ids_f64)
    }),
];

/// Coordinates as they are given to a call, from argument `first` on: x, y, z and the stride.
fn axes<T: Real>(side: &Side, w: usize, first: usize) -> ([*const T; 3], i64) {
    let x = T::places(side);
    let axis = |k: usize| at(w == first + k, x.wrapping_add(k), null());
    (
        std::array::from_fn(axis),
        at(w == first + 3, 3 * size_of::<T>() as i64, 3),
    )
}

fn points<T: Real>(side: &mut Side, w: usize, set: SetPoints<T>) -> neargrid_status {
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

fn update<T: Real>(side: &mut Side, w: usize, update: Update<T>) -> neargrid_status {
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

fn pairs_copy(side: &mut Side, w: usize) -> neargrid_status {
    let n = at(w == 2, &raw mut side.counts[0], null_mut());
    let [i, j] = [0, 1].map(|k| at(w == 3 + k, side.numbers[k].as_mut_ptr(), null_mut()));
    call!(neargrid_pairs_copy(side.search, at(w == 1, SPACE, -1), n, i, j))
}

fn pairs_view(side: &mut Side, w: usize) -> neargrid_status {
    let (mut i, mut j) = (null(), null());
    let n = at(w == 1, &raw mut side.counts[0], null_mut());
    let (i, j) = (at(w == 2, &raw mut i, null_mut()), at(w == 3, &raw mut j, null_mut()));
    call!(neargrid_pairs_view(side.search, n, i, j))
}

fn neighbors_copy(side: &mut Side, w: usize) -> neargrid_status {
    let (kind, n, room) = (at(w == 1, FULL, 9), at(w == 2, POINTS, 1), at(w == 3, SPACE, -1));
    let total = at(w == 4, &raw mut side.counts[0], null_mut());
    let offsets = at(w == 5, side.longs.as_mut_ptr(), null_mut());
    let ids = at(w == 6, side.numbers[0].as_mut_ptr(), null_mut());
    call!(neargrid_neighbors_copy(side.search, kind, n, room, total, offsets, ids))
}

fn neighbors_copy_32(side: &mut Side, w: usize) -> neargrid_status {
    let (kind, n, room) = (at(w == 1, FULL, 9), at(w == 2, POINTS, 1), at(w == 3, SPACE, -1));
    let [total, offsets, ids] = [0, 1, 2].map(|k| at(w == 4 + k, side.numbers[k].as_mut_ptr(), null_mut()));
    call!(neargrid_neighbors_copy_32(
        side.search,
        kind,
        n,
        room,
        total,
        offsets,
        ids
    ))
}

fn neighbors_view(side: &mut Side, w: usize) -> neargrid_status {
    let (mut offsets, mut ids) = (null(), null());
    let [n, total] = [0, 1].map(|k| at(w == 2 + k, &raw mut side.counts[k], null_mut()));
    let offsets = at(w == 4, &raw mut offsets, null_mut());
    let ids = at(w == 5, &raw mut ids, null_mut());
    call!(neargrid_neighbors_view(
        side.search,
        at(w == 1, FULL, 9),
        n,
        total,
        offsets,
        ids
    ))
}

fn neighbors_padded(side: &mut Side, w: usize) -> neargrid_status {
    let (kind, n, width) = (
        at(w == 1, FULL, 9),
        at(w == 2, POINTS, 1),
        at(w == 3, SPACE / POINTS, -1),
    );
    let longest = at(w == 4, &raw mut side.counts[0], null_mut());
    let [ids, counts] = [0, 1].map(|k| at(w == 5 + k, side.numbers[k].as_mut_ptr(), null_mut()));
    call!(neargrid_neighbors_padded(
        side.search,
        kind,
        n,
        width,
        longest,
        ids,
        counts
    ))
}

fn neighbors_histogram(side: &mut Side, w: usize) -> neargrid_status {
    let edges = [0.0, 0.25 * CUTOFF, at(w == 5, 0.5, 0.75) * CUTOFF];
    let edges = at(w == 3, edges.as_ptr(), null());
    let counts = at(w == 4, side.longs.as_mut_ptr(), null_mut());
    call!(neargrid_neighbors_histogram(
        side.search,
        at(w == 1, FULL, 9),
        at(w == 2, 2, -1),
        edges,
        counts
    ))
}

fn take_by_cutoffs(side: &mut Side, w: usize) -> neargrid_status {
    let cutoffs = [0.5 * CUTOFF, at(w == 5, 0.75, 0.25) * CUTOFF];
    let cutoffs = at(w == 3, cutoffs.as_ptr(), null());
    let lists = at(w == 4, side.lists.as_mut_ptr(), null_mut());
    call!(neargrid_neighbors_take_by_cutoffs(
        side.search,
        at(w == 1, FULL, 9),
        at(w == 2, 2, 0),
        cutoffs,
        lists
    ))
}

fn verlet_view(side: &mut Side, w: usize) -> neargrid_status {
    let (mut offsets, mut ids) = (null(), null());
    let [n, total] = [0, 1].map(|k| at(w == 2 + k, &raw mut side.counts[k], null_mut()));
    let offsets = at(w == 4, &raw mut offsets, null_mut());
    let ids = at(w == 5, &raw mut ids, null_mut());
    let rebuilt = at(w == 6, side.numbers[0].as_mut_ptr(), null_mut());
    call!(neargrid_verlet_view(
        side.search,
        at(w == 1, FULL, 9),
        n,
        total,
        offsets,
        ids,
        rebuilt
    ))
}

fn ghosts<T: Real>(side: &mut Side, w: usize, view: View<T>) -> neargrid_status {
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

fn halo_exchange(side: &mut Side, w: usize) -> neargrid_status {
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

fn solve_radii<T: Real>(side: &mut Side, w: usize, solve: SolveRadii<T>) -> neargrid_status {
    let (formula, kind) = (at(w == 1, side.formula, null_mut()), at(w == 2, FULL, 9));
    let (field, target) = (at(w == 3, c"n".as_ptr(), null()), at(w == 13, 1.0, 2.0));
    let (least, most) = (at(w == 4, 0.01, -1.0), at(w == 5, 0.4, 0.0));
    let (tolerance, times) = (at(w == 6, 1e-6, -1.0), at(w == 7, 50, -1));
    let room = at(w == 8, POINTS, -1);
    let [n, unsolved] = [0, 1].map(|k| at(w == 9 + k, &raw mut side.counts[k], null_mut()));
    let radii = at(w == 11, side.reals.as_mut_ptr(), null_mut()).cast();
    let outcomes = at(w == 12, side.numbers[0].as_mut_ptr(), null_mut());
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

fn knn_copy<T: Real>(side: &mut Side, w: usize, copy: KnnCopy<T>) -> neargrid_status {
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

fn knn_view<T: Real>(side: &mut Side, w: usize, view: KnnView<T>) -> neargrid_status {
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

fn groups_find<T: Real>(side: &mut Side, w: usize, find: GroupsFind<T>) -> neargrid_status {
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

fn migration_plan<T: Real>(side: &mut Side, w: usize, plan: Plan<T>) -> neargrid_status {
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

fn migration_move(side: &mut Side, w: usize) -> neargrid_status {
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

fn pair_field<T: Real>(side: &mut Side, w: usize, set: SetPairField<T>) -> neargrid_status {
    let (offsets, ids) = ([0, 1, 3], [7, 2, 9]);
    let name = at(w == 8, at(w == 1, c"a".as_ptr(), null()), c"b".as_ptr());
    let (components, n) = (at(w == 7, at(w == 2, 1, 4), 3), at(w == 3, 2, -1));
    let offsets = at(w == 4, offsets.as_ptr(), null());
    let (ids, values) = (at(w == 5, ids.as_ptr(), null()), at(w == 6, T::places(side), null()));
    call!(set(side.search, name, components, n, offsets, ids, values))
}
