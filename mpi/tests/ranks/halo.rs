//! Data that crosses between ranks that are threads: as few points as must, in as few messages as there are near ranks; fields along
//! the plan and back.

use std::collections::{BTreeSet, HashMap};

use crate::common::clouds::{Case, Domain, Random};
use crate::common::fake::{Fake, on_ranks};
use crate::common::{Both, SPREADS, Spread, given, search_for, set_part};
use neargrid_mpi::{Counter, Search, Sides};

/// Clouds of a few thousand points in boxes of many cutoffs.
fn wide_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dim in 1..=3 {
        let mut random = Random(60 + dim as u64);
        let cloud = random.cloud(dim, 3000);
        let cutoff = [2e-3, 0.03, 0.1][dim - 1];
        cases.push(Case::new(format!("uniform in {dim}D"), dim, cloud.clone(), cutoff));
        let ring = Case::new(format!("periodic in {dim}D"), dim, cloud.clone(), cutoff);
        cases.push(ring.with_domain(Domain::periodic(0.0, 1.0)));
        let blobs = (0..cloud.len())
            .map(|k| (k / dim % 5) as f64 * 0.21 + 0.1 * cloud[k])
            .collect();
        cases.push(Case::new(format!("blobs in {dim}D"), dim, blobs, 0.5 * cutoff));
        let mut stray = cloud;
        stray[..dim].fill(1e300);
        cases.push(Case::new(format!("a stray in {dim}D"), dim, stray, cutoff));
    }
    cases
}

/// For each rank how many points of others lie within the cutoff of the cells, as large as the cutoff, that its own occupy.
fn near_regions(case: &Case, ranks: &[usize], size: usize) -> Vec<usize> {
    let length = |axis: usize| case.domain.periodic[axis].then_some(case.domain.length[axis]);
    let point = |k: usize| &case.coords[k * case.dim..(k + 1) * case.dim];
    let cell = |k: usize| {
        point(k)
            .iter()
            .map(|c| (c / case.cutoff).floor() as i64)
            .collect::<Vec<_>>()
    };
    let mut regions = vec![BTreeSet::new(); size];
    (0..ranks.len()).for_each(|k| {
        regions[ranks[k]].insert(cell(k));
    });
    let gap = |at: f64, cell: i64, length: Option<f64>| {
        let (lo, hi) = (cell as f64 * case.cutoff, (cell as f64 + 1.0) * case.cutoff);
        let apart = |at: f64| (lo - at).max(at - hi).max(0.0);
        length.map_or(apart(at), |length| {
            apart(at).min(apart(at + length)).min(apart(at - length))
        })
    };
    let is_near = |at: &[f64], cell: &[i64]| {
        let square = (0..case.dim)
            .map(|axis| gap(at[axis], cell[axis], length(axis)).powi(2))
            .sum::<f64>();
        square <= case.cutoff * case.cutoff
    };
    let near = |(rank, region): (usize, &BTreeSet<Vec<i64>>)| {
        let others = (0..ranks.len()).filter(|&k| ranks[k] != rank);
        others
            .filter(|&k| region.iter().any(|cell| is_near(point(k), cell)))
            .count()
    };
    regions.iter().enumerate().map(near).collect()
}

#[test]
fn few_ghosts() {
    for (k, case) in wide_cases().iter().enumerate() {
        let n = case.coords.len() / case.dim;
        let ids: Vec<i64> = (0..n as i64).collect();
        let (spread, size) = ([Spread::Slab, Spread::Block][k % 2], [2, 3, 4, 5, 7][k % 5]);
        let ranks = spread.ranks(case, size);
        let true_ghosts = near_regions(case, &ranks, size);
        let found = on_ranks(size, |comm| {
            let mut search = search_for(comm, case, 0);
            set_part::<_, f64>(&mut search, case, &ranks, &ids).unwrap();
            search.ghosts(Ok(())).unwrap();
            [Counter::Ghosts, Counter::NearRanks, Counter::PlanMessages].map(|counter| search.counter(counter).unwrap())
        });
        for (rank, ([ghosts, near, messages], truth)) in found.into_iter().zip(true_ghosts).enumerate() {
            let name = format!("{}, {spread:?}, rank {rank} of {size}", case.name);
            println!("{name}: {ghosts} ghosts, {truth} near, {messages} messages to {near} ranks");
            assert!(
                ghosts as f64 <= 1.2 * truth as f64,
                "{name}: {ghosts} ghosts, {truth} near"
            );
            assert!(
                messages <= 4 * near && near < size as i64,
                "{name}: {messages} messages, {near} near ranks"
            );
        }
    }
}

/// Slabs of a long box have two near ranks each, however many there are.
#[test]
fn few_messages() {
    let mut random = Random(3);
    let case = Case::new("a long box", 3, random.cloud(3, 2000), 0.07).with_domain(Domain::periodic(0.0, 1.0));
    let ids: Vec<i64> = (0..2000).collect();
    let ranks = Spread::Slab.ranks(&case, 12);
    let near = on_ranks(12, |comm| {
        let mut search = search_for(comm, &case, 0);
        set_part::<_, f64>(&mut search, &case, &ranks, &ids).unwrap();
        search.ghosts(Ok(())).unwrap();
        search
            .halo_exchange(Ok((
                8,
                &vec![0; 8 * search.owned()],
                vec![0; 8 * search.ghost_count()].as_mut_slice().into(),
            )))
            .unwrap();
        [Counter::NearRanks, Counter::HaloMessages].map(|counter| search.counter(counter).unwrap())
    });
    assert!(near.iter().all(|&counts| counts == [2, 2]), "{near:?}");
}

/// A field that says of each point which it is, of three components.
fn field_of(ids: &[i64]) -> Vec<[f64; 3]> {
    ids.iter()
        .map(|&id| [id as f64, 0.5 * id as f64, -(id as f64)])
        .collect()
}

fn bytes(field: &[[f64; 3]]) -> Vec<u8> {
    field.iter().flatten().flat_map(|value| value.to_ne_bytes()).collect()
}

/// Sums that each point has gathered as a ghost come home: with the pairs of this rank, each point's number of neighbors.
fn check_sum(search: &mut Search<Fake>, mine: &[i64], neighbors: &HashMap<i64, i64>) {
    let pairs = search.pairs(Ok(Sides::Once)).unwrap();
    let pairs: Vec<_> = pairs.left.iter().chain(pairs.right).copied().collect();
    let mut counts = vec![0i64; search.owned() + search.ghost_count()];
    pairs.iter().for_each(|&point| counts[point as usize] += 1);
    let (owned, ghosts) = counts.split_at_mut(mine.len());
    search.halo_sum(Ok((1, ghosts, owned))).unwrap();
    assert!(mine.iter().zip(owned).all(|(id, count)| neighbors[id] == *count));
}

fn check_fields<T: Both>(case: &Case, spread: Spread, size: usize) {
    let n = case.coords.len() / case.dim;
    let ids: Vec<i64> = (0..n as i64).map(|k| 1000 - 3 * k).collect();
    let ranks = spread.ranks(case, size);
    let mut neighbors: HashMap<i64, i64> = ids.iter().map(|&id| (id, 0)).collect();
    for (i, j) in case.truth::<T>() {
        for k in [i, j] {
            *neighbors.get_mut(&ids[k as usize]).unwrap() += 1;
        }
    }
    on_ranks(size, |comm| {
        let me = comm_rank(&comm);
        let mut search = search_for(comm, case, 0);
        set_part::<_, T>(&mut search, case, &ranks, &ids).unwrap();
        let ghosts = search.ghosts(Ok(())).unwrap().ids.to_vec();
        let mine: Vec<_> = (0..n).filter(|&k| ranks[k] == me).map(|k| ids[k]).collect();
        let (out, want) = (bytes(&field_of(&mine)), bytes(&field_of(&ghosts)));
        let mut came = vec![0; want.len()];
        search
            .halo_exchange(Ok((24, &out, came.as_mut_slice().into())))
            .unwrap();
        assert!(came == want, "{}, {spread:?}, {size} ranks", case.name);
        came.fill(0);
        search.halo_begin(Ok((24, &out))).unwrap();
        search.halo_finish(Ok(came.as_mut_slice().into())).unwrap();
        assert!(
            came == want,
            "{}, {spread:?}, {size} ranks: begun and finished",
            case.name
        );
        check_sum(&mut search, &mine, &neighbors);
    });
}

fn comm_rank(comm: &Fake) -> usize {
    neargrid_mpi::Comm::rank(comm)
}

#[test]
fn fields() {
    for (k, case) in wide_cases().iter().enumerate() {
        check_fields::<f64>(case, SPREADS[k % 5], 1 + k % 7);
        if case.fits::<f32>() {
            check_fields::<f32>(case, SPREADS[(k + 2) % 5], 1 + (k + 3) % 7);
        }
    }
}

/// Sums add rank after rank: twice the same, bit for bit, and the same as by hand.
#[test]
fn sums_in_order() {
    let values = [0.1, 1e16, -1e16, 0.3, 1e-9];
    let want = values.iter().fold(0.0, |sum: f64, value| sum + value);
    let case = Case::new("one place", 1, vec![0.5; 6], 0.1);
    let sums = on_ranks(6, |comm| {
        let me = comm_rank(&comm);
        let mut search = search_for(comm, &case, 0);
        search.set_points(given(1, vec![0.5], None)).unwrap();
        assert_eq!(search.ghosts(Ok(())).unwrap().ids.len(), 5);
        let mut field = [0.0; 6];
        if me > 0 {
            field[6 - me] = values[me - 1]; // the ghost of rank 0's point, behind those of ranks after this one
        }
        let (owned, ghosts) = field.split_at_mut(1);
        search.halo_sum(Ok((1, ghosts, owned))).unwrap();
        owned[0]
    });
    assert_eq!(sums[0].to_bits(), want.to_bits());
    assert!(sums[1..].iter().all(|&sum| sum == 0.0));
}
