//! Exclusions against the plain loop with a set of pairs: rows of every sort, formulas with and without `class`, refusals.

mod by_ids;
mod few;
mod sums;

use std::collections::BTreeMap;

use crate::common::{
    Again, Case, Domain, Part, Random, Rules, cases, check_chunks, is_whole, pairs_by_ids, pairs_found, periodic_cases,
    rows_by_ids, rows_found, some_ids,
};
use neargrid::{GhostPairs, NeighborsKind, PointsView, Precision, RadiusRule, Search, Status, oracle};

/// Excluded pairs, each once with the lower number first, and their classes.
#[derive(Clone, Debug, Default)]
struct Excluded(BTreeMap<(i32, i32), i32>);

impl Excluded {
    /// Some of the pairs that are near, and others.
    fn some(n: usize, near: &[(i32, i32)], share: f64, random: &mut Random) -> Excluded {
        let on_gpu = std::env::var("NEARGRID_BACKEND").is_ok_and(|backend| backend == "gpu");
        let most = if on_gpu { 250 } else { usize::MAX }; // with more than 256 the device does not search
        let (mut made, mut counts) = (Excluded::default(), vec![0; n]);
        let mut add = |i: i32, j: i32, random: &mut Random| {
            let both = [i, j].map(|i| i as usize);
            if i != j && both.iter().all(|&i| counts[i] < most) {
                made.0.insert((i.min(j), i.max(j)), 1 + random.below(3) as i32);
                both.iter().for_each(|&i| counts[i] += 1);
            }
        };
        for &(i, j) in near {
            if random.uniform() < share {
                add(i, j, random);
            }
        }
        for _ in 0..n / 2 {
            let (i, j) = (random.below(n) as i32, random.below(n) as i32);
            add(i, j, random);
        }
        made
    }

    /// Pairs of numbers that follow each other, as of bonds along a chain.
    fn chain(n: usize, reach: usize) -> Excluded {
        let pairs = (0..n).flat_map(|i| (i + 1..n.min(i + 1 + reach)).map(move |j| (i, j)));
        Excluded(
            pairs
                .map(|(i, j)| ((i as i32, j as i32), (j - i).min(3) as i32))
                .collect(),
        )
    }

    fn class(&self, i: i32, j: i32) -> i32 {
        self.0.get(&(i.min(j), i.max(j))).copied().unwrap_or(0)
    }

    /// Rows, in no order.
    fn rows(&self, n: usize, base: i64, random: &mut Random) -> (Vec<i64>, Vec<i32>, Vec<i32>) {
        let mut rows = vec![Vec::new(); n];
        for (&(i, j), &class) in &self.0 {
            rows[i as usize].push((j, class));
            rows[j as usize].push((i, class));
        }
        let (mut offsets, mut ids, mut classes) = (vec![base], Vec::new(), Vec::new());
        for mut row in rows {
            while !row.is_empty() {
                let (j, class) = row.swap_remove(random.below(row.len()));
                ids.push(j + base as i32);
                classes.push(class);
            }
            offsets.push(ids.len() as i64 + base);
        }
        (offsets, ids, classes)
    }

    fn set(&self, search: &mut Search, n: usize, base: i64, random: &mut Random) {
        let (offsets, ids, classes) = self.rows(n, base, random);
        search.set_exclusions(&offsets, &ids, Some(&classes)).unwrap();
    }

    /// Pairs that are left.
    fn left(&self, pairs: &[(i32, i32)]) -> Vec<(i32, i32)> {
        pairs.iter().copied().filter(|&(i, j)| self.class(i, j) == 0).collect()
    }
}

fn set<T: Precision>(search: &mut Search, case: &Case) {
    let coords = case.coords_as::<T>();
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    case.domain.set(search, case.dim);
    search
        .set_points(&PointsView::interleaved(case.dim, &coords).unwrap())
        .unwrap();
}

/// Every ninth cloud, or if all is asked for every third.
fn some_cases() -> Vec<Case> {
    let all = cases().into_iter().chain(periodic_cases());
    let every = if is_whole() { 3 } else { 12 };
    Part::of_environment().of(all.step_by(every).collect())
}

fn check(search: &mut Search, name: &str, n: usize, truth: &[(i32, i32)], base: i64) {
    assert_eq!(search.count_pairs().unwrap(), truth.len() as i64, "{name}: count");
    assert!(pairs_found(search, base) == truth, "{name}: pairs");
    for (kind, full) in [(NeighborsKind::Half, false), (NeighborsKind::Full, true)] {
        let found = rows_found(search.neighbors(kind).unwrap(), base);
        assert!(found == oracle::neighbors(n, truth, full), "{name}: {kind:?}");
        check_chunks(search, name, kind, base);
    }
}

fn check_case<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
    let n = case.coords.len() / case.dim;
    if !case.fits::<T>() || n < 2 {
        return;
    }
    set::<T>(search, case);
    let all = case.truth::<T>();
    let excluded = [
        Excluded::some(n, &all, 0.2, random),
        Excluded::some(n, &all, 1.0, random),
        Excluded::chain(n, 3),
        Excluded::default(),
    ];
    for (k, excluded) in excluded.iter().enumerate() {
        let (name, base) = (format!("{} {} exclusions {k}", case.name, T::NAME), k as i64 % 2);
        search.set_index_base(base).unwrap();
        excluded.set(search, n, base, random);
        check(search, &name, n, &excluded.left(&all), base);
    }
    search.set_index_base(0).unwrap();
    search.set_exclusions(&[], &[], None).unwrap();
    assert_eq!(search.count_pairs().unwrap(), all.len() as i64, "{}: undone", case.name);
}

#[test]
fn clouds() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(41));
    for case in some_cases() {
        check_case::<f32>(&mut search, &case, &mut random);
        check_case::<f64>(&mut search, &case, &mut random);
    }
}

/// Clouds of many blocks: uniform, with a crowd, in one place; and few and many threads.
fn many() -> Vec<Case> {
    let (mut random, every) = (Random(43), Part::of_environment().every.min(4));
    let mut clump = random.cloud(3, 4500 / every);
    clump
        .iter_mut()
        .take(3 * 2000 / every)
        .for_each(|c| *c = 0.4 + 0.06 * *c);
    vec![
        Case::new("many in 3D", 3, random.cloud(3, 4500 / every), 0.09),
        Case::new("many in 2D", 2, random.cloud(2, 4500 / every), 0.02),
        Case::new("many in a box", 3, random.cloud(3, 4500 / every), 0.09).with_domain(Domain::periodic(0.0, 1.0)),
        Case::new("a small box", 3, random.cloud(3, 600), 0.3).with_domain(Domain::periodic(0.0, 1.0)),
        Case::new("a clump", 3, clump, 0.05),
        Case::new("in one place", 3, vec![0.5; 3 * 900], 0.1),
    ]
}

#[test]
fn many_points() {
    let mut random = Random(47);
    for case in many() {
        let mut search = Search::new().unwrap();
        search.set_threads(3).unwrap();
        check_case::<f32>(&mut search, &case, &mut random);
        search.set_threads(1).unwrap();
        check_case::<f64>(&mut search, &case, &mut random);
    }
}

/// Types, ghosts, and exclusions of all points.
#[test]
fn with_rules() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(53));
    for case in &many()[..5] {
        set::<f64>(&mut search, case);
        let (all, n) = (case.truth::<f64>(), case.coords.len() / case.dim);
        let excluded = Excluded::some(n, &all, 0.3, &mut random);
        excluded.set(&mut search, n, 0, &mut random);
        for rules in Rules::some(n, &mut random) {
            let name = format!("{} {:?} active of types {:?}", case.name, rules.active, rules.mask);
            search.set_types(&rules.types, &rules.mask).unwrap();
            search.set_active(rules.active.map(|active| active as i64)).unwrap();
            let mut truth = excluded.left(&all);
            truth.retain(|&(i, j)| rules.counts(i as usize, j as usize));
            check(&mut search, &name, n, &truth, 0);
        }
        search.set_types(&[], &[]).unwrap();
        search.set_active(None).unwrap();
    }
}

/// Global ids, with ghosts and without: numbers of exclusions are those of points.
#[test]
fn with_ids() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(59));
    for case in &many()[..5] {
        set::<f64>(&mut search, case);
        let (all, n) = (case.truth::<f64>(), case.coords.len() / case.dim);
        for (k, ids) in some_ids(n, &mut random).iter().enumerate() {
            let excluded = Excluded::some(n, &all, 0.3, &mut random);
            excluded.set(&mut search, n, 0, &mut random);
            search.set_ids(ids).unwrap();
            for active in [None, Some(n - n / 3)] {
                let name = format!("{}, ids {k}, {active:?} active", case.name);
                search.set_active(active.map(|active| active as i64)).unwrap();
                let mut truth = excluded.left(&all);
                truth.retain(|&(i, _)| (i as usize) < active.unwrap_or(n));
                let truth = pairs_by_ids(&truth, ids, active);
                assert!(pairs_found(&mut search, 0) == truth, "{name}: pairs");
                let full = rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 0);
                assert!(full == rows_by_ids(n, &truth, ids, true), "{name}: full");
                check_chunks(&mut search, &name, NeighborsKind::Half, 0);
                search.set_ghost_pairs(GhostPairs::LargerIds);
                let mut larger = truth.clone();
                larger.retain(|&(i, j)| (j as usize) < active.unwrap_or(n) || ids[j as usize] > ids[i as usize]);
                assert!(pairs_found(&mut search, 0) == larger, "{name}: larger ids");
                search.set_ghost_pairs(GhostPairs::All);
            }
        }
        search.set_active(None).unwrap();
        search.set_ids(&[]).unwrap();
    }
}

/// Radii of every rule: the rows without exclusions, which tests/suite/radii.rs holds, less the excluded pairs.
#[test]
fn with_radii() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(61));
    for case in &many()[..5] {
        set::<f64>(&mut search, case);
        let (all, n) = (case.truth::<f64>(), case.coords.len() / case.dim);
        let excluded = Excluded::some(n, &all, 0.3, &mut random);
        let mut radii: Vec<f64> = (0..n).map(|_| case.cutoff * random.uniform()).collect();
        radii[n / 2] = 0.45; // it reaches far
        for rule in [RadiusRule::Max, RadiusRule::Min, RadiusRule::Mean, RadiusRule::Gather] {
            search.set_radii(&radii, rule).unwrap();
            for active in [None, Some(n as i64 / 2)] {
                search.set_active(active).unwrap();
                search.set_exclusions(&[], &[], None).unwrap();
                let (offsets, ids) = rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 0);
                let (mut want_offsets, mut want) = (vec![0], Vec::new());
                for i in 0..n {
                    let row = &ids[offsets[i] as usize..offsets[i + 1] as usize];
                    want.extend(row.iter().copied().filter(|&j| excluded.class(i as i32, j) == 0));
                    want_offsets.push(want.len() as i64);
                }
                excluded.set(&mut search, n, 0, &mut random);
                let found = rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 0);
                let name = format!("{}, {rule:?}, {active:?} active", case.name);
                assert!(found == (want_offsets, want), "{name}");
                check_chunks(&mut search, &name, NeighborsKind::Full, 0);
                if rule != RadiusRule::Gather {
                    let pairs = pairs_found(&mut search, 0);
                    assert!(oracle::neighbors(n, &pairs, true) == found, "{name}: pairs");
                    check_chunks(&mut search, &name, NeighborsKind::Half, 0);
                }
            }
        }
        search.clear_radii();
        search.set_active(None).unwrap();
    }
}

/// Lists with a skin, filtered and as they are, while points and exclusions change in turns.
#[test]
fn with_skin() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(67));
    let mut case = Case::new("a skin", 3, random.cloud(3, 3000), 0.1).with_domain(Domain::periodic(0.0, 1.0));
    set::<f64>(&mut search, &case);
    search.set_skin(0.02).unwrap();
    let n = 3000;
    for step in 0..6 {
        let excluded = Excluded::some(n, &case.truth::<f64>(), 0.3, &mut random);
        excluded.set(&mut search, n, 0, &mut random);
        for moved in 0..2 {
            case.coords
                .iter_mut()
                .for_each(|c| *c = (*c + 0.001 * random.uniform()) % 1.0);
            search
                .update(&PointsView::interleaved(3, &case.coords).unwrap())
                .unwrap();
            check(
                &mut search,
                &format!("step {step}.{moved}"),
                n,
                &excluded.left(&case.truth::<f64>()),
                0,
            );
        }
        let list = search.verlet_list(NeighborsKind::Half).unwrap();
        let offsets = list.neighbors.offsets;
        let mut entries = (0..n).flat_map(|i| {
            let row = &list.neighbors.ids[offsets[i] as usize..offsets[i + 1] as usize];
            row.iter().map(move |&j| (i as i32, j))
        });
        assert!(entries.all(|(i, j)| excluded.class(i, j) == 0), "step {step}: the list");
    }
}

/// Queries, k nearest neighbors and groups know no exclusions.
#[test]
fn what_ignores_them() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(71));
    let case = Case::new("some", 3, random.cloud(3, 500), 0.2);
    set::<f64>(&mut search, &case);
    let all = |search: &mut Search| {
        search
            .set_queries(&PointsView::interleaved(3, &case.coords[..90]).unwrap())
            .unwrap();
        let queries = rows_found(search.queries().unwrap(), 0);
        let groups = search.fof().unwrap().labels.to_vec();
        (queries, groups)
    };
    let before = all(&mut search);
    Excluded::chain(500, 5).set(&mut search, 500, 0, &mut random);
    assert!(all(&mut search) == before);
}

/// Offsets, ids, classes, and the text that refuses them.
type Wrong = (&'static [i64], &'static [i32], Option<&'static [i32]>, &'static str);

/// Each mistake is refused by name, and what was set before stays.
#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    search.set_index_base(1).unwrap();
    search.set_cutoff(1.0).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 0.5, 1.0]).unwrap())
        .unwrap();
    search.set_exclusions(&[1, 2, 3, 3], &[2, 1], None).unwrap();
    let wrong: [Wrong; 12] = [
        (
            &[0, 1, 2, 2],
            &[2, 1],
            None,
            "element 1 of offsets is 0: it must be 1, the index base",
        ),
        (
            &[1, 3, 2, 3],
            &[2, 1],
            None,
            "element 3 of offsets is 2: it must be at least 3, the element before it",
        ),
        (
            &[1, 2, 3, 4],
            &[2, 1],
            None,
            "number of ids = 2 is not allowed: it must be 3, as many as offsets say",
        ),
        (
            &[1, 2, 3, 3],
            &[4, 1],
            None,
            "element 1 of ids is 4: it must be 1 to 3, the number of a point",
        ),
        (
            &[1, 2, 3, 3],
            &[2, 0],
            None,
            "element 2 of ids is 0: it must be 1 to 3, the number of a point",
        ),
        (
            &[1, 2, 3, 3],
            &[2, 1],
            Some(&[1, 4]),
            "element 2 of classes is 4: it must be 1 to 3",
        ),
        (
            &[1, 2, 3, 3],
            &[2, 1],
            Some(&[0, 1]),
            "element 1 of classes is 0: it must be 1 to 3",
        ),
        (
            &[1, 2, 3, 3],
            &[2, 1],
            Some(&[1]),
            "number of classes = 1 is not allowed: it must be 2, the number of ids",
        ),
        (
            &[1, 2, 3, 3],
            &[1, 1],
            None,
            "ids = a row 1 with 1 itself is not allowed: it must be rows of other points",
        ),
        (
            &[1, 3, 4, 4],
            &[2, 2, 1],
            None,
            "ids = a row 1 with 2 twice is not allowed: it must be each once in a row",
        ),
        (
            &[1, 2, 2, 2],
            &[2],
            None,
            "ids = a row 1 with 2, and a row 2 without 1 is not allowed: it must be symmetric: both rows have the pair",
        ),
        (
            &[1, 2, 3, 3],
            &[2, 1],
            Some(&[1, 2]),
            "classes = 1 for 2 in row 1, and 2 for 1 in row 2 is not allowed: it must be symmetric: the same in both rows",
        ),
    ];
    for (offsets, ids, classes, text) in wrong {
        let error = search.set_exclusions(offsets, ids, classes).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(search.count_pairs().unwrap(), 2); // of 1 and 3, and of 2 and 3
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 0.5]).unwrap())
        .unwrap();
    let error = search.count_pairs().unwrap_err();
    assert_eq!(error.status(), Status::BadCount);
    assert_eq!(
        error.to_string(),
        "number of rows of exclusions = 3 is not allowed: it must be 2, the number of points"
    );
    search.set_exclusions(&[1, 1, 1], &[], None).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 1);
}

#[test]
fn widths() {
    let again = Again::only(module_path!(), &["clouds", "many_points"], "clouds");
    again.in_widths(&[("avx2", "8:0"), ("scalar", "16:1")]);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    let again = Again::without(
        module_path!(),
        &[
            "refusals",
            "with_skin",
            "what_ignores",
            "with_radii",
            "few::with_radii_and_few_hits",
            "sums::sums_with_radii_and_ghosts",
        ],
        "clouds",
    );
    again.on_devices(&[
        ("", "12:0"),
        ("no-subgroups", "12:1"),
        ("binding=1048576", "12:2"),
        ("guarded", "12:3"),
    ]);
}

/// A text that reads the class of pairs gets all pairs, even if the class does not change its result.
#[test]
fn a_class_that_does_not_matter_is_read() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.1).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0]).unwrap())
        .unwrap();
    search.set_exclusions(&[0, 1, 2, 2], &[1, 0], None).unwrap();
    for term in [
        "1 + 0*class",
        "class^0",
        "class^-0",
        "class^0.0",
        "pow(class, 0)",
        "(0*class + r)^0",
        "select(1, 1, class > 0)",
        "min(1, 1 + class)",
    ] {
        for text in [format!("n += {term}"), format!("t = {term}\nn += t")] {
            let mut formula = neargrid::Formula::new(&text).unwrap();
            search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
            assert_eq!(search.field::<f32>("n").unwrap(), [1.0, 2.0, 1.0], "{text}");
        }
    }
    let mut formula = neargrid::Formula::new("n += 1; m += class^0; s += n_j^0").unwrap();
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    assert_eq!(search.field::<f32>("n").unwrap(), [0.0, 1.0, 1.0]);
    assert_eq!(search.field::<f32>("s").unwrap(), [0.0, 1.0, 1.0]);
}
