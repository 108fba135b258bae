//! Groups of friends of friends: every cloud against the components of the plain loop's pairs, in every width, on several
//! threads, open and periodic.

mod common;

use common::{Case, Domain, Part, Random, all_cases, clustered_cases, lattice, periodic_cases};
use neargrid::{Backend, PointsView, Precision, Search, TieRule};

/// The lowest of each point's group by `rank`, from the pairs: a search through all of it, and no forest.
fn labels(n: usize, pairs: &[(i32, i32)], rank: impl Fn(usize) -> i64) -> Vec<i32> {
    let mut friends = vec![Vec::new(); n];
    for &(i, j) in pairs {
        friends[i as usize].push(j as usize);
        friends[j as usize].push(i as usize);
    }
    let mut labels = vec![-1; n];
    let mut by_rank: Vec<usize> = (0..n).collect();
    by_rank.sort_by_key(|&i| rank(i));
    for first in by_rank {
        let mut ahead = vec![first];
        while let Some(i) = ahead.pop() {
            if labels[i] < 0 {
                labels[i] = first as i32;
                ahead.extend(&friends[i]);
            }
        }
    }
    labels
}

fn groups(labels: &[i32]) -> usize {
    (0..).zip(labels).filter(|&(i, &label)| i == label).count()
}

fn set<T: Precision>(search: &mut Search, case: &Case, coords: &[T]) {
    case.domain.set(search, case.dim);
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    search
        .set_points(&PointsView::interleaved(case.dim, coords).unwrap())
        .unwrap();
}

fn check<T: Precision>(search: &mut Search, case: &Case, round: usize) -> usize {
    if !case.fits::<T>() {
        return 0;
    }
    let coords = case.coords_as::<T>();
    let n = coords.len() / case.dim;
    let truth = labels(n, &case.truth::<T>(), |i| i as i64);
    let base = (round % 2) as i32;
    search.set_index_base(base.into()).unwrap();
    set(search, case, &coords);
    let based: Vec<_> = truth.iter().map(|label| label + base).collect();
    for threads in [1, 2, 3, 8] {
        search.set_threads(threads).unwrap();
        let mut found = vec![-7; n];
        let count = search.fof_into(&mut found).unwrap();
        let name = format!("{} ({}, {threads} threads)", case.name, T::NAME);
        assert_eq!(found, based, "{name}");
        assert_eq!(count, groups(&truth), "{name}");
    }
    assert_eq!(
        search.fof().unwrap().labels,
        based,
        "{}: in memory of the handle",
        case.name
    );
    1
}

fn all_clouds(clouds: Vec<Case>) -> usize {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu); // where the environment asks for none
    let clouds = Part::of_environment().of(clouds);
    let rounds = clouds.iter().enumerate();
    rounds.fold(0, |checked, (round, case)| {
        checked + check::<f32>(&mut search, case, round) + check::<f64>(&mut search, case, round)
    })
}

/// Clouds that groups are made of: blobs, blobs of blobs, lattices that percolate exactly at the cutoff, filaments.
fn group_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dim in 1..=3 {
        let mut random = Random(40 + dim as u64);
        let mut normal = |sigma: f64| sigma * ((0..12).map(|_| random.uniform()).sum::<f64>() - 6.0);
        let n = 900;
        let centers: Vec<f64> = (0..8 * dim).map(|_| normal(0.3)).collect();
        let blobs: Vec<f64> = (0..n * dim)
            .map(|k| centers[k / dim % 8 * dim + k % dim] + normal(0.02))
            .collect();
        let finer: Vec<f64> = (0..20 * dim).map(|k| blobs[k] + normal(0.005)).collect();
        let hierarchical: Vec<f64> = (0..n * dim)
            .map(|k| finer[k / dim % 20 * dim + k % dim] + normal(if k / dim % 3 == 0 { 1e-2 } else { 1e-4 }))
            .collect();
        let add = |cases: &mut Vec<Case>, name: &str, coords: &[f64], cutoff: f64| {
            cases.push(Case::new(
                format!("{name} in {dim}D, cutoff {cutoff}"),
                dim,
                coords.to_vec(),
                cutoff,
            ));
        };
        for cutoff in [1e-4, 1e-3, 0.004, 0.01, 0.03, 0.1, 1.0] {
            add(&mut cases, "blobs", &blobs, cutoff);
            add(&mut cases, "blobs of blobs", &hierarchical, cutoff);
        }
        let chain = |step: f64| -> Vec<f64> { (0..n).flat_map(|k| vec![(k * 7 % n) as f64 * step; dim]).collect() };
        add(&mut cases, "a filament", &chain(0.125), 0.125 * (dim as f64).sqrt());
        add(
            &mut cases,
            "a broken filament",
            &chain(0.125),
            0.12 * (dim as f64).sqrt(),
        );
        let side = [500, 22, 8][dim - 1];
        for spacing in [1.0, 0.1, 1.0 / 3.0] {
            let coords = lattice(dim, side, spacing, &mut random);
            add(&mut cases, "a lattice", &coords, spacing);
            let length = side as f64 * spacing;
            let case = Case::new(
                format!("a periodic lattice of {spacing} in {dim}D"),
                dim,
                coords,
                spacing,
            );
            cases.push(case.with_domain(Domain::periodic(0.0, length)));
        }
    }
    for case in &cases.clone() {
        cases.push(case.with_rule(TieRule::Exclusive));
    }
    cases
}

#[test]
fn open_clouds() {
    let checked = all_clouds(all_cases().into_iter().chain(clustered_cases()).collect());
    assert!(Part::of_environment().is_partial() || checked > 900, "{checked}");
}

#[test]
fn boxes() {
    let checked = all_clouds(periodic_cases());
    assert!(Part::of_environment().is_partial() || checked > 100, "{checked}");
}

#[test]
fn clouds_of_groups() {
    let checked = all_clouds(group_cases());
    assert!(Part::of_environment().is_partial() || checked > 200, "{checked}");
}

/// The suite once more on a GPU, in each of its configurations, as `devices` in tests/pairs.rs does.
#[cfg(feature = "gpu")]
#[test]
fn devices() {
    let all = std::env::var_os("NEARGRID_TEST_ALL").is_some();
    for (mask, part) in [
        ("", "25:1"),
        ("no-subgroups", "40:11"),
        ("no-timestamps", "40:17"),
        ("binding=1048576", "40:21"),
        ("guarded", "40:31"),
    ] {
        let part = if all { "" } else { part };
        let variables = [("BACKEND", "gpu"), ("GPU_MASK", mask), ("TEST_PART", part)];
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--skip", "devices"])
            .envs(variables.map(|(name, value)| (format!("NEARGRID_{name}"), value)))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "mask \"{mask}\", part \"{part}\":\n{text}");
        assert!(text.contains("test clouds_of_groups ... ok"), "{text}");
    }
}
