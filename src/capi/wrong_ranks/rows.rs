//! Calls for pairs and rows, which have the same names for both precisions.

use std::ptr::{null, null_mut};

use super::calls::at;
use super::side::{CUTOFF, FULL, POINTS, SPACE, Side, call};
use crate::capi::cell::{neargrid_images_copy, neargrid_images_view, neargrid_search_set_cell};
use crate::capi::list::neargrid_neighbors_take_by_cutoffs;
use crate::capi::neighbors::{neargrid_neighbors_copy, neargrid_neighbors_view};
use crate::capi::padded::{neargrid_neighbors_copy_32, neargrid_neighbors_histogram, neargrid_neighbors_padded};
use crate::capi::pairs::{neargrid_pairs_copy, neargrid_pairs_view};
use crate::capi::skin::neargrid_verlet_view;
use crate::capi::status::{NEARGRID_STATUS_OK, neargrid_status};

pub fn pairs_copy(side: &mut Side, w: usize) -> neargrid_status {
    let n = at(w == 2, &raw mut side.counts[0], null_mut());
    let [i, j] = [0, 1].map(|k| at(w == 3 + k, side.numbers[k].as_mut_ptr(), null_mut()));
    call!(neargrid_pairs_copy(side.search, at(w == 1, SPACE, -1), n, i, j))
}

pub fn pairs_view(side: &mut Side, w: usize) -> neargrid_status {
    let (mut i, mut j) = (null(), null());
    let n = at(w == 1, &raw mut side.counts[0], null_mut());
    let (i, j) = (at(w == 2, &raw mut i, null_mut()), at(w == 3, &raw mut j, null_mut()));
    call!(neargrid_pairs_view(side.search, n, i, j))
}

pub fn neighbors_copy(side: &mut Side, w: usize) -> neargrid_status {
    let (kind, n, room) = (at(w == 1, FULL, 9), at(w == 2, POINTS, 1), at(w == 3, SPACE, -1));
    let total = at(w == 4, &raw mut side.counts[0], null_mut());
    let offsets = at(w == 5, side.longs.as_mut_ptr(), null_mut());
    let ids = at(w == 6, side.numbers[0].as_mut_ptr(), null_mut());
    call!(neargrid_neighbors_copy(side.search, kind, n, room, total, offsets, ids))
}

pub fn neighbors_copy_32(side: &mut Side, w: usize) -> neargrid_status {
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

pub fn neighbors_view(side: &mut Side, w: usize) -> neargrid_status {
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

pub fn neighbors_padded(side: &mut Side, w: usize) -> neargrid_status {
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

pub fn neighbors_histogram(side: &mut Side, w: usize) -> neargrid_status {
    let edges = [0.0, 0.25 * CUTOFF, 0.5 * CUTOFF];
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

/// Makes a call while the points have a cell.
pub fn in_cell(side: &mut Side, asked: impl FnOnce(&mut Side) -> neargrid_status) -> neargrid_status {
    let cell = [1.0, 0.0, 0.0, 0.25, 1.0, 0.0, 0.0, 0.0, 1.5];
    let set = call!(neargrid_search_set_cell(side.search, cell.as_ptr(), [1; 3].as_ptr()));
    side.ok(set);
    let status = asked(side);
    let text = if status == NEARGRID_STATUS_OK {
        String::new()
    } else {
        side.told()
    };
    let removed = call!(neargrid_search_set_cell(side.search, null(), null()));
    side.ok(removed);
    side.text = text;
    status
}

pub fn images_copy(side: &mut Side, w: usize) -> neargrid_status {
    let (kind, n, room) = (at(w == 1, FULL, 9), at(w == 2, POINTS, 1), at(w == 3, SPACE / 3, 1));
    let total = at(w == 4, &raw mut side.counts[0], null_mut());
    let offsets = at(w == 5, side.longs.as_mut_ptr(), null_mut());
    let ids = at(w == 6, side.numbers[0].as_mut_ptr(), null_mut());
    let shifts = side.numbers[1].as_mut_ptr();
    call!(neargrid_images_copy(
        side.search,
        kind,
        n,
        room,
        total,
        offsets,
        ids,
        shifts
    ))
}

pub fn images_view(side: &mut Side, w: usize) -> neargrid_status {
    let (mut offsets, mut ids) = (null(), null());
    let [n, total] = [0, 1].map(|k| at(w == 2 + k, &raw mut side.counts[k], null_mut()));
    let offsets = at(w == 4, &raw mut offsets, null_mut());
    let ids = at(w == 5, &raw mut ids, null_mut());
    call!(neargrid_images_view(
        side.search,
        at(w == 1, FULL, 9),
        n,
        total,
        offsets,
        ids,
        null_mut()
    ))
}

pub fn take_by_cutoffs(side: &mut Side, w: usize) -> neargrid_status {
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

pub fn verlet_view(side: &mut Side, w: usize) -> neargrid_status {
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
