//! Global ids, bit for bit against the plain loop whose pairs are turned and sorted by ids.

use crate::common::{
    Again, Case, Domain, Part, Random, Rules, cases, check_chunks, ids_in_blocks, is_whole, pairs_by_ids, pairs_found,
    periodic_cases, rows_by_ids, rows_found, some_ids,
};
use neargrid::{Counter, GhostPairs, NeighborsKind, PointsView, Precision, Search, Status, TieRule, oracle};

const KINDS: [(NeighborsKind, bool); 2] = [(NeighborsKind::Half, false), (NeighborsKind::Full, true)];

fn set<T: Precision>(search: &mut Search, case: &Case, coords: &[T]) {
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    case.domain.set(search, case.dim);
    let view = PointsView::interleaved(case.dim, coords).unwrap();
    search.set_points(&view).unwrap();
}

fn set_rules(search: &mut Search, rules: &Rules, base: i64) {
    search.set_index_base(base).unwrap();
    let types: Vec<i32> = rules.types.iter().map(|t| t + base as i32).collect();
    search.set_types(&types, &rules.mask).unwrap();
    search.set_active(rules.active.map(|active| active as i64)).unwrap();
}

/// Every form of the result, some of them twice, for lists are kept and shared. `all`: all that are near.
fn check(search: &mut Search, name: &str, all: &[(i32, i32)], rules: &Rules, ids: &[i64], base: i64) {
    let mut truth = all.to_vec();
    truth.retain(|&(i, j)| rules.counts(i as usize, j as usize));
    let (n, truth) = (ids.len(), pairs_by_ids(&truth, ids, rules.active));
    let rows = KINDS.map(|(kind, full)| (kind, rows_by_ids(n, &truth, ids, full)));
    assert_eq!(search.count_pairs().unwrap(), truth.len() as i64, "{name}: count");
    for round in 0..2 {
        assert!(pairs_found(search, base) == truth, "{name}: pairs, round {round}");
        for (kind, rows) in &rows {
            let found = rows_found(search.neighbors(*kind).unwrap(), base);
            assert!(found == *rows, "{name}: {kind:?}, round {round}");
        }
    }
    let (mut left, mut right) = (vec![-7; truth.len() + 2], vec![-7; truth.len() + 3]);
    let len = search.pairs_into(&mut left, &mut right).unwrap();
    let found = left.iter().zip(&right).map(|(i, j)| (i - base as i32, j - base as i32));
    assert!(found.take(len).eq(truth.iter().copied()), "{name}: pairs into arrays");
    assert!(
        left[len..] == [-7; 2] && right[len..] == [-7; 3],
        "{name}: beyond the pairs"
    );
    for (kind, (want_offsets, want)) in rows {
        let mut into = vec![-7; want.len() + 1];
        let (offsets, len) = search.neighbors_into(kind, &mut into).unwrap();
        let offsets = offsets.iter().map(|offset| offset - base);
        assert!(offsets.eq(want_offsets), "{name}: {kind:?} into, offsets");
        let found = into[..len].iter().map(|id| id - base as i32);
        assert!(found.eq(want) && into[len..] == [-7], "{name}: {kind:?} into");
        check_chunks(search, name, kind, base);
    }
}

/// Pairs and half rows with ghosts of larger ids only: `left` is active and has the smaller id. Full rows stay as they are.
fn check_larger_ids(search: &mut Search, name: &str, all: &[(i32, i32)], rules: &Rules, ids: &[i64], base: i64) {
    let (mut near, active) = (all.to_vec(), rules.active.unwrap_or(usize::MAX));
    near.retain(|&(i, j)| rules.counts(i as usize, j as usize));
    let (n, both) = (ids.len(), pairs_by_ids(&near, ids, rules.active));
    let mut truth = pairs_by_ids(&near, ids, None);
    truth.retain(|&(left, _)| (left as usize) < active);
    search.set_ghost_pairs(GhostPairs::LargerIds);
    for (kind, rows) in [
        (NeighborsKind::Full, rows_by_ids(n, &both, ids, true)),
        (NeighborsKind::Half, rows_by_ids(n, &truth, ids, false)),
    ] {
        let found = rows_found(search.neighbors(kind).unwrap(), base);
        assert!(found == rows, "{name}: {kind:?}, ghosts of larger ids");
        check_chunks(search, name, kind, base);
    }
    assert_eq!(
        search.count_pairs().unwrap(),
        truth.len() as i64,
        "{name}: count of larger ids"
    );
    assert!(
        pairs_found(search, base) == truth,
        "{name}: pairs with ghosts of larger ids"
    );
    search.set_ghost_pairs(GhostPairs::All);
}

/// Every so many clouds: what is tested are rules, not clouds.
fn some_cases() -> Vec<Case> {
    let part = Part::of_environment();
    let every = match part.is_partial() || crate::common::is_whole() {
        true => 4,
        false => 20,
    };
    let all = cases().into_iter().chain(periodic_cases());
    part.of(all.skip(2).step_by(every).collect())
}

/// With more pairs than these a cloud is searched with one order of ids, not with all: a device in software takes seconds for each.
const CROWDED: usize = 40_000;

fn check_case<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
    let n = case.coords.len() / case.dim;
    if !case.fits::<T>() || n == 0 {
        return;
    }
    set(search, case, &case.coords_as::<T>());
    let all = case.truth::<T>();
    let mut rules = Rules::some(n, random);
    rules.push(Rules::default());
    let ids = some_ids(n, random);
    let (any, count) = (random.below(ids.len()), ids.len());
    let orders = if all.len() > CROWDED { any..any + 1 } else { 0..count };
    for (k, ids) in orders.clone().zip(&ids[orders]) {
        search.set_ids(ids).unwrap();
        for k in [8, 2 * k, 3 - k] {
            let (name, base) = (format!("{} {}, rules {k}", case.name, T::NAME), k as i64 % 2);
            set_rules(search, &rules[k], base);
            check(search, &name, &all, &rules[k], ids, base);
        }
        let name = format!("{} {}, rules {}", case.name, T::NAME, 3 - k);
        check_larger_ids(search, &name, &all, &rules[3 - k], ids, (3 - k) as i64 % 2);
    }
    for k in [0, 2, 3, 6] {
        let (name, base) = (format!("{} {}, blocks, rules {k}", case.name, T::NAME), k as i64 % 2);
        set_rules(search, &rules[k], base);
        let ids = ids_in_blocks(n, rules[k].active.unwrap_or(n), random);
        search.set_ids(&ids).unwrap();
        check(search, &name, &all, &rules[k], &ids, base);
        check_larger_ids(search, &name, &all, &rules[k], &ids, base);
    }
    set_rules(search, &Rules::default(), 0);
    search.set_ids(&ids[count - 1]).unwrap();
    assert!(
        pairs_found(search, 0) == all,
        "{}: ascending ids change nothing",
        case.name
    );
    search.set_ids(&ids[0]).unwrap();
    search.set_ids(&[]).unwrap();
    assert!(pairs_found(search, 0) == all, "{}: undone", case.name);
}

#[test]
fn clouds() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(31));
    for case in some_cases() {
        check_case::<f32>(&mut search, &case, &mut random);
        check_case::<f64>(&mut search, &case, &mut random);
    }
}

/// The points and, as queries, some of them and some between.
fn check_queries<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
    let (n, dim) = (case.coords.len() / case.dim, case.dim);
    if !case.fits::<T>() || n < 20 || case.coords.iter().any(|c| c.abs() > 1e17) {
        return;
    }
    let queries: Vec<f64> = (0..60)
        .flat_map(|_| {
            let (a, b) = (random.below(n) * dim, random.below(n) * dim);
            (0..dim).map(move |axis| [a, b].map(|at| at + axis))
        })
        .enumerate()
        .map(|(k, [a, b])| {
            if k / dim % 3 == 0 {
                case.coords[a]
            } else {
                0.5 * case.coords[a] + 0.5 * case.coords[b]
            }
        })
        .collect();
    let both = Case {
        coords: [&case.coords[..], &queries].concat(),
        ..case.clone()
    };
    let near = both.truth::<T>();
    let ids = &some_ids(n, random)[random.below(3)];
    let mut truth = near.clone();
    truth.retain(|&(i, j)| (i as usize) < n && j as usize >= n);
    let mut rows = vec![Vec::new(); 60];
    truth.iter().for_each(|&(i, q)| rows[q as usize - n].push(i));
    rows.iter_mut().for_each(|row| row.sort_by_key(|&i| ids[i as usize]));
    let coords: Vec<T> = both.coords_as::<T>();
    let (points, queries) = coords.split_at(n * dim);
    set(search, case, points);
    search
        .set_queries(&PointsView::interleaved(dim, queries).unwrap())
        .unwrap();
    search.set_ids(ids).unwrap();
    let mut own = near;
    own.retain(|&(_, j)| (j as usize) < n);
    for active in [None, Some(n / 2)] {
        let rules = Rules {
            active,
            ..Rules::default()
        };
        set_rules(search, &rules, 1);
        let found = rows_found(search.queries().unwrap(), 1);
        assert!(found.1 == rows.concat(), "{}: queries, {active:?} active", case.name);
        let lengths = found.0.windows(2).map(|pair| (pair[1] - pair[0]) as usize);
        assert!(lengths.eq(rows.iter().map(Vec::len)), "{}: rows of queries", case.name);
        check(search, &format!("{} beside queries", case.name), &own, &rules, ids, 1);
        check_chunks(search, &case.name, NeighborsKind::Queries, 1);
    }
    set_rules(search, &Rules::default(), 0);
    search.set_ids(&[]).unwrap();
}

#[test]
fn queries() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(32));
    for case in some_cases() {
        check_queries::<f32>(&mut search, &case, &mut random);
        check_queries::<f64>(&mut search, &case, &mut random);
    }
}

/// Enough points for blocks that are searched again and for several threads, and a crowd whose rows a device fills in chunks.
#[test]
fn many_points() {
    let (mut random, every) = (Random(33), Part::of_environment().every.min(4));
    let n = 24_000 / every;
    let mut coords = random.cloud(3, n);
    coords[..2700].iter_mut().for_each(|c| *c = 0.4 + 0.05 * *c);
    let case = Case::new("many points", 3, coords, 0.03 * (every as f64).cbrt());
    let mut search = Search::new().unwrap();
    set(&mut search, &case, &case.coords);
    let all = pairs_found(&mut search, 0);
    assert!(2 * all.len() > 300_000, "more than a binding of a MiB holds");
    let mut rules = Rules::some(n, &mut random);
    rules.push(Rules::default());
    let ids = some_ids(n, &mut random);
    let teams = if every == 1 { &[1, 2, 3, 8][..] } else { &[3] };
    for (k, &threads) in teams.iter().enumerate() {
        search.set_threads(threads).unwrap();
        search.set_ids(&ids[k % 3]).unwrap();
        let rules = [&rules[2 * (k % 2)], &rules[8]];
        for rules in &rules[..if every == 1 { 2 } else { 1 }] {
            set_rules(&mut search, rules, 0);
            check(&mut search, &format!("{threads} threads"), &all, rules, &ids[k % 3], 0);
        }
    }
}

/// Points that change places with their ids are the same points.
/// Rows that a device leaves to its host, beside short ones.
#[test]
fn long_rows() {
    const ACTIVE: usize = 2100;
    let mut random = Random(5);
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.5).unwrap();
    for clumped in [2600, 2300, 1200] {
        // A clump where all are neighbors, and a line of pairs.
        let place = |k: usize| match k % 2600 < clumped {
            true => 0.1 * (k as f64 / 2600.0),
            false => 10.0 + 0.4 * k as f64,
        };
        let coords: Vec<f64> = (0..2600).map(place).collect();
        let view = PointsView::interleaved(1, &coords).unwrap();
        let near = oracle::pairs(&view, 0.5, TieRule::Inclusive);
        let ids = ids_in_blocks(2600, ACTIVE, &mut random);
        search.set_points(&view).unwrap();
        search.set_ids(&ids).unwrap();
        search.set_active(Some(ACTIVE as i64)).unwrap();
        let both: Vec<_> = near.iter().copied().filter(|&(i, _)| (i as usize) < ACTIVE).collect();
        let truth = rows_by_ids(2600, &pairs_by_ids(&both, &ids, Some(ACTIVE)), &ids, true);
        for round in 0..3 {
            let found = rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 0);
            assert!(found == truth, "{clumped} in a clump, round {round}");
        }
        let mut into = vec![-7; truth.1.len()];
        search.neighbors_into(NeighborsKind::Full, &mut into).unwrap();
        assert!(into == truth.1, "{clumped} in a clump, into an array");
    }
}

#[test]
fn invariance() {
    let mut random = Random(34);
    for (n, domain) in [(900, Domain::default()), (1300, Domain::periodic(0.0, 1.0))] {
        let case = Case::new("permuted", 2, random.cloud(2, n), 0.07).with_domain(domain);
        let ids = some_ids(n, &mut random).swap_remove(0);
        let mut first = None;
        for _ in 0..4 {
            let mut places: Vec<usize> = (0..n).collect();
            (1..n).rev().for_each(|k| places.swap(k, random.below(k + 1)));
            let coords: Vec<f64> = places
                .iter()
                .flat_map(|&k| case.coords[2 * k..][..2].to_vec())
                .collect();
            let held: Vec<i64> = places.iter().map(|&k| ids[k]).collect();
            let mut search = Search::new().unwrap();
            set(&mut search, &case, &coords);
            search.set_ids(&held).unwrap();
            let pairs = pairs_found(&mut search, 0);
            let found: Vec<_> = pairs.iter().map(|&(i, j)| [i, j].map(|i| held[i as usize])).collect();
            assert!(found.len() > n && found.is_sorted());
            assert!(*first.get_or_insert(found.clone()) == found);
        }
    }
}

/// Lists with a skin, kept while points move, with ghosts and types, against the plain loop.
#[test]
fn skin() {
    let (mut random, n) = (Random(35), 500);
    let steps = if Part::of_environment().is_partial() { 3 } else { 8 };
    for domain in [Domain::default(), Domain::periodic(0.0, 1.0)] {
        let mut case = Case::new("walk", 3, random.cloud(3, n), 0.15).with_domain(domain);
        let ids = some_ids(n, &mut random);
        let mut rules = Rules::some(n, &mut random);
        rules.push(Rules::default());
        let mut search = Search::new().unwrap();
        search.set_skin(0.04).unwrap();
        set(&mut search, &case, &case.coords);
        let mut rebuilt = 0;
        for step in 0..3 * steps {
            if step % steps == 0 {
                set_rules(&mut search, &rules[[2, 8, 0][step / steps]], 1);
                search.set_ids(&ids[step / steps]).unwrap();
            }
            let (rules, ids) = (&rules[[2, 8, 0][step / steps]], &ids[step / steps]);
            let view = PointsView::interleaved(3, &case.coords).unwrap();
            rebuilt += usize::from(search.update(&view).unwrap());
            let near = case.truth::<f64>();
            if step % 2 == 0 {
                check(&mut search, &format!("step {step}"), &near, rules, ids, 1);
            } else if step % steps == steps - 1 {
                check_larger_ids(&mut search, &format!("step {step}"), &near, rules, ids, 1);
            } else {
                let mut truth = near;
                truth.retain(|&(i, j)| rules.counts(i as usize, j as usize));
                let truth = pairs_by_ids(&truth, ids, rules.active);
                let full = rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 1);
                assert!(full == rows_by_ids(n, &truth, ids, true), "step {step}");
                assert!(pairs_found(&mut search, 1) == truth, "step {step}: half of a full list");
            }
            case.coords
                .iter_mut()
                .for_each(|c| *c += 0.006 * (random.uniform() - 0.5));
        }
        assert!(rebuilt < 3 * steps / 2, "{rebuilt} of {}", 3 * steps);
    }
}

/// The borrowed count, distances, the order and numbers in messages know nothing of ids.
#[test]
fn numbers_stay() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.5).unwrap();
    let line = [0.0, 1.0, 2.0, 3.0, 9.0];
    let view = PointsView::interleaved(1, &line).unwrap();
    search.set_ids(&[4, 3, 2, 1, 0]).unwrap();
    assert_eq!(search.count_pairs_of(&view).unwrap(), 3);
    assert_eq!(pairs_found(&mut search, 0), [(3, 2), (2, 1), (1, 0)]);
    let mut displacements = [0.0; 3];
    search
        .pair_displacements(&[3, 2, 1], &[2, 1, 0], &mut displacements)
        .unwrap();
    assert_eq!(displacements, [1.0; 3]);
    let mut order = [-1; 5];
    search.order(&mut order).unwrap();
    assert_eq!(order, [0, 1, 2, 3, 4]);
    let bad = [0.0, 1.0, 2.0, f64::NAN, 4.0];
    let error = search
        .set_points(&PointsView::interleaved(1, &bad).unwrap())
        .unwrap_err();
    assert!(error.to_string().contains("point 3"), "{error}");
    search.set_tie_rule(TieRule::Exclusive);
    search.trim().unwrap();
    assert_eq!(pairs_found(&mut search, 0), [(3, 2), (2, 1), (1, 0)]);
    search.set_ids(&[]).unwrap();
    assert_eq!(search.count_pairs_of(&view).unwrap(), 3);
    assert_eq!(
        pairs_found(&mut search, 0),
        oracle::pairs(&view, 1.5, TieRule::Exclusive)
    );
}

/// Steps whose ids change take no more memory from the second on.
#[test]
fn steady() {
    let (mut random, n) = (Random(36), 3000);
    let case = Case::new("steady", 3, random.cloud(3, n), 0.08);
    let ids = some_ids(n, &mut random);
    let mut search = Search::new().unwrap();
    search.set_active(Some(n as i64 - 300)).unwrap();
    let mut held = Vec::new();
    for step in 0..4 {
        search.set_ids(&ids[step % 2]).unwrap();
        set(&mut search, &case, &case.coords);
        search.pairs().unwrap();
        KINDS.iter().for_each(|(kind, _)| _ = search.neighbors(*kind).unwrap());
        held.push([Counter::BytesHeld, Counter::DeviceAllocations].map(|counter| search.counter(counter)));
    }
    assert!(held[1..].iter().all(|of_step| *of_step == held[1]), "{held:?}");
    assert!(held[1][0] - held[0][0] < 1000, "{held:?}");
}

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.5).unwrap();
    let line = [0.0, 1.0, 2.0, 3.0];
    let view = PointsView::interleaved(1, &line).unwrap();
    search.set_points(&view).unwrap();
    search.set_ids(&[9, 8, 7, -1]).unwrap();
    let truth = [(3, 2), (2, 1), (1, 0)];
    assert_eq!(pairs_found(&mut search, 0), truth);
    for (ids, words) in [
        (vec![5, 6, 6, 5], "element 2 of ids is 6|unique|point 1 "),
        (vec![5, -6, 7, 5], "element 3 of ids is 5|point 0 "),
        (
            vec![i64::MIN, 1, 2, i64::MIN],
            "element 3 of ids is -9223372036854775808|point 0 ",
        ),
        (vec![0; 20_000], "element 1 of ids is 0|point 0 "),
    ] {
        let error = search.set_ids(&ids).unwrap_err();
        assert_eq!(error.status(), Status::BadValue);
        words
            .split('|')
            .for_each(|word| assert!(error.to_string().contains(word), "{error}"));
        assert_eq!(pairs_found(&mut search, 0), truth, "nothing changed");
    }
    search.set_index_base(1).unwrap();
    let error = search.set_ids(&[1, 2, 1, 3]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("element 3 of ids is 1: it must be unique, but point 1 has it too"),
        "{error}"
    );
    for ids in [&[1, 2, 3][..], &[3, 2, 1, 0, -1]] {
        search.set_ids(ids).unwrap();
        let error = search.count_pairs().unwrap_err();
        assert_eq!(error.status(), Status::BadCount);
        let text = format!("number of ids = {} is not allowed: it must be 4", ids.len());
        assert!(error.to_string().contains(&text), "{error}");
    }
    search
        .set_points(&PointsView::interleaved(1, &[3.0, 2.0, 1.0, 0.0, 9.0]).unwrap())
        .unwrap();
    assert_eq!(pairs_found(&mut search, 1), truth, "points that there are ids for");
}

/// The suite once more on a GPU, in each of its configurations, as `devices` in tests/suite/pairs.rs does.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    let again = match is_whole() {
        true => Again::without(module_path!(), &[], "clouds"),
        false => Again::only(module_path!(), &["clouds", "queries", "long_rows"], "clouds"),
    };
    again.on_devices(&[
        ("binding=1048576", "480:23"),
        ("", "120:3"),
        ("no-subgroups", "120:13"),
        ("guarded", "120:33"),
    ]);
}
