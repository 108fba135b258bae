//! The functions of the C interface that there are for each precision.

use super::*;

/// The functions of a precision.
pub(super) trait Coordinate: Number + Argument<Raw = Self> {
    fn of(x: f64) -> Self;
    fn bytes(self) -> Vec<u8>;
    fn all(values: &[f64]) -> Vec<Self> {
        values.iter().map(|&x| Self::of(x)).collect()
    }
    fn give(run: &mut Run, h: usize, role: Role, dn: (i32, i64), bases: [In<Self>; 3], stride: i64) -> i32;
    fn update(run: &mut Run, h: usize, dn: (i32, i64), bases: [In<Self>; 3], stride: i64, rebuilt: &Out<i32>) -> i32;
    fn knn_copy(
        run: &mut Run,
        h: usize,
        what: (i32, i32, i32),
        sizes: (i64, &Out<i64>),
        out: (&Out<i32>, &Out<Self>, &Out<i32>),
    ) -> i32;
    fn knn_view(
        run: &mut Run,
        h: usize,
        what: (i32, i32, i32),
        n: &Out<i64>,
        out: (&Lent<i32>, &Lent<Self>, &Lent<i32>),
    ) -> i32;
    fn groups_find(
        run: &mut Run,
        h: usize,
        numbers: (i64, i64),
        masses: (&In<Self>, i64),
        velocities: [In<Self>; 3],
        stride: i64,
        ngroups: &Out<i64>,
    ) -> i32;
    fn of_rows(run: &mut Run, h: usize, sizes: [i64; 2], rows: (&In<i64>, &In<i32>), results: [&Out<Self>; 2]) -> i32;
    fn of_queries(
        run: &mut Run,
        h: usize,
        sizes: [i64; 2],
        rows: (&In<i64>, &In<i32>),
        results: [&Out<Self>; 2],
    ) -> i32;
    fn of_pairs(run: &mut Run, h: usize, n: i64, pairs: (&In<i32>, &In<i32>), results: [&Out<Self>; 2]) -> i32;
    fn cell_count(
        run: &mut Run,
        dn: (i32, i64),
        x: &In<Self>,
        cutoff: Self,
        rule_and_base: (i32, i32),
        npairs: &Out<i64>,
    ) -> i32;
}

macro_rules! coordinate {
    (
        $type:ident, $set:ident, $add:ident, $queries:ident, $update:ident, $knn_copy:ident, $knn_view:ident, $find:ident,
        $rows:ident, $of_queries:ident, $pairs:ident, $cell:ident
    ) => {
        impl Coordinate for $type {
            fn of(x: f64) -> $type {
                x as $type
            }
            fn bytes(self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }
            fn give(
                run: &mut Run,
                h: usize,
                role: Role,
                (dim, n): (i32, i64),
                [x, y, z]: [In<$type>; 3],
                stride: i64,
            ) -> i32 {
                match role {
                    Role::Set | Role::Update => call!(run, h, $set(dim, n, x, y, z, stride)),
                    Role::Add => call!(run, h, $add(dim, n, x, y, z, stride)),
                    Role::Queries => call!(run, h, $queries(dim, n, x, y, z, stride)),
                }
            }
            fn update(
                run: &mut Run,
                h: usize,
                (dim, n): (i32, i64),
                [x, y, z]: [In<$type>; 3],
                stride: i64,
                rebuilt: &Out<i32>,
            ) -> i32 {
                call!(run, h, $update(dim, n, x, y, z, stride, *rebuilt))
            }
            fn knn_copy(
                run: &mut Run,
                h: usize,
                (kind, k, measure): (i32, i32, i32),
                (capacity, n): (i64, &Out<i64>),
                (ids, distances, counts): (&Out<i32>, &Out<$type>, &Out<i32>),
            ) -> i32 {
                call!(
                    run,
                    h,
                    $knn_copy(kind, k, measure, capacity, *n, *ids, *distances, *counts)
                )
            }
            fn knn_view(
                run: &mut Run,
                h: usize,
                (kind, k, measure): (i32, i32, i32),
                n: &Out<i64>,
                (ids, distances, counts): (&Lent<i32>, &Lent<$type>, &Lent<i32>),
            ) -> i32 {
                call!(run, h, $knn_view(kind, k, measure, *n, *ids, *distances, *counts))
            }
            fn groups_find(
                run: &mut Run,
                h: usize,
                (least, n): (i64, i64),
                (masses, mass_stride): (&In<$type>, i64),
                [x, y, z]: [In<$type>; 3],
                stride: i64,
                ngroups: &Out<i64>,
            ) -> i32 {
                call!(
                    run,
                    h,
                    $find(least, n, *masses, mass_stride, x, y, z, stride, *ngroups)
                )
            }
            fn of_rows(
                run: &mut Run,
                h: usize,
                [n, total]: [i64; 2],
                (offsets, ids): (&In<i64>, &In<i32>),
                [distances, displacements]: [&Out<$type>; 2],
            ) -> i32 {
                call!(
                    run,
                    h,
                    $rows(n, total, *offsets, *ids, *distances, *displacements)
                )
            }
            fn of_queries(
                run: &mut Run,
                h: usize,
                [n, total]: [i64; 2],
                (offsets, ids): (&In<i64>, &In<i32>),
                [distances, displacements]: [&Out<$type>; 2],
            ) -> i32 {
                call!(
                    run,
                    h,
                    $of_queries(n, total, *offsets, *ids, *distances, *displacements)
                )
            }
            fn of_pairs(
                run: &mut Run,
                h: usize,
                n: i64,
                (i, j): (&In<i32>, &In<i32>),
                [distances, displacements]: [&Out<$type>; 2],
            ) -> i32 {
                call!(run, h, $pairs(n, *i, *j, *distances, *displacements))
            }
            fn cell_count(
                run: &mut Run,
                (dim, n): (i32, i64),
                x: &In<$type>,
                cutoff: $type,
                (rule, base): (i32, i32),
                npairs: &Out<i64>,
            ) -> i32 {
                call!(run, $cell(dim, n, *x, cutoff, rule, base, *npairs))
            }
        }
    };
}
coordinate!(
    f32,
    neargrid_search_set_points_f32,
    neargrid_search_add_points_f32,
    neargrid_search_set_queries_f32,
    neargrid_search_update_f32,
    neargrid_knn_copy_f32,
    neargrid_knn_view_f32,
    neargrid_groups_find_f32,
    neargrid_neighbors_distances_f32,
    neargrid_queries_distances_f32,
    neargrid_pairs_distances_f32,
    neargrid_celllist_count_f32
);
coordinate!(
    f64,
    neargrid_search_set_points_f64,
    neargrid_search_add_points_f64,
    neargrid_search_set_queries_f64,
    neargrid_search_update_f64,
    neargrid_knn_copy_f64,
    neargrid_knn_view_f64,
    neargrid_groups_find_f64,
    neargrid_neighbors_distances_f64,
    neargrid_queries_distances_f64,
    neargrid_pairs_distances_f64,
    neargrid_celllist_count_f64
);
