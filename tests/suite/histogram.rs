//! Bins of distance against the plain loop: the squared distance that decides about pairs, and every edge compared with it.

use crate::common::{Again, Case, Domain, Part, Random, ruled_cases};
use neargrid::{Backend, Counter, NeighborsKind, PointsView, Precision, Search, TieRule, oracle};

const KINDS: [NeighborsKind; 3] = [NeighborsKind::Half, NeighborsKind::Full, NeighborsKind::Queries];

/// A search in a case whose points are its queries too.
fn search<T: Precision>(case: &Case, threads: i64) -> Search {
    let mut search = Search::new().unwrap();
    search.set_threads(threads).unwrap();
    case.set::<T>(&mut search);
    let coords = case.coords_as::<T>();
    let view = PointsView::interleaved(case.dim, &coords).unwrap();
    search.set_queries(&view).unwrap();
    search
}

/// The distances squared of all entries of rows of a kind, by the arithmetic of the plain loop, ascending.
fn squares<T: Precision>(search: &mut Search, case: &Case, kind: NeighborsKind) -> Vec<T> {
    let coords = case.coords_as::<T>();
    let (view, periods) = (
        PointsView::interleaved(case.dim, &coords).unwrap(),
        case.domain.periods::<T>(),
    );
    let rows = match kind {
        NeighborsKind::Queries => search.queries().unwrap(),
        kind => search.neighbors(kind).unwrap(),
    };
    let entries = |i: usize| &rows.ids[rows.offsets[i] as usize..rows.offsets[i + 1] as usize];
    let mut squares: Vec<T> = (0..rows.offsets.len() - 1)
        .flat_map(|i| entries(i).iter().map(move |&j| (i, j as usize)))
        .map(|(i, j)| oracle::distance2_in(&view, &periods, i, j))
        .collect();
    squares.sort_by(|a, b| a.partial_cmp(b).unwrap());
    squares
}

/// Compares bins between `edges` with the plain count of `squares`, which ascend.
fn compare<T: Precision>(search: &mut Search, squares: &[T], kind: NeighborsKind, edges: &[f64], name: &str) {
    let rounded: Vec<T> = edges.iter().map(|&edge| T::from_f64(edge)).collect();
    let rounded: Vec<T> = rounded.iter().map(|edge| edge.mul(*edge)).collect();
    let below = |edge: &T| squares.partition_point(|d2| d2 < edge) as i64;
    let want: Vec<i64> = rounded
        .windows(2)
        .map(|ends| below(&ends[1]) - below(&ends[0]))
        .collect();
    let mut counts = vec![-7; want.len()];
    search.histogram(kind, edges, &mut counts).unwrap();
    assert!(counts == want, "{name}, {} {kind:?}: {counts:?}, not {want:?}", T::NAME);
}

/// Edges of all sorts up to a cutoff: one bin, even ones, very many, ever longer ones, and at the distances of pairs.
fn edges<T: Precision>(cutoff: f64, squares: &[T]) -> Vec<Vec<f64>> {
    let even = |n: usize| (0..=n).map(|k| cutoff * (k as f64 / n as f64)).collect::<Vec<_>>();
    let mut at_pairs: Vec<f64> = (squares.iter().step_by(squares.len() / 40 + 1))
        .map(|d2| d2.sqrt().to_f64())
        .flat_map(|edge| [edge, 1.2 * edge])
        .filter(|&edge| edge <= cutoff)
        .collect();
    at_pairs.push(cutoff);
    at_pairs.sort_by(f64::total_cmp);
    at_pairs.dedup();
    let longer = (0..60).map(|k| cutoff * 2f64.powi(k - 59)).collect();
    let crowded = (0..=50).map(|k| cutoff * (0.5 + 1e-9 * f64::from(k)));
    vec![
        vec![0.5 * cutoff],
        vec![0.0, cutoff],
        vec![0.9 * cutoff, cutoff],
        even(100),
        even(6000),
        longer,
        crowded.chain([cutoff]).collect(),
        at_pairs,
    ]
}

fn check<T: Precision>(case: &Case, threads: i64) {
    if !case.fits::<T>() {
        return;
    }
    let mut search = search::<T>(case, threads);
    for kind in KINDS {
        let squares = squares::<T>(&mut search, case, kind);
        for edges in edges(case.cutoff, &squares) {
            compare(&mut search, &squares, kind, &edges, &case.name);
        }
    }
}

/// A periodic cube of `width`, with a cutoff up to half of it.
fn half_box(dim: usize, n: usize, width: f64, share: f64) -> Case {
    let coords = Random(n as u64).cloud(dim, n).into_iter().map(|c| width * c).collect();
    let name = format!("{n} points in {dim}D, cutoff {share} of a box of {width:e}");
    Case::new(name, dim, coords, share * width).with_domain(Domain::periodic(0.0, width))
}

/// Lattices, whose distances are edges, crowds, of whose blocks some are searched in a frame, points in one place, and others.
fn worlds() -> Vec<Case> {
    let (mut worlds, mut random) = (Vec::new(), Random(4));
    for dim in 1..=3 {
        worlds.extend([1.0, 1e-12, 1e14, 1e-60, 1e80].map(|width| half_box(dim, 300, width, 0.5)));
        worlds.push(half_box(dim, 900, 1.0, 0.1).with_domain(Domain::default()));
        let side = [400_usize, 20, 7][dim - 1];
        let lattice =
            (0..side.pow(dim as u32)).flat_map(|k| (0..dim).map(move |axis| (k / side.pow(axis as u32) % side) as f64));
        let lattice = Case::new(format!("a lattice in {dim}D"), dim, lattice.collect(), 3.0);
        worlds.push(lattice.clone().with_domain(Domain::periodic(0.0, side as f64)));
        worlds.push(lattice.with_rule(TieRule::Exclusive));
        worlds.push(Case::new("points in one place", dim, vec![0.25; 300 * dim], 0.5));
        let mut crowd = random.cloud(dim, 2500);
        crowd[..1500 * dim].iter_mut().for_each(|c| *c = 0.3 + 0.02 * *c);
        crowd[..3 * dim].iter_mut().for_each(|c| *c *= 1e4);
        worlds.extend([0.005, 0.05].map(|cutoff| Case::new(format!("a crowd in {dim}D"), dim, crowd.clone(), cutoff)));
    }
    worlds
}

#[test]
fn clouds() {
    let worlds = worlds();
    let ruled = ruled_cases(&worlds, 2);
    let cases = Part::of_environment().of(worlds.into_iter().chain(ruled).collect());
    for (k, case) in cases.iter().enumerate() {
        check::<f32>(case, 1 + k as i64 % 3);
        check::<f64>(case, 1 + (k + 1) as i64 % 3);
    }
}

/// A search with a large cutoff tests each pair once or twice, and a result in chunks few times, wherever chunks end.
#[test]
fn tests_of_large_cutoffs() {
    let n = 6000;
    for (share, order) in [(0.5, false), (0.5, true), (0.2, true)] {
        let mut case = half_box(3, n, 1.0, share);
        let mut search = search::<f64>(&case, 1);
        search.set_backend(Backend::Cpu);
        if order {
            let mut order = vec![0; n];
            search.order(&mut order).unwrap();
            case.coords = (order.iter())
                .flat_map(|&i| case.coords[3 * i as usize..3 * i as usize + 3].to_vec())
                .collect();
            search
                .set_points(&PointsView::interleaved(3, &case.coords).unwrap())
                .unwrap();
        }
        for kind in [NeighborsKind::Half, NeighborsKind::Full] {
            let entries = search.count_neighbors(kind).unwrap();
            let mut counts = [0; 4];
            search
                .histogram(kind, &[0.0, 0.1 * share, 0.2 * share, 0.5 * share, share], &mut counts)
                .unwrap();
            let tests = search.counter(Counter::DistanceTests);
            assert!(
                tests < 5 * entries,
                "{share}: {kind:?}: {tests} tests of {entries} entries in bins"
            );
            for most in [6000, 1 << 20] {
                let mut chunks = search.chunks(kind, most).unwrap();
                while chunks.next().unwrap().is_some() {}
                let tests = search.counter(Counter::DistanceTests);
                assert!(
                    tests < 20 * entries,
                    "{share}: {kind:?}: {tests} tests of {entries} entries in chunks of {most}"
                );
            }
        }
    }
}

/// Everything again in the narrower widths.
#[test]
fn widths() {
    let again = Again::only(module_path!(), &["clouds"], "clouds");
    again.in_widths(&[("scalar", "3:1"), ("avx2", "3:2")]);
}
