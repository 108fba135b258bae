//! What the small parts of a search cost, above all with few points: `cargo bench -p neargrid-benches --bench parts -- [PART]`.
//!
//! Handles choose backend and threads themselves. `once`: a handle created, used for a single result and destroyed.
//! The others use a warm handle: `count` indexes and counts, `pairs` also fills the caller's arrays, `fill` does only
//! that, `full` copies the points and lists all neighbors. What is timed was checked against the plain loop.

#[path = "cases/cloud.rs"]
#[allow(dead_code)] // the table uses more of it
mod cloud;

use std::hint::black_box;
use std::time::Duration;

use cloud::{Cloud, cloud};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use neargrid::{NeighborsKind, PointsView, Result, Search, TieRule, oracle};

/// Cases of 100, 1000 and 10,000 points.
const CASES: [&str; 3] = ["C9", "C5", "C4"];

criterion_group! {
    name = parts;
    config = Criterion::default()
        .without_plots()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20);
    targets = handles, searches
}
criterion_main!(parts);

fn handles(criterion: &mut Criterion) {
    criterion.bench_function("create and destroy", |bencher| {
        bencher.iter(|| drop(black_box(Search::new())))
    });
}

fn searches(criterion: &mut Criterion) {
    for case in CASES {
        let cloud = cloud::<f64>(case, "case").expect("a case");
        search(criterion, &cloud).expect("a search");
    }
}

fn search(criterion: &mut Criterion, cloud: &Cloud<f64>) -> Result<()> {
    let view = PointsView::interleaved(cloud.dim, &cloud.coords)?;
    let mut search = Search::new()?;
    search.set_cutoff(cloud.cutoff)?;
    let need = search.count_pairs_of(&view)? as usize;
    let (mut left, mut right) = (vec![0; need], vec![0; need]);
    search.pairs_into(&mut left, &mut right)?;
    check(&view, cloud.cutoff, &left, &right);

    let mut group = criterion.benchmark_group("search");
    let name = |part| BenchmarkId::new(part, view.len());
    group.bench_function(name("once"), |bencher| {
        bencher.iter(|| {
            let mut search = Search::new()?;
            search.set_cutoff(cloud.cutoff)?;
            search.set_points(&view)?;
            Ok::<_, neargrid::Error>(search.pairs()?.left.len())
        })
    });
    group.bench_function(name("count"), |bencher| bencher.iter(|| search.count_pairs_of(&view)));
    group.bench_function(name("pairs"), |bencher| {
        bencher.iter(|| {
            search.count_pairs_of(&view)?;
            search.pairs_into(&mut left, &mut right)
        })
    });
    group.bench_function(name("fill"), |bencher| {
        bencher.iter(|| search.pairs_into(&mut left, &mut right))
    });
    group.bench_function(name("full"), |bencher| {
        bencher.iter(|| {
            search.set_points(&view)?;
            Ok::<_, neargrid::Error>(search.neighbors(NeighborsKind::Full)?.ids.len())
        })
    });
    group.finish();
    check(&view, cloud.cutoff, &left, &right);
    Ok(())
}

fn check(view: &PointsView<f64>, cutoff: f64, left: &[i32], right: &[i32]) {
    let found = left.iter().copied().zip(right.iter().copied());
    let truth = oracle::pairs(view, cutoff, TieRule::Inclusive);
    assert!(
        found.eq(truth),
        "pairs of {} points are not those of the plain loop",
        view.len()
    );
}
