//! Rows with far more excluded pairs than hits, and some with few: in all sorts of searches.

use super::*;

/// Clouds in which most rows have few hits.
fn clouds(random: &mut Random) -> Vec<Case> {
    let mut clump = random.cloud(3, 400);
    clump.iter_mut().take(3 * 150).for_each(|c| *c = 0.4 + 0.1 * *c);
    let mut far = random.cloud(2, 400);
    far.iter_mut().skip(600).for_each(|c| *c = 1e9 + 30.0 * *c);
    vec![
        Case::new("sparse in 3D", 3, random.cloud(3, 400), 0.12),
        Case::new("sparse in 1D", 1, random.cloud(1, 400), 0.01),
        Case::new("sparse in a box", 3, random.cloud(3, 400), 0.15).with_domain(Domain::periodic(-0.25, 1.0)),
        Case::new("half of a box", 2, random.cloud(2, 300), 0.5).with_domain(Domain::periodic(0.0, 1.0)),
        Case::new("a clump", 3, clump, 0.1),
        Case::new("far ones", 2, far, 0.06),
    ]
}

/// Chains with long reach, and points that exclude all others of a share.
fn excluded(n: usize) -> [Excluded; 4] {
    let all_of = |first: usize, end: usize| {
        let pairs =
            (first..end).flat_map(|i| (i + 1..end).map(move |j| ((i as i32, j as i32), 1 + (i + j) as i32 % 3)));
        Excluded(pairs.collect())
    };
    [
        Excluded::chain(n, 9),
        Excluded::chain(n, 60),
        all_of(0, n / 2),
        all_of(n / 3, n / 3 + 200.min(n / 2)),
    ]
}

fn rows<T: Precision>() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(71));
    let clouds = Part::of_environment().of(clouds(&mut random));
    for case in clouds.into_iter().filter(Case::fits::<T>) {
        set::<T>(&mut search, &case);
        let (all, n) = (case.truth::<T>(), case.coords.len() / case.dim);
        for (k, excluded) in excluded(n).iter().enumerate() {
            excluded.set(&mut search, n, 0, &mut random);
            for (active, types) in [(None, false), (Some(n / 5), false), (Some(3), true)] {
                let mut rules = Rules::new(&[], Vec::new(), active);
                if types {
                    rules.types = (0..n).map(|_| random.below(2) as i32).collect();
                    rules.mask = vec![true, true, true, false];
                }
                search.set_types(&rules.types, &rules.mask).unwrap();
                search.set_active(active.map(|active| active as i64)).unwrap();
                let mut truth = excluded.left(&all);
                truth.retain(|&(i, j)| rules.counts(i as usize, j as usize));
                check(
                    &mut search,
                    &format!("{} {k}, {active:?} active", case.name),
                    n,
                    &truth,
                    0,
                );
            }
            search.set_types(&[], &[]).unwrap();
            search.set_active(None).unwrap();
        }
        search.set_exclusions(&[], &[], None).unwrap();
    }
}

#[test]
fn rows_with_few_hits() {
    rows::<f32>();
    rows::<f64>();
}

/// By radii, whose rows without exclusions tests/suite/radii.rs holds.
#[test]
fn with_radii_and_few_hits() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(73));
    for case in clouds(&mut random) {
        set::<f64>(&mut search, &case);
        let n = case.coords.len() / case.dim;
        let radii: Vec<f64> = (0..n).map(|k| case.cutoff * [1.0, 0.5, 0.1][k % 3]).collect();
        for rule in [RadiusRule::Max, RadiusRule::Mean, RadiusRule::Gather] {
            search.set_radii(&radii, rule).unwrap();
            let (offsets, ids) = rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 0);
            for (k, excluded) in excluded(n).iter().enumerate() {
                excluded.set(&mut search, n, 0, &mut random);
                let (mut want_offsets, mut want) = (vec![0], Vec::new());
                for i in 0..n {
                    let row = &ids[offsets[i] as usize..offsets[i + 1] as usize];
                    want.extend(row.iter().copied().filter(|&j| excluded.class(i as i32, j) == 0));
                    want_offsets.push(want.len() as i64);
                }
                let found = rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 0);
                let name = format!("{} {k}, {rule:?}", case.name);
                assert!(found == (want_offsets, want), "{name}");
                if rule != RadiusRule::Gather {
                    assert!(
                        oracle::neighbors(n, &pairs_found(&mut search, 0), true) == found,
                        "{name}: pairs"
                    );
                }
            }
            search.set_exclusions(&[], &[], None).unwrap();
        }
        search.clear_radii();
    }
}
