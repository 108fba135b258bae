//! Points that come in parts: all that is found is as if they had come at once, on both backends.
#![cfg(feature = "gpu")]

use crate::common::{Case, Domain, Random};
use neargrid::{Backend, Error, NeighborsKind, PointsView, Precision, Search, Status, TieRule, oracle};

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Gpu];

fn search_for(case: &Case, backend: Backend) -> Search {
    let mut search = Search::new().unwrap();
    search.set_backend(backend);
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(TieRule::Inclusive);
    case.domain.set(&mut search, case.dim);
    search
}

/// Points `range` of a case, set or added.
fn give<T: Precision>(search: &mut Search, case: &Case, range: std::ops::Range<usize>) {
    let coords = case.coords_as::<T>();
    let view = PointsView::interleaved(case.dim, &coords[range.start * case.dim..range.end * case.dim]).unwrap();
    match range.start {
        0 => search.set_points(&view).unwrap(),
        _ => search.add_points(&view).unwrap(),
    }
}

/// Pairs and full rows are those of the plain loop over the first `n` points.
fn check<T: Precision>(search: &mut Search, case: &Case, n: usize) {
    let mut truth = case.truth::<T>();
    truth.retain(|&(i, j)| (i.max(j) as usize) < n);
    let pairs = search.pairs().unwrap();
    assert!(
        pairs
            .left
            .iter()
            .copied()
            .zip(pairs.right.iter().copied())
            .eq(truth.iter().copied()),
        "{}, {n} points",
        case.name
    );
    let (offsets, ids) = oracle::neighbors(n, &truth, true);
    let rows = search.neighbors(NeighborsKind::Full).unwrap();
    assert!(rows.offsets == offsets && rows.ids == ids, "{}, {n} points", case.name);
    assert_eq!(search.len(), n);
}

/// Step after step on one handle: what a GPU was sent ahead of a search, and what it was not.
fn in_parts<T: Precision>(case: &Case, backend: Backend) {
    let n = case.coords.len() / case.dim;
    let mut search = search_for(case, backend);
    for step in 0..3 {
        give::<T>(&mut search, case, 0..n / 2);
        if step != 1 {
            check::<T>(&mut search, case, n / 2);
        }
        for (from, to) in [(n / 2, n / 2), (n / 2, n - 100), (n - 100, n)] {
            give::<T>(&mut search, case, from..to);
            if step != 2 {
                check::<T>(&mut search, case, to);
            }
        }
        check::<T>(&mut search, case, n);
    }
    // Other points, as many, which are not sent ahead after a search for groups: nothing of those before is taken for theirs.
    search.fof().unwrap();
    let other = Case {
        coords: case.coords.iter().rev().copied().collect(),
        ..case.clone()
    };
    give::<T>(&mut search, &other, 0..n - 1);
    give::<T>(&mut search, &other, n - 1..n);
    check::<T>(&mut search, &other, n);
    give::<T>(&mut search, case, 0..n);
    search.set_cutoff(0.5 * case.cutoff).unwrap();
    check::<T>(
        &mut search,
        &Case {
            cutoff: 0.5 * case.cutoff,
            ..case.clone()
        },
        n,
    );
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn parts() {
    let mut random = Random(5);
    for (dim, n, cutoff) in [(1, 1500, 0.01), (2, 1400, 0.05), (3, 1600, 0.12)] {
        let open = Case::new(format!("{dim}D"), dim, random.cloud(dim, n), cutoff);
        let ring = open.clone().with_domain(Domain::periodic(0.0, 1.0));
        for case in [open, ring] {
            for backend in BACKENDS {
                match dim {
                    2 => in_parts::<f32>(&case, backend),
                    _ => in_parts::<f64>(&case, backend),
                }
            }
        }
    }
}

/// A skin, ids, kinds, radii, the k nearest and groups: all know of the points that were added.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn all_that_is_asked() {
    let mut random = Random(6);
    let n = 900;
    let case = Case::new("asked", 3, random.cloud(3, n), 0.15);
    for backend in BACKENDS {
        let [mut parts, mut whole] = [0, 1].map(|_| search_for(&case, backend));
        for step in 0..4 {
            give::<f64>(&mut whole, &case, 0..n);
            give::<f64>(&mut parts, &case, 0..n - 300);
            if step > 0 {
                parts.count_pairs().unwrap_err(); // ids and types of step 1 are for n points
            }
            give::<f64>(&mut parts, &case, n - 300..n);
            for search in [&mut parts, &mut whole] {
                let ids: Vec<i64> = (0..n as i64).map(|k| (k * 7919) % 1009).collect();
                let types: Vec<i32> = (0..n as i32).map(|k| k % 2).collect();
                search.set_ids(&ids).unwrap();
                search.set_types(&types, &[true, true, true, false]).unwrap();
                search.set_active(Some(n as i64 - 300)).unwrap();
                search.set_skin(if step % 2 == 1 { 0.02 } else { 0.0 }).unwrap();
            }
            let [a, b] = [&mut parts, &mut whole].map(|search| {
                let pairs = search.pairs().unwrap();
                (pairs.left.to_vec(), pairs.right.to_vec())
            });
            assert!(a == b && !a.0.is_empty(), "step {step}");
        }
        let [mut parts, mut whole] = [0, 1].map(|_| search_for(&case, backend));
        give::<f64>(&mut whole, &case, 0..n);
        give::<f64>(&mut parts, &case, 0..1);
        for step in 0..2 {
            if step == 1 {
                give::<f64>(&mut parts, &case, 0..n - 300);
                parts.fof().unwrap();
                give::<f64>(&mut parts, &case, n - 300..n);
            } else {
                give::<f64>(&mut parts, &case, 1..n);
            }
            let groups = [&mut parts, &mut whole].map(|search| search.fof().unwrap().labels.to_vec());
            assert!(groups[0] == groups[1], "groups, step {step}");
        }
    }
}

/// Queries that cannot be after the points are refused, and the points stay.
#[test]
fn refused() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.5).unwrap();
    let line = [0.0, 1.0, 2.0];
    let view = PointsView::interleaved(1, &line).unwrap();
    assert_eq!(search.add_points(&view).unwrap_err().status(), Status::BadState);
    search.set_points(&view).unwrap();
    let status = |refused: Result<(), Error>| refused.unwrap_err().status();
    let plane = PointsView::interleaved(2, &[0.0, 0.0]).unwrap();
    assert_eq!(status(search.add_points(&plane)), Status::BadDim);
    assert_eq!(
        status(search.add_points(&PointsView::interleaved(1, &[1.0f32]).unwrap())),
        Status::BadValue
    );
    assert_eq!(
        status(search.add_points(&PointsView::interleaved(1, &[f64::NAN]).unwrap())),
        Status::NonFinite
    );
    assert_eq!(search.pairs().unwrap().right, [1, 2]);
    // Queries are forgotten, as they are when points are set.
    search.set_queries(&view).unwrap();
    search.add_points(&PointsView::interleaved(1, &[3.0]).unwrap()).unwrap();
    assert_eq!(status(search.count_queries().map(drop)), Status::BadState);
    assert_eq!(search.pairs().unwrap().right, [1, 2, 3]);
    // Points that the handle does not hold.
    search.count_pairs_of(&view).unwrap();
    assert_eq!(status(search.add_points(&view)), Status::BadState);
}
