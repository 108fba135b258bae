//! A radius per point, with every rule: many points, and those that reach far or nowhere.

use crate::common::{Again, Part, Random, rows_found};
use neargrid::{NeighborsKind, PointsView, RadiusRule, Search, TieRule, oracle};

pub const ALL: [RadiusRule; 5] = [
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

/// The pairs of full rows, each once.
fn pairs_of((offsets, ids): &Csr) -> Vec<(i32, i32)> {
    let left = offsets.windows(2).zip(0..);
    let left = left.flat_map(|(row, i)| vec![i; (row[1] - row[0]) as usize]);
    left.zip(ids.iter().copied()).filter(|(i, j)| i < j).collect()
}

/// Many blocks, each smaller than the distance at which squares vanish: radii of 0 find all that is as near.
#[test]
fn zeros() {
    let n = 6000 / Part::of_environment().every.min(6);
    let line: Vec<f32> = (0..n).map(|k| 1e-24 * k as f32).collect();
    let view = PointsView::interleaved(1, &line).unwrap();
    let mut search = Search::new().unwrap();
    search.set_points(&view).unwrap();
    let radii = vec![0.0f32; n];
    search.set_radii(&radii, RadiusRule::Max).unwrap();
    let rules = (RadiusRule::Max, TieRule::Inclusive);
    let truth = oracle::neighbors_by_radii(&view, &[None; 3], &radii, rules, |_, _| true);
    assert!(truth.1.len() > 20 * n && rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 0) == truth);
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
            let found = rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 0);
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
                    rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 0) == found,
                    "{rule:?}, {threads} threads"
                );
            }
            if is_symmetric(rule) {
                let half = rows_found(search.neighbors(NeighborsKind::Half).unwrap(), 0);
                assert!(half == oracle::neighbors(n, &pairs_of(&found), false), "{rule:?}: half");
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
            rows_found(search.neighbors(kind).unwrap(), 0)
        });
        assert!(on_cpu == on_gpu, "{rule:?}");
    }
}

/// Once more in the narrower instruction sets.
#[test]
fn widths() {
    Again::without(module_path!(), &["refusals", "far_reaching_points"], "many_points")
        .in_widths(&[("scalar", "16:1"), ("avx2", "16:2")]);
}

/// Once more on a device, in several configurations.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    Again::without(module_path!(), &["far_reaching_points"], "many_points").on_devices(&[
        ("", "600:1"),
        ("no-subgroups", "600:11"),
        ("binding=1048576", "600:21"),
        ("guarded", "600:31"),
        ("batches", "600:31"),
        ("", "600:1,exclusive"),
    ]);
}
