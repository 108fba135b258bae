//! Sums where there is nothing: no points, no queries, or no neighbors.

use neargrid::TieRule;

use super::*;

const TEXT: &str =
    "n += 1; w += u_j; v += m_i*u_j*W(r); most max= dot(u_i, d); least min= m_j*c; p += pow(r, m_j)/r2*exp(-r)";

/// The outputs with as many rows as there are, each as it begins.
fn expect_empty<F: Number>(search: &mut Search, dim: usize, counts: [usize; 2], kind: NeighborsKind, about: &str) {
    let of_queries = kind == NeighborsKind::Queries;
    let (numbers, vectors) = (vec![2.0_f32; counts[0]], vec![1.0; counts[0] * dim]);
    for width in [1, dim] {
        let text = match width {
            1 => TEXT.replace("dot(u_i, d)", "u_i*r"),
            _ => TEXT.to_owned(),
        };
        let mut formula = Formula::new(&text).unwrap();
        formula.set_precision(F::PRECISION);
        search.set_field("m", &numbers, 1).unwrap();
        search.set_field("u", &vectors[..counts[0] * width], width).unwrap();
        formula.set_table("W", TableOf::R, [0.0, 1.0], &[1.0, 0.0]).unwrap();
        if of_queries {
            search.set_query_field("m", &vec![3.0; counts[1]], 1).unwrap();
            search
                .set_query_field("u", &vec![4.0_f32; counts[1] * width], width)
                .unwrap();
        }
        search
            .run(&mut formula, kind, 1)
            .unwrap_or_else(|error| panic!("{about}, {kind:?}, {width} components: {error}"));
        for (name, width) in [
            ("n", 1),
            ("w", width),
            ("v", width),
            ("most", 1),
            ("least", 1),
            ("p", 1),
        ] {
            assert_eq!(size(search, kind, name)[0], width, "{about}, {kind:?}: {name}");
            let found = values::<F>(search, kind, name);
            assert_eq!(
                found.len(),
                counts[usize::from(of_queries)] * width,
                "{about}, {kind:?}: {name}"
            );
            assert!(
                found.iter().all(|&value| value.is_same(start::<F>(name))),
                "{about}, {kind:?}: {name}"
            );
        }
    }
}

fn check<T: Precision>(dim: usize, counts: [usize; 2], by_radii: bool) {
    let coords: Vec<T> = (0..counts[0] * dim).map(|k| T::from_f64((k / dim) as f64)).collect();
    let queries: Vec<T> = (0..counts[1] * dim)
        .map(|k| T::from_f64((k / dim) as f64 + 0.5))
        .collect();
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.25).unwrap();
    search
        .set_points(&PointsView::interleaved(dim, &coords).unwrap())
        .unwrap();
    search
        .set_queries(&PointsView::interleaved(dim, &queries).unwrap())
        .unwrap();
    if by_radii {
        let radii = vec![T::from_f64(0.25); counts[0].max(counts[1])];
        search.set_radii(&radii[..counts[0]], RadiusRule::Max).unwrap();
        search.set_query_radii(&radii[..counts[1]]).unwrap();
    }
    let about = format!("{dim}D, {counts:?} points and queries, radii: {by_radii}, {}", T::NAME);
    for kind in [NeighborsKind::Queries, NeighborsKind::Full, NeighborsKind::Half] {
        expect_empty::<f64>(&mut search, dim, counts, kind, &about);
        expect_empty::<f32>(&mut search, dim, counts, kind, &about);
    }
}

#[test]
fn points_queries_and_neighbors() {
    for dim in 1..=3 {
        for counts in [[0, 0], [0, 1], [0, 5], [1, 0], [1, 1], [5, 0], [5, 3]] {
            for by_radii in [false, true] {
                check::<f64>(dim, counts, by_radii);
                check::<f32>(dim, counts, by_radii);
            }
        }
    }
}

/// Compares sums that include the point itself with the lengths of rows. The search looks at no row of a point of radius 0 by the
/// exclusive rule, nor at one of a type that interacts with none.
fn check_lone<T: Precision>(radii: [f64; 2], rule: RadiusRule, tie_rule: TieRule, with_types: bool) {
    const N: usize = 90;
    let coords: Vec<T> = (0..N).map(|k| T::from_f64((k / 3 % 20) as f64)).collect();
    let radii: Vec<T> = (0..N).map(|k| T::from_f64(radii[k % 2])).collect();
    let types: Vec<i32> = (0..N).map(|k| i32::from(k % 5 == 0)).collect();
    let mut search = Search::new().unwrap();
    search.set_tie_rule(tie_rule);
    search
        .set_points(&PointsView::interleaved(1, &coords).unwrap())
        .unwrap();
    search.set_radii(&radii, rule).unwrap();
    if with_types {
        search.set_types(&types, &[true, false, false, false]).unwrap();
    }
    let rows = search.neighbors(NeighborsKind::Full).unwrap().offsets.to_vec();
    for threads in [1, 2] {
        search.set_threads(threads).unwrap();
        let mut formula = Formula::new("n += 1; most max= r2").unwrap();
        formula.set_include_self(true);
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        let about = format!("{radii:?}, {rule:?}, {tie_rule:?}, types: {with_types}, {threads} threads");
        let numbers = search.field::<f32>("n").unwrap();
        for (i, (&n, row)) in numbers.iter().zip(rows.windows(2)).enumerate() {
            assert_eq!(n, (row[1] - row[0] + 1) as f32, "row {i}, {about}");
        }
    }
}

#[test]
fn lone_points_and_themselves() {
    for radii in [[0.0, 0.0], [0.0, 1.5], [1.5, 1.5]] {
        for rule in [
            RadiusRule::Max,
            RadiusRule::Min,
            RadiusRule::Mean,
            RadiusRule::Gather,
            RadiusRule::Scatter,
        ] {
            for tie_rule in [TieRule::Inclusive, TieRule::Exclusive] {
                for with_types in [false, true] {
                    check_lone::<f32>(radii, rule, tie_rule, with_types);
                    check_lone::<f64>(radii, rule, tie_rule, with_types);
                }
            }
        }
    }
}
