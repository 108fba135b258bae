//! The functions of the core's C interface that this layer calls, as declared in `include/neargrid.h`.

#![allow(unsafe_code)]

use std::ffi::c_char;

#[repr(C)]
pub struct RawSearch {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    pub fn neargrid_search_create(abi_version: i32, search: *mut *mut RawSearch) -> i32;
    pub fn neargrid_search_destroy(search: *mut RawSearch);
    pub fn neargrid_last_error(buffer: *mut c_char, capacity: usize, length: *mut usize) -> i32;
    pub fn neargrid_search_counter(search: *const RawSearch, counter: i32, value: *mut i64) -> i32;
    pub fn neargrid_search_set_cutoff(search: *mut RawSearch, cutoff: f64) -> i32;
    pub fn neargrid_search_set_tie_rule(search: *mut RawSearch, rule: i32) -> i32;
    pub fn neargrid_search_set_index_base(search: *mut RawSearch, base: i32) -> i32;
    pub fn neargrid_search_set_threads(search: *mut RawSearch, threads: i32) -> i32;
    pub fn neargrid_search_set_backend(search: *mut RawSearch, backend: i32) -> i32;
    pub fn neargrid_search_set_device(search: *mut RawSearch, choice: i32, number: i32) -> i32;
    pub fn neargrid_search_set_box(
        search: *mut RawSearch,
        dim: i32,
        lo: *const f64,
        length: *const f64,
        periodic: *const i32,
    ) -> i32;
    pub fn neargrid_search_set_points_f32(
        search: *mut RawSearch,
        dim: i32,
        n: i64,
        x: *const f32,
        y: *const f32,
        z: *const f32,
        stride: i64,
    ) -> i32;
    pub fn neargrid_search_set_points_f64(
        search: *mut RawSearch,
        dim: i32,
        n: i64,
        x: *const f64,
        y: *const f64,
        z: *const f64,
        stride: i64,
    ) -> i32;
    pub fn neargrid_search_add_points_f32(
        search: *mut RawSearch,
        dim: i32,
        n: i64,
        x: *const f32,
        y: *const f32,
        z: *const f32,
        stride: i64,
    ) -> i32;
    pub fn neargrid_search_add_points_f64(
        search: *mut RawSearch,
        dim: i32,
        n: i64,
        x: *const f64,
        y: *const f64,
        z: *const f64,
        stride: i64,
    ) -> i32;
    pub fn neargrid_search_set_queries_f32(
        search: *mut RawSearch,
        dim: i32,
        n: i64,
        x: *const f32,
        y: *const f32,
        z: *const f32,
        stride: i64,
    ) -> i32;
    pub fn neargrid_search_set_queries_f64(
        search: *mut RawSearch,
        dim: i32,
        n: i64,
        x: *const f64,
        y: *const f64,
        z: *const f64,
        stride: i64,
    ) -> i32;
    pub fn neargrid_search_set_skin(search: *mut RawSearch, skin: f64) -> i32;
    pub fn neargrid_search_update_f32(
        search: *mut RawSearch,
        dim: i32,
        n: i64,
        x: *const f32,
        y: *const f32,
        z: *const f32,
        stride: i64,
        rebuilt: *mut i32,
    ) -> i32;
    pub fn neargrid_search_update_f64(
        search: *mut RawSearch,
        dim: i32,
        n: i64,
        x: *const f64,
        y: *const f64,
        z: *const f64,
        stride: i64,
        rebuilt: *mut i32,
    ) -> i32;
    pub fn neargrid_search_set_ids(search: *mut RawSearch, n: i64, ids: *const i64, stride: i64) -> i32;
    pub fn neargrid_search_set_active(search: *mut RawSearch, n_active: i64) -> i32;
    pub fn neargrid_search_set_ghost_pairs(search: *mut RawSearch, which: i32) -> i32;
    pub fn neargrid_pairs_count(search: *mut RawSearch, npairs: *mut i64) -> i32;
    pub fn neargrid_pairs_view(
        search: *mut RawSearch,
        npairs: *mut i64,
        pair_i: *mut *const i32,
        pair_j: *mut *const i32,
    ) -> i32;
    pub fn neargrid_neighbors_view(
        search: *mut RawSearch,
        kind: i32,
        n: *mut i64,
        total: *mut i64,
        offsets: *mut *const i64,
        ids: *mut *const i32,
    ) -> i32;
    pub fn neargrid_fof_view(search: *mut RawSearch, n: *mut i64, labels: *mut *const i32, ngroups: *mut i64) -> i32;
    pub fn neargrid_sum_add(words: *mut i64, n: i64, values: *const f64) -> i32;
    pub fn neargrid_sum_add_products(words: *mut i64, n: i64, x: *const f64, y: *const f64) -> i32;
    pub fn neargrid_sum_merge(words: *mut i64, other: *const i64) -> i32;
    pub fn neargrid_sum_round(words: *const i64, value: *mut f64) -> i32;
    pub fn neargrid_knn_copy_f32(
        search: *mut RawSearch,
        kind: i32,
        k: i32,
        measure: i32,
        capacity: i64,
        n: *mut i64,
        ids: *mut i32,
        distances: *mut f32,
        counts: *mut i32,
    ) -> i32;
    pub fn neargrid_knn_copy_f64(
        search: *mut RawSearch,
        kind: i32,
        k: i32,
        measure: i32,
        capacity: i64,
        n: *mut i64,
        ids: *mut i32,
        distances: *mut f64,
        counts: *mut i32,
    ) -> i32;
}
