//! Searches on a GPU whose rows are so long, or whose points so crowded, that loops over all of it would take more iterations
//! than some devices let an invocation have: `shaders/README.md` has the rule.
#![cfg(feature = "gpu")]

use crate::common::{Random, is_whole};
use neargrid::{Backend, KnnKind, Measure, NeighborsKind, PointsView, Precision, RadiusRule, Search, TieRule, oracle};

fn search() -> Search {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Gpu);
    search
}

/// Whether every row holds all numbers below `points`, in order.
fn hold_all(offsets: &[i64], ids: &[i32], points: usize) -> bool {
    let is_whole = |row: &[i64]| {
        ids[row[0] as usize..row[1] as usize]
            .iter()
            .copied()
            .eq(0..points as i32)
    };
    offsets.windows(2).all(is_whole)
}

/// A query in reach of everything: a row of 60,000 ids, sorted by a workgroup, or with radii found in order.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn rows_of_many() {
    let n = 60_000;
    let coords = Random(5).cloud(1, n);
    let mut search = search();
    search.set_cutoff(2.0).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &coords).unwrap())
        .unwrap();
    search
        .set_queries(&PointsView::interleaved(1, &[0.5]).unwrap())
        .unwrap();
    let rows = search.queries().unwrap();
    assert!(hold_all(rows.offsets, rows.ids, n), "a row of a cutoff");
    for rule in [RadiusRule::Gather, RadiusRule::Max] {
        search.set_radii(&vec![1e-6; n], rule).unwrap();
        search.set_query_radii(&[2.0]).unwrap();
        let rows = search.queries().unwrap();
        assert!(hold_all(rows.offsets, rows.ids, n), "a row of radii, {rule:?}");
    }
}

/// All points coincide: as many rows as there are ids in each.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn all_in_one_place() {
    let n = 4_200;
    let mut search = search();
    search
        .set_points(&PointsView::interleaved(3, &vec![0.25; 3 * n]).unwrap())
        .unwrap();
    for rule in [RadiusRule::Gather] {
        search.set_radii(&vec![0.1; n], rule).unwrap();
        let rows = search.neighbors(NeighborsKind::Full).unwrap();
        for (i, row) in (0..n as i32).zip(rows.offsets.windows(2)) {
            let row = &rows.ids[row[0] as usize..row[1] as usize];
            assert!(
                row.iter().copied().eq((0..n as i32).filter(|&j| j != i)),
                "{rule:?}, row {i}"
            );
        }
    }
}

/// Points that reach far beyond all others: what their teams leave is shared by many.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn few_reach_far() {
    let n = 70_000;
    let coords = Random(6).cloud(2, n);
    let mut radii = vec![1e-4; n];
    radii[..40].fill(2.0);
    let mut search = search();
    search
        .set_points(&PointsView::interleaved(2, &coords).unwrap())
        .unwrap();
    search.set_radii(&radii, RadiusRule::Gather).unwrap();
    let rows = search.neighbors(NeighborsKind::Full).unwrap();
    for i in 0..40 {
        let row = &rows.ids[rows.offsets[i] as usize..rows.offsets[i + 1] as usize];
        let all = (0..n as i32).filter(|&j| j != i as i32);
        assert!(row.iter().copied().eq(all), "row {i}");
    }
}

/// Every candidate of the points in the middle is in doubt: clumps a cutoff away, and a stray, so that all of it is verified.
/// A point has few enough candidates for a lane of a device in software, or of other devices only.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn all_in_doubt() {
    for each in [128, 1_200] {
        all_in_doubt_of(each);
    }
}

fn all_in_doubt_of(each: usize) {
    let places = [[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
    let mut coords: Vec<f64> = (0..each).flat_map(|_| places.concat()).collect();
    coords.extend([1e300, 0.0]);
    let view = PointsView::interleaved(2, &coords).unwrap();
    let rules = if is_whole() || each == 128 { 2 } else { 1 };
    for rule in [TieRule::Inclusive, TieRule::Exclusive].into_iter().take(rules) {
        let mut search = search();
        search.set_cutoff(1.0).unwrap();
        search.set_tie_rule(rule);
        search.set_points(&view).unwrap();
        // All of the middle with all others, and of each clump among themselves.
        let pairs = 5 * each * (each - 1) / 2 + if rule == TieRule::Inclusive { 4 * each * each } else { 0 };
        assert_eq!(
            search.count_pairs().unwrap(),
            pairs as i64,
            "{rule:?}, {each} points each"
        );
    }
}

/// The k nearest, and groups, of points that coincide and of points that are all near each other.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn nearest_and_groups() {
    let n = 100_000;
    for (name, n, coords) in [
        ("one place", n, vec![0.5; 2 * n]),
        ("a cloud", n / 10, Random(7).cloud(2, n / 10)),
    ] {
        let view = PointsView::interleaved(2, &coords).unwrap();
        let mut search = search();
        search.set_points(&view).unwrap();
        search.set_cutoff(0.3).unwrap();
        assert_eq!(search.fof().unwrap().labels, vec![0; n], "{name}: groups");
        let queries = [0.5, 0.5, 0.1, 0.9, 1e3, 1e3];
        search
            .set_queries(&PointsView::interleaved(2, &queries).unwrap())
            .unwrap();
        let both: Vec<f64> = coords.iter().chain(&queries).copied().collect();
        let both = PointsView::interleaved(2, &both).unwrap();
        for k in [5, 300] {
            let found = search.knn::<f64>(KnnKind::Queries, k, Measure::Square).unwrap();
            for q in 0..3 {
                let truth = oracle::nearest(&both, &[None; 3], n, n + q, k, false);
                let ids: Vec<_> = truth.iter().map(|&(_, id)| id).collect();
                assert_eq!(found.ids[q * k..(q + 1) * k], ids, "{name}: {k} nearest of query {q}");
            }
        }
    }
}

/// The groups that the pairs of the plain loop make.
fn labels(n: usize, pairs: &[(i32, i32)]) -> Vec<i32> {
    let mut labels: Vec<i32> = (0..n as i32).collect();
    loop {
        let before = labels.clone();
        for &(i, j) in pairs {
            let label = labels[i as usize].min(labels[j as usize]);
            (labels[i as usize], labels[j as usize]) = (label, label);
        }
        if labels == before {
            return labels;
        }
    }
}

fn check_groups<T: Precision>(name: &str, coords: &[T], cutoff: f64) {
    let view = PointsView::interleaved(3, coords).unwrap();
    let pairs = oracle::pairs_in(&view, &[None; 3], T::from_f64(cutoff), TieRule::Inclusive);
    let mut search = search();
    search.set_cutoff(cutoff).unwrap();
    search.set_points(&view).unwrap();
    let found = search.fof().unwrap().labels == labels(view.len(), &pairs);
    assert!(found, "{name}, {}", T::NAME);
}

/// Groups of points on more scales than real32 can represent: most of them are farther away than the index tells apart well.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn groups_on_many_scales() {
    let n = 6_000;
    let mut random = Random(8);
    let mut wide = |decades: f64| -> Vec<f64> {
        let mut coordinate = || 10f64.powf((2.0 * random.uniform() - 1.0) * decades) * [1.0, -1.0][random.below(2)];
        (0..3 * n).map(|_| coordinate()).collect()
    };
    for decades in [10.0, 80.0, 150.0, 300.0] {
        check_groups(&format!("{decades} decades"), &wide(decades), 0.01);
    }
    for decades in [10.0, 20.0, 37.0] {
        let coords: Vec<f32> = wide(decades).into_iter().map(|x| x as f32).collect();
        check_groups(&format!("{decades} decades"), &coords, 0.01);
    }
}

/// A crowd, and so many points far away that the index tells them apart from the crowd only: each leaf walks to all others, in
/// several dispatches.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn groups_that_coincide_in_the_index() {
    let mut coords = Random(9).cloud(3, 1_000);
    coords.iter_mut().for_each(|x| *x *= 1e-3);
    let steps = Random(10).cloud(3, 4_000);
    coords.extend(steps.iter().map(|x| 1e200 * (1.0 + (x * 1e4).floor() * f64::EPSILON)));
    check_groups("far away", &coords, 1e-4);
}
