//! Groups of friends of friends among many points, in every width, on several threads, open and periodic.

use crate::common::{Again, Part, Random};
use neargrid::{Backend, PointsView, Search, TieRule};

fn groups(labels: &[i32]) -> usize {
    (0..).zip(labels).filter(|&(i, &label)| i == label).count()
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

/// Everything again in the narrower widths.
#[test]
fn widths() {
    Again::only(module_path!(), &["many_points"], "many_points").in_widths(&[("scalar", "4:1"), ("avx2", "4:2")]);
}

/// The suite once more on a GPU, in each of its configurations, as `devices` in tests/suite/pairs.rs does.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    Again::only(module_path!(), &["many_points"], "many_points").on_devices(&[
        ("", "25:1"),
        ("no-subgroups", "40:11"),
        ("no-timestamps", "40:17"),
        ("guarded", "40:31"),
        ("batches", "40:31"),
    ]);
}
