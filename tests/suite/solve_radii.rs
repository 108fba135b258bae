//! Radii at which sums over neighbors reach a target: those that the k nearest say, cost, and failures.

use crate::common::Random;
use neargrid::{Backend, Formula, NeighborsKind, PointsView, RadiusRange, RadiusRule, Search, Status};

/// A step is solved as the k nearest say, radii that were set stay, and those found find the neighbors.
#[test]
fn counts() {
    let (mut search, points) = (Search::new().unwrap(), Random(3).cloud(3, 400));
    search.set_backend(Backend::Cpu);
    search
        .set_points(&PointsView::interleaved(3, &points).unwrap())
        .unwrap();
    search.set_radii(&[0.1; 400], RadiusRule::Max).unwrap();
    let pairs = search.count_pairs().unwrap();
    let range = RadiusRange {
        smallest: 1e-3,
        largest: 2.0,
        tolerance: 0.0,
        max_iterations: 200,
    };
    let mut formula = Formula::new("n += 1").unwrap();
    let found = search
        .solve_radii::<f64>(&mut formula, NeighborsKind::Full, ("n", 12.0), &range)
        .unwrap();
    assert_eq!(found.unsolved(), 0);
    let nearest = search
        .knn::<f64>(neargrid::KnnKind::Others, 12, neargrid::Measure::Radius)
        .unwrap();
    let expected: Vec<f64> = nearest.distances.chunks(12).map(|row| row[11]).collect();
    assert_eq!(found.radii, expected);
    assert_eq!(search.field::<f32>("n").unwrap(), [12.0; 400]);
    assert_eq!(search.count_pairs().unwrap(), pairs);
    search.set_radii(&found.radii, RadiusRule::Gather).unwrap();
    assert_eq!(search.count_neighbors(NeighborsKind::Full).unwrap(), 12 * 400);
}

/// A wide range needs about as many tests as a narrow one, and finds the same radii.
#[test]
fn wide_ranges() {
    let (mut search, n) = (Search::new().unwrap(), 3000);
    search.set_backend(Backend::Cpu);
    search.set_threads(1).unwrap();
    let points = Random(5).cloud(3, n);
    search
        .set_points(&PointsView::interleaved(3, &points).unwrap())
        .unwrap();
    let mut formula = Formula::new("n += (1 - r/c)^2").unwrap();
    let mut solve = |smallest: f64, largest: f64| {
        let range = RadiusRange {
            smallest,
            largest,
            tolerance: 1e-6,
            max_iterations: 200,
        };
        let found = search
            .solve_radii::<f64>(&mut formula, NeighborsKind::Full, ("n", 3.0), &range)
            .unwrap();
        assert_eq!(found.unsolved(), 0);
        (found.radii, search.counter(neargrid::Counter::DistanceTests))
    };
    let (radii, most) = solve(0.08, 0.4);
    for (smallest, largest) in [(1e-3, 0.4), (1e-3, 1.7), (0.08, 1e3), (1e-9, 1e9)] {
        let (found, tests) = solve(smallest, largest);
        let is_same = |(a, b): (&f64, &f64)| (a / b - 1.0).abs() < 2e-6;
        assert!(found.iter().zip(&radii).all(is_same), "{smallest} to {largest}");
        assert!(tests < 2 * most, "{smallest} to {largest}: {tests} tests, not {most}");
    }
}

/// Fields that a formula makes, and radii, are as before where the search for radii fails after a trial: the sum is of vectors.
#[test]
fn a_failure_leaves_fields_as_they_were() {
    let points = [0.0, 0.0, 1.0, 0.5, 2.0, 0.0];
    for kind in [NeighborsKind::Full, NeighborsKind::Queries] {
        for before in [None, Some([4.0f32, 5.0, 6.0])] {
            let mut search = Search::new().unwrap();
            let view = PointsView::interleaved(2, &points).unwrap();
            search.set_points(&view).unwrap();
            search.set_queries(&view).unwrap();
            search.set_radii(&[1.2; 3], RadiusRule::Max).unwrap();
            let pairs = search.count_pairs().unwrap();
            let of_queries = kind == NeighborsKind::Queries;
            match (before, of_queries) {
                (Some(before), true) => search.set_query_field("n", &before, 1).unwrap(),
                (Some(before), false) => search.set_field("n", &before, 1).unwrap(),
                (None, _) => {}
            }
            let range = RadiusRange {
                smallest: 0.5,
                largest: 3.0,
                tolerance: 1e-3,
                max_iterations: 9,
            };
            let mut formula = Formula::new("n += d; m += 1").unwrap();
            let error = search
                .solve_radii::<f64>(&mut formula, kind, ("n", 1.0), &range)
                .unwrap_err();
            assert_eq!(error.status(), Status::BadValue, "{error}");
            for name in ["n", "m"] {
                let found = match of_queries {
                    true => search.query_field::<f32>(name),
                    false => search.field::<f32>(name),
                };
                let want = before.filter(|_| name == "n");
                assert_eq!(found.ok(), want.as_ref().map(|want| &want[..]), "{name}, {kind:?}");
            }
            assert_eq!(search.count_pairs().unwrap(), pairs);
        }
    }
}
