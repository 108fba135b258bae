//! Global ids: rows that a device leaves to its host, points in another order, and memory. Rows are tested in tests/suite/roles.rs.

use crate::common::{
    Again, Case, Domain, Random, ids_in_blocks, pairs_by_ids, pairs_found, rows_by_ids, rows_found, some_ids,
};
use neargrid::{Counter, NeighborsKind, PointsView, Search, TieRule, oracle};

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

/// Points that change places with their ids are the same points.
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
            Case { coords, ..case.clone() }.set::<f64>(&mut search);
            search.set_ids(&held).unwrap();
            let pairs = pairs_found(&mut search, 0);
            let found: Vec<_> = pairs.iter().map(|&(i, j)| [i, j].map(|i| held[i as usize])).collect();
            assert!(found.len() > n && found.is_sorted());
            assert!(*first.get_or_insert(found.clone()) == found);
        }
    }
}

/// Steps whose ids change take no more memory from the second on.
#[test]
fn steady() {
    let (mut random, n) = (Random(36), 3000);
    let case = Case::new("steady", 3, random.cloud(3, n), 0.08);
    let ids = some_ids(n, &mut random);
    let mut search = Search::new().unwrap();
    let mut held = Vec::new();
    for step in 0..4 {
        search.set_ids(&ids[step % 2]).unwrap();
        case.set::<f64>(&mut search);
        search.set_active(Some(n as i64 - 300)).unwrap();
        search.pairs().unwrap();
        search.neighbors(NeighborsKind::Half).unwrap();
        search.neighbors(NeighborsKind::Full).unwrap();
        held.push([Counter::BytesHeld, Counter::DeviceAllocations].map(|counter| search.counter(counter)));
    }
    assert!(held[1..].iter().all(|of_step| *of_step == held[1]), "{held:?}");
    assert!(held[1][0] - held[0][0] < 1000, "{held:?}");
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    Again::only(module_path!(), &["long_rows"], "long_rows").on_devices(&[("", "")]);
}
