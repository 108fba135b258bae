//! A radius per point, bit for bit against the plain loop, with every rule, and together with types, ghosts, queries and
//! periodic axes.

mod cost;

use crate::common::{Again, Case, Domain, Part, Random, Rules, all_cases, cases, periodic_cases};
use neargrid::{
    GhostPairs, Neighbors, NeighborsKind, PointsView, Precision, RadiusRule, Search, Status, TieRule, oracle,
};

const ALL: [RadiusRule; 5] = [
    RadiusRule::Gather,
    RadiusRule::Scatter,
    RadiusRule::Max,
    RadiusRule::Min,
    RadiusRule::Mean,
];

type Csr = (Vec<i64>, Vec<i32>);

fn is_symmetric(rule: RadiusRule) -> bool {
    !matches!(rule, RadiusRule::Gather | RadiusRule::Scatter)
}

fn rows(found: Neighbors, base: i64) -> Csr {
    let ids = found.ids.iter().map(|id| id - base as i32).collect();
    (found.offsets.iter().map(|offset| offset - base).collect(), ids)
}

/// Radii of a case from a hundredth to ten times its cutoff; some are the cutoff itself, for ties, half a periodic box, or 0.
fn radii_of<T: Precision>(case: &Case, n: usize, random: &mut Random) -> Vec<T> {
    let half = (0..case.dim)
        .filter(|&axis| case.domain.periodic[axis])
        .map(|axis| T::from_f64(case.domain.length[axis]).mul(T::from_f64(0.5)).to_f64())
        .fold(f64::INFINITY, f64::min);
    let (least, most) = (1.01 * T::CUTOFF2_MIN.sqrt(), 0.99 * T::CUTOFF2_MAX.sqrt());
    let radius = |_| {
        let share = match random.below(8) {
            0 => return T::default(),
            1 | 2 => 1.0,
            _ => 10f64.powf(3.0 * random.uniform() - 2.0),
        };
        T::from_f64((share * case.cutoff).clamp(least, most).min(half))
    };
    (0..n).map(radius).collect()
}

/// The rows above the diagonal.
fn half_of((offsets, ids): &Csr) -> Csr {
    let (mut half, mut starts) = (Vec::new(), vec![0]);
    for (i, row) in offsets.windows(2).enumerate() {
        half.extend(ids[row[0] as usize..row[1] as usize].iter().filter(|&&j| j > i as i32));
        starts.push(half.len() as i64);
    }
    (starts, half)
}

fn set<T: Precision>(search: &mut Search, case: &Case, coords: &[T]) {
    search.set_tie_rule(case.rule);
    case.domain.set(search, case.dim);
    search
        .set_points(&PointsView::interleaved(case.dim, coords).unwrap())
        .unwrap();
}

/// Checks full rows, and where the rule has them half rows and pairs.
fn check_points<T: Precision>(
    search: &mut Search,
    case: &Case,
    radii: &[T],
    rule: RadiusRule,
    base: i64,
    rules: &Rules,
) {
    let name = format!("{} {}, {rule:?}, {:?} active", case.name, T::NAME, rules.active);
    let coords = case.coords_as::<T>();
    let view = PointsView::interleaved(case.dim, &coords).unwrap();
    let counts = |i: usize, j: usize| rules.counts(i, j);
    let truth = oracle::neighbors_by_radii(&view, &case.domain.periods(), radii, (rule, case.rule), counts);
    search.set_index_base(base).unwrap();
    search.set_radii(radii, rule).unwrap();
    let full = rows(search.neighbors(NeighborsKind::Full).unwrap(), base);
    assert!(full == truth, "{name}: full");
    if is_symmetric(rule) {
        let truth = half_of(&truth);
        assert_eq!(search.count_pairs().unwrap(), truth.1.len() as i64, "{name}: count");
        let half = rows(search.neighbors(NeighborsKind::Half).unwrap(), base);
        assert!(half == truth, "{name}: half");
        crate::common::check_chunks(search, &name, NeighborsKind::Half, base);
        let pairs = search.pairs().unwrap();
        let left = (0..radii.len()).flat_map(|i| vec![i as i32; (truth.0[i + 1] - truth.0[i]) as usize]);
        assert!(pairs.left.iter().map(|i| i - base as i32).eq(left), "{name}: left");
        let right = pairs.right.iter().map(|j| j - base as i32);
        assert!(right.eq(truth.1), "{name}: right");
    } else {
        crate::common::check_chunks(search, &name, NeighborsKind::Full, base);
    }
    search.set_index_base(0).unwrap();
}

/// Every so many of the clouds, beginning with one: what is tested are rules, not clouds; all of them where all is tested.
fn some(cases: Vec<Case>, every: usize, first: usize) -> Vec<Case> {
    let all = crate::common::is_whole();
    let every = if all { 1 } else { every };
    Part::of_environment()
        .of(cases)
        .into_iter()
        .skip(first % every)
        .step_by(every)
        .collect()
}

fn check_case<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
    if !case.fits::<T>() {
        return;
    }
    let coords = case.coords_as::<T>();
    let n = coords.len() / case.dim;
    set(search, case, &coords);
    let radii = radii_of::<T>(case, n, random);
    for (k, rule) in ALL.into_iter().enumerate() {
        check_points(search, case, &radii, rule, k as i64 % 2, &Rules::default());
    }
}

#[test]
fn clouds() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(31));
    for case in some(all_cases(), 7, 1) {
        check_case::<f32>(&mut search, &case, &mut random);
        check_case::<f64>(&mut search, &case, &mut random);
    }
}

#[test]
fn periodic() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(32));
    for case in some(periodic_cases(), 11, 2) {
        check_case::<f32>(&mut search, &case, &mut random);
        check_case::<f64>(&mut search, &case, &mut random);
    }
}

/// Points at both ends of a periodic axis and in the middle, wherever the axis begins: the middle of the box around all of them
/// is rounded, so that an end may lie more than half a length from it.
#[test]
fn both_ends_of_a_period() {
    fn check<T: Precision>(random: &mut Random) {
        let mut search = Search::new().unwrap();
        for k in 0..4000 / Part::of_environment().every.min(50) {
            let (lo, length) = (
                T::from_f64(random.uniform()),
                T::from_f64(0.01 * random.uniform() + 1e-3),
            );
            let middle = lo.add(length.mul(T::from_f64(0.5)));
            let coords = [lo.add(length).next_down(), middle, middle, lo];
            let domain = crate::common::Domain {
                periodic: [true, false, false],
                ..crate::common::Domain::new([lo.to_f64(); 3], [length.to_f64(); 3], [false; 3])
            };
            domain.set(&mut search, 1);
            let (rule, radii) = (ALL[k % 5], [T::from_f64(0.1).mul(length); 4]);
            let view = PointsView::interleaved(1, &coords).unwrap();
            search.set_points(&view).unwrap();
            search.set_radii(&radii, rule).unwrap();
            let rule = (rule, TieRule::Inclusive);
            let truth = oracle::neighbors_by_radii(&view, &domain.periods(), &radii, rule, |_, _| true);
            let found = rows(search.neighbors(NeighborsKind::Full).unwrap(), 0);
            assert_eq!(found, truth, "{coords:?} in {domain:?}");
        }
    }
    check::<f32>(&mut Random(39));
    check::<f64>(&mut Random(40));
}

#[test]
fn types_and_ghosts() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(33));
    let clouds = some(cases(), 23, 3).into_iter().chain(some(periodic_cases(), 23, 4));
    for case in clouds.filter(|case| case.fits::<f64>()) {
        let coords = case.coords_as::<f64>();
        let n = coords.len() / case.dim;
        set(&mut search, &case, &coords);
        let radii = radii_of::<f64>(&case, n, &mut random);
        for (k, rules) in Rules::some(n, &mut random).iter().enumerate() {
            search.set_types(&rules.types, &rules.mask).unwrap();
            search.set_active(rules.active.map(|active| active as i64)).unwrap();
            check_points(&mut search, &case, &radii, ALL[k % 5], 0, rules);
        }
        search.set_types(&[], &[]).unwrap();
        search.set_active(None).unwrap();
    }
}

/// Rows and pairs by the ids of points, with ghosts, in lists and in chunks.
#[test]
fn global_ids() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(38));
    let clouds = some(cases(), 37, 2).into_iter().chain(some(periodic_cases(), 37, 1));
    for (k, case) in clouds.filter(|case| case.fits::<f64>()).enumerate() {
        let coords = case.coords_as::<f64>();
        let n = coords.len() / case.dim;
        set(&mut search, &case, &coords);
        let (radii, rule, base) = (radii_of::<f64>(&case, n, &mut random), ALL[k % 5], k as i64 % 2);
        let active = [None, Some(n / 2), Some(n)][k % 3];
        let is_active = |i: usize| active.is_none_or(|active| i < active);
        let view = PointsView::interleaved(case.dim, &coords).unwrap();
        let counts = |i: usize, j: usize| is_active(i) || is_active(j);
        let truth = oracle::neighbors_by_radii(&view, &case.domain.periods(), &radii, (rule, case.rule), counts);
        search.set_active(active.map(|active| active as i64)).unwrap();
        search.set_index_base(base).unwrap();
        search.set_radii(&radii, rule).unwrap();
        let blocks = crate::common::ids_in_blocks(n, active.unwrap_or(n), &mut random);
        for ids in crate::common::some_ids(n, &mut random).into_iter().chain([blocks]) {
            search.set_ids(&ids).unwrap();
            let name = format!(
                "{} {rule:?}, ids from {}, {active:?} active",
                case.name,
                ids.first().unwrap_or(&0)
            );
            let full = crate::common::rows_found(search.neighbors(NeighborsKind::Full).unwrap(), base);
            let mut by_ids = truth.clone();
            for row in truth.0.windows(2) {
                by_ids.1[row[0] as usize..row[1] as usize].sort_by_key(|&j| ids[j as usize]);
            }
            assert!(full == by_ids, "{name}: full");
            crate::common::check_chunks(&mut search, &name, NeighborsKind::Full, base);
            if is_symmetric(rule) {
                let half = half_of(&truth);
                let left = (0..n).flat_map(|i| vec![i as i32; (half.0[i + 1] - half.0[i]) as usize]);
                let near: Vec<_> = left.zip(half.1.iter().copied()).collect();
                let mut larger = crate::common::pairs_by_ids(&near, &ids, None);
                larger.retain(|&(left, _)| is_active(left as usize));
                search.set_ghost_pairs(GhostPairs::LargerIds);
                let found = crate::common::pairs_found(&mut search, base);
                assert!(found == larger, "{name}: pairs with ghosts of larger ids");
                search.set_ghost_pairs(GhostPairs::All);
                let pairs = crate::common::pairs_by_ids(&near, &ids, active);
                assert!(crate::common::pairs_found(&mut search, base) == pairs, "{name}: pairs");
                let half = crate::common::rows_found(search.neighbors(NeighborsKind::Half).unwrap(), base);
                assert!(
                    half == crate::common::rows_by_ids(n, &pairs, &ids, false),
                    "{name}: half"
                );
                crate::common::check_chunks(&mut search, &name, NeighborsKind::Half, base);
            }
        }
        search.set_ids(&[]).unwrap();
        search.set_index_base(0).unwrap();
    }
}

/// The points of a case are the points, every third of them, and the points between two, are sought among them.
fn check_queries<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
    if !case.fits::<T>() || case.coords.iter().any(|c| c.abs() > 1e17) {
        return;
    }
    let (coords, dim) = (case.coords_as::<T>(), case.dim);
    let n = coords.len() / dim;
    let mut queries: Vec<T> = (0..n / 3).flat_map(|k| coords[3 * k * dim..][..dim].to_vec()).collect();
    for _ in 0..n.min(50) {
        let (a, b) = (random.below(n) * dim, random.below(n) * dim);
        queries.extend((0..dim).map(|axis| coords[a + axis].add(coords[b + axis]).mul(T::from_f64(0.5))));
    }
    let mut both = coords.clone();
    both.extend(&queries);
    let radii = radii_of::<T>(case, both.len() / dim, random);
    set(search, case, &coords);
    search
        .set_queries(&PointsView::interleaved(dim, &queries).unwrap())
        .unwrap();
    search.set_query_radii(&radii[n..]).unwrap();
    let everyone = PointsView::interleaved(dim, &both).unwrap();
    for (k, rule) in ALL.into_iter().enumerate() {
        let (name, base) = (format!("{} {}, {rule:?}", case.name, T::NAME), k as i64 % 2);
        let truth = oracle::neighbors_by_radii(&everyone, &case.domain.periods(), &radii, (rule, case.rule), |i, j| {
            i >= n && j < n
        });
        let offsets = truth.0[n..].iter().map(|offset| offset - truth.0[n]).collect();
        search.set_index_base(base).unwrap();
        search.set_radii(&radii[..n], rule).unwrap();
        assert!(
            rows(search.queries().unwrap(), base) == (offsets, truth.1),
            "{name}: queries"
        );
        crate::common::check_chunks(search, &name, NeighborsKind::Queries, base);
        check_points(search, case, &radii[..n], rule, base, &Rules::default());
    }
}

#[test]
fn queries() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(34));
    for case in some(cases(), 37, 5).iter().chain(&some(periodic_cases(), 47, 6)) {
        check_queries::<f32>(&mut search, case, &mut random);
        check_queries::<f64>(&mut search, case, &mut random);
    }
}

/// Radii of 0 find points that coincide, and those so near that the square of their distance is 0 in the precision of the points.
#[test]
fn zeros() {
    fn check<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
        let coords = case.coords_as::<T>();
        set(search, case, &coords);
        let n = coords.len() / case.dim;
        let (zero, small) = (T::default(), T::from_f64(1.01 * T::CUTOFF2_MIN.sqrt()));
        let some = (0..n).map(|_| [zero, zero, small, T::from_f64(case.cutoff)][random.below(4)]);
        let every = Part::of_environment().every.min(2);
        for radii in [vec![zero; n], some.collect()] {
            for (k, rule) in ALL.into_iter().enumerate().skip(random.below(every)).step_by(every) {
                check_points(search, case, &radii, rule, k as i64 % 2, &Rules::default());
            }
        }
    }
    let (mut search, mut random) = (Search::new().unwrap(), Random(47));
    for dim in 1..=3 {
        let count = 200 / Part::of_environment().every.min(4);
        // Groups in one place, with a neighbor at each of the distances whose squares vanish, in real32 or in both, or do not.
        let apart = [0.0, 0.0, 1e-23, 2e-22, 1e-19, 1e-162, 3e-161, 1e-150];
        let places: Vec<f64> = (0..count)
            .map(|k| if k < 32 { 0.0 } else { random.uniform() })
            .collect();
        let near = |(k, &place): (usize, &f64)| {
            let point: Vec<f64> = (0..dim)
                .map(|axis| if axis == k % dim { place + apart[k % 8] } else { place })
                .collect();
            [vec![place; dim], point].concat()
        };
        let coords: Vec<f64> = places.iter().enumerate().flat_map(near).collect();
        let mut case = Case::new(format!("near 0 in {dim}D"), dim, coords, 0.3);
        for periodic in [false, true] {
            if periodic {
                case.domain = Domain {
                    periodic: [true; 3],
                    lo: [0.0; 3],
                    length: [1.0; 3],
                };
                case.coords.extend(vec![1.0; dim]); // the other end, where the first is
            }
            for tie_rule in [TieRule::Inclusive, TieRule::Exclusive] {
                case.rule = tie_rule;
                check::<f32>(&mut search, &case, &mut random);
                check::<f64>(&mut search, &case, &mut random);
            }
        }
    }
    // Many blocks, each smaller than the distance at which squares vanish.
    let n = 6000 / Part::of_environment().every.min(6);
    let line = (0..n).map(|k| 1e-24 * k as f64).collect();
    let case = Case::new(format!("{n} points on a short line"), 1, line, 0.1);
    set::<f32>(&mut search, &case, &case.coords_as());
    check_points(
        &mut search,
        &case,
        &vec![0.0f32; n],
        RadiusRule::Max,
        0,
        &Rules::default(),
    );
}

/// A lattice whose every distance is one of the radii, or half the sum of two.
#[test]
fn ties() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(35));
    for dim in 1..=3 {
        for (spacing, tie_rule) in [
            (1.0, TieRule::Inclusive),
            (0.1, TieRule::Exclusive),
            (0.1, TieRule::Inclusive),
        ] {
            let coords = crate::common::lattice(dim, [200, 18, 7][dim - 1], spacing, &mut random);
            let case = Case {
                rule: tie_rule,
                ..Case::new(format!("ties at {spacing} in {dim}D"), dim, coords.clone(), spacing)
            };
            let n = coords.len() / dim;
            let radii: Vec<f64> = (0..n).map(|_| (1 + random.below(4)) as f64 * spacing).collect();
            let narrow: Vec<f32> = radii.iter().map(|&r| r as f32).collect();
            let every = Part::of_environment().every.min(2);
            for rule in ALL.into_iter().skip(random.below(every)).step_by(every) {
                set::<f64>(&mut search, &case, &case.coords_as());
                check_points(&mut search, &case, &radii, rule, 0, &Rules::default());
                set::<f32>(&mut search, &case, &case.coords_as());
                check_points(&mut search, &case, &narrow, rule, 1, &Rules::default());
            }
        }
    }
}

/// Enough points for many blocks and several threads, radii 1:1000, among them some that reach almost everywhere, so that their
/// neighborhoods are too many for a block; the truth is what one thread finds, and that is spot-checked by the plain loop.
#[test]
fn many_points() {
    let mut random = Random(36);
    let n = 60_000 / Part::of_environment().every.min(20);
    let coords = random.cloud(3, n);
    let scale = (n as f64).powf(-1.0 / 3.0);
    let mut radii: Vec<f64> = (0..n).map(|_| 2.0 * scale * 1000f64.powf(-random.uniform())).collect();
    for k in 0..20 {
        radii[k * 97 + 5] = 0.02 + 0.04 * k as f64;
    }
    let mut search = Search::new().unwrap();
    for periodic in [false, true] {
        let domain = crate::common::Domain {
            periodic: [periodic; 3],
            ..crate::common::Domain::periodic(0.0, 2.0)
        };
        domain.set(&mut search, 3);
        let view = PointsView::interleaved(3, &coords).unwrap();
        search.set_points(&view).unwrap();
        for rule in ALL {
            search.set_radii(&radii, rule).unwrap();
            search.set_threads(1).unwrap();
            let found = rows(search.neighbors(NeighborsKind::Full).unwrap(), 0);
            for i in (0..n).step_by(n / 40).chain([5, 97 * 19 + 5]) {
                let row = (0..n).filter(|&j| {
                    let d2 = oracle::distance2_in(&view, &domain.periods(), i, j);
                    let c = match rule {
                        RadiusRule::Gather => radii[i],
                        RadiusRule::Scatter => radii[j],
                        RadiusRule::Max => radii[i].max(radii[j]),
                        RadiusRule::Min => radii[i].min(radii[j]),
                        RadiusRule::Mean => 0.5 * (radii[i] + radii[j]),
                    };
                    i != j && d2 <= c * c
                });
                let place = found.0[i] as usize..found.0[i + 1] as usize;
                assert!(
                    row.map(|j| j as i32).eq(found.1[place].iter().copied()),
                    "{rule:?}, row {i}"
                );
            }
            for threads in [if periodic { 2 } else { 3 }, 8] {
                search.set_threads(threads).unwrap();
                search.set_radii(&radii, rule).unwrap();
                assert!(
                    rows(search.neighbors(NeighborsKind::Full).unwrap(), 0) == found,
                    "{rule:?}, {threads} threads"
                );
            }
            if is_symmetric(rule) {
                let half = rows(search.neighbors(NeighborsKind::Half).unwrap(), 0);
                assert!(half == half_of(&found), "{rule:?}: half");
            }
        }
    }
}

/// A few points that reach almost everywhere, others that reach hardly any: on a device, who finds all that is near such a
/// point are many. It must find what the CPU does.
#[cfg(feature = "gpu")]
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn far_reaching_points() {
    let mut random = Random(38);
    let n = 36_000;
    let coords = random.cloud(3, n);
    let mut radii: Vec<f64> = (0..n).map(|_| 0.002 + 0.02 * random.uniform()).collect();
    for k in 0..5 {
        radii[k * 7189 + 7] = 0.3 + 0.35 * k as f64;
    }
    let view = PointsView::interleaved(3, &coords).unwrap();
    let mut searches = [neargrid::Backend::Cpu, neargrid::Backend::Gpu].map(|backend| {
        let mut search = Search::new().unwrap();
        search.set_backend(backend);
        search.set_points(&view).unwrap();
        search
    });
    for rule in [RadiusRule::Max, RadiusRule::Scatter] {
        let [on_cpu, on_gpu] = searches.each_mut().map(|search| {
            search.set_radii(&radii, rule).unwrap();
            let kind = if is_symmetric(rule) {
                NeighborsKind::Half
            } else {
                NeighborsKind::Full
            };
            rows(search.neighbors(kind).unwrap(), 0)
        });
        assert!(on_cpu == on_gpu, "{rule:?}");
    }
}

/// Points that a device groups by their order and by radii may be on both sides of all space, or of a periodic box.
#[cfg(feature = "gpu")]
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn wide_groups() {
    let mut random = Random(39);
    let apart: Vec<f64> = (0..96).map(|k| [-1e13, 1e13][k % 2] + random.uniform()).collect();
    let around: Vec<f64> = (0..300).map(|k| [0.0, 1.0 - f64::EPSILON][k % 2]).collect();
    for (coords, periodic) in [(apart, false), (around, true)] {
        let radii: Vec<f64> = coords.iter().map(|_| 0.5 * 100f64.powf(-random.uniform())).collect();
        let view = PointsView::interleaved(1, &coords).unwrap();
        let mut search = Search::new().unwrap();
        search.set_backend(neargrid::Backend::Gpu);
        search.set_box(&[0.0], &[1.0], &[periodic]).unwrap();
        search.set_points(&view).unwrap();
        let periods = [periodic.then_some([0.0, 1.0]), None, None];
        for rule in ALL {
            let truth = oracle::neighbors_by_radii(&view, &periods, &radii, (rule, TieRule::Inclusive), |_, _| true);
            search.set_radii(&radii, rule).unwrap();
            let found = rows(search.neighbors(NeighborsKind::Full).unwrap(), 0);
            assert!(found == truth, "{rule:?}, periodic: {periodic}");
        }
    }
}

/// Once more in the narrower instruction sets.
#[test]
fn widths() {
    Again::without(
        module_path!(),
        &["refusals", "far_reaching_points", "wide_groups"],
        "clouds",
    )
    .in_widths(&[("scalar", "16:1"), ("avx2", "16:2")]);
}

/// Once more on a device, in several configurations.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    // Costs are those of the CPU; a GPU has its own tests of them.
    Again::without(
        module_path!(),
        &["far_reaching_points", "global_ids", "cost::"],
        "clouds",
    )
    .on_devices(&[
        ("", "600:1"),
        ("no-subgroups", "600:11"),
        ("binding=1048576", "600:21"),
        ("guarded", "600:31"),
        ("batches", "600:31"),
        ("", "600:1,exclusive"),
    ]);
}

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    let line = [0.0, 1.0, 2.0, 3.5];
    let view = PointsView::interleaved(1, &line).unwrap();
    search.set_points(&view).unwrap();
    let refused = |result: neargrid::Result<()>, status: Status, words: &[&str]| {
        let error = result.unwrap_err();
        assert_eq!(error.status(), status, "{error}");
        words
            .iter()
            .for_each(|word| assert!(error.to_string().contains(word), "{error}: {word}"));
    };
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e-160, 1e155] {
        for base in [0, 1] {
            search.set_index_base(base).unwrap();
            let point = format!("point {}", 2 + base);
            refused(
                search.set_radii(&[1.0, 0.0, bad, -1.0], RadiusRule::Max),
                Status::BadRadius,
                &["radii = ", &point],
            );
            refused(
                search.set_query_radii(&[1.0, 1.0, bad]),
                Status::BadRadius,
                &["query radii = ", &point],
            );
        }
    }
    refused(
        search.set_radii(&[1.0f32, 1e-16], RadiusRule::Max),
        Status::BadRadius,
        &["real32", "point 2"],
    );
    search.set_index_base(0).unwrap();
    refused(search.count_pairs().map(drop), Status::BadState, &["cutoff"]);
    search.set_radii(&[1.0; 4], RadiusRule::Max).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 2, "no cutoff is needed");
    for rule in [RadiusRule::Gather, RadiusRule::Scatter] {
        search.set_radii(&[1.0, 1.0, 1.0, 1.5], rule).unwrap();
        let words = ["radius rule = ", "max, min or mean"];
        refused(search.count_pairs().map(drop), Status::BadValue, &words);
        refused(
            search.neighbors(NeighborsKind::Half).map(drop),
            Status::BadValue,
            &words,
        );
        refused(search.pairs_into(&mut [], &mut []).map(drop), Status::BadValue, &words);
        assert_eq!(search.count_neighbors(NeighborsKind::Full).unwrap(), 5, "{rule:?}");
    }
    search.set_radii(&[1.0; 3], RadiusRule::Max).unwrap();
    refused(
        search.count_pairs().map(drop),
        Status::BadCount,
        &["number of radii = 3", "4"],
    );
    search.set_radii(&[1.0f32; 4], RadiusRule::Max).unwrap();
    refused(
        search.count_pairs().map(drop),
        Status::BadValue,
        &["precision of radii = real32", "real64"],
    );
    search.set_radii(&[1.0; 4], RadiusRule::Mean).unwrap();
    search
        .set_queries(&PointsView::interleaved(1, &line[..2]).unwrap())
        .unwrap();
    refused(
        search.count_queries().map(drop),
        Status::BadState,
        &["radii of the queries", "set_query_radii"],
    );
    search.set_query_radii(&[1.0; 3]).unwrap();
    refused(
        search.count_queries().map(drop),
        Status::BadCount,
        &["number of query radii = 3", "2"],
    );
    search.set_query_radii(&[1.0, 3.0]).unwrap();
    assert_eq!(search.count_queries().unwrap(), 2 + 3);
    assert_eq!(search.count_pairs().unwrap(), 2, "the points know nothing of them");
    search.set_points(&view).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 2, "radii stay when points are set anew");
    search.set_box(&[0.0], &[2.5], &[true]).unwrap();
    search.set_points(&view).unwrap();
    search.set_radii(&[1.0, 1.25, 1.0, 1.0], RadiusRule::Max).unwrap();
    search.count_pairs().unwrap();
    let more = 1.25f64.next_up();
    search.set_radii(&[1.0, more, 1.0, 1.0], RadiusRule::Max).unwrap();
    let allowed = "at most 1.25, half the length of the periodic axis x";
    refused(
        search.count_pairs().map(drop),
        Status::BadDomain,
        &["radius = 1.2500000000000002 of point 1 ", allowed],
    );
    search.clear_radii();
    refused(search.count_pairs().map(drop), Status::BadState, &["cutoff"]);
    search.set_radii(&[1.0; 4], RadiusRule::Max).unwrap();
    search.set_ids(&[4, 3, 2, 1]).unwrap();
    search.set_backend(neargrid::Backend::Gpu);
    let error = search.pairs().unwrap_err();
    assert_eq!(error.status(), Status::NotSupported, "{error}");
    assert!(error.to_string().contains("global ids that do not ascend"), "{error}");
}

/// Radii change which rows there are; a skin does not matter; memory is given back.
#[test]
fn steps() {
    let mut random = Random(37);
    let coords = random.cloud(2, 3000);
    let view = PointsView::interleaved(2, &coords).unwrap();
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.02).unwrap();
    search.set_points(&view).unwrap();
    let by_cutoff = search.count_pairs().unwrap();
    search.set_skin(0.01).unwrap();
    search.set_radii(&[0.02; 3000], RadiusRule::Mean).unwrap();
    assert_eq!(search.count_pairs().unwrap(), by_cutoff);
    assert!(!search.update(&view).unwrap(), "the list by radii is kept");
    assert_eq!(search.pairs().unwrap().left.len() as i64, by_cutoff);
    assert!(search.info().contains("radii, rule mean"), "{}", search.info());
    assert_eq!(search.count_pairs_of(&view).unwrap(), by_cutoff);
    assert_eq!(search.pairs().unwrap().left.len() as i64, by_cutoff);
    let held = search.counter(neargrid::Counter::BytesHeld);
    search.trim().unwrap();
    assert!(search.counter(neargrid::Counter::BytesHeld) < held / 2);
    assert_eq!(search.count_pairs().unwrap(), by_cutoff);
    search.set_radii(&[0.03; 3000], RadiusRule::Mean).unwrap();
    assert!(search.count_pairs().unwrap() > by_cutoff);
    search.clear_radii();
    assert_eq!(search.count_pairs().unwrap(), by_cutoff);
}

/// Radii of more than half of a periodic axis are allowed where no pair has such a cutoff.
#[test]
fn reach_of_pairs() {
    fn check<T: Precision>() {
        let narrow = |values: &[f64]| -> Vec<T> { values.iter().map(|&value| T::from_f64(value)).collect() };
        let mut random = Random(61);
        let coords = narrow(&random.cloud(3, 300));
        let view = PointsView::interleaved(3, &coords).unwrap();
        let domain = Domain::periodic(0.0, 1.0);
        let mut search = Search::new().unwrap();
        search.set_index_base(1).unwrap();
        domain.set(&mut search, 3);
        search.set_points(&view).unwrap();
        let mut radii = vec![0.1; 300];
        radii[41] = 3.0;
        let (most, queries) = (0.5, narrow(&random.cloud(3, 20)));
        search
            .set_queries(&PointsView::interleaved(3, &queries).unwrap())
            .unwrap();
        for (second, rule, is_refused) in [
            (0.4, RadiusRule::Min, false),
            (0.6, RadiusRule::Min, true),
            (0.1, RadiusRule::Mean, true),
            (0.1, RadiusRule::Max, true),
            (0.1, RadiusRule::Gather, true),
            (0.1, RadiusRule::Scatter, true),
        ] {
            radii[7] = second;
            let radii = narrow(&radii);
            search.set_radii(&radii, rule).unwrap();
            let found = search.neighbors(NeighborsKind::Full);
            if !is_refused {
                let rules = (rule, TieRule::Inclusive);
                let truth = oracle::neighbors_by_radii(&view, &domain.periods(), &radii, rules, |_, _| true);
                assert!(rows(found.unwrap(), 1) == truth, "{rule:?}");
                continue;
            }
            let error = found.map(drop).unwrap_err();
            let point = if rule == RadiusRule::Min {
                "of point 8 "
            } else {
                "of point 42 "
            };
            assert_eq!(error.status(), Status::BadDomain);
            assert!(
                error.to_string().contains(point) && error.to_string().contains("at most 0.5, half"),
                "{error}"
            );
        }
        // Half the sum of the two largest is all that there is by the rule mean.
        (radii[41], radii[7]) = (0.9, 0.1);
        let mean = narrow(&radii);
        search.set_radii(&mean, RadiusRule::Mean).unwrap();
        let rules = (RadiusRule::Mean, TieRule::Inclusive);
        let truth = oracle::neighbors_by_radii(&view, &domain.periods(), &mean, rules, |_, _| true);
        assert!(rows(search.neighbors(NeighborsKind::Full).unwrap(), 1) == truth, "mean");
        // Queries reach points, and neither queries nor points among themselves.
        let mut of_queries = vec![0.2; 20];
        of_queries[4] = 3.0;
        search.set_query_radii(&narrow(&of_queries)).unwrap();
        radii[41] = most;
        for (rule, is_refused) in [
            (RadiusRule::Min, false),
            (RadiusRule::Scatter, false),
            (RadiusRule::Max, true),
            (RadiusRule::Gather, true),
            (RadiusRule::Mean, true),
        ] {
            search.set_radii(&narrow(&radii), rule).unwrap();
            match search.queries().map(drop) {
                Ok(()) => assert!(!is_refused, "{rule:?}"),
                Err(error) => {
                    assert!(is_refused, "{rule:?}: {error}");
                    assert!(error.to_string().contains("query radius = 3 of query 5 "), "{error}");
                }
            }
        }
        // One point has no pairs.
        let one = PointsView::interleaved(3, &coords[..3]).unwrap();
        search.set_points(&one).unwrap();
        search.set_radii(&narrow(&[7.0]), RadiusRule::Max).unwrap();
        assert_eq!(search.count_pairs().unwrap(), 0);
    }
    check::<f32>();
    check::<f64>();
}

/// Radii of queries are used where points have none: by the rule gather, which needs no others. Rows of points have the cutoff.
#[test]
fn queries_alone() {
    fn check<T: Precision>(rule: TieRule, periodic: bool) {
        let narrow = |values: Vec<f64>| -> Vec<T> { values.into_iter().map(T::from_f64).collect() };
        let (mut random, n) = (Random(62), 2000);
        let (coords, queries) = (narrow(random.cloud(2, n)), narrow(random.cloud(2, 700)));
        let radii = narrow(
            (0..700)
                .map(|k| if k % 9 == 0 { 0.0 } else { 0.1 * random.uniform() })
                .collect(),
        );
        let mut search = Search::new().unwrap();
        let domain = Domain {
            periodic: [periodic; 3],
            ..Domain::periodic(0.0, 1.0)
        };
        domain.set(&mut search, 2);
        search.set_tie_rule(rule);
        search.set_query_radii(&radii).unwrap();
        search
            .set_points(&PointsView::interleaved(2, &coords).unwrap())
            .unwrap();
        search
            .set_queries(&PointsView::interleaved(2, &queries).unwrap())
            .unwrap();
        let everyone = [coords, queries].concat();
        let everyone = PointsView::interleaved(2, &everyone).unwrap();
        let of_all = [vec![T::default(); n], radii.clone()].concat();
        let rules = (RadiusRule::Gather, rule);
        let truth = oracle::neighbors_by_radii(&everyone, &domain.periods(), &of_all, rules, |i, j| i >= n && j < n);
        let offsets: Vec<i64> = truth.0[n..].iter().map(|offset| offset - truth.0[n]).collect();
        assert!(rows(search.queries().unwrap(), 0) == (offsets, truth.1.clone()));
        assert!(search.info().contains("radii, rule gather"), "{}", search.info());
        crate::common::check_chunks(&mut search, "queries alone", NeighborsKind::Queries, 0);
        let error = search.count_pairs().unwrap_err();
        assert_eq!(
            error.status(),
            Status::BadState,
            "points have no radii and no cutoff: {error}"
        );
        search.set_cutoff(0.01).unwrap();
        let pairs = search.count_pairs().unwrap();
        assert_eq!(search.count_queries().unwrap(), truth.1.len() as i64);
        search.set_skin(0.005).unwrap();
        assert_eq!(search.count_pairs().unwrap(), pairs, "a skin works");
        search.set_query_radii(&radii[1..]).unwrap();
        assert_eq!(search.count_queries().unwrap_err().status(), Status::BadCount);
        search.clear_radii();
        search.count_queries().unwrap();
    }
    for rule in [TieRule::Inclusive, TieRule::Exclusive] {
        check::<f32>(rule, true);
        check::<f64>(rule, false);
        check::<f64>(rule, true);
    }
}
