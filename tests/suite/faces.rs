//! Points on the faces of periodic boxes, on many threads. A block at a face has images of points on the opposite face in its
//! last unit. Each row is found once all the same, so that no two threads store it: ThreadSanitizer sees this
//! (`scripts/test-sanitizers`).

use crate::common::{Case, Domain, Part};
use neargrid::{Formula, NeighborsKind, PointsView, Search, oracle};

const THREADS: i64 = 8;

/// A lattice that begins on the lower faces of a box.
fn lattice(dim: usize, side: usize, length: f64) -> Vec<f64> {
    let coord = |k: usize| (k / dim / side.pow((k % dim) as u32) % side) as f64 * length / side as f64;
    (0..dim * side.pow(dim as u32)).map(coord).collect()
}

/// Clumps on two opposite faces, and nothing between.
fn clumps(length: f64) -> Vec<f64> {
    let mut random = crate::common::Random(7);
    let mut point = |k: usize| {
        let x = [0.0, length.next_down()][k % 2];
        [x, 0.3 + 0.3 * random.uniform(), 0.3 + 0.3 * random.uniform()]
    };
    (0..1500).flat_map(&mut point).collect()
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (dim, side, cutoff) in [(1, 3000, 0.002), (2, 50, 0.05), (3, 13, 0.12)] {
        for length in [1.0, 0.7, 1e6 / 3.0] {
            let (coords, domain) = (lattice(dim, side, length), Domain::periodic(0.0, length));
            let name = format!("a lattice from the faces in {dim}D, length {length}");
            cases.push(Case::new(name, dim, coords, cutoff * length).with_domain(domain));
        }
    }
    for length in [1e4, 77777.7] {
        let domain = Domain::periodic(0.0, length);
        cases.push(Case::new(format!("two faces, length {length}"), 3, clumps(length), 0.05).with_domain(domain));
    }
    cases
}

/// Lists, rows in chunks, sums and Verlet lists.
fn check(case: &Case) {
    let (n, truth, name) = (case.coords.len() / case.dim, case.truth::<f64>(), &case.name);
    let view = PointsView::interleaved(case.dim, &case.coords).unwrap();
    let mut search = Search::new().unwrap();
    search.set_threads(THREADS).unwrap();
    search.set_cutoff(case.cutoff).unwrap();
    case.domain.set(&mut search, case.dim);
    search.set_points(&view).unwrap();
    let pairs = search.pairs().unwrap();
    let found = pairs.left.iter().copied().zip(pairs.right.iter().copied());
    assert!(found.eq(truth.iter().copied()), "{name}: pairs");
    for (kind, full) in [(NeighborsKind::Half, false), (NeighborsKind::Full, true)] {
        let (offsets, ids) = oracle::neighbors(n, &truth, full);
        let rows = search.neighbors(kind).unwrap();
        assert!(rows.offsets == offsets && rows.ids == ids, "{name}: {kind:?}");
        let mut chunks = search.chunks(kind, ids.len() as i64 / 3).unwrap();
        let mut all = Vec::new();
        while let Some(chunk) = chunks.next().unwrap() {
            all.extend_from_slice(chunk.ids);
        }
        assert!(all == ids, "{name}: {kind:?} in chunks");
        let mut formula = Formula::new("n += 1").unwrap();
        search.run(&mut formula, kind, 1).unwrap();
        let lengths = offsets.windows(2).map(|ends| (ends[1] - ends[0]) as f32);
        assert!(
            search.field::<f32>("n").unwrap().iter().copied().eq(lengths),
            "{name}: {kind:?} sum"
        );
        search.set_skin(0.01 * case.cutoff).unwrap();
        let rows = search.neighbors(kind).unwrap();
        assert!(
            rows.offsets == offsets && rows.ids == ids,
            "{name}: {kind:?} with a skin"
        );
        search.set_skin(0.0).unwrap();
    }
}

#[test]
fn lattices_and_clumps() {
    Part::of_environment().of(cases()).iter().for_each(check);
}
