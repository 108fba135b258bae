//! The k nearest of many points, on several threads and in every width, and what their radii find.

use crate::common::{Again, Part, Random};
use neargrid::{
    Backend, Counter, KnnKind, Measure, NeighborsKind, PointsView, Precision, RadiusRule, Real, Search, oracle,
};

fn bits<T: Real>(values: &[T]) -> Vec<u64> {
    values.iter().map(|value| value.to_f64().to_bits()).collect()
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

/// The k nearest and groups share one index, which is not that of pairs.
#[test]
fn one_index_for_each() {
    let (mut search, coords) = (Search::new().unwrap(), Random(6).cloud(2, 500));
    search.set_backend(Backend::Cpu);
    search.set_cutoff(0.05).unwrap();
    search
        .set_points(&PointsView::interleaved(2, &coords).unwrap())
        .unwrap();
    for _ in 0..2 {
        search.pairs().unwrap();
        assert!(!search.info().contains("along a z-order curve"), "{}", search.info());
        search.knn::<f64>(KnnKind::Others, 5, Measure::Distance).unwrap();
        assert!(search.info().contains("along a z-order curve"), "{}", search.info());
        search.fof().unwrap();
        assert!(search.info().contains("leaves"), "{}", search.info());
    }
    assert_eq!(search.counter(Counter::IndexBuilds), 2);
}

/// Everything again in the narrower widths.
#[test]
fn widths() {
    Again::without(module_path!(), &[], "many_points").in_widths(&[("scalar", "6:1"), ("avx2", "6:2")]);
}

/// All of it on a GPU, in several configurations.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    Again::without(module_path!(), &["refusals"], "many_points").on_devices(&[
        ("", "240:0"),
        ("no-subgroups", "60:1"),
        ("binding=1048576", "60:2"),
        ("guarded", "60:3"),
        ("batches", "60:3"),
    ]);
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
