//! Groups of friends of friends: every cloud against the components of the plain loop's pairs, in every width, on several
//! threads, open and periodic.

use crate::common::{Again, Case, Domain, Part, Random, all_cases, clustered_cases, is_whole, lattice, periodic_cases};
use neargrid::{Backend, PointsView, Precision, Properties, Search, Status, TieRule};

/// The lowest of each point's group, from the pairs: a search through all of it, and no forest.
pub fn labels(n: usize, pairs: &[(i32, i32)]) -> Vec<i32> {
    let mut friends = vec![Vec::new(); n];
    for &(i, j) in pairs {
        friends[i as usize].push(j as usize);
        friends[j as usize].push(i as usize);
    }
    let mut labels = vec![-1; n];
    for first in 0..n {
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

fn check<T: Precision>(search: &mut Search, case: &Case, round: usize) -> usize {
    if !case.fits::<T>() {
        return 0;
    }
    let n = case.len();
    let truth = labels(n, &case.truth::<T>());
    let base = (round % 2) as i32;
    search.set_index_base(base.into()).unwrap();
    case.set::<T>(search);
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
fn clouds() {
    let clouds = all_cases().into_iter().chain(clustered_cases()).chain(periodic_cases());
    let every = if is_whole() { 1 } else { 2 };
    let checked = all_clouds(clouds.step_by(every).chain(group_cases()).collect());
    assert!(Part::of_environment().is_partial() || checked > 700, "{checked}");
}

/// Clouds whose groups are known, and that would take forever by pairs: a clump within the cutoff, also where it lies in all
/// corners of a periodic box; a filament; a plane lattice; two clumps that are not friends.
#[test]
fn many_points() {
    let n = match std::env::var_os("NEARGRID_TEST_ALL") {
        _ if Part::of_environment().is_partial() => 10_000,
        Some(_) => 1_000_000,
        None => 100_000,
    };
    let mut random = Random(34);
    let cloud = random.cloud(3, n);
    let clump: Vec<f64> = cloud.iter().map(|c| c * 0.001).collect();
    let corners: Vec<f64> = cloud.iter().map(|c| (c * 0.002 + 0.999) % 1.0).collect();
    let two: Vec<f64> = (0..3 * n)
        .map(|k| clump[k] + if k % 3 == 0 && k / 3 % 2 == 1 { 0.0062 } else { 0.0 })
        .collect();
    let line: Vec<f64> = (0..n).flat_map(|k| [(k * 7919 % n) as f64 * 0.005, 1.0, 2.0]).collect();
    let side = (n as f64).sqrt() as usize;
    let plane: Vec<f64> = (0..side * side)
        .flat_map(|k| [(k % side) as f64, 0.5, (k / side) as f64])
        .collect();
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    let mut check = |name: &str, coords: &[f64], cutoff: f64, rule: TieRule, periodic: bool, expected: &[i32]| {
        search.set_box(&[0.0; 3], &[1.0; 3], &[periodic; 3]).unwrap();
        search.set_cutoff(cutoff).unwrap();
        search.set_tie_rule(rule);
        search.set_points(&PointsView::interleaved(3, coords).unwrap()).unwrap();
        for threads in [1, 3] {
            search.set_threads(threads).unwrap();
            let mut found = vec![-7; coords.len() / 3];
            assert_eq!(
                search.fof_into(&mut found).unwrap(),
                groups(expected),
                "{name}, {threads} threads"
            );
            assert!(found == expected, "{name}, {threads} threads");
        }
    };
    let (one, own) = (vec![0; n], |n: usize| (0..n as i32).collect::<Vec<_>>());
    let halves: Vec<i32> = (0..n as i32).map(|i| i % 2).collect();
    check("a clump", &clump, 0.005, TieRule::Inclusive, false, &one);
    check(
        "a clump in all corners",
        &corners,
        0.005,
        TieRule::Inclusive,
        true,
        &one,
    );
    check("two clumps", &two, 0.005, TieRule::Inclusive, false, &halves);
    check("a line", &line, 0.005 * (1.0 + 1e-9), TieRule::Inclusive, false, &one);
    check(
        "a line, broken",
        &line,
        0.005 * (1.0 - 1e-9),
        TieRule::Inclusive,
        false,
        &own(n),
    );
    check("a plane", &plane, 1.0, TieRule::Inclusive, false, &vec![0; side * side]);
    check(
        "a plane, parted",
        &plane,
        1.0,
        TieRule::Exclusive,
        false,
        &own(side * side),
    );
}

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    let refused = |search: &mut Search, status: Status, text: &str| {
        let mut labels = [-7; 3];
        let error = search.fof_into(&mut labels).unwrap_err();
        assert_eq!(error.status(), status, "{error}");
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(labels, [-7; 3], "nothing was written");
        assert_eq!(search.fof().unwrap_err(), error);
        assert_eq!(search.groups::<f64>(1, &Properties::default()).unwrap_err(), error);
    };
    refused(&mut search, Status::BadState, "set_points");
    let line = [0.0, 1.0, 3.0];
    search.set_points(&PointsView::interleaved(1, &line).unwrap()).unwrap();
    refused(&mut search, Status::BadState, "no cutoff yet: first call set_cutoff");
    search.set_cutoff(1e-160).unwrap();
    refused(&mut search, Status::BadCutoff, "cutoff = 1e-160");
    search.set_cutoff(1.0).unwrap();
    search.set_radii(&[1.0; 3], neargrid::RadiusRule::Max).unwrap();
    refused(&mut search, Status::NotSupported, "a search for groups with radii");
    search.clear_radii();
    search.set_ids(&[1, 2]).unwrap();
    refused(
        &mut search,
        Status::BadCount,
        "number of ids = 2 is not allowed: it must be 3",
    );
    search.set_ids(&[]).unwrap();
    search.set_primary_types(&[true, false]).unwrap();
    refused(&mut search, Status::BadState, "no types yet: first call set_types");
    search.set_types(&[0, 0], &[true]).unwrap();
    refused(&mut search, Status::BadCount, "number of types = 2");
    search.set_types(&[0, 0, 0], &[true]).unwrap();
    refused(
        &mut search,
        Status::BadCount,
        "it must be 2, the number of primary types set",
    );
    search.set_types(&[0, 0, 1], &[true; 4]).unwrap();
    search.set_backend(Backend::Gpu);
    refused(
        &mut search,
        Status::NotSupported,
        "backend gpu for groups with primary types",
    );
    search.set_backend(Backend::Auto);
    assert_eq!(search.fof().unwrap().labels, [0, 0, 2]);
    let info = search.info();
    assert!(
        info.contains("backend: cpu (auto: groups with primary types are searched on the CPU)"),
        "{info}"
    );
    search.set_primary_types(&[]).unwrap();
    let error = search.fof_into(&mut [0; 2]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the length of labels = 2 is not allowed: it must be 3"),
        "{error}"
    );
    let error = search.set_primary_types(&[true; 33]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("ntypes = 33 is not allowed: it must be 0 to 32"),
        "{error}"
    );
    search.set_box(&[0.0], &[1.5], &[true]).unwrap();
    search.set_points(&PointsView::interleaved(1, &line).unwrap()).unwrap();
    refused(&mut search, Status::BadDomain, "length of axis x = 1.5");
}

/// Everything again in the narrower widths.
#[test]
fn widths() {
    Again::without(module_path!(), &[], "clouds").in_widths(&[("scalar", "4:1"), ("avx2", "4:2")]);
}

/// The suite once more on a GPU, in each of its configurations, as `devices` in tests/suite/pairs.rs does.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    let (small, all) = (["clouds"], ["clouds", "many_points"]);
    Again::only(module_path!(), &all, "clouds").on_devices(&[
        ("", "25:1"),
        ("no-subgroups", "40:11"),
        ("no-timestamps", "40:17"),
        ("guarded", "40:31"),
        ("batches", "40:31"),
    ]);
    // `many_points` does not fit in bindings so small.
    if is_whole() {
        Again::only(module_path!(), &small, "clouds").on_devices(&[("binding=1048576", "40:21")]);
    }
}
