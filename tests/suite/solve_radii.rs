//! Radii at which sums over neighbors reach a target: the trials of each point one after the other, with sums by plain loops.

use crate::common::{Domain, Random};
use neargrid::{
    Backend, Formula, NeighborsKind, Outcome, PointsView, Precision, RadiusRange, RadiusRule, Real, Role, Search,
    Status, SumPrecision, oracle,
};

/// Radii are those of active points, whatever comes before them.
#[test]
fn active_points_in_any_order() {
    let mut search = Search::new().unwrap();
    let points = PointsView::interleaved(1, &[0.0, 1.0, 50.0, 3.0, 4.5]).unwrap();
    search.set_points(&points).unwrap();
    let roles = [Role::Ghost, Role::Active, Role::Absent, Role::Active, Role::Ghost];
    search.set_roles(&roles).unwrap();
    let mut formula = Formula::new("n += 1").unwrap();
    let range = RadiusRange {
        smallest: 0.1,
        largest: 9.0,
        tolerance: 0.0,
        max_iterations: 200,
    };
    let found = search
        .solve_radii::<f64>(&mut formula, NeighborsKind::Full, ("n", 1.0), &range)
        .unwrap();
    assert_eq!((&found.radii[..], found.unsolved()), (&[1.0, 1.5][..], 0));
    assert_eq!(search.field::<f32>("n").unwrap(), [0.0, 1.0, 0.0, 1.0, 0.0]);
}

/// A radius and its outcome, by the sequence of trials that the manual gives.
fn solve<T: Real>(range: &RadiusRange, target: f64, sum: impl Fn(T) -> f64) -> (T, Outcome) {
    let (mut lower, mut upper) = (T::from_f64(range.smallest), T::from_f64(range.largest));
    let (mut below, mut above) = (None, None);
    let is_narrow = |lower: T, upper: T| {
        let [a, b] = [lower, upper].map(T::to_f64);
        let middle = T::from_f64(0.5 * (a + b));
        b - a <= range.tolerance * b || !(lower < middle && middle < upper)
    };
    for k in 0..range.max_iterations {
        let [a, b] = [lower, upper].map(T::to_f64);
        let inside = |x: f64| T::from_f64(x) > lower && T::from_f64(x) < upper;
        let trial = match (below, above) {
            (None, _) => lower,
            (_, None) if inside(2.0 * a) => T::from_f64(2.0 * a),
            (_, None) => upper,
            _ if is_narrow(lower, upper) => return (upper, Outcome::Solved),
            (Some(below), Some(above)) => {
                let beside = if k % 3 == 0 { 0.25 } else { -0.25 } * range.tolerance * b;
                let line = a + (target - below) / (above - below) * (b - a) + beside;
                let is_near = k % 3 < 2 && inside(line);
                T::from_f64(if is_near { line } else { 0.5 * (a + b) })
            }
        };
        let value = sum(trial);
        let reaches = value >= target; // false for NaN
        match reaches {
            true if below.is_none() => return (lower, Outcome::BelowSmallest),
            true => (upper, above) = (trial, Some(value)),
            false if above.is_none() && trial == upper => return (upper, Outcome::AboveLargest),
            false => (lower, below) = (trial, Some(value)),
        }
    }
    match (is_narrow(lower, upper), below, above) {
        (true, Some(_), Some(_)) => (upper, Outcome::Solved),
        _ => (upper, Outcome::OutOfIterations),
    }
}

/// The cloud, and what is asked of it.
struct Case {
    points: Vec<f64>,
    queries: Vec<f64>,
    domain: Option<Domain>,
    with_self: bool,
    active: Option<usize>,
    kind: NeighborsKind,
    target: f64,
    range: RadiusRange,
}

/// `n += m_j*(1 - r/c)^2`, in the precision of the points, by a plain loop.
fn sum<T: Precision>(case: &Case, view: &PointsView<T>, masses: &[T], i: usize, c: T) -> f64 {
    let n = masses.len();
    let periods = case.domain.map_or([None; 3], |domain| domain.periods());
    let active = case.active.unwrap_or(n);
    let mut total = T::default();
    for (j, &mass) in masses.iter().enumerate() {
        let is_listed = j < active || i < active || i >= n;
        let d2 = oracle::distance2_in(view, &periods, i, j);
        let counts = match j == i {
            true => case.with_self,
            false => is_listed && d2 <= c.mul(c),
        };
        if !counts {
            continue;
        }
        let one_less = T::from_f64(1.0).sub(T::from_f64(d2.sqrt().to_f64() / c.to_f64()));
        total = total.add(mass.mul(one_less.mul(one_less)));
    }
    total.to_f64()
}

fn check<T: Precision>(case: &Case, backend: Backend, name: &str) {
    let as_t = |values: &[f64]| values.iter().map(|&v| T::from_f64(v)).collect::<Vec<T>>();
    let (points, queries) = (as_t(&case.points), as_t(&case.queries));
    let n = points.len() / 3;
    let masses: Vec<T> = (0..n).map(|i| T::from_f64(0.5 + (i % 7) as f64 * 0.25)).collect();
    let mut search = Search::new().unwrap();
    search.set_backend(backend);
    search.set_threads(2).unwrap();
    if let Some(domain) = case.domain {
        domain.set(&mut search, 3);
    }
    search.set_active(case.active.map(|active| active as i64)).unwrap();
    search
        .set_points(&PointsView::interleaved(3, &points).unwrap())
        .unwrap();
    search
        .set_queries(&PointsView::interleaved(3, &queries).unwrap())
        .unwrap();
    search.set_field("m", &masses, 1).unwrap();
    let mut formula = Formula::new("n += m_j*(1 - r/c)^2").unwrap();
    formula.set_precision(match size_of::<T>() {
        4 => SumPrecision::Single,
        _ => SumPrecision::Double,
    });
    formula.set_include_self(case.with_self);
    let found = search
        .solve_radii::<T>(&mut formula, case.kind, ("n", case.target), &case.range)
        .unwrap();
    let all: Vec<T> = points.iter().chain(&queries).copied().collect();
    let view = PointsView::interleaved(3, &all).unwrap();
    let rows = match case.kind {
        NeighborsKind::Queries => n..view.len(),
        _ => 0..case.active.unwrap_or(n),
    };
    assert_eq!(found.radii.len(), rows.len(), "{name}");
    let fields = match case.kind {
        NeighborsKind::Queries => search.query_field::<T>("n").unwrap(),
        _ => search.field::<T>("n").unwrap(),
    };
    let mut unsolved = 0;
    for (row, i) in rows.enumerate() {
        let (radius, outcome) = solve(&case.range, case.target, |c| sum(case, &view, &masses, i, c));
        let bits = [radius, found.radii[row]].map(|r| r.to_f64().to_bits());
        assert_eq!(
            (found.outcomes[row], bits[1]),
            (outcome, bits[0]),
            "{name}: row {row}, {} and {}",
            found.radii[row].to_f64(),
            radius.to_f64()
        );
        let at_radius = sum(case, &view, &masses, i, radius);
        assert_eq!(fields[row].to_f64().to_bits(), at_radius.to_bits(), "{name}: the field");
        unsolved += usize::from(outcome != Outcome::Solved);
    }
    assert_eq!(found.unsolved(), unsolved, "{name}");
}

fn some_cases() -> Vec<(&'static str, Case)> {
    let mut random = Random(17);
    let mut cloud = |n: usize| {
        let mut points = random.cloud(3, n);
        points.iter_mut().for_each(|x| *x = *x * *x); // denser in a corner
        points
    };
    let mut plain = || Case {
        points: cloud(220),
        queries: cloud(40),
        domain: None,
        with_self: false,
        active: None,
        kind: NeighborsKind::Full,
        target: 4.0,
        range: RadiusRange {
            smallest: 0.05,
            largest: 1.5,
            tolerance: 1e-4,
            max_iterations: 60,
        },
    };
    let (mut with_self, mut queries, mut few) = (plain(), plain(), plain());
    let (mut periodic, mut ghosts, mut exact, mut narrow) = (plain(), plain(), plain(), plain());
    (with_self.with_self, with_self.target) = (true, 1.0);
    queries.kind = NeighborsKind::Queries;
    few.range.max_iterations = 5;
    (periodic.domain, periodic.range.largest) = (Some(Domain::new([0.0; 3], [1.0; 3], [true, true, false])), 0.5);
    ghosts.active = Some(90);
    (exact.range.tolerance, exact.range.max_iterations) = (0.0, 200);
    (narrow.range.smallest, narrow.range.largest) = (0.35, 0.5);
    vec![
        ("plain", plain()),
        ("with self", with_self),
        ("queries", queries),
        ("few iterations", few),
        ("periodic", periodic),
        ("ghosts", ghosts),
        ("exact", exact),
        ("a narrow range", narrow),
    ]
}

#[test]
fn by_plain_loops() {
    for (name, case) in some_cases() {
        check::<f64>(&case, Backend::Cpu, name);
        check::<f32>(&case, Backend::Cpu, name);
    }
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    for (name, mut case) in some_cases() {
        case.range.max_iterations = case.range.max_iterations.min(30);
        check::<f32>(&case, Backend::Gpu, name);
        if name == "periodic" || name == "queries" {
            check::<f64>(&case, Backend::Gpu, name);
        }
    }
}

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

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    let range = RadiusRange {
        smallest: 0.5,
        largest: 2.0,
        tolerance: 1e-3,
        max_iterations: 9,
    };
    let attempt = |search: &mut Search, text: &str, kind, field: &str, range: &RadiusRange, target: f64| {
        let mut formula = Formula::new(text).unwrap();
        let found = search.solve_radii::<f64>(&mut formula, kind, (field, target), range);
        let error = found.unwrap_err();
        (error.status(), error.to_string())
    };
    let full = NeighborsKind::Full;
    assert_eq!(
        attempt(&mut search, "n += 1", full, "n", &range, 1.0).0,
        Status::BadState
    );
    let points = [0.0, 1.0, 3.0];
    search
        .set_points(&PointsView::interleaved(1, &points).unwrap())
        .unwrap();
    let cases = [
        (
            "n += 1; x_i = x_i + 1",
            full,
            "n",
            range,
            1.0,
            Status::NotSupported,
            "statements over neighbors only",
        ),
        (
            "n += 1; t all+= n_i",
            full,
            "n",
            range,
            1.0,
            Status::NotSupported,
            "statements over neighbors only",
        ),
        (
            "n += 1; s += n_j",
            full,
            "n",
            range,
            1.0,
            Status::NotSupported,
            "one reads another",
        ),
        ("n += 1", full, "m", range, 1.0, Status::BadValue, "'m'"),
        ("n += d*1", full, "n", range, 1.0, Status::Ok, ""),
        (
            "n += 1",
            NeighborsKind::Half,
            "n",
            range,
            1.0,
            Status::BadValue,
            "kind = half",
        ),
        (
            "n += 1",
            NeighborsKind::Queries,
            "n",
            range,
            1.0,
            Status::BadState,
            "queries",
        ),
        ("n += 1", full, "n", range, f64::NAN, Status::BadValue, "target = NaN"),
    ];
    for (text, kind, field, range, target, status, says) in cases {
        if status == Status::Ok {
            continue; // in one dimension vectors are numbers
        }
        let (found, error) = attempt(&mut search, text, kind, field, &range, target);
        assert!(found == status && error.contains(says), "{text}: {error}");
    }
    let ranges = [
        (
            RadiusRange { smallest: 0.0, ..range },
            Status::BadRadius,
            "smallest = 0",
        ),
        (
            RadiusRange { largest: 0.5, ..range },
            Status::BadRadius,
            "largest = 0.5",
        ),
        (
            RadiusRange {
                tolerance: 1.0,
                ..range
            },
            Status::BadValue,
            "tolerance = 1",
        ),
        (
            RadiusRange {
                max_iterations: 0,
                ..range
            },
            Status::BadCount,
            "max_iterations = 0",
        ),
    ];
    for (range, status, says) in ranges {
        let (found, error) = attempt(&mut search, "n += 1", full, "n", &range, 1.0);
        assert!(found == status && error.contains(says), "{error}");
    }
    search.set_box(&[0.0], &[3.5], &[true]).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &points).unwrap())
        .unwrap();
    let (found, error) = attempt(&mut search, "n += 1", full, "n", &range, 1.0);
    assert!(
        found == Status::BadDomain && error.contains("the largest radius (2)"),
        "{error}"
    );
    let planar = [0.0, 0.0, 1.0, 1.0];
    search.set_box(&[0.0; 2], &[1.0; 2], &[false; 2]).unwrap();
    search
        .set_points(&PointsView::interleaved(2, &planar).unwrap())
        .unwrap();
    let (found, error) = attempt(&mut search, "n += d", full, "n", &range, 1.0);
    assert!(found == Status::BadValue && error.contains("field = n"), "{error}");
    let mut formula = Formula::new("n += 1").unwrap();
    let found = search.solve_radii::<f32>(&mut formula, full, ("n", 1.0), &range);
    assert_eq!(found.unwrap_err().status(), Status::BadValue);
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
