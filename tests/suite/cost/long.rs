//! Cutoffs as long as the cloud, images of long cutoffs, many ghosts, clusters with strays, and the k nearest where many are as near.

use super::*;
use neargrid::{GhostRows, KnnKind, Measure};

/// Points that are all in reach of each other: few are tested twice.
#[test]
fn cutoffs_of_the_box() {
    for (n, cutoff, domain) in [
        (20_000, 1.0, Domain::default()),
        (20_000, 2.0, Domain::default()),
        (9000, 0.5, Domain::periodic(0.0, 1.0)),
    ] {
        let name = format!("{n} points with the cutoff {cutoff}");
        let world: World = Case::new(name, 3, Random(1).cloud(3, n), cutoff)
            .with_domain(domain)
            .into();
        let mut search = world.search::<f64>(Backend::Cpu, 2);
        let pairs = search.count_pairs().unwrap() as usize;
        let tests = search.counter(Counter::DistanceTests) as usize;
        assert!(
            tests <= n * n / 2 + MOST * n,
            "{}: {tests} for {pairs}",
            world.case.name
        );
    }
}

/// 64 atoms of a crystal, and images within 50 of them: some tests for each.
#[test]
fn images_of_long_cutoffs() {
    let (edge, mut coords) = (5.64, Vec::new());
    for k in 0..64 {
        coords.extend([k % 4, k / 4 % 4, k / 16].map(|at| f64::from(at) * edge / 2.0 + 0.01 * f64::from(k % 7)));
    }
    for (cutoff, most) in [(12.0, 10), (25.0, 6), (50.0, 4)] {
        let mut search = Search::new().unwrap();
        search.set_backend(Backend::Cpu);
        search.set_cutoff(cutoff).unwrap();
        let vectors = [0, 1, 2].map(|a| [0, 1, 2].map(|b| if a == b { 2.0 * edge } else { 0.0 }));
        search.set_cell(&vectors, [true; 3]).unwrap();
        search
            .set_points(&PointsView::interleaved(3, &coords).unwrap())
            .unwrap();
        let entries = search.count_images(NeighborsKind::Full).unwrap();
        let tests = search.counter(Counter::DistanceTests);
        assert!(
            tests > 0 && tests < most * entries,
            "cutoff {cutoff}: {tests} for {entries}"
        );
    }
}

/// A few points with rows among many that have none, or rows of few, all in reach of each other.
#[test]
fn many_ghosts() {
    for dim in 1..=3 {
        for (active, rows) in [1, 50]
            .into_iter()
            .flat_map(|active| [(active, GhostRows::None), (active, GhostRows::Active)])
        {
            let n = 20_000;
            let mut case = Case::new(
                format!("{active} of {n} in {dim}D, {rows:?}"),
                dim,
                Random(9).cloud(dim, n),
                1.0,
            );
            case.rules = Rules::new(&[], Vec::new(), Some(active));
            let world: World = case.into();
            let mut search = world.search::<f64>(Backend::Cpu, 1);
            search.set_ghost_rows(rows);
            let mut bound = Bound::new(MOST);
            let entries = search.count_neighbors(NeighborsKind::Full).unwrap() as usize;
            bound.check(&search, &world, "full rows", entries);
            let pairs = search.count_pairs().unwrap() as usize;
            bound.check(&search, &world, "pairs", pairs);
            bound.report();
        }
    }
}

/// One dense cluster, and strays around it, some near and some very far.
#[test]
fn a_cluster_with_strays() {
    let mut bound = Bound::new(MOST);
    for (width, far) in [(0.02, 1.0), (0.02, 1e7), (0.3, 1e3), (0.3, 1e30)] {
        for dim in 1..=3 {
            let (mut random, n) = (Random(17), 4000);
            let mut coords = cube(dim, n, 0.5, width, &mut random);
            coords.extend(
                (0..400 * dim).map(|k| far * (random.uniform() - 0.5) * 2f64.powi(-(k as i32 / dim as i32 % 20))),
            );
            let name = format!("a cluster {width} wide with strays up to {far:e} away in {dim}D");
            let world: World = Case::new(name, dim, coords, 0.05).into();
            let mut search = world.search::<f64>(Backend::Cpu, 1);
            let pairs = search.count_pairs().unwrap() as usize;
            bound.check(&search, &world, "pairs", pairs);
            let full = search.count_neighbors(NeighborsKind::Full).unwrap() as usize;
            bound.check(&search, &world, "full rows", full);
        }
    }
    bound.report();
}

/// All points at two sites, or beside them: each is as near as thousands of others.
#[test]
fn nearest_at_two_sites() {
    let mut bound = Bound::new(MOST);
    for (n, width) in [(2000, 0.0), (8000, 0.0), (8000, 1e-9)] {
        for k in [1, 8, 32] {
            let mut random = Random(23);
            let coords: Vec<f64> = (0..3 * n)
                .map(|at| (at / 3 % 2) as f64 + width * random.uniform())
                .collect();
            let world: World = Case::new(format!("{n} at two sites {width:e} wide, k = {k}"), 3, coords, 1.0).into();
            let mut search = world.search::<f64>(Backend::Cpu, 1);
            let found = search
                .knn::<f64>(KnnKind::Others, k, Measure::Square)
                .unwrap()
                .ids
                .len();
            bound.check(&search, &world, "the k nearest", 2 * n + found);
        }
    }
    bound.report();
}

/// Bins and chunks of a search with a large cutoff test each pair a few times, wherever chunks end and however points are ordered.
#[test]
fn bins_and_chunks_of_large_cutoffs() {
    let n = 6000;
    for (share, is_ordered) in [(0.5, false), (0.5, true), (0.2, true)] {
        let mut world: World = Case::new(format!("a cutoff of {share} of a box"), 3, Random(6).cloud(3, n), share)
            .with_domain(Domain::periodic(0.0, 1.0))
            .into();
        let mut search = world.search::<f64>(Backend::Cpu, 1);
        if is_ordered {
            let mut order = vec![0; n];
            search.order(&mut order).unwrap();
            let point = |&i: &i32| world.case.coords[3 * i as usize..][..3].to_vec();
            world.case.coords = order.iter().flat_map(point).collect();
            world.case.set::<f64>(&mut search);
        }
        for kind in [NeighborsKind::Half, NeighborsKind::Full] {
            let (entries, mut counts) = (search.count_neighbors(kind).unwrap(), [0; 4]);
            let edges = [0.0, 0.1, 0.2, 0.5, 1.0].map(|part| part * share);
            search.histogram(kind, &edges, &mut counts).unwrap();
            let tests = search.counter(Counter::DistanceTests);
            assert!(tests < 5 * entries, "{share}: {kind:?}: {tests} for {entries} in bins");
            for most in [6000, 1 << 20] {
                let mut chunks = search.chunks(kind, most).unwrap();
                while chunks.next().unwrap().is_some() {}
                let tests = search.counter(Counter::DistanceTests);
                assert!(
                    tests < 20 * entries,
                    "{share}: {kind:?}: {tests} for {entries} in chunks of {most}"
                );
            }
        }
    }
}
