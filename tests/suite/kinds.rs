//! Types, active points and ghosts, and queries among points, bit for bit against the plain loop with the rules written out.

use crate::common::{Again, Case, Domain, Part, Random, Rules, cases, is_whole, periodic_cases};
use neargrid::{
    Counter, Formula, KnnKind, Measure, Neighbors, NeighborsKind, PointsView, Precision, RadiusRule, Search, Status,
    oracle,
};

fn rows(found: Neighbors, base: i64) -> (Vec<i64>, Vec<i32>) {
    let ids = found.ids.iter().map(|id| id - base as i32).collect();
    (found.offsets.iter().map(|offset| offset - base).collect(), ids)
}

fn check_rules<T: Precision>(search: &mut Search, case: &Case, all: &[(i32, i32)], rules: &Rules, base: i64) {
    let name = format!(
        "{} {} with {:?} active of types {:?}",
        case.name,
        T::NAME,
        rules.active,
        rules.mask
    );
    let mut truth = all.to_vec();
    truth.retain(|&(i, j)| rules.counts(i as usize, j as usize));
    let n = case.coords.len() / case.dim;
    search.set_index_base(base).unwrap();
    let types: Vec<i32> = rules.types.iter().map(|t| t + base as i32).collect();
    search.set_types(&types, &rules.mask).unwrap();
    search.set_active(rules.active.map(|active| active as i64)).unwrap();
    assert_eq!(search.count_pairs().unwrap(), truth.len() as i64, "{name}: count");
    let pairs = search.pairs().unwrap();
    let found = pairs
        .left
        .iter()
        .zip(pairs.right)
        .map(|(i, j)| (i - base as i32, j - base as i32));
    assert!(found.eq(truth.iter().copied()), "{name}: pairs");
    for (kind, full) in [(NeighborsKind::Half, false), (NeighborsKind::Full, true)] {
        let found = rows(search.neighbors(kind).unwrap(), base);
        assert!(found == oracle::neighbors(n, &truth, full), "{name}: {kind:?}");
    }
}

fn set<T: Precision>(search: &mut Search, case: &Case, coords: &[T]) {
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    case.domain.set(search, case.dim);
    search
        .set_points(&PointsView::interleaved(case.dim, coords).unwrap())
        .unwrap();
}

/// Every twelfth cloud, or if all is asked for every fourth: what is tested are rules, not clouds.
fn some_cases() -> Vec<Case> {
    let all = cases().into_iter().chain(periodic_cases());
    let every = if is_whole() { 4 } else { 12 };
    Part::of_environment().of(all.skip(1).step_by(every).collect())
}

fn check_case<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
    if case.fits::<T>() {
        set(search, case, &case.coords_as::<T>());
        let all = case.truth::<T>();
        for (k, rules) in Rules::some(case.coords.len() / case.dim, random).iter().enumerate() {
            if case.coords.len() >= case.dim {
                check_rules::<T>(search, case, &all, rules, k as i64 % 2);
            }
        }
        search.set_index_base(0).unwrap();
        search.set_types(&[], &[]).unwrap();
        search.set_active(None).unwrap();
        assert_eq!(search.count_pairs().unwrap(), all.len() as i64, "{}: undone", case.name);
    }
}

#[test]
fn rules() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(3));
    for case in some_cases() {
        check_case::<f32>(&mut search, &case, &mut random);
        check_case::<f64>(&mut search, &case, &mut random);
    }
}

/// The points of the case are the points, those of `queries` are sought among them.
fn check_queries<T: Precision>(search: &mut Search, case: &Case, queries: &[T], base: i64) {
    let coords = case.coords_as::<T>();
    let (n, count) = (coords.len() / case.dim, queries.len() / case.dim);
    let name = format!("{} {}, {count} queries", case.name, T::NAME);
    let mut both = coords.clone();
    both.extend(queries);
    let truth = {
        let both = Case {
            coords: both.iter().map(|c| c.to_f64()).collect(),
            ..case.clone()
        };
        let mut truth = both.truth::<T>();
        truth.retain(|&(i, j)| (i as usize) < n && j as usize >= n);
        oracle::neighbors(n + count, &truth, true)
    };
    let offsets: Vec<i64> = truth.0[n..].iter().map(|offset| offset - truth.0[n]).collect();
    let ids = &truth.1[truth.0[n] as usize..];
    let view = PointsView::interleaved(case.dim, queries).unwrap();
    search.set_index_base(base).unwrap();
    search.set_queries(&view).unwrap();
    assert_eq!(search.count_queries().unwrap(), ids.len() as i64, "{name}");
    let found = rows(search.queries().unwrap(), base);
    assert!(found == (offsets, ids.to_vec()), "{name}");
    // The points themselves know nothing of them.
    let pairs = case.truth::<T>();
    let full = rows(search.neighbors(NeighborsKind::Full).unwrap(), base);
    assert!(full == oracle::neighbors(n, &pairs, true), "{name}: full");
    assert_eq!(search.count_pairs().unwrap(), pairs.len() as i64, "{name}: pairs");
    let mut into = vec![-7; ids.len() + 2];
    let (_, len) = search.queries_into(&mut into).unwrap();
    assert_eq!((len, &into[len..]), (ids.len(), &[-7, -7][..]), "{name}: into");
    search.set_index_base(0).unwrap();
}

fn check_queries_of<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
    if !case.fits::<T>() || case.coords.iter().any(|c| c.abs() > 1e17) {
        return;
    }
    let coords = case.coords_as::<T>();
    set(search, case, &coords);
    let dim = case.dim;
    let n = coords.len() / dim;
    // The points themselves, a few of them, none, and points between them.
    let few: Vec<T> = (0..n / 9).flat_map(|k| coords[9 * k * dim..][..dim].to_vec()).collect();
    let between = (0..n.min(150)).flat_map(|_| {
        let (a, b) = (random.below(n) * dim, random.below(n) * dim);
        (0..dim)
            .map(|axis| T::from_f64(0.5 * coords[a + axis].to_f64() + 0.5 * coords[b + axis].to_f64()))
            .collect::<Vec<_>>()
    });
    let between: Vec<T> = between.collect();
    for (k, queries) in [&coords, &few, &vec![], &between].into_iter().enumerate() {
        check_queries(search, case, queries, k as i64 % 2);
    }
}

#[test]
fn queries() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(4));
    for case in some_cases() {
        check_queries_of::<f32>(&mut search, &case, &mut random);
        check_queries_of::<f64>(&mut search, &case, &mut random);
    }
}

/// Enough points for blocks that are searched again, and for several threads.
#[test]
fn many_points() {
    let (mut random, every) = (Random(12), Part::of_environment().every.min(10));
    let n = 40_000 / every;
    let coords = random.cloud(3, n);
    let case = Case::new("many points", 3, coords, 0.05 * (every as f64).cbrt());
    let mut search = Search::new().unwrap();
    for threads in [1, 3] {
        search.set_threads(threads).unwrap();
        set(&mut search, &case, &case.coords);
        let pairs = search.pairs().unwrap();
        let all: Vec<_> = pairs.left.iter().copied().zip(pairs.right.iter().copied()).collect();
        for rules in Rules::some(n, &mut random).iter().take(4) {
            search.set_types(&rules.types, &rules.mask).unwrap();
            search.set_active(rules.active.map(|active| active as i64)).unwrap();
            let pairs = search.pairs().unwrap();
            let found = pairs.left.iter().copied().zip(pairs.right.iter().copied());
            let truth = all
                .iter()
                .copied()
                .filter(|&(i, j)| rules.counts(i as usize, j as usize));
            assert!(found.eq(truth), "{threads} threads");
        }
        search.set_types(&[], &[]).unwrap();
        search.set_active(None).unwrap();
    }
}

/// Types by region, as real codes have them: a ball of fluid in walls that do not interact, dust in a slab that interacts with
/// nothing, and tracers that the walls alone interact with.
fn regions_of(case: &Case, random: &mut Random) -> Rules {
    let of = |point: &[f64]| {
        let square: f64 = point.iter().map(|c| (c - 0.5) * (c - 0.5)).sum();
        match square.sqrt() {
            _ if point[0] > 0.93 => 2,
            radius if radius < 0.22 => 0,
            _ if random.below(200) == 0 => 3,
            _ => 1,
        }
    };
    let types: Vec<i32> = case.coords.chunks(case.dim).map(of).collect();
    let mut mask = vec![false; 16];
    for [a, b] in [[0, 0], [0, 1], [1, 3]] {
        (mask[4 * a + b], mask[4 * b + a]) = (true, true);
    }
    Rules::new(&types, mask, None)
}

/// The result in chunks, and how many points each row sums over, itself included.
fn check_chunks_and_sums(search: &mut Search, n: usize, truth: &[(i32, i32)], name: &str) {
    let (mut chunks, mut found) = (search.chunks(NeighborsKind::Half, 700).unwrap(), Vec::new());
    while let Some(pairs) = chunks.next_pairs().unwrap() {
        found.extend(pairs.left.iter().copied().zip(pairs.right.iter().copied()));
    }
    assert!(found == truth, "{name}: chunks");
    let mut formula = Formula::new("count += 1.0").unwrap();
    formula.set_include_self(true);
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    let mut counts = vec![1.0; n];
    for &(i, j) in truth {
        counts[i as usize] += 1.0;
        counts[j as usize] += 1.0;
    }
    assert!(search.field::<f32>("count").unwrap() == counts, "{name}: sums");
}

fn check_regions<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
    let (all, rules) = (case.truth::<T>(), regions_of(case, random));
    let n = case.coords.len() / case.dim;
    set(search, case, &case.coords_as::<T>());
    for active in [None, Some(n / 2)] {
        let rules = Rules {
            active,
            ..rules.clone()
        };
        for threads in [1, 3] {
            search.set_threads(threads).unwrap();
            check_rules::<T>(search, case, &all, &rules, 0);
            let mut truth = all.clone();
            truth.retain(|&(i, j)| rules.counts(i as usize, j as usize));
            check_chunks_and_sums(search, n, &truth, &case.name);
        }
    }
    search.set_active(None).unwrap();
    search.set_types(&[], &[]).unwrap();
}

/// Most blocks hold points of types that do not interact.
#[test]
fn regions() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(31));
    let n = 12_000 / Part::of_environment().every.clamp(2, 6);
    for dim in 1..=3 {
        let cutoff = 1.7 * (n as f64).powf(-1.0 / dim as f64);
        let shuffled = random.cloud(dim, n);
        let mut sorted: Vec<&[f64]> = shuffled.chunks(dim).collect();
        sorted.sort_by(|a, b| a[dim - 1].total_cmp(&b[dim - 1]));
        let clouds = [("sorted", sorted.concat()), ("shuffled", shuffled.clone())];
        for (name, coords) in clouds {
            let open = Case::new(format!("regions, {name}, in {dim}D"), dim, coords, cutoff);
            let periodic = open.clone().with_domain(Domain::periodic(0.0, 1.0));
            for case in [open, periodic] {
                check_regions::<f64>(&mut search, &case, &mut random);
                check_regions::<f32>(&mut search, &case, &mut random);
            }
        }
    }
}

/// Once more in each instruction set.
#[test]
fn widths() {
    let names = ["rules", "regions", "queries", "many_points"];
    Again::only(module_path!(), &names, "regions").in_widths(&[("scalar", "40:3"), ("avx2", "40:5")]);
}

/// The suite once more on a GPU, in each of its configurations, as `devices` in tests/suite/pairs.rs does.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    Again::without(module_path!(), &[], "rules").on_devices(&[
        ("no-subgroups", "240:11"),
        ("", "60:1"),
        ("binding=1048576", "60:21"),
        ("guarded", "60:31"),
        ("batches", "60:31"),
    ]);
}

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.5).unwrap();
    let line = [0.0, 1.0, 2.0, 3.0];
    let view = PointsView::interleaved(1, &line).unwrap();
    let status = |result: neargrid::Result<()>, text: &str| {
        let error = result.unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
        error.status()
    };
    assert_eq!(status(search.set_queries(&view), "points"), Status::BadState);
    search.set_points(&view).unwrap();
    assert_eq!(
        status(search.set_types(&[0, 1, 2, 0], &[true; 4]), "element 2 of types is 2"),
        Status::BadValue
    );
    assert_eq!(
        status(search.set_types(&[0, -1], &[true; 4]), "element 1 of types is -1"),
        Status::BadValue
    );
    assert_eq!(
        status(search.set_types(&[0; 4], &[true; 3]), "size of mask = 3"),
        Status::BadCount
    );
    assert_eq!(
        status(search.set_types(&[0; 4], &[true; 33 * 33]), "32"),
        Status::BadCount
    );
    let skew = [true, false, true, true];
    assert_eq!(status(search.set_types(&[0; 4], &skew), "symmetric"), Status::BadValue);
    assert_eq!(status(search.set_active(Some(-1)), "n_active = -1"), Status::BadCount);
    assert_eq!(search.count_pairs().unwrap(), 3, "nothing changed");
    search.set_types(&[0; 5], &[true]).unwrap();
    assert_eq!(
        status(search.count_pairs().map(drop), "number of types = 5"),
        Status::BadCount
    );
    search.set_types(&[], &[]).unwrap();
    search.set_active(Some(5)).unwrap();
    assert_eq!(status(search.count_pairs().map(drop), "n_active = 5"), Status::BadCount);
    search.set_active(None).unwrap();
    let narrow = [0.5f32];
    let other = PointsView::interleaved(1, &narrow).unwrap();
    assert_eq!(status(search.set_queries(&other), "real32"), Status::BadValue);
    let plane = PointsView::interleaved(2, &line).unwrap();
    assert_eq!(status(search.set_queries(&plane), "dim = 2"), Status::BadDim);
    search.set_queries(&view).unwrap();
    assert_eq!(search.count_queries().unwrap(), 10);
}

/// Queries that were never set, or that were discarded since, are refused by every call that needs them. Zero queries are fine.
#[test]
fn queries_that_were_not_set() {
    fn refused<R>(result: neargrid::Result<R>) {
        let error = result.map(drop).unwrap_err();
        assert_eq!(error.status(), Status::BadState, "{error}");
        assert!(
            error.to_string().contains("no queries yet: first call set_queries"),
            "{error}"
        );
    }
    let line = [0.0, 1.0, 2.0];
    let view = PointsView::interleaved(1, &line).unwrap();
    let (mut search, mut sum) = (Search::new().unwrap(), Formula::new("k += 1").unwrap());
    search.set_cutoff(1.5).unwrap();
    let none_set = |search: &mut Search, sum: &mut Formula| {
        refused(search.count_queries());
        refused(search.queries());
        refused(search.queries_into(&mut [0; 9]));
        refused(search.chunks(NeighborsKind::Queries, 9));
        refused(search.knn_rows(KnnKind::Queries));
        refused(search.knn::<f64>(KnnKind::Queries, 1, Measure::Distance));
        refused(search.run(sum, NeighborsKind::Queries, 1));
        assert_eq!(search.counter(Counter::Queries), 0);
    };
    search.set_points(&view).unwrap();
    none_set(&mut search, &mut sum);
    for (radii, queries) in [(false, 0), (false, 3), (true, 0), (true, 3)] {
        let given = PointsView::interleaved(1, &line[..queries]).unwrap();
        search.set_queries(&given).unwrap();
        if radii {
            search.set_radii(&[1.5; 3], RadiusRule::Max).unwrap();
            search.set_query_radii(&vec![1.5; queries]).unwrap();
        }
        assert_eq!(search.queries().unwrap().offsets.len(), queries + 1);
        assert_eq!(search.knn_rows(KnnKind::Queries).unwrap(), queries);
        search.knn::<f64>(KnnKind::Queries, 1, Measure::Distance).unwrap();
        search.run(&mut sum, NeighborsKind::Queries, 1).unwrap();
        assert_eq!(search.query_field::<f32>("k").unwrap().len(), queries);
        search.set_points(&view).unwrap();
        none_set(&mut search, &mut sum);
        search.set_queries(&given).unwrap();
        search
            .add_points(&PointsView::interleaved(1, &line[..0]).unwrap())
            .unwrap();
        none_set(&mut search, &mut sum);
        search.set_queries(&given).unwrap();
        search.update(&view).unwrap();
        none_set(&mut search, &mut sum);
        search.clear_radii();
    }
}
