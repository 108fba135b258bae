//! Cutoffs by pairs of types: many points against the plain loop with the table written out, and the tests that a search takes.

mod uneven;

use crate::common::{Case, Domain, Random, check_chunks, check_pairs};
use neargrid::{Backend, Counter, NeighborsKind, PointsView, Precision, Search, TieRule, oracle};

/// Types from 0, the mask, the table of cutoffs, and the number of active points.
#[derive(Clone, Debug)]
struct Table {
    types: Vec<i32>,
    mask: Vec<bool>,
    cutoffs: Vec<f64>,
    active: Option<usize>,
}

impl Table {
    /// The table of a symmetric function of two types.
    fn new(types: Vec<i32>, ntypes: usize, mut cutoff: impl FnMut(usize, usize) -> f64) -> Table {
        let mut cutoffs = vec![0.0; ntypes * ntypes];
        for (a, b) in (0..ntypes).flat_map(|a| (0..=a).map(move |b| (a, b))) {
            let cutoff = cutoff(a, b);
            (cutoffs[a * ntypes + b], cutoffs[b * ntypes + a]) = (cutoff, cutoff);
        }
        Table {
            types,
            mask: vec![true; ntypes * ntypes],
            cutoffs,
            active: None,
        }
    }

    fn set(&self, search: &mut Search, base: i64) {
        search.set_index_base(base).unwrap();
        let types: Vec<i32> = self.types.iter().map(|t| t + base as i32).collect();
        search.set_types(&types, &self.mask).unwrap();
        search.set_type_cutoffs(&self.cutoffs).unwrap();
        search.set_active(self.active.map(|active| active as i64)).unwrap();
    }

    /// The cutoff of two points; 0 where they are never neighbors.
    fn cutoff(&self, i: usize, j: usize) -> f64 {
        let at = self.types[i] as usize * self.mask.len().isqrt() + self.types[j] as usize;
        let active = self.active.unwrap_or(usize::MAX);
        let may_be = self.mask[at] && (i < active || j < active);
        if may_be { self.cutoffs[at] } else { 0.0 }
    }

    /// Pairs by the plain loop.
    fn truth<T: Precision>(&self, case: &Case) -> Vec<(i32, i32)> {
        let coords = case.coords_as::<T>();
        let view = PointsView::interleaved(case.dim, &coords).unwrap();
        let (periods, n) = (case.domain.periods::<T>(), view.len());
        let mut found = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                let cutoff = T::from_f64(self.cutoff(i, j));
                let (square, d2) = (cutoff.mul(cutoff), oracle::distance2_in(&view, &periods, i, j));
                let is_near = match case.rule {
                    TieRule::Inclusive => d2 <= square,
                    TieRule::Exclusive => d2 < square,
                };
                if is_near && cutoff > T::default() {
                    found.push((i as i32, j as i32));
                }
            }
        }
        found
    }
}

/// Rows in every way, of a case that is set.
fn check_rows(search: &mut Search, n: usize, truth: &[(i32, i32)], base: i64, name: &str) {
    check_pairs(search, name, n, truth, base);
    check_chunks(search, name, NeighborsKind::Half, base);
}

/// Enough points for blocks that are searched again, and for several threads; and a crowd that no frame has room for.
#[test]
fn many_points() {
    let mut random = Random(12);
    let n = 6000;
    let mut coords = random.cloud(3, n);
    coords[..3 * 1500].iter_mut().for_each(|x| *x = 0.4 + 0.03 * *x);
    let case = Case::new("many points", 3, coords, 0.09).with_domain(Domain::periodic(0.0, 1.0));
    let types = (0..n).map(|_| random.below(4) as i32).collect();
    let table = Table::new(types, 4, |a, b| [0.09, 0.08, 0.06, 0.03, 0.0, 0.07, 0.01][a + b]);
    let truth = table.truth::<f64>(&case);
    for (threads, limit) in [(1, 0), (3, 0), (2, 40_000_000)] {
        let mut search = Search::new().unwrap();
        search.set_threads(threads).unwrap();
        search.set_memory_limit(limit).unwrap();
        case.set::<f64>(&mut search);
        table.set(&mut search, 1);
        check_rows(&mut search, n, &truth, 1, &format!("{threads} threads"));
    }
}

/// A table takes no more tests than its largest cutoff.
#[test]
fn cost() {
    let (n, mut random) = (20_000, Random(3));
    let case = Case::new("cost", 3, random.cloud(3, n), 0.05);
    let types: Vec<i32> = (0..n).map(|_| random.below(4) as i32).collect();
    let table = Table::new(types, 4, |a, b| 0.05 * [1.0, 0.9, 0.8, 0.6][(a + b) % 4]);
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    search.set_threads(1).unwrap(); // how many tests several threads need depends on who takes what
    search.set_cutoff(0.05).unwrap();
    case.set::<f64>(&mut search);
    for kind in [NeighborsKind::Half, NeighborsKind::Full] {
        search.neighbors(kind).unwrap();
        let one = search.counter(Counter::DistanceTests);
        table.set(&mut search, 0);
        search.neighbors(kind).unwrap();
        let many = search.counter(Counter::DistanceTests);
        assert!(many <= one, "{many} tests, with one cutoff {one}");
        search.set_type_cutoffs(&[]).unwrap();
    }
}

/// Cutoffs of types that no two points have, or that do not interact, do not make a search reach farther.
#[test]
fn cost_of_types_that_no_points_have() {
    let (n, mut random) = (6000, Random(9));
    let case = Case::new("cost", 3, random.cloud(3, n), 0.04);
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    search.set_threads(1).unwrap();
    search.set_cutoff(0.04).unwrap();
    case.set::<f64>(&mut search);
    let plain = search.count_pairs().unwrap();
    let most = search.counter(Counter::DistanceTests) * 11 / 10;
    let types = |of: &dyn Fn(usize) -> i32| (0..n).map(of).collect::<Vec<_>>();
    let none = Table::new(types(&|_| 0), 3, |a, b| if a + b == 0 { 0.04 } else { 1.0 });
    let one = Table::new(types(&|i| i32::from(i == 77)), 2, |a, b| [0.04, 0.04, 1.0][a + b]);
    let mut masked = Table::new(types(&|i| (i % 2) as i32), 2, |a, b| [0.04, 1.0, 0.04][a + b]);
    (masked.mask[1], masked.mask[2]) = (false, false);
    // Ghosts are no neighbors of each other.
    let mut of_ghosts = Table::new(types(&|i| i32::from(i >= 3000)), 2, |a, b| [0.04, 0.04, 1.0][a + b]);
    of_ghosts.active = Some(3000);
    for (k, table) in [none, one, masked, of_ghosts].iter().enumerate() {
        table.set(&mut search, 0);
        let (found, tests) = (search.count_pairs().unwrap(), search.counter(Counter::DistanceTests));
        assert_eq!(found, table.truth::<f64>(&case).len() as i64, "table {k}");
        assert!(found <= plain && tests <= most, "table {k}: {tests} tests, not {most}");
    }
    // Ghosts that list ghosts make the search reach as far as their cutoff.
    search.set_ghost_rows(neargrid::GhostRows::All);
    let full = search.count_neighbors(NeighborsKind::Full).unwrap();
    assert!(full > 3000 * 2999 / 2, "{full}");
}
