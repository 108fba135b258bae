//! Coordinates up to the largest finite number, bit for bit against the plain loop. Differences of such coordinates overflow,
//! and so do sums, squares and everything else that a search may compute of them: no pair may get lost in that.

use crate::common::{Again, Case, Domain, Part, Random, Rules, check_chunks};
use neargrid::{
    Formula, KnnKind, Measure, Neighbors, NeighborsKind, PointsView, Precision, RadiusRule, Real, Search, TieRule,
    oracle,
};

type Csr = (Vec<i64>, Vec<i32>);

/// The question to a cloud; each cloud is asked one thing beside pairs and full rows.
const QUESTIONS: usize = 8;

/// The largest finite number of a precision, and a power of ten whose square overflows.
fn largest<T: Real>() -> (f64, f64) {
    match T::NAME {
        "real32" => (f64::from(f32::MAX), 1e30),
        _ => (f64::MAX, 1e300),
    }
}

/// Points of the unit cube, of which each coordinate is set with some probability to a number near the largest, or to a
/// few of those, so that strays are neighbors of each other, or to one whose square overflows; on both sides, or on one.
fn cloud<T: Real>(round: usize, random: &mut Random) -> Case {
    let (largest, large) = largest::<T>();
    let (dim, share) = (1 + round % 3, [0.15, 0.3, 0.95][random.below(5).min(2)]);
    let most = [300, 900, 2000][random.below(3)];
    let n = 130 + random.below(most);
    let (sort, signs) = (random.below(4), [[1.0, -1.0], [1.0, 1.0]][random.below(3) / 2]);
    let few: Vec<f64> = (0..3).map(|_| largest * (0.5 + 0.5 * random.uniform())).collect();
    let stray = |random: &mut Random| match sort {
        0 => largest * 10f64.powf(-4.3 * random.uniform()),
        1 => few[random.below(3)],
        2 => [large, largest][random.below(2)],
        _ => large,
    };
    let coords = (0..dim * n).map(|_| match random.uniform() < share {
        true => stray(random) * signs[random.below(2)],
        false => random.uniform(),
    });
    let coords = coords.collect();
    let cutoff = [0.3, 0.05, 1e-3, 1e-12][random.below(4)] * (0.5 + random.uniform());
    let rule = [TieRule::Inclusive, TieRule::Exclusive][random.below(2)];
    let name = format!("{n} points in {dim}D, strays of sort {sort}, share {share}, cutoff {cutoff:e}");
    Case {
        rule,
        only: Some(T::NAME),
        ..Case::new(format!("cloud {round}: {name}"), dim, coords, cutoff)
    }
}

fn rows(found: Neighbors) -> Csr {
    (found.offsets.to_vec(), found.ids.to_vec())
}

fn set<T: Precision>(search: &mut Search, case: &Case, coords: &[T]) {
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    case.domain.set(search, case.dim);
    search
        .set_points(&PointsView::interleaved(case.dim, coords).unwrap())
        .unwrap();
}

/// Pairs, and rows, half and full, of the points that are set.
fn check_pairs<T: Precision>(search: &mut Search, case: &Case) {
    let (truth, n, name) = (case.truth::<T>(), case.coords.len() / case.dim, &case.name);
    let pairs = search.pairs().unwrap_or_else(|error| panic!("{name}: {error}"));
    let found = pairs.left.iter().copied().zip(pairs.right.iter().copied());
    assert!(
        found.eq(truth.iter().copied()),
        "{name}: {} pairs, {} are right",
        pairs.left.len(),
        truth.len()
    );
    for (kind, full) in [(NeighborsKind::Half, false), (NeighborsKind::Full, true)] {
        let found = rows(search.neighbors(kind).unwrap());
        assert!(found == oracle::neighbors(n, &truth, full), "{name}: {kind:?}");
    }
}

/// The last third of the points are sought among the others.
fn check_queries<T: Precision>(search: &mut Search, case: &Case, coords: &[T]) {
    let n = coords.len() / case.dim * 2 / 3;
    let (points, queries) = coords.split_at(n * case.dim);
    let mut truth = case.truth::<T>();
    truth.retain(|&(i, j)| (i as usize) < n && j as usize >= n);
    let (offsets, ids) = oracle::neighbors(coords.len() / case.dim, &truth, true);
    let first = offsets[n];
    let truth: Csr = (
        offsets[n..].iter().map(|o| o - first).collect(),
        ids[first as usize..].to_vec(),
    );
    set(search, case, points);
    search
        .set_queries(&PointsView::interleaved(case.dim, queries).unwrap())
        .unwrap();
    assert!(rows(search.queries().unwrap()) == truth, "{}: queries", case.name);
}

fn check_rules<T: Precision>(search: &mut Search, case: &Case, coords: &[T], random: &mut Random) {
    let n = coords.len() / case.dim;
    let rules = Rules::some(n, random).swap_remove(random.below(4));
    search.set_types(&rules.types, &rules.mask).unwrap();
    search.set_active(rules.active.map(|active| active as i64)).unwrap();
    set(search, case, coords);
    let case = Case {
        rules,
        name: format!("{}, types and ghosts", case.name),
        ..case.clone()
    };
    check_pairs::<T>(search, &case);
    search.set_types(&[], &[]).unwrap();
    search.set_active(None).unwrap();
}

fn check_radii<T: Precision>(search: &mut Search, case: &Case, coords: &[T], random: &mut Random) {
    let rules = [
        RadiusRule::Gather,
        RadiusRule::Scatter,
        RadiusRule::Max,
        RadiusRule::Min,
        RadiusRule::Mean,
    ];
    let least = 1.01 * T::CUTOFF2_MIN.sqrt();
    let radii: Vec<T> = (0..coords.len() / case.dim)
        .map(|_| T::from_f64((case.cutoff * 10f64.powf(2.0 * random.uniform() - 1.0)).max(least)))
        .collect();
    let rule = rules[random.below(5)];
    set(search, case, coords);
    search.set_radii(&radii, rule).unwrap();
    let view = PointsView::interleaved(case.dim, coords).unwrap();
    let truth = oracle::neighbors_by_radii(&view, &case.domain.periods(), &radii, (rule, case.rule), |_, _| true);
    let found = rows(search.neighbors(NeighborsKind::Full).unwrap());
    assert!(found == truth, "{}: radii, {rule:?}", case.name);
    check_chunks(search, &case.name, NeighborsKind::Full, 0);
    search.clear_radii();
}

/// One axis is periodic, the others are open.
fn check_periodic<T: Precision>(search: &mut Search, case: &Case, coords: &[T], random: &mut Random) {
    let mut periodic = [false; 3];
    periodic[random.below(case.dim)] = true;
    let case = Case {
        name: format!("{}, periodic along {periodic:?}", case.name),
        ..case.clone().with_domain(Domain::new([0.0; 3], [1.0; 3], periodic))
    };
    set(search, &case, coords);
    check_pairs::<T>(search, &case);
    check_nearest::<T>(search, &case, coords, random);
    check_groups::<T>(search, &case);
    Domain::default().set(search, case.dim);
}

/// Points move a little, those far away by units of roundoff, and some come from far away or go there.
fn check_skin<T: Precision>(search: &mut Search, case: &Case, coords: &[T], random: &mut Random) {
    let skin = 0.2 * case.cutoff;
    search.set_skin(skin).unwrap();
    set(search, case, coords);
    let mut moved = coords.to_vec();
    for step in 0..4 {
        for c in &mut moved {
            *c = match random.below(if step == 3 { 10 } else { usize::MAX }) {
                0 => T::from_f64(largest::<T>().0 * (random.uniform() - 0.5)),
                _ => T::from_f64(c.to_f64() + 0.1 * skin * (random.uniform() - 0.5)),
            };
        }
        let case = Case {
            coords: moved.iter().map(|c| c.to_f64()).collect(),
            name: format!("{}, step {step}", case.name),
            ..case.clone()
        };
        search
            .update(&PointsView::interleaved(case.dim, &moved).unwrap())
            .unwrap();
        check_pairs::<T>(search, &case);
    }
    search.set_skin(0.0).unwrap();
}

fn check_nearest<T: Precision>(search: &mut Search, case: &Case, coords: &[T], random: &mut Random) {
    check_k_nearest(search, case, coords, [1, 5, 40, 200][random.below(4)]);
}

fn check_k_nearest<T: Precision>(search: &mut Search, case: &Case, coords: &[T], k: usize) {
    let view = PointsView::interleaved(case.dim, coords).unwrap();
    let truth = |i: usize| oracle::nearest(&view, &case.domain.periods(), view.len(), i, k, true);
    compare_nearest(search, case, KnnKind::Others, k, view.len(), truth);
}

fn check_nearest_queries<T: Precision>(search: &mut Search, case: &Case, coords: &[T], queries: &[T], k: usize) {
    let n = coords.len() / case.dim;
    let both: Vec<T> = coords.iter().chain(queries).copied().collect();
    let view = PointsView::interleaved(case.dim, &both).unwrap();
    search
        .set_queries(&PointsView::interleaved(case.dim, queries).unwrap())
        .unwrap();
    let truth = |q: usize| oracle::nearest(&view, &case.domain.periods(), n, n + q, k, false);
    compare_nearest(search, case, KnnKind::Queries, k, queries.len() / case.dim, truth);
}

fn compare_nearest<T: Precision>(
    search: &mut Search,
    case: &Case,
    kind: KnnKind,
    k: usize,
    rows: usize,
    truth: impl Fn(usize) -> Vec<(T, i32)>,
) {
    let found = search.knn::<T>(kind, k, Measure::Square).unwrap();
    for i in 0..rows {
        let mut truth = truth(i);
        truth.resize(k, (T::INFINITY, -1));
        let here = i * k..(i + 1) * k;
        let (squares, ids) = (&found.distances[here.clone()], &found.ids[here]);
        let found: Vec<_> = squares.iter().copied().zip(ids.iter().copied()).collect();
        assert!(
            found == truth,
            "{}: {k} nearest of {i}:\n{found:?}\n{truth:?}",
            case.name
        );
    }
}

fn check_groups<T: Precision>(search: &mut Search, case: &Case) {
    let n = case.coords.len() / case.dim;
    let mut truth: Vec<i32> = (0..n as i32).collect();
    // Labels descend along pairs until nothing changes.
    let pairs = case.truth::<T>();
    loop {
        let before = truth.clone();
        for &(i, j) in &pairs {
            let label = truth[i as usize].min(truth[j as usize]);
            (truth[i as usize], truth[j as usize]) = (label, label);
        }
        if truth == before {
            break;
        }
    }
    assert!(search.fof().unwrap().labels == truth, "{}: groups", case.name);
}

fn check<T: Precision>(search: &mut Search, round: usize) {
    let mut random = Random(0x5eed_0000 + round as u64);
    let case = cloud::<T>(round, &mut random);
    let coords = case.coords_as::<T>();
    search.set_threads([1, 3, 2][round % 3]).unwrap();
    set(search, &case, &coords);
    check_pairs::<T>(search, &case);
    match round % QUESTIONS {
        0 => check_queries(search, &case, &coords),
        1 => check_rules(search, &case, &coords, &mut random),
        2 | 3 => check_radii(search, &case, &coords, &mut random),
        4 => check_periodic(search, &case, &coords, &mut random),
        5 => check_skin(search, &case, &coords, &mut random),
        6 => check_nearest(search, &case, &coords, &mut random),
        _ => check_groups::<T>(search, &case),
    }
    set(search, &case, &coords[..0]); // forgets queries
}

/// The number of clouds, in turns of either precision.
fn rounds() -> impl Iterator<Item = usize> {
    let part = Part::of_environment();
    let all = if crate::common::is_whole() { 4000 } else { 160 };
    (part.first..all).step_by(part.every)
}

/// All clouds are tried before the test fails, so that it says how many are wrong.
#[test]
fn clouds() {
    let mut search = Search::new().unwrap();
    let (mut failed, mut tried) = (Vec::new(), 0);
    for round in rounds() {
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match round / QUESTIONS % 2 {
            0 => check::<f64>(&mut search, round),
            _ => check::<f32>(&mut search, round),
        }));
        tried += 1;
        if checked.is_err() {
            failed.push(round);
            search = Search::new().unwrap();
        }
    }
    assert!(failed.is_empty(), "{} of {tried} clouds: {failed:?}", failed.len());
}

/// Points around a corner of a box one axis of which has 10^`decades` cutoffs, and some in its middle along that axis; the box is
/// periodic along the axes that have a bit in `mask`. `None`: the precision has no such box.
fn long_box<T: Real>(decades: i32, mask: usize, long: usize, random: &mut Random) -> Option<Case> {
    let cutoff = 0.024;
    let (mut length, mut lo) = ([0.7, 1.0, 0.8], [0.6, 0.0, -0.35]);
    length[long] = cutoff * 10f64.powi(decades);
    lo[long] = [0.0, -0.5 * length[long], 0.3][random.below(3)];
    let periodic = std::array::from_fn(|axis| mask >> axis & 1 == 1);
    let mut coords = Vec::new();
    for _ in 0..150 {
        let far = if random.below(4) == 0 { 0.5 * length[long] } else { 0.0 };
        for (axis, lo) in lo.iter().enumerate() {
            let step = [1.0, 0.57735, random.uniform()][random.below(3)];
            let corner = lo + if axis == long { far } else { 0.0 };
            coords.push(corner + cutoff * (random.below(7) as f64 - 3.0) * step);
        }
    }
    let name = format!(
        "a box of 10^{decades} cutoffs along axis {long} from {:e} on, periodic {periodic:?}",
        lo[long]
    );
    let case = Case {
        only: Some(T::NAME),
        ..Case::new(format!("{name}, {}", T::NAME), 3, coords, cutoff).with_domain(Domain::new(lo, length, periodic))
    };
    let is_finite = length[long] < largest::<T>().0 / 4.0;
    (is_finite && case.fits::<T>()).then_some(case)
}

fn check_counts<T: Precision>(search: &mut Search, case: &Case) {
    let (offsets, _) = oracle::neighbors(case.coords.len() / case.dim, &case.truth::<T>(), true);
    let mut formula = Formula::new("n += 1").unwrap();
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    let counts = search.field::<f32>("n").unwrap();
    let truth = offsets.windows(2).map(|row| (row[1] - row[0]) as f32);
    assert!(counts.iter().copied().eq(truth), "{}: a sum over neighbors", case.name);
}

fn check_long_box<T: Precision>(search: &mut Search, decades: i32, mask: usize, long: usize) {
    let mut random = Random((decades * 100) as u64 + (8 * long + mask) as u64);
    let Some(case) = long_box::<T>(decades, mask, long, &mut random) else {
        return;
    };
    let coords = case.coords_as::<T>();
    set(search, &case, &coords);
    check_pairs::<T>(search, &case);
    check_counts::<T>(search, &case);
    check_groups::<T>(search, &case);
    check_nearest(search, &case, &coords, &mut random);
    check_radii(search, &case, &coords, &mut random);
}

/// An axis that is far longer than the cutoff and than the other axes, which its roundings reach across.
#[test]
fn long_boxes() {
    let mut search = Search::new().unwrap();
    let decades = [3, 6, 8, 9, 10, 11, 13, 15, 16, 17, 20, 30, 38, 60, 90, 150, 220, 300];
    let all = decades.len() * 7 * 3;
    let part = Part::of_environment();
    for k in (part.first % all..all).step_by(part.every.min(29)) {
        let (decades, mask, long) = (decades[k % decades.len()], 1 + k / 3 % 7, k % 3);
        check_long_box::<f64>(&mut search, decades, mask, long);
        check_long_box::<f32>(&mut search, decades, mask, long);
    }
}

/// A box with an edge of any size that the precision has. Points are at places of rounding: at both ends of the box, in its middle,
/// and at the next number to these. Others are anywhere in the box, or far outside along an open axis. Some are moved by a part of
/// a cutoff.
fn wide_box<T: Real>(random: &mut Random) -> Option<Case> {
    let (most, least) = (T::CUTOFF2_MAX.sqrt() * 0.999_999, T::CUTOFF2_MIN.sqrt() * 1.000_001);
    let (low, high) = ((2.0 * least).log10() + 0.01, largest::<T>().0.log10());
    let decades = [
        low + (high - low) * random.uniform(),
        high - 0.4,
        low,
        (2.0 * most).log10(),
    ][random.below(6).min(3)];
    let length = T::from_f64(10f64.powf(decades));
    let lo = T::from_f64(length.to_f64() * [-0.5, 0.0, 0.3, -1.0][random.below(4)]);
    let half = length.mul(T::from_f64(0.5));
    let ((middle, hi), widest) = ((lo.add(half), lo.add(length)), most.min(half.to_f64() * 0.999_999));
    let between = least * (widest / least).powf(random.uniform());
    let cutoff = [least, widest, between, (widest * 1e-9).max(least)][random.below(4)];
    let (dim, n) = (1 + random.below(3), [100, 150, 400][random.below(3)]);
    let periodic: [bool; 3] = std::array::from_fn(|_| random.below(3) > 0);
    let far = [largest::<T>().0, -largest::<T>().0][random.below(2)];
    let places = [
        lo,
        middle,
        middle.next_up(),
        middle.next_down(),
        hi.next_down(),
        lo.next_up(),
        hi,
    ];
    let (first, many, moves) = (
        random.below(places.len()),
        1 + random.below(places.len()),
        random.below(3),
    );
    let mut coordinate = |axis: usize| {
        let place = match random.below(20 * n) {
            0 if !periodic[axis] => far,
            k if k % 20 == 0 => lo.to_f64() + length.to_f64() * random.uniform(),
            _ => places[(first + random.below(many)) % places.len()].to_f64(),
        };
        let moved = T::from_f64(place + [0.0, 0.0, cutoff * (random.uniform() - 0.5)][random.below(1 + moves)]);
        // Points of a periodic axis are at a finite distance from its lower end.
        if moved.sub(lo).to_f64().is_finite() || !periodic[axis] {
            moved
        } else {
            lo
        }
        .to_f64()
    };
    let coords = (0..n * dim).map(|k| coordinate(k % dim)).collect();
    let name =
        format!("a box of {length:e} from {lo:e} on, periodic {periodic:?}, {n} points in {dim}D, cutoff {cutoff:e}");
    let domain = Domain::new([lo.to_f64(); 3], [length.to_f64(); 3], periodic);
    let case = Case {
        rule: [TieRule::Inclusive, TieRule::Exclusive][random.below(2)],
        only: Some(T::NAME),
        ..Case::new(format!("{name}, {}", T::NAME), dim, coords, cutoff).with_domain(domain)
    };
    (hi.to_f64().is_finite() && case.fits::<T>()).then_some(case)
}

fn check_wide_box<T: Precision>(search: &mut Search, round: usize) -> bool {
    let mut random = Random(0xb0_0000 + round as u64);
    let Some(case) = wide_box::<T>(&mut random) else {
        return false;
    };
    let coords = case.coords_as::<T>();
    set(search, &case, &coords);
    check_pairs::<T>(search, &case);
    check_groups::<T>(search, &case);
    check_k_nearest(search, &case, &coords, [1, 5, 40][round / 2 % 3]);
    // Radii are up to ten times the cutoff of their case.
    let cutoff = 0.0999 * case.cutoff;
    if cutoff > 1.02 * T::CUTOFF2_MIN.sqrt() {
        check_radii(search, &Case { cutoff, ..case }, &coords, &mut random);
    }
    true
}

/// Edges, cutoffs and coordinates of every size that a precision has.
#[test]
fn wide_boxes() {
    let (mut search, mut tried) = (Search::new().unwrap(), 0);
    let (part, all) = (
        Part::of_environment(),
        if crate::common::is_whole() { 3000 } else { 300 },
    );
    let rounds = (part.first..all).step_by(part.every);
    let many = rounds.len();
    for round in rounds {
        tried += usize::from(match round % 2 {
            0 => check_wide_box::<f64>(&mut search, round),
            _ => check_wide_box::<f32>(&mut search, round),
        });
    }
    assert!(tried > many / 2, "only {tried} of {many} boxes fit the precision");
}

/// A stray is counted in the border cell nearest to it. Where that one is at a periodic boundary, it is also beside the
/// cells at the other end.
#[test]
fn strays_at_a_boundary() {
    let mut search = Search::new().unwrap();
    for (n, low) in [(300, 0.0), (2000, 0.0), (2000, 1e-3)] {
        let mut random = Random(3);
        let mut coords: Vec<f64> = (0..n).flat_map(|k| [f64::from(k % 2), random.uniform()]).collect();
        // The box of cells ends at 1.504 along x: a point inside it, at one end of the period, and strays at the other.
        coords.extend([1.49, 0.99, 1e300, low, 1e300, 0.02]);
        let case = Case::new(format!("{n} points"), 2, coords.clone(), 0.05);
        let case = case.with_domain(Domain::new([0.0; 3], [1.0; 3], [false, true, false]));
        set(&mut search, &case, &coords);
        check_pairs::<f64>(&mut search, &case);
    }
}

/// Distances whose squares overflow are equal: the lower number comes first, whichever is nearer.
#[test]
fn squares_that_overflow() {
    fn check<T: Precision>(search: &mut Search, name: &str, dim: usize, coords: &[f64]) {
        let case = Case {
            only: Some(T::NAME),
            ..Case::new(format!("{name}, {dim}D, {}", T::NAME), dim, coords.to_vec(), 1.0)
        };
        let coords = case.coords_as::<T>();
        set(search, &case, &coords);
        for k in [1, 5, 40, 100] {
            check_k_nearest(search, &case, &coords, k);
        }
        let queries: Vec<T> = coords[..coords.len() / 2 / dim * dim]
            .iter()
            .map(|c| c.mul(T::from_f64(0.75)))
            .collect();
        check_nearest_queries(search, &case, &coords, &queries, 5);
    }
    let mut search = Search::new().unwrap();
    let n = 400 / Part::of_environment().every.min(3);
    for (large, largest) in [(1e200, f64::MAX), (1e154, 1e155), (1e300, f64::MAX)] {
        let few = [0.0, 1.0, -1.0, 3.0, -3.0, 2.0].map(|c| c * large);
        check::<f64>(&mut search, "few", 1, &few);
        check::<f64>(&mut search, "spread", 2, &spread(n, large, largest));
    }
    for (large, largest) in [(1e30, 3.4e38), (1e19, 1e20)] {
        let few = [0.0, 1.0, -1.0, 3.0, -3.0, 2.0].map(|c| c * large);
        check::<f32>(&mut search, "few", 1, &few);
        check::<f32>(&mut search, "spread", 3, &spread(n, large, largest));
    }
}

/// A third of the coordinates small, a third spread over `large`, a third up to `largest`.
fn spread(n: usize, large: f64, largest: f64) -> Vec<f64> {
    let mut random = Random(17);
    let coordinate = |k: usize| (2.0 * random.uniform() - 1.0) * [1.0, large, largest][k % 7 % 3];
    (0..n * 6).map(coordinate).collect()
}

/// The clouds and boxes again with narrower instruction sets.
#[test]
fn widths() {
    let again = Again::only(module_path!(), &["clouds", "wide_boxes"], "clouds");
    again.in_widths(&[("scalar", "5:1"), ("avx2", "5:2")]);
}

/// And on a GPU, in each of its configurations.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    let again = Again::without(module_path!(), &[], "clouds");
    again.on_devices(&[("guarded", "172:0"), ("", "43:5"), ("no-subgroups", "43:7")]);
}
