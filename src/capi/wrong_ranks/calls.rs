//! The collective calls. Each has arguments that a rank may give wrongly, by number; none for 0.

use std::ptr::null_mut;

use super::reals::*;
use super::rows::*;
use super::side::{FULL, POINTS, SPACE, Side, call};
use crate::capi::cell::neargrid_images_count;
use crate::capi::chunks::neargrid_chunks_begin;
use crate::capi::fof::neargrid_fof_copy_ids;
use crate::capi::formula::neargrid_search_run;
use crate::capi::ghosts::{neargrid_ghosts_view_f32, neargrid_ghosts_view_f64};
use crate::capi::groups::{neargrid_groups_find_f32, neargrid_groups_find_f64};
use crate::capi::knn::{neargrid_knn_copy_f32, neargrid_knn_copy_f64, neargrid_knn_view_f32, neargrid_knn_view_f64};
use crate::capi::list::neargrid_neighbors_take;
use crate::capi::migration::{neargrid_migration_plan_f32, neargrid_migration_plan_f64};
use crate::capi::neighbors::{NEARGRID_NEIGHBORS_HALF, neargrid_neighbors_count};
use crate::capi::pair_fields::{neargrid_search_set_pair_field_by_ids_f32, neargrid_search_set_pair_field_by_ids_f64};
use crate::capi::pairs::neargrid_pairs_count;
use crate::capi::points::{
    neargrid_search_add_points_f32, neargrid_search_add_points_f64, neargrid_search_set_points_f32,
    neargrid_search_set_points_f64,
};
use crate::capi::queries::{neargrid_search_set_queries_f32, neargrid_search_set_queries_f64};
use crate::capi::skin::{neargrid_search_update_f32, neargrid_search_update_f64};
use crate::capi::solve_radii::{neargrid_solve_radii_f32, neargrid_solve_radii_f64};
use crate::capi::status::neargrid_status;

/// A collective call.
pub struct Call {
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
pub fn at<T>(is_wrong: bool, good: T, wrong: T) -> T {
    match is_wrong {
        true => wrong,
        false => good,
    }
}

pub const CALLS: &[Call] = &[
    other("neargrid_search_set_points_f32", 6, |side, w| {
        points(side, w, neargrid_search_set_points_f32)
    }),
    other("neargrid_search_set_points_f64", 6, |side, w| {
        points(side, w, neargrid_search_set_points_f64)
    }),
    other("neargrid_search_add_points_f32", 6, |side, w| {
        points(side, w, neargrid_search_add_points_f32)
    }),
    other("neargrid_search_add_points_f64", 6, |side, w| {
        points(side, w, neargrid_search_add_points_f64)
    }),
    other("neargrid_search_set_queries_f32", 6, |side, w| {
        points(side, w, neargrid_search_set_queries_f32)
    }),
    other("neargrid_search_set_queries_f64", 6, |side, w| {
        points(side, w, neargrid_search_set_queries_f64)
    }),
    other("neargrid_search_update_f32", 7, |side, w| {
        update(side, w, neargrid_search_update_f32)
    }),
    other("neargrid_search_update_f64", 7, |side, w| {
        update(side, w, neargrid_search_update_f64)
    }),
    query("neargrid_pairs_count", 1, |side, w| {
        call!(neargrid_pairs_count(
            side.search,
            at(w == 1, &raw mut side.counts[0], null_mut())
        ))
    }),
    query("neargrid_pairs_copy", 4, pairs_copy),
    query("neargrid_pairs_view", 3, pairs_view),
    query("neargrid_neighbors_count", 3, |side, w| {
        let kind = at(w == 3, at(w == 1, FULL, 9), NEARGRID_NEIGHBORS_HALF);
        call!(neargrid_neighbors_count(
            side.search,
            kind,
            at(w == 2, &raw mut side.counts[0], null_mut())
        ))
    }),
    query("neargrid_neighbors_copy", 6, neighbors_copy),
    query("neargrid_neighbors_copy_32", 6, neighbors_copy_32),
    query("neargrid_neighbors_view", 5, neighbors_view),
    query("neargrid_neighbors_padded", 6, neighbors_padded),
    query("neargrid_neighbors_histogram", 4, neighbors_histogram),
    query("neargrid_neighbors_take", 2, |side, w| {
        let list = at(w == 2, &raw mut side.lists[0], null_mut());
        call!(neargrid_neighbors_take(side.search, at(w == 1, FULL, 9), list))
    }),
    query("neargrid_neighbors_take_by_cutoffs", 5, take_by_cutoffs),
    query("neargrid_verlet_view", 6, verlet_view),
    query("neargrid_images_count", 2, |side, w| {
        in_cell(side, |side| {
            let total = at(w == 2, &raw mut side.counts[0], null_mut());
            call!(neargrid_images_count(side.search, at(w == 1, FULL, 9), total))
        })
    }),
    query("neargrid_images_copy", 6, |side, w| {
        in_cell(side, |side| images_copy(side, w))
    }),
    query("neargrid_images_view", 5, |side, w| {
        in_cell(side, |side| images_view(side, w))
    }),
    query("neargrid_chunks_begin", 3, |side, w| {
        let total = at(w == 3, &raw mut side.counts[0], null_mut());
        call!(neargrid_chunks_begin(
            side.search,
            at(w == 1, FULL, 9),
            at(w == 2, SPACE, 0),
            total
        ))
    }),
    query("neargrid_ghosts_view_f32", 4, |side, w| {
        ghosts(side, w, neargrid_ghosts_view_f32)
    }),
    query("neargrid_ghosts_view_f64", 4, |side, w| {
        ghosts(side, w, neargrid_ghosts_view_f64)
    }),
    other("neargrid_halo_exchange", 6, halo_exchange),
    query("neargrid_search_run", 5, |side, w| {
        let kind = at(w == 5, at(w == 2, FULL, 9), NEARGRID_NEIGHBORS_HALF);
        let times = at(w == 4, at(w == 3, 1, -1), 2);
        call!(neargrid_search_run(
            side.search,
            at(w == 1, side.formula, null_mut()),
            kind,
            times
        ))
    }),
    query("neargrid_solve_radii_f32", 12, |side, w| {
        solve_radii(side, w, neargrid_solve_radii_f32)
    }),
    query("neargrid_solve_radii_f64", 12, |side, w| {
        solve_radii(side, w, neargrid_solve_radii_f64)
    }),
    query("neargrid_knn_copy_f32", 7, |side, w| {
        knn_copy(side, w, neargrid_knn_copy_f32)
    }),
    query("neargrid_knn_copy_f64", 7, |side, w| {
        knn_copy(side, w, neargrid_knn_copy_f64)
    }),
    query("neargrid_knn_view_f32", 6, |side, w| {
        knn_view(side, w, neargrid_knn_view_f32)
    }),
    query("neargrid_knn_view_f64", 6, |side, w| {
        knn_view(side, w, neargrid_knn_view_f64)
    }),
    query("neargrid_fof_copy_ids", 3, |side, w| {
        let labels = at(w == 2, side.longs.as_mut_ptr(), null_mut());
        let groups = at(w == 3, &raw mut side.counts[0], null_mut());
        call!(neargrid_fof_copy_ids(
            side.search,
            at(w == 1, POINTS, 1),
            labels,
            groups
        ))
    }),
    query("neargrid_groups_find_f32", 9, |side, w| {
        groups_find(side, w, neargrid_groups_find_f32)
    }),
    query("neargrid_groups_find_f64", 9, |side, w| {
        groups_find(side, w, neargrid_groups_find_f64)
    }),
    other("neargrid_migration_plan_f32", 9, |side, w| {
        migration_plan(side, w, neargrid_migration_plan_f32)
    }),
    other("neargrid_migration_plan_f64", 9, |side, w| {
        migration_plan(side, w, neargrid_migration_plan_f64)
    }),
    other("neargrid_migration_move", 6, migration_move),
    query("neargrid_search_set_pair_field_by_ids_f32", 8, |side, w| {
        pair_field(side, w, neargrid_search_set_pair_field_by_ids_f32)
    }),
    query("neargrid_search_set_pair_field_by_ids_f64", 8, |side, w| {
        pair_field(side, w, neargrid_search_set_pair_field_by_ids_f64)
    }),
];
