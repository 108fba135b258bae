//! The functions of the C interface that there are for each precision.

use std::ffi::{CStr, c_void};

use neargrid::Real;
use neargrid::capi::{
    fields::*, formula::neargrid_formula, ghosts::*, groups::*, knn::*, migration::*, neighbors::*, pair_fields::*,
};
use neargrid::capi::{pairs::*, points::*, queries::*, radii::*, skin::*, solve_radii::*};

use super::super::call::Role;
use super::team::Plain;

/// A handle.
pub type Search = *mut c_void;

/// The functions of a precision. All take pointers that are as long as the C interface says.
pub trait Precise: Plain + Real + Send + Sync + std::fmt::Debug {
    fn of(x: f64) -> Self;
    fn all(values: &[f64]) -> Vec<Self> {
        values.iter().map(|&x| Self::of(x)).collect()
    }
    /// Points of a role: dim, number, coordinates point after point; which of the pointers are NULL, and where to say whether lists are
    /// made again.
    unsafe fn give(s: Search, role: Role, sizes: (i32, i64), x: (*const Self, u8), rebuilt: *mut i32) -> i32;
    unsafe fn radii(s: Search, of: i32, n: i64, radii: *const Self, rule: i32) -> i32;
    unsafe fn set_field(s: Search, name: (&CStr, i32), sizes: (i32, i64), x: *const Self) -> i32;
    unsafe fn field(s: Search, name: (&CStr, i32), sizes: (i32, i64), x: *mut Self) -> i32;
    unsafe fn ghosts(s: Search, n: *mut i64, out: (*mut *const i64, *mut *const i32, *mut *const Self)) -> i32;
    unsafe fn knn_ghosts(s: Search, n: *mut i64, out: (*mut *const i64, *mut *const i32, *mut *const Self)) -> i32;
    unsafe fn knn(
        s: Search,
        what: (i32, i32, i32),
        room: i64,
        n: *mut i64,
        out: (*mut i32, *mut Self, *mut i32),
    ) -> i32;
    unsafe fn knn_view(
        s: Search,
        what: (i32, i32, i32),
        n: *mut i64,
        out: (*mut *const i32, *mut *const Self, *mut *const i32),
    ) -> i32;
    unsafe fn groups(s: Search, sizes: (i64, i64), masses: *const Self, v: (*const Self, usize), n: *mut i64) -> i32;
    unsafe fn distances(s: Search, n: i64, of: (*const i32, *const i32), out: (*mut Self, *mut Self)) -> i32;
    unsafe fn of_rows(s: Search, n: [i64; 2], of: (*const i64, *const i32), out: (*mut Self, *mut Self)) -> i32;
    unsafe fn plan(s: Search, sizes: (i32, i64), x: *const Self, ids: *const i64, n: *mut i64) -> i32;
    unsafe fn set_pairs(s: Search, name: &CStr, sizes: (i32, i64), of: (*const i64, *const i64), x: *const Self)
    -> i32;
    unsafe fn pairs(s: Search, name: &CStr, sizes: (i32, i64, i64), of: (*mut i64, *mut i64), x: *mut Self) -> i32;
    unsafe fn solve(
        s: Search,
        asked: (*mut neargrid_formula, i32, &CStr),
        numbers: (f64, [f64; 2], f64, i64, i64),
        counts: [*mut i64; 2],
        out: (*mut Self, *mut i32),
    ) -> i32;
}

/// Where each axis begins.
fn axes<T>(x: *const T, nulls: u8) -> [*const T; 3] {
    [0, 1, 2].map(|axis| match nulls >> axis & 1 == 1 || x.is_null() {
        true => std::ptr::null(),
        false => x.wrapping_add(axis),
    })
}

macro_rules! precise {
    (
        $type:ident, $set:ident, $add:ident, $queries:ident, $update:ident, $radii:ident, $set_field:ident, $field:ident,
        $ghosts:ident, $knn_ghosts:ident, $knn:ident, $knn_view:ident, $groups:ident, $distances:ident, $of_rows:ident, $plan:ident,
        $set_pairs:ident, $pairs:ident, $solve:ident
    ) => {
        impl Precise for $type {
            fn of(x: f64) -> $type {
                x as $type
            }
            unsafe fn give(
                s: Search,
                role: Role,
                (dim, n): (i32, i64),
                (x, nulls): (*const $type, u8),
                rebuilt: *mut i32,
            ) -> i32 {
                let ([x, y, z], stride) = (
                    axes(x, nulls),
                    i64::from(dim.clamp(1, 3)) * size_of::<$type>() as i64,
                );
                // SAFETY: here and below, the caller's promise.
                unsafe {
                    match role {
                        Role::Set => $set(s.cast(), dim, n, x, y, z, stride),
                        Role::Add => $add(s.cast(), dim, n, x, y, z, stride),
                        Role::Queries => $queries(s.cast(), dim, n, x, y, z, stride),
                        Role::Update => $update(s.cast(), dim, n, x, y, z, stride, rebuilt),
                    }
                }
            }
            unsafe fn radii(s: Search, of: i32, n: i64, radii: *const $type, rule: i32) -> i32 {
                // SAFETY: as above.
                unsafe { $radii(s.cast(), of, n, radii, size_of::<$type>() as i64, rule) }
            }
            unsafe fn set_field(s: Search, (name, of): (&CStr, i32), (width, n): (i32, i64), x: *const $type) -> i32 {
                let ([x, y, z], stride) = (axes(x, 0), i64::from(width) * size_of::<$type>() as i64);
                // SAFETY: as above.
                unsafe { $set_field(s.cast(), name.as_ptr(), of, width, n, x, y, z, stride) }
            }
            unsafe fn field(s: Search, (name, of): (&CStr, i32), (width, n): (i32, i64), x: *mut $type) -> i32 {
                let ([x, y, z], stride) = (axes(x, 0), i64::from(width) * size_of::<$type>() as i64);
                let [x, y, z] = [x, y, z].map(<*const $type>::cast_mut);
                // SAFETY: as above.
                unsafe {
                    $field(
                        s.cast_const().cast(),
                        name.as_ptr(),
                        of,
                        width,
                        n,
                        x,
                        y,
                        z,
                        stride,
                    )
                }
            }
            unsafe fn ghosts(
                s: Search,
                n: *mut i64,
                (ids, ranks, x): (*mut *const i64, *mut *const i32, *mut *const $type),
            ) -> i32 {
                // SAFETY: as above.
                unsafe { $ghosts(s.cast(), n, ids, ranks, x) }
            }
            unsafe fn knn_ghosts(
                s: Search,
                n: *mut i64,
                (ids, ranks, x): (*mut *const i64, *mut *const i32, *mut *const $type),
            ) -> i32 {
                // SAFETY: as above.
                unsafe { $knn_ghosts(s.cast(), n, ids, ranks, x) }
            }
            unsafe fn knn(
                s: Search,
                (kind, k, measure): (i32, i32, i32),
                room: i64,
                n: *mut i64,
                (ids, distances, counts): (*mut i32, *mut $type, *mut i32),
            ) -> i32 {
                // SAFETY: as above.
                unsafe { $knn(s.cast(), kind, k, measure, room, n, ids, distances, counts) }
            }
            unsafe fn knn_view(
                s: Search,
                (kind, k, measure): (i32, i32, i32),
                n: *mut i64,
                (ids, distances, counts): (*mut *const i32, *mut *const $type, *mut *const i32),
            ) -> i32 {
                // SAFETY: as above.
                unsafe { $knn_view(s.cast(), kind, k, measure, n, ids, distances, counts) }
            }
            unsafe fn groups(
                s: Search,
                (least, n): (i64, i64),
                masses: *const $type,
                (v, dim): (*const $type, usize),
                groups: *mut i64,
            ) -> i32 {
                let ([x, y, z], size) = (axes(v, 0), size_of::<$type>() as i64);
                // SAFETY: as above.
                unsafe {
                    $groups(
                        s.cast(),
                        least,
                        n,
                        masses,
                        size,
                        x,
                        y,
                        z,
                        dim as i64 * size,
                        groups,
                    )
                }
            }
            unsafe fn distances(
                s: Search,
                n: i64,
                (i, j): (*const i32, *const i32),
                (distances, displacements): (*mut $type, *mut $type),
            ) -> i32 {
                // SAFETY: as above.
                unsafe { $distances(s.cast_const().cast(), n, i, j, distances, displacements) }
            }
            unsafe fn of_rows(
                s: Search,
                [n, total]: [i64; 2],
                (offsets, ids): (*const i64, *const i32),
                (distances, displacements): (*mut $type, *mut $type),
            ) -> i32 {
                // SAFETY: as above.
                unsafe {
                    $of_rows(
                        s.cast_const().cast(),
                        n,
                        total,
                        offsets,
                        ids,
                        distances,
                        displacements,
                    )
                }
            }
            unsafe fn plan(s: Search, (dim, n): (i32, i64), x: *const $type, ids: *const i64, after: *mut i64) -> i32 {
                let ([x, y, z], stride) = (axes(x, 0), i64::from(dim) * size_of::<$type>() as i64);
                // SAFETY: as above.
                unsafe { $plan(s.cast(), dim, n, x, y, z, stride, ids, after) }
            }
            unsafe fn set_pairs(
                s: Search,
                name: &CStr,
                (width, n): (i32, i64),
                (offsets, ids): (*const i64, *const i64),
                x: *const $type,
            ) -> i32 {
                // SAFETY: as above.
                unsafe { $set_pairs(s.cast(), name.as_ptr(), width, n, offsets, ids, x) }
            }
            unsafe fn pairs(
                s: Search,
                name: &CStr,
                (width, n, entries): (i32, i64, i64),
                (offsets, ids): (*mut i64, *mut i64),
                x: *mut $type,
            ) -> i32 {
                // SAFETY: as above.
                unsafe {
                    $pairs(
                        s.cast_const().cast(),
                        name.as_ptr(),
                        width,
                        n,
                        entries,
                        offsets,
                        ids,
                        x,
                    )
                }
            }
            unsafe fn solve(
                s: Search,
                (formula, kind, field): (*mut neargrid_formula, i32, &CStr),
                (target, [smallest, largest], tolerance, times, room): (f64, [f64; 2], f64, i64, i64),
                [n, unsolved]: [*mut i64; 2],
                (radii, outcomes): (*mut $type, *mut i32),
            ) -> i32 {
                let (s, field) = (s.cast(), field.as_ptr());
                // SAFETY: as above.
                unsafe {
                    $solve(
                        s, formula, kind, field, target, smallest, largest, tolerance, times, room, n, radii, outcomes,
                        unsolved,
                    )
                }
            }
        }
    };
}
precise!(
    f32,
    neargrid_search_set_points_f32,
    neargrid_search_add_points_f32,
    neargrid_search_set_queries_f32,
    neargrid_search_update_f32,
    neargrid_search_set_radii_f32,
    neargrid_search_set_field_f32,
    neargrid_field_copy_f32,
    neargrid_ghosts_view_f32,
    neargrid_knn_ghosts_view_f32,
    neargrid_knn_copy_f32,
    neargrid_knn_view_f32,
    neargrid_groups_find_f32,
    neargrid_pairs_distances_f32,
    neargrid_neighbors_distances_f32,
    neargrid_migration_plan_f32,
    neargrid_search_set_pair_field_by_ids_f32,
    neargrid_pair_field_copy_ids_f32,
    neargrid_solve_radii_f32
);
precise!(
    f64,
    neargrid_search_set_points_f64,
    neargrid_search_add_points_f64,
    neargrid_search_set_queries_f64,
    neargrid_search_update_f64,
    neargrid_search_set_radii_f64,
    neargrid_search_set_field_f64,
    neargrid_field_copy_f64,
    neargrid_ghosts_view_f64,
    neargrid_knn_ghosts_view_f64,
    neargrid_knn_copy_f64,
    neargrid_knn_view_f64,
    neargrid_groups_find_f64,
    neargrid_pairs_distances_f64,
    neargrid_neighbors_distances_f64,
    neargrid_migration_plan_f64,
    neargrid_search_set_pair_field_by_ids_f64,
    neargrid_pair_field_copy_ids_f64,
    neargrid_solve_radii_f64
);
