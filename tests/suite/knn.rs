//! The k nearest: every cloud against the plain loop, in every width, on several threads, open and periodic.

use crate::common::{Again, Case, Part, Random, cases, clustered_cases, is_whole, periodic_cases, short_boxes};
use neargrid::{
    Backend, KnnKind, Measure, NeighborsKind, PointsView, Precision, RadiusRule, Real, Search, Status, TieRule, oracle,
};

/// Lengths of rows. A GPU has a kernel for each up to 64, and compiling one in software takes longer than these searches: so a part
/// of the clouds does without some.
fn ks() -> &'static [usize] {
    match Part::of_environment().is_partial() && !is_whole() {
        true => &[1, 5, 64, 65, 256],
        false => &[1, 2, 5, 8, 16, 64, 65, 256],
    }
}

fn set<T: Precision>(search: &mut Search, case: &Case, coords: &[T]) {
    case.domain.set(search, case.dim);
    search
        .set_points(&PointsView::interleaved(case.dim, coords).unwrap())
        .unwrap();
}

fn bits<T: Real>(values: &[T]) -> Vec<u64> {
    values.iter().map(|value| value.to_f64().to_bits()).collect()
}

/// The handle's rows of `k`, with what is to be found there: rows as long as the longest `k`.
fn check_rows<T: Precision>(
    search: &mut Search,
    kind: KnnKind,
    k: usize,
    base: i32,
    truth: &[Vec<(T, i32)>],
    name: &str,
) {
    let measure = [Measure::Distance, Measure::Square, Measure::Radius][k % 3];
    let found = search.knn::<T>(kind, k, measure).unwrap();
    assert_eq!((found.k, found.counts.len()), (k, truth.len()), "{name}");
    assert_eq!(
        (found.ids.len(), found.distances.len()),
        (k * truth.len(), k * truth.len()),
        "{name}"
    );
    for (i, row) in truth.iter().enumerate() {
        let row = &row[..k.min(row.len())];
        let mut ids: Vec<_> = row.iter().map(|&(_, id)| id + base).collect();
        let mut distances: Vec<_> = row
            .iter()
            .map(|&(d2, _)| match measure {
                Measure::Distance => d2.sqrt(),
                Measure::Square => d2,
                Measure::Radius => oracle::radius_of(d2),
            })
            .collect();
        assert_eq!(found.counts[i] as usize, row.len(), "{name}: count of row {i}");
        ids.resize(k, base - 1);
        distances.resize(k, T::INFINITY);
        let here = i * k..(i + 1) * k;
        assert_eq!(
            found.ids[here.clone()],
            ids,
            "{name}: row {i}, {:?}",
            &found.distances[here.clone()]
        );
        assert_eq!(
            bits(&found.distances[here]),
            bits(&distances),
            "{name}: distances of row {i}"
        );
    }
}

fn check<T: Precision>(search: &mut Search, case: &Case, round: usize) -> usize {
    if !case.fits::<T>() {
        return 0;
    }
    let coords = case.coords_as::<T>();
    let (view, periods) = (
        PointsView::interleaved(case.dim, &coords).unwrap(),
        case.domain.periods(),
    );
    let kind = [KnnKind::Others, KnnKind::All][round % 2];
    let rows = 0..view.len();
    let truth: Vec<_> = rows
        .map(|i| oracle::nearest(&view, &periods, view.len(), i, 256, kind == KnnKind::Others))
        .collect();
    let base = (round / 2 % 2) as i32;
    search.set_index_base(base.into()).unwrap();
    set(search, case, &coords);
    for (at, &k) in ks().iter().enumerate() {
        let threads = 1 + (round + at) % 3;
        search.set_threads(threads as i64).unwrap();
        let name = format!("{} ({}, k = {k}, {kind:?}, {threads} threads)", case.name, T::NAME);
        check_rows(search, kind, k, base, &truth, &name);
    }
    1
}

fn all_clouds(clouds: Vec<Case>) -> usize {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    let clouds = clouds.into_iter().filter(|case| case.rule == TieRule::Inclusive);
    let clouds = Part::of_environment().of(clouds.step_by(if is_whole() { 1 } else { 3 }).collect());
    let rounds = clouds.iter().enumerate();
    rounds.fold(0, |checked, (round, case)| {
        checked + check::<f32>(&mut search, case, round) + check::<f64>(&mut search, case, round)
    })
}

#[test]
fn open_clouds() {
    let checked = all_clouds(cases().into_iter().chain(clustered_cases()).collect());
    assert!(
        Part::of_environment().is_partial() || checked > if is_whole() { 300 } else { 100 },
        "{checked}"
    );
}

#[test]
fn boxes() {
    let checked = all_clouds(periodic_cases().into_iter().chain(short_boxes()).collect());
    assert!(
        Part::of_environment().is_partial() || checked > if is_whole() { 100 } else { 33 },
        "{checked}"
    );
}

fn check_queries<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
    if !case.fits::<T>() || case.coords.iter().any(|c| c.abs() > 1e17) {
        return;
    }
    let (coords, dim) = (case.coords_as::<T>(), case.dim);
    let n = coords.len() / dim;
    set(search, case, &coords);
    let mut beyond = coords.iter().map(|&c| T::from_f64(c.to_f64() * 3.0 - 1.0));
    let few: Vec<T> = (0..n / 9).flat_map(|k| coords[9 * k * dim..][..dim].to_vec()).collect();
    let far: Vec<T> = beyond.by_ref().take(90 * dim).collect();
    let between: Vec<T> = (0..n.min(90))
        .flat_map(|_| {
            let (a, b) = (random.below(n) * dim, random.below(n) * dim);
            let middle = |axis: usize| 0.5 * coords[a + axis].to_f64() + 0.5 * coords[b + axis].to_f64();
            (0..dim).map(|axis| T::from_f64(middle(axis))).collect::<Vec<_>>()
        })
        .collect();
    for queries in [few, far, vec![], between] {
        search
            .set_queries(&PointsView::interleaved(dim, &queries).unwrap())
            .unwrap();
        let all: Vec<T> = coords.iter().chain(&queries).copied().collect();
        let view = PointsView::interleaved(dim, &all).unwrap();
        let truth: Vec<_> = (n..view.len())
            .map(|q| oracle::nearest(&view, &case.domain.periods(), n, q, 40, false))
            .collect();
        for k in [1, 5, 40] {
            let name = format!("{} ({}, k = {k}, queries)", case.name, T::NAME);
            check_rows(search, KnnKind::Queries, k, 0, &truth, &name);
        }
    }
    // The points themselves are searched as if there were no queries.
    let view = PointsView::interleaved(dim, &coords).unwrap();
    let truth: Vec<_> = (0..n)
        .map(|i| oracle::nearest(&view, &case.domain.periods(), n, i, 5, true))
        .collect();
    check_rows(search, KnnKind::Others, 5, 0, &truth, &case.name);
}

#[test]
fn queries() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(4));
    search.set_backend(Backend::Cpu);
    let clouds = cases()
        .into_iter()
        .chain(periodic_cases())
        .chain(clustered_cases())
        .chain(short_boxes());
    let clouds: Vec<_> = clouds
        .filter(|case| case.rule == TieRule::Inclusive)
        .step_by(5)
        .collect();
    for case in Part::of_environment().of(clouds) {
        check_queries::<f32>(&mut search, &case, &mut random);
        check_queries::<f64>(&mut search, &case, &mut random);
    }
}

/// Queries that come after the points were searched, and then more of them, so that on a device all together may be more than a
/// binding holds: a handle that had none before finds the same.
#[test]
fn queries_in_turn() {
    let mut random = Random(41);
    let [points, queries] = [(); 2].map(|()| random.cloud(3, 30_000));
    let handle = || {
        let mut search = Search::new().unwrap();
        let view = PointsView::interleaved(3, &points).unwrap();
        search.set_points(&view).unwrap();
        search
    };
    let mut search = handle();
    search.knn::<f64>(KnnKind::Others, 3, Measure::Square).unwrap();
    for count in [10, 30_000] {
        let view = PointsView::interleaved(3, &queries[..3 * count]).unwrap();
        let [before, fresh] = [&mut search, &mut handle()].map(|search| {
            search.set_queries(&view).unwrap();
            let rows = search.knn::<f64>(KnnKind::Queries, 3, Measure::Square).unwrap();
            (rows.ids.to_vec(), bits(rows.distances))
        });
        assert!(before == fresh, "{count} queries");
    }
}

/// Ghosts are neighbors and have no row; types say nothing; points that move are indexed again, and a trimmed handle too.
#[test]
fn kinds_and_moves() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(5));
    search.set_backend(Backend::Cpu);
    for step in 0..4 {
        let coords = random.cloud(3, 300 + step % 2);
        let view = PointsView::interleaved(3, &coords).unwrap();
        search.set_types(&vec![0; view.len()], &[false]).unwrap();
        search.set_active(Some(120)).unwrap();
        search.set_points(&view).unwrap();
        let truth: Vec<_> = (0..120)
            .map(|i| oracle::nearest(&view, &[None; 3], view.len(), i, 5, true))
            .collect();
        check_rows(&mut search, KnnKind::Others, 5, 0, &truth, "ghosts");
        search.trim().unwrap();
        check_rows(&mut search, KnnKind::Others, 5, 0, &truth, "ghosts, trimmed");
    }
    search.set_active(Some(0)).unwrap();
    assert!(
        search
            .knn::<f64>(KnnKind::Others, 5, Measure::Distance)
            .unwrap()
            .ids
            .is_empty()
    );
}

/// Pairs and k nearest of one handle do not get in each other's way.
#[test]
fn beside_pairs() {
    let (mut search, coords) = (Search::new().unwrap(), Random(6).cloud(2, 500));
    search.set_backend(Backend::Cpu);
    let view = PointsView::interleaved(2, &coords).unwrap();
    search.set_cutoff(0.05).unwrap();
    search.set_points(&view).unwrap();
    let pairs = oracle::pairs(&view, 0.05, TieRule::Inclusive);
    let truth: Vec<_> = (0..500)
        .map(|i| oracle::nearest(&view, &[None; 3], 500, i, 5, true))
        .collect();
    for _ in 0..2 {
        let found = search.pairs().unwrap();
        assert!(
            found
                .left
                .iter()
                .copied()
                .zip(found.right.iter().copied())
                .eq(pairs.iter().copied())
        );
        assert!(!search.info().contains("along a z-order curve"), "{}", search.info());
        check_rows(&mut search, KnnKind::Others, 5, 0, &truth, "beside pairs");
        assert!(search.info().contains("along a z-order curve"), "{}", search.info());
    }
    assert_eq!(search.counter(neargrid::Counter::IndexBuilds), 2, "one index for each");
}

/// Enough points for gathering, walks and several threads: any number of threads finds the same, and the plain loop what
/// some of the points have.
#[test]
fn many_points() {
    let mut random = Random(12);
    let (n, mut search) = (30_000 / Part::of_environment().every.min(6), Search::new().unwrap());
    search.set_backend(Backend::Cpu);
    let uniform = random.cloud(3, n);
    let skewed = |c: f64| if c < 0.5 { c } else { 0.5 + (c - 0.5).powi(9) };
    let doubled = |c: f64| (c * 6.0).floor();
    for coords in [
        uniform.clone(),
        uniform.iter().map(|&c| skewed(c)).collect(),
        uniform.iter().map(|&c| doubled(c)).collect(),
    ] {
        let view = PointsView::interleaved(3, &coords).unwrap();
        search.set_points(&view).unwrap();
        let mut found = Vec::new();
        for threads in [1, 2, 3, 8] {
            search.set_threads(threads).unwrap();
            let (mut ids, mut squares) = (vec![-7; 12 * n], vec![0.0; 12 * n]);
            let count = search
                .knn_into(KnnKind::Others, 12, Measure::Square, &mut ids, &mut squares)
                .unwrap();
            assert_eq!(count, 12);
            found.push((ids, bits(&squares)));
        }
        assert!(found.iter().all(|other| *other == found[0]));
        for i in (0..n).step_by(n / 50) {
            let truth = oracle::nearest(&view, &[None; 3], n, i, 12, true);
            let ids: Vec<_> = truth.iter().map(|&(_, id)| id).collect();
            assert_eq!(found[0].0[i * 12..(i + 1) * 12], ids, "row {i}");
        }
    }
}

/// Everything again in the narrower widths.
#[test]
fn widths() {
    Again::without(module_path!(), &[], "open_clouds").in_widths(&[("scalar", "6:1"), ("avx2", "6:2")]);
}

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    let refused = |search: &mut Search, k: usize, status: Status, text: &str| {
        let error = search.knn::<f64>(KnnKind::Others, k, Measure::Distance).unwrap_err();
        assert_eq!(error.status(), status, "{error}");
        assert!(error.to_string().contains(text), "{error}");
    };
    refused(&mut search, 1, Status::BadState, "set_points");
    let coords = [0.0, 1.0, 3.0];
    search
        .set_points(&PointsView::interleaved(1, &coords).unwrap())
        .unwrap();
    refused(
        &mut search,
        0,
        Status::BadCount,
        "k = 0 is not allowed: it must be 1 to 1024",
    );
    refused(&mut search, 1025, Status::BadCount, "k = 1025");
    search.set_active(Some(4)).unwrap();
    refused(&mut search, 1, Status::BadCount, "n_active = 4");
    search.set_active(None).unwrap();
    let error = search.knn::<f32>(KnnKind::Others, 1, Measure::Distance).unwrap_err();
    assert_eq!(error.status(), Status::BadValue, "{error}");
    let (mut ids, mut distances) = ([-7; 5], [-7.0; 6]);
    let error = search.knn_into(KnnKind::Others, 2, Measure::Distance, &mut ids, &mut distances);
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("the length of ids = 5 is not allowed: it must be 6")
    );
    assert_eq!((ids, distances), ([-7; 5], [-7.0; 6]), "nothing was written");
    search.set_backend(Backend::Auto);
    assert_eq!(
        search
            .knn::<f64>(KnnKind::Others, 1, Measure::Square)
            .unwrap()
            .distances,
        [1.0, 1.0, 4.0]
    );
    assert!(
        search.info().contains("backend: cpu (auto: too few points"),
        "{}",
        search.info()
    );
}

/// All of it on a GPU, in several configurations.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    Again::without(
        module_path!(),
        &["refusals", "ties_by_ids", "beside_ids"],
        "open_clouds",
    )
    .on_devices(&[
        ("", "240:0"),
        ("no-subgroups", "60:1"),
        ("binding=1048576", "60:2"),
        ("guarded", "60:3"),
        ("batches", "60:3"),
    ]);
}

/// Ties follow global ids, in clouds full of ties, with ghosts, queries and a box; rows stay those of the points.
#[test]
fn ties_by_ids() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(41));
    search.set_backend(Backend::Cpu);
    search.set_index_base(1).unwrap();
    for (k, dim) in [1, 2, 3].into_iter().cycle().take(12).enumerate() {
        let coords = crate::common::lattice(dim, [150, 13, 6][dim - 1], 1.0, &mut random);
        let n = coords.len() / dim;
        // A box whose edges the lattice has, and several points that coincide.
        let coords: Vec<f64> = coords.iter().map(|c| if k % 4 == 3 { c % 4.0 } else { *c }).collect();
        let domain = match k % 2 {
            0 => crate::common::Domain::periodic(0.0, [150.0, 13.0, 6.0][dim - 1]),
            _ => Case::new("", dim, Vec::new(), 1.0).domain,
        };
        let queries: Vec<f64> = (0..40 * dim).map(|_| random.below(8) as f64 * 0.5).collect();
        let all: Vec<f64> = coords.iter().chain(&queries).copied().collect();
        let everyone = PointsView::interleaved(dim, &all).unwrap();
        domain.set(&mut search, dim);
        search
            .set_points(&PointsView::interleaved(dim, &coords).unwrap())
            .unwrap();
        search
            .set_queries(&PointsView::interleaved(dim, &queries).unwrap())
            .unwrap();
        search.set_threads(1 + k as i64 % 3).unwrap();
        let active = [None, Some(2 * n / 3)][k / 2 % 2];
        search.set_active(active.map(|active| active as i64)).unwrap();
        for ids in crate::common::some_ids(n, &mut random).iter().chain([&vec![]]) {
            search.set_ids(ids).unwrap();
            for kind in [KnnKind::Others, KnnKind::All, KnnKind::Queries] {
                let rows = match kind {
                    KnnKind::Queries => n..n + 40,
                    _ => 0..active.unwrap_or(n),
                };
                let skips = kind == KnnKind::Others;
                let row = |i: usize| {
                    let mut row = oracle::nearest(&everyone, &domain.periods(), n, i, n, skips);
                    let id = |j: i32| ids.get(j as usize).copied().unwrap_or(j.into());
                    row.sort_by(|a, b| a.0.total_cmp(&b.0).then(id(a.1).cmp(&id(b.1))));
                    row
                };
                let truth: Vec<_> = rows.map(row).collect();
                for k in [1, 7, 40, n + 3] {
                    let name = format!("{dim}D, k = {k}, {kind:?}, {active:?} active");
                    check_rows(&mut search, kind, k.min(1024), 1, &truth, &name);
                }
            }
        }
        search
            .set_queries(&PointsView::interleaved(dim, &queries[..0]).unwrap())
            .unwrap();
    }
}

/// Ids are checked by the query; pairs and rows follow them in turns.
#[test]
fn beside_ids() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.5).unwrap();
    let view = PointsView::interleaved(1, &[0.0, 1.0, 3.0]).unwrap();
    search.set_points(&view).unwrap();
    search.set_ids(&[3, 1]).unwrap();
    let refused = search.knn::<f64>(KnnKind::Others, 1, Measure::Square).unwrap_err();
    assert_eq!(refused.status(), Status::BadCount, "{refused}");
    search.set_ids(&[3, 1, 2]).unwrap();
    let nearest = search.knn::<f64>(KnnKind::Others, 1, Measure::Square).unwrap();
    assert_eq!(nearest.ids, [1, 0, 1]);
    assert_eq!(search.pairs().unwrap().left, [1]);
    let middle = PointsView::interleaved(1, &[0.5]).unwrap();
    search.set_queries(&middle).unwrap();
    assert_eq!(
        search.knn::<f64>(KnnKind::Queries, 2, Measure::Square).unwrap().ids,
        [1, 0]
    );
    search.set_ids(&[-3, 1, 1 << 40]).unwrap();
    let nearest = search.knn::<f64>(KnnKind::Others, 1, Measure::Square).unwrap();
    assert_eq!(nearest.ids, [1, 0, 1]);
    assert_eq!(search.count_pairs().unwrap(), 1);
}

/// The k-th neighbor's radius finds that neighbor, and no smaller number does.
#[test]
fn a_radius_finds_the_neighbor() {
    fn check<T: Precision>() {
        let (mut random, n, k) = (Random(71), 3000, 8);
        let coords: Vec<T> = random.cloud(3, n).into_iter().map(T::from_f64).collect();
        let view = PointsView::interleaved(3, &coords).unwrap();
        let mut search = Search::new().unwrap();
        search.set_points(&view).unwrap();
        let mut lengths = Vec::new();
        for measure in [Measure::Radius, Measure::Distance] {
            let found = search.knn::<T>(KnnKind::Others, k, measure).unwrap();
            let last: Vec<T> = found.distances.chunks(k).map(|row| row[k - 1]).collect();
            search.set_radii(&last, RadiusRule::Gather).unwrap();
            let rows = search.neighbors(NeighborsKind::Full).unwrap();
            lengths.push(
                rows.offsets
                    .windows(2)
                    .map(|ends| ends[1] - ends[0])
                    .collect::<Vec<_>>(),
            );
            search.clear_radii();
        }
        assert!(
            lengths[0].iter().all(|&len| len >= k as i64),
            "more where squares round to the same"
        );
        assert!(lengths[1].iter().any(|&len| len < k as i64), "so distances will not do");
    }
    check::<f32>();
    check::<f64>();
}
