//! Cutoffs by pairs of types, bit for bit against the plain loop with the table written out.

mod uneven;

use crate::common::{Case, Domain, Part, Random, cases, is_whole, lattice, periodic_cases};
use neargrid::{
    Backend, Counter, Formula, NeighborsKind, PointsView, Precision, RadiusRule, Search, Status, SumPrecision, TieRule,
    oracle,
};

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

    /// Tables of all sorts for `n` points, of which `largest` is the largest cutoff.
    fn some(n: usize, largest: f64, random: &mut Random) -> Vec<Table> {
        let mut types = |ntypes: usize| (0..n).map(|_| random.below(ntypes) as i32).collect::<Vec<_>>();
        let [one, two, three, five] = [1, 2, 3, 5].map(&mut types);
        let parts = |a: usize, b: usize| [1.0, 0.9, 0.8, 0.6, 0.0][(a * 3 + b) % 5];
        let few = (0..n).map(|i| i32::from(i % 37 == 0)).collect();
        let mut masked = Table::new(three.clone(), 3, |a, b| largest / (1 + a * b) as f64);
        (masked.mask[1], masked.mask[3]) = (false, false);
        let mut with_ghosts = Table::new(five, 5, |a, b| largest * parts(a, b));
        with_ghosts.active = Some(n - n / 3);
        vec![
            Table::new(one, 1, |_, _| largest),
            Table::new(two.clone(), 2, |a, b| largest * [0.7, 1.0, 0.0][a + b]),
            masked,
            with_ghosts,
            Table::new(few, 2, |a, b| largest * [0.05, 0.3, 1.0][a + b]),
            Table::new(two, 2, |a, b| largest * [0.0, 1.0, 0.0][a + b]),
            Table::new(three, 3, |a, b| largest * [0.99999, 1.0, 0.5, 1e-9, 0.25][a + b]),
        ]
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

fn set<T: Precision>(search: &mut Search, case: &Case) {
    search.set_tie_rule(case.rule);
    case.domain.set(search, case.dim);
    let coords = case.coords_as::<T>();
    search
        .set_points(&PointsView::interleaved(case.dim, &coords).unwrap())
        .unwrap();
}

/// Rows in every way.
fn check_rows(search: &mut Search, n: usize, truth: &[(i32, i32)], base: i64, name: &str) {
    let from = base as i32;
    assert_eq!(search.count_pairs().unwrap(), truth.len() as i64, "{name}: count");
    let pairs = search.pairs().unwrap();
    let found = pairs.left.iter().zip(pairs.right).map(|(i, j)| (i - from, j - from));
    assert!(found.eq(truth.iter().copied()), "{name}: pairs");
    for (kind, full) in [(NeighborsKind::Full, true), (NeighborsKind::Half, false)] {
        let (offsets, ids) = oracle::neighbors(n, truth, full);
        let rows = search.neighbors(kind).unwrap();
        let found = rows.offsets.iter().map(|offset| offset - base);
        assert!(found.eq(offsets), "{name}: offsets of {kind:?}");
        assert!(rows.ids.iter().map(|id| id - from).eq(ids), "{name}: ids of {kind:?}");
    }
    let (mut chunks, mut found) = (
        search.chunks(NeighborsKind::Half, 300.max(n as i64)).unwrap(),
        Vec::new(),
    );
    while let Some(pairs) = chunks.next_pairs().unwrap() {
        found.extend(pairs.left.iter().zip(pairs.right).map(|(i, j)| (i - from, j - from)));
    }
    assert!(found == truth, "{name}: chunks");
}

/// The sum of the cutoffs of each row, and the number of its entries.
fn check_sums<T: Precision>(search: &mut Search, table: &Table, truth: &[(i32, i32)], name: &str) {
    let n = table.types.len();
    for (kind, full) in [(NeighborsKind::Half, false), (NeighborsKind::Full, true)] {
        let mut formula = Formula::new("s += c; m += 1.0").unwrap();
        formula.set_precision(SumPrecision::Double);
        search.run(&mut formula, kind, 1).unwrap();
        let (offsets, ids) = oracle::neighbors(n, truth, full);
        let [found, counts] = ["s", "m"].map(|name| search.field::<f64>(name).unwrap().to_vec());
        for i in 0..n {
            let row = &ids[offsets[i] as usize..offsets[i + 1] as usize];
            let cutoffs = row.iter().map(|&j| T::from_f64(table.cutoff(i, j as usize)).to_f64());
            assert_eq!(counts[i], row.len() as f64, "{name}: entries of {i}");
            assert_eq!(
                found[i],
                cutoffs.fold(0.0, |sum, c| sum + c),
                "{name}: cutoffs of {i}, {kind:?}"
            );
        }
    }
}

/// A text that moves nothing and reads the cutoffs of pairs, in real32: the same bits as the plain loop over the rows.
fn check_text<T: Precision>(search: &mut Search, table: &Table, truth: &[(i32, i32)], name: &str) {
    let n = table.types.len();
    let mut formula = Formula::new("s += 0.5*c; u_i = s_i + 1.0; t += c*u_j").unwrap();
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    let (offsets, ids) = oracle::neighbors(n, truth, true);
    let cutoff = |i: usize, j: i32| T::from_f64(table.cutoff(i, j as usize)).to_f64() as f32;
    let rows = |i: usize| ids[offsets[i] as usize..offsets[i + 1] as usize].iter();
    let s: Vec<f32> = (0..n)
        .map(|i| rows(i).fold(0.0, |sum, &j| sum + 0.5 * cutoff(i, j)))
        .collect();
    let t: Vec<f32> = (0..n)
        .map(|i| rows(i).fold(0.0, |sum, &j| sum + cutoff(i, j) * (s[j as usize] + 1.0)))
        .collect();
    assert!(search.field::<f32>("s").unwrap() == s, "{name}: s of a text");
    assert!(search.field::<f32>("t").unwrap() == t, "{name}: t of a text");
}

fn check<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
    let n = case.coords.len() / case.dim;
    if !case.fits::<T>() || n == 0 {
        return;
    }
    set::<T>(search, case);
    for (k, table) in Table::some(n, case.cutoff, random).iter().enumerate() {
        let smallest = T::from_f64(case.cutoff * 1e-9).to_f64();
        if smallest * smallest < T::CUTOFF2_MIN && table.cutoffs.iter().any(|&c| c > 0.0 && c < 1e-3 * case.cutoff) {
            continue;
        }
        let base = k as i64 % 2;
        let name = format!("{} {} with {:?}, {:?}", case.name, T::NAME, table.cutoffs, table.active);
        table.set(search, base);
        let truth = table.truth::<T>(case);
        check_rows(search, n, &truth, base, &name);
        match k % 2 {
            0 => check_sums::<T>(search, table, &truth, &name),
            _ => check_text::<T>(search, table, &truth, &name),
        }
    }
}

/// Some clouds of all sorts: what is tested are tables, not clouds.
fn some_cases() -> Vec<Case> {
    let all = cases().into_iter().chain(periodic_cases());
    let every = if is_whole() { 4 } else { 12 };
    Part::of_environment().of(all.skip(3).step_by(every).collect())
}

#[test]
fn all_sorts() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(7));
    for case in some_cases() {
        check::<f32>(&mut search, &case, &mut random);
        check::<f64>(&mut search, &case, &mut random);
    }
}

/// A GPU finds the same rows.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn all_sorts_on_a_gpu() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(8));
    search.set_backend(Backend::Gpu);
    for case in some_cases().iter().step_by(4) {
        check::<f32>(&mut search, case, &mut random);
        check::<f64>(&mut search, case, &mut random);
    }
}

/// Lattices, whose points are exactly one, two and three spacings apart: each of these is the cutoff of some types.
fn ties() -> Vec<(Case, Table)> {
    let mut random = Random(5);
    let mut all = Vec::new();
    for (dim, side) in [(1, 300), (2, 26), (3, 11)] {
        let spacing = 1.0 / side as f64;
        let coords = lattice(dim, side, spacing, &mut random);
        let n = coords.len() / dim;
        for domain in [Domain::default(), Domain::periodic(0.0, 1.0)] {
            for rule in [TieRule::Inclusive, TieRule::Exclusive] {
                let case = Case::new(format!("a lattice in {dim}D"), dim, coords.clone(), 3.0 * spacing);
                let types = (0..n).map(|_| random.below(3) as i32).collect();
                let table = Table::new(types, 3, |a, b| spacing * [3.0, 2.0, 1.0, 2.0, 3.0][a + b]);
                all.push((case.with_rule(rule).with_domain(domain), table));
            }
        }
    }
    all
}

fn check_ties<T: Precision>(search: &mut Search) {
    for (case, table) in ties() {
        set::<T>(search, &case);
        table.set(search, 0);
        let truth = table.truth::<T>(&case);
        let name = format!("{} {}, {:?}, {:?}", case.name, T::NAME, case.rule, case.domain);
        check_rows(search, table.types.len(), &truth, 0, &name);
    }
}

#[test]
fn at_each_cutoff_exactly() {
    let mut search = Search::new().unwrap();
    check_ties::<f32>(&mut search);
    check_ties::<f64>(&mut search);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn at_each_cutoff_exactly_on_a_gpu() {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Gpu);
    check_ties::<f32>(&mut search);
    check_ties::<f64>(&mut search);
}

/// Enough points for blocks that are searched again, and for several threads; a crowd that no frame has room for; and global ids.
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
        set::<f64>(&mut search, &case);
        table.set(&mut search, 1);
        check_rows(&mut search, n, &truth, 1, &format!("{threads} threads"));
        check_sums::<f64>(&mut search, &table, &truth, &format!("{threads} threads"));
    }
    let mut search = Search::new().unwrap();
    set::<f64>(&mut search, &case);
    table.set(&mut search, 0);
    let ids: Vec<i64> = (0..n as i64).map(|i| 7 * (n as i64 - i)).collect();
    search.set_ids(&ids).unwrap();
    let pairs = search.pairs().unwrap();
    let mut found: Vec<_> = pairs.left.iter().zip(pairs.right).map(|(&i, &j)| (j, i)).collect();
    found.sort_unstable();
    assert!(found == truth, "global ids that descend");
}

/// A list with a skin is filtered by the cutoff of each pair, and a Verlet list holds what is within it and the skin.
fn walk<T: Precision>(domain: Domain, rule: TieRule) {
    let (n, mut random) = (700, Random(31));
    let mut case = Case::new("a walk", 3, random.cloud(3, n), 0.2)
        .with_domain(domain)
        .with_rule(rule);
    let types = (0..n).map(|_| random.below(3) as i32).collect();
    let table = Table::new(types, 3, |a, b| [0.2, 0.15, 0.1, 0.0, 0.18][a + b]);
    let mut search = Search::new().unwrap();
    search.set_skin(0.05).unwrap();
    set::<T>(&mut search, &case);
    table.set(&mut search, 0);
    for step in 0..12 {
        let coords = case.coords_as::<T>();
        search.update(&PointsView::interleaved(3, &coords).unwrap()).unwrap();
        let truth = table.truth::<T>(&case);
        check_rows(&mut search, n, &truth, 0, &format!("step {step}"));
        let with_skin = Table {
            cutoffs: table
                .cutoffs
                .iter()
                .map(|&c| if c > 0.0 { c + 0.05 } else { 0.0 })
                .collect(),
            ..table.clone()
        };
        if step == 0 {
            let wider = with_skin.truth::<T>(&case);
            let list = search.verlet_list(NeighborsKind::Full).unwrap();
            let (offsets, ids) = oracle::neighbors(n, &wider, true);
            assert!(
                list.neighbors.offsets == offsets && list.neighbors.ids == ids,
                "a Verlet list"
            );
        }
        case.coords
            .iter_mut()
            .for_each(|c| *c += 0.004 * (random.uniform() - 0.5));
    }
    assert!(search.counter(Counter::SkinLists) < 6);
}

#[test]
fn walks() {
    walk::<f64>(Domain::default(), TieRule::Inclusive);
    walk::<f32>(Domain::periodic(0.0, 1.0), TieRule::Exclusive);
}

/// A result follows every change of the table.
#[test]
fn changes() {
    let case = Case::new("changes", 1, vec![0.0, 1.0, 1.5, 2.5, 4.0], 1.0);
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    set::<f64>(&mut search, &case);
    assert_eq!(search.pairs().unwrap().right, [1, 2, 3]);
    search.set_types(&[0, 0, 1, 1, 1], &[true; 4]).unwrap();
    search.set_type_cutoffs(&[1.0, 0.25, 0.25, 1.5]).unwrap();
    assert_eq!(search.pairs().unwrap().right, [1, 3, 4]);
    search.set_type_cutoffs(&[0.5, 0.5, 0.5, 0.0]).unwrap();
    assert_eq!(search.pairs().unwrap().right, [2]);
    search.set_types(&[0, 1, 1, 1, 1], &[true; 4]).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 0);
    search.set_type_cutoffs(&[]).unwrap();
    assert_eq!(search.pairs().unwrap().right, [1, 2, 3]);
    // The handle does not need to hold points.
    search.set_type_cutoffs(&[1.0, 0.25, 0.25, 1.5]).unwrap();
    let coords = [0.0, 1.0, 1.25, 2.5, 4.0];
    let view = PointsView::interleaved(1, &coords).unwrap();
    assert_eq!(search.count_pairs_of(&view).unwrap(), 4);
    assert_eq!(search.pairs().unwrap().right, [2, 3, 3, 4]);
}

/// Queries, groups and k nearest neighbors have the cutoff of all, or none.
#[test]
fn without_types() {
    let case = Case::new("others", 1, vec![0.0, 1.0, 1.5, 2.5], 1.0);
    let mut search = Search::new().unwrap();
    set::<f64>(&mut search, &case);
    search.set_types(&[0, 1, 0, 1], &[true; 4]).unwrap();
    search.set_type_cutoffs(&[1.0, 0.0, 0.0, 3.0]).unwrap();
    search
        .set_queries(&PointsView::interleaved(1, &[0.5]).unwrap())
        .unwrap();
    assert_eq!(search.queries().unwrap_err().status(), Status::BadState);
    assert_eq!(search.fof().unwrap_err().status(), Status::BadState);
    search.set_cutoff(0.5).unwrap();
    assert_eq!(search.queries().unwrap().ids, [0, 1]);
    assert_eq!(search.fof().unwrap().labels, [0, 1, 1, 3]);
    assert_eq!(search.pairs().unwrap().right, [3]);
}

/// The message of a refusal, and its status.
fn refusal<R>(found: neargrid::Result<R>) -> (Status, String) {
    found.err().map(|error| (error.status(), error.to_string())).unwrap()
}

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    for (cutoffs, status, text) in [
        (&[1.0; 3][..], Status::BadCount, "size of cutoffs"),
        (&[1.0, -1.0, -1.0, 2.0], Status::BadCutoff, "-1 at (1, 2)"),
        (&[1.0, 0.5, 0.5, f64::NAN], Status::BadCutoff, "NaN at (2, 2)"),
        (
            &[1.0, 0.5, 0.25, 1.0],
            Status::BadValue,
            "cutoffs(2, 1) differs from cutoffs(1, 2)",
        ),
        (&[0.0; 4], Status::BadCutoff, "0 everywhere"),
    ] {
        search.set_index_base(1).unwrap();
        let (found, message) = refusal(search.set_type_cutoffs(cutoffs));
        assert_eq!(found, status, "{message}");
        assert!(message.contains(text), "{message}");
    }
    search.set_index_base(0).unwrap();
    set::<f32>(&mut search, &Case::new("refusals", 1, vec![0.0, 1.0], 1.0));
    search.set_type_cutoffs(&[1.0, 1e30, 1e30, 0.0]).unwrap();
    assert_eq!(refusal(search.count_pairs()).0, Status::BadState);
    search.set_types(&[0, 0], &[true]).unwrap();
    assert_eq!(refusal(search.count_pairs()).0, Status::BadCount);
    search.set_types(&[0, 1], &[true; 4]).unwrap();
    let (status, message) = refusal(search.count_pairs());
    assert_eq!(status, Status::BadCutoff);
    assert!(
        message.contains("cutoffs") && message.contains("at (0, 1)"),
        "{message}"
    );
    search.set_type_cutoffs(&[1.0, 2.0, 2.0, 0.0]).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 1);
    search.set_radii(&[1.0f32, 1.0], RadiusRule::Max).unwrap();
    assert_eq!(refusal(search.count_pairs()).0, Status::NotSupported);
    search.clear_radii();
    // The box must hold the largest cutoff twice.
    search.set_box(&[0.0], &[3.9], &[true]).unwrap();
    set_box_points(&mut search);
    assert_eq!(refusal(search.count_pairs()).0, Status::BadDomain);
    search.set_box(&[0.0], &[4.0], &[true]).unwrap();
    set_box_points(&mut search);
    assert_eq!(search.count_pairs().unwrap(), 1);
}

fn set_box_points(search: &mut Search) {
    search
        .set_points(&PointsView::interleaved(1, &[0.0f32, 1.0]).unwrap())
        .unwrap();
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
    set::<f64>(&mut search, &case);
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
    set::<f64>(&mut search, &case);
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

/// A box is compared with the cutoffs that two points have. In a cell, a point and its own periodic image count as two.
#[test]
fn boxes_and_cells_of_types_that_points_have() {
    let mut search = Search::new().unwrap();
    let case = Case::new("a box", 1, vec![0.1, 0.3, 0.9], 0.25).with_domain(Domain::periodic(0.0, 1.0));
    set::<f64>(&mut search, &case);
    search.set_types(&[0, 1, 0], &[true; 4]).unwrap();
    search.set_type_cutoffs(&[0.25, 0.25, 0.25, 2.5]).unwrap();
    assert_eq!(search.pairs().unwrap().right, [1, 2]);
    search.set_types(&[0, 1, 1], &[true; 4]).unwrap();
    assert_eq!(refusal(search.count_pairs()).0, Status::BadDomain);
    search.set_cell(&[[1.0, 0.0, 0.0]; 3], [true, false, false]).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.1, 0.3, 0.9]).unwrap())
        .unwrap();
    search.set_types(&[0, 1, 0], &[true; 4]).unwrap();
    let rows = search.images(NeighborsKind::Full).unwrap();
    assert_eq!(rows.ids, [1, 2, 0, 1, 1, 1, 1, 0]);
}

/// Bins end at the smallest cutoff of two points, so that no bin lacks pairs.
#[test]
fn bins() {
    let (n, mut random) = (900, Random(14));
    let mut case = Case::new("bins", 3, random.cloud(3, n), 0.3);
    for domain in [Domain::default(), Domain::periodic(0.0, 1.0)] {
        case = case.with_domain(domain);
        let mut search = Search::new().unwrap();
        set::<f64>(&mut search, &case);
        let types = (0..n).map(|_| random.below(2) as i32).collect();
        let mut table = Table::new(types, 3, |a, b| [0.2, 0.1, 0.3, 0.05, 0.05][a + b]);
        let periods = case.domain.periods::<f64>();
        let mut counts = [0; 2];
        for (mask, largest) in [
            ([true, true, true], 0.1),
            ([true, false, false], 0.2),
            ([false, false, true], 0.3),
        ] {
            for (a, b) in (0..2).flat_map(|a| (0..2).map(move |b| (a, b))) {
                table.mask[a * 3 + b] = mask[a + b];
            }
            table.set(&mut search, 1);
            let edges = [0.0, 0.6 * largest, largest];
            let view = PointsView::interleaved(3, &case.coords).unwrap();
            let mut want = [0; 2];
            for (i, j) in table.truth::<f64>(&case) {
                let d2 = oracle::distance2_in(&view, &periods, i as usize, j as usize);
                let in_bin = |k: &usize| edges[*k] * edges[*k] <= d2 && d2 < edges[k + 1] * edges[k + 1];
                (0..2).filter(in_bin).for_each(|k| want[k] += 1);
            }
            for (skin, limit) in [(0.0, 0), (0.02, 0), (0.0, 200_000)] {
                search.set_skin(skin).unwrap();
                search.set_memory_limit(limit).unwrap();
                search.histogram(NeighborsKind::Half, &edges, &mut counts).unwrap();
                assert_eq!(counts, want, "{mask:?}, skin {skin}, limit {limit}");
                let longer = [0.0, 0.5 * largest, 1.01 * largest];
                let (status, text) = refusal(search.histogram(NeighborsKind::Half, &longer, &mut counts));
                assert!(status == Status::BadValue && text.contains("at element 3"), "{text}");
                assert!(text.contains(&format!("{largest}, the cutoff of types")), "{text}");
                assert_eq!(counts, want, "of a refusal");
            }
            search.set_skin(0.0).unwrap();
            search.set_memory_limit(0).unwrap();
        }
        // Queries have no types.
        search.set_cutoff(0.3).unwrap();
        search
            .set_queries(&PointsView::interleaved(3, &[0.5; 3]).unwrap())
            .unwrap();
        search
            .histogram(NeighborsKind::Queries, &[0.0, 0.2, 0.3], &mut counts)
            .unwrap();
        assert!(counts.iter().all(|&count| count > 0));
    }
}
