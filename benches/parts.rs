//! The cost of the small parts of a search, above all with few points: `cargo bench -p neargrid-benches --bench parts -- [PART]`.
//! Each line: microseconds of the fastest, the median and the slowest of 20 samples, of 50 ms each.
//!
//! Handles choose backend and threads themselves. `once`: a handle created, used for a single result and destroyed.
//! The others use a warm handle: `count` indexes and counts, `pairs` also fills the caller's arrays, `fill` does only
//! that, `full` copies the points and lists all neighbors. What is timed was checked against the plain loop.

#[path = "cases/cloud.rs"]
#[allow(dead_code)] // the table uses more of it
mod cloud;

use std::hint::black_box;
use std::time::{Duration, Instant};

use cloud::{Cloud, cloud};
use neargrid::{NeighborsKind, PointsView, Result, Search, TieRule, oracle};

/// Cases of 100, 1000 and 10,000 points.
const CASES: [&str; 3] = ["C9", "C5", "C4"];

const SAMPLES: usize = 20;
const SAMPLE: Duration = Duration::from_millis(50);

fn main() -> Result<()> {
    let part = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let wanted = |name: &str| part.as_ref().is_none_or(|part| name.contains(part.as_str()));
    measure(&wanted, "create and destroy", || drop(black_box(Search::new())));
    for case in CASES {
        search(&wanted, &cloud::<f64>(case, "case").expect("a case"))?;
    }
    Ok(())
}

/// Measures a call that may be repeated, where its name is wanted.
fn measure<R>(wanted: &dyn Fn(&str) -> bool, name: &str, mut call: impl FnMut() -> R) {
    if !wanted(name) {
        return;
    }
    let mut seconds = |calls: u32| {
        let begin = Instant::now();
        (0..calls).for_each(|_| drop(black_box(call())));
        begin.elapsed().as_secs_f64()
    };
    // to warm up, until a sample is long enough
    let mut calls = 1;
    while seconds(calls) < SAMPLE.as_secs_f64() {
        calls *= 2;
    }
    let mut samples: Vec<f64> = (0..SAMPLES).map(|_| seconds(calls) / f64::from(calls) * 1e6).collect();
    samples.sort_by(f64::total_cmp);
    println!(
        "{name:24} {:10.2} {:10.2} {:10.2}",
        samples[0],
        samples[SAMPLES / 2],
        samples[SAMPLES - 1]
    );
}

fn search(wanted: &dyn Fn(&str) -> bool, cloud: &Cloud<f64>) -> Result<()> {
    let view = PointsView::interleaved(cloud.dim, &cloud.coords)?;
    let mut search = Search::new()?;
    search.set_cutoff(cloud.cutoff)?;
    let need = search.count_pairs_of(&view)? as usize;
    let (mut left, mut right) = (vec![0; need], vec![0; need]);
    search.pairs_into(&mut left, &mut right)?;
    check(&view, cloud.cutoff, &left, &right);

    let name = |part| format!("{part}, {} points", view.len());
    measure(wanted, &name("once"), || {
        let mut search = Search::new()?;
        search.set_cutoff(cloud.cutoff)?;
        search.set_points(&view)?;
        Ok::<_, neargrid::Error>(search.pairs()?.left.len())
    });
    measure(wanted, &name("count"), || search.count_pairs_of(&view));
    measure(wanted, &name("pairs"), || {
        search.count_pairs_of(&view)?;
        search.pairs_into(&mut left, &mut right)
    });
    measure(wanted, &name("fill"), || search.pairs_into(&mut left, &mut right));
    measure(wanted, &name("full"), || {
        search.set_points(&view)?;
        Ok::<_, neargrid::Error>(search.neighbors(NeighborsKind::Full)?.ids.len())
    });
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
