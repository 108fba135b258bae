//! Boxes of every size that a precision has, with points at places of rounding, bit for bit against the plain loop: no pair may get
//! lost in differences, sums and squares that are rounded much or overflow.

use crate::common::{Again, Case, Domain, Part, Random, check_chunks, check_pairs, rows_found};
use crate::{fof::labels, radii::ALL};
use neargrid::{Formula, KnnKind, Measure, NeighborsKind, PointsView, Precision, Real, Search, TieRule, oracle};

/// The largest finite number of a precision.
fn largest<T: Real>() -> f64 {
    match T::NAME {
        "real32" => f32::MAX.into(),
        _ => f64::MAX,
    }
}

fn check_radii<T: Precision>(search: &mut Search, case: &Case, coords: &[T], random: &mut Random) {
    let least = 1.01 * T::CUTOFF2_MIN.sqrt();
    let radii: Vec<T> = (0..coords.len() / case.dim)
        .map(|_| T::from_f64((case.cutoff * 10f64.powf(2.0 * random.uniform() - 1.0)).max(least)))
        .collect();
    let rule = ALL[random.below(5)];
    case.set::<T>(search);
    search.set_radii(&radii, rule).unwrap();
    let view = PointsView::interleaved(case.dim, coords).unwrap();
    let truth = oracle::neighbors_by_radii(&view, &case.domain.periods(), &radii, (rule, case.rule), |_, _| true);
    let found = rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 0);
    assert!(found == truth, "{}: radii, {rule:?}", case.name);
    check_chunks(search, &case.name, NeighborsKind::Full, 0);
    search.clear_radii();
}

fn check_k_nearest<T: Precision>(search: &mut Search, case: &Case, coords: &[T], k: usize) {
    let view = PointsView::interleaved(case.dim, coords).unwrap();
    let found = search.knn::<T>(KnnKind::Others, k, Measure::Square).unwrap();
    for i in 0..view.len() {
        let mut truth = oracle::nearest(&view, &case.domain.periods(), view.len(), i, k, true);
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
    let is_finite = length[long] < largest::<T>() / 4.0;
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
    case.set::<T>(search);
    check_pairs(search, &case.name, case.len(), &case.truth::<T>(), 0);
    check_counts::<T>(search, &case);
    let groups = labels(case.len(), &case.truth::<T>());
    assert!(search.fof().unwrap().labels == groups, "{}: groups", case.name);
    check_k_nearest(search, &case, &coords, [1, 5, 40, 200][random.below(4)]);
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
    let (low, high) = ((2.0 * least).log10() + 0.01, largest::<T>().log10());
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
    let far = [largest::<T>(), -largest::<T>()][random.below(2)];
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
    case.set::<T>(search);
    check_pairs(search, &case.name, case.len(), &case.truth::<T>(), 0);
    let groups = labels(case.len(), &case.truth::<T>());
    assert!(search.fof().unwrap().labels == groups, "{}: groups", case.name);
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
        let case = Case::new(format!("{n} points"), 2, coords, 0.05);
        let case = case.with_domain(Domain::new([0.0; 3], [1.0; 3], [false, true, false]));
        case.set::<f64>(&mut search);
        check_pairs(&mut search, &case.name, case.len(), &case.truth::<f64>(), 0);
    }
}

/// The boxes again with narrower instruction sets.
#[test]
fn widths() {
    let again = Again::only(module_path!(), &["wide_boxes"], "wide_boxes");
    again.in_widths(&[("scalar", "5:1"), ("avx2", "5:2")]);
}

/// And on a GPU, in each of its configurations.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    let again = Again::without(module_path!(), &[], "wide_boxes");
    again.on_devices(&[("guarded", "172:0"), ("", "43:5"), ("no-subgroups", "43:7")]);
}
