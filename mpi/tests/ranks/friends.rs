//! Groups of friends of friends across ranks that are threads: labels and catalogue are those of one rank of the core's, bit for
//! bit, whatever the number of ranks and however points are spread over them.
//!
//! Usually some clouds are tried, in one way, which changes from cloud to cloud; with NEARGRID_TEST_ALL=1 all are, in all ways.

use std::collections::HashMap;

use crate::common::clouds::{Case, Domain, Random, all_cases, clustered_cases, periodic_cases, some_ids};
use crate::common::fake::{Fake, on_ranks};
use crate::common::{Both, SIZES, SPREADS, Spread, search_for, set_part};
use neargrid::{Backend, PointsView, Precision, Properties};
use neargrid_mpi::{Counter, Error, Real, Search, Wanted, status};

/// A group: label, size, and the bits of its sums.
type Group = (i64, i64, Vec<u64>);

/// The data of points: masses and velocities, by place in the cloud.
struct Bodies<T> {
    masses: Vec<T>,
    velocities: Vec<T>,
}

fn bodies<T: Both>(case: &Case, random: &mut Random) -> Bodies<T> {
    let n = case.coords.len() / case.dim;
    let mut values = |n: usize, lowest: f64| -> Vec<T> {
        let scale = |k: usize| [1.0, 1e-6, 3e4][k % 3];
        (0..n)
            .map(|k| <T as Real>::from_f64((lowest + random.uniform()) * scale(k)))
            .collect()
    };
    Bodies {
        masses: values(n, 0.1),
        velocities: values(case.coords.len(), -0.5),
    }
}

/// Labels by id, and the catalogue, of the core's one rank.
fn truth<T: Both + Precision>(
    case: &Case,
    ids: &[i64],
    bodies: &Bodies<T>,
    min_size: i64,
) -> (HashMap<i64, i64>, Vec<Group>) {
    let mut search = neargrid::Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    case.domain.set(&mut search, case.dim);
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    let coords = case.coords_as::<T>();
    search
        .set_points(&PointsView::interleaved(case.dim, &coords).unwrap())
        .unwrap();
    search.set_ids(ids).unwrap();
    let labels = search.fof().unwrap().labels.iter().map(|&label| ids[label as usize]);
    let labels = ids.iter().copied().zip(labels).collect();
    let properties = Properties {
        masses: Some(&bodies.masses),
        velocities: Some(PointsView::interleaved(case.dim, &bodies.velocities).unwrap()),
    };
    let groups = search.groups::<T>(min_size, &properties).unwrap();
    let group = |g: usize| {
        let vector = g * case.dim..(g + 1) * case.dim;
        let sums = [
            &groups.masses[g..=g],
            &groups.centers[vector.clone()],
            &groups.velocities.unwrap()[vector],
            &groups.radii[g..=g],
        ];
        let mut bits: Vec<_> = sums.concat().iter().map(|value| value.to_bits()).collect();
        bits.push(groups.wide[g] as u64);
        (ids[groups.labels[g] as usize], groups.sizes[g], bits)
    };
    (labels, (0..groups.sizes.len()).map(group).collect())
}

/// The request of a rank.
fn wanted<T: Both>(case: &Case, bodies: &Bodies<T>, ranks: &[usize], me: usize, min_size: i64) -> Wanted<T> {
    let mine = || (0..ranks.len()).filter(|&k| ranks[k] == me);
    Wanted {
        min_size,
        masses: Some(mine().map(|k| bodies.masses[k]).collect()),
        velocities: Some(
            mine()
                .flat_map(|k| bodies.velocities[k * case.dim..(k + 1) * case.dim].to_vec())
                .collect(),
        ),
    }
}

fn groups<T: Both>(search: &mut Search<Fake>, wanted: Wanted<T>) -> Vec<Group> {
    let groups = search.groups::<T>(Ok(wanted)).unwrap();
    let group = |g: usize| {
        let vector = g * groups.dim..(g + 1) * groups.dim;
        let sums = [
            &groups.masses[g..=g],
            &groups.centers[vector.clone()],
            groups.velocities.map_or(&[][..], |all| &all[vector]),
            &groups.radii[g..=g],
        ];
        let mut bits: Vec<_> = sums.concat().iter().map(|value| value.to_bits()).collect();
        bits.push(groups.wide[g] as u64);
        (groups.labels[g], groups.sizes[g], bits)
    };
    (0..groups.sizes.len()).map(group).collect()
}

/// All ranks' labels and groups; returns the most rounds that any needed.
pub fn check<T: Both + Precision>(case: &Case, spread: Spread, size: usize, ids: &[i64], base: i32) -> i64 {
    let name = format!("{} on {size} ranks, {spread:?}, {}", case.name, <T as Real>::NAME);
    let bodies = bodies::<T>(case, &mut Random(ids.len() as u64));
    let min_size = 1 + (ids.len() % 3) as i64;
    let (labels, truth) = truth(case, ids, &bodies, min_size);
    let ranks = spread.ranks(case, size);
    let found = on_ranks(size, |comm| {
        let mut search = search_for(comm, case, base);
        set_part::<_, T>(&mut search, case, &ranks, ids).unwrap();
        let me = search.rank_and_size().0;
        let mine: Vec<i64> = (0..ids.len()).filter(|&k| ranks[k] == me).map(|k| ids[k]).collect();
        let fof = search.fof(Ok(())).unwrap();
        let (found, count) = (fof.labels.to_vec(), fof.groups);
        let catalogue = groups(&mut search, wanted(case, &bodies, &ranks, me, min_size));
        let rounds = search.counter(Counter::FofRounds).unwrap();
        (mine, found, count, catalogue, rounds)
    });
    let owner: HashMap<i64, usize> = ids.iter().copied().zip(ranks.iter().copied()).collect();
    let count = labels.iter().filter(|(id, label)| id == label).count() as i64;
    for (rank, (mine, found, groups, catalogue, _)) in found.iter().enumerate() {
        for (id, label) in mine.iter().zip(found) {
            assert_eq!(label, &labels[id], "{name}: label of {id}");
        }
        assert_eq!((mine.len(), *groups), (found.len(), count), "{name}");
        let expected: Vec<_> = truth.iter().filter(|(label, ..)| owner[label] == rank).collect();
        assert_eq!(catalogue.len(), expected.len(), "{name}: groups of rank {rank}");
        for (group, expected) in catalogue.iter().zip(expected) {
            assert!(group == expected, "{name}: {group:?}, not {expected:?}");
        }
    }
    found.iter().map(|(.., rounds)| *rounds).max().unwrap()
}

fn check_all(cases: Vec<Case>, step: usize) {
    let all = std::env::var_os("NEARGRID_TEST_ALL").is_some();
    let (mut random, mut most) = (Random(13), 0);
    for (k, case) in cases.iter().step_by(if all { 1 } else { step }).enumerate() {
        let ids = &some_ids(case.coords.len() / case.dim, &mut random)[k % 4];
        let ways = SIZES.into_iter().flat_map(|size| SPREADS.map(|spread| (size, spread)));
        let some = (!all).then_some((SIZES[(k / 5 + 2) % 6], SPREADS[k % 5]));
        for (size, spread) in ways.filter(|way| some.is_none_or(|one| one == *way)) {
            let (wide, narrow) = (case.fits::<f64>(), case.fits::<f32>());
            if wide && (all || k % 2 == 0 || !narrow) {
                most = most.max(check::<f64>(case, spread, size, ids, (k % 2) as i32));
            }
            if narrow && (all || k % 2 == 1 || !wide) {
                most = most.max(check::<f32>(case, spread, size, ids, (k % 2) as i32));
            }
        }
    }
    println!("{most} rounds at most");
}

#[test]
fn clouds() {
    check_all(all_cases(), 3);
}

#[test]
fn periodic() {
    check_all(periodic_cases(), 3);
}

#[test]
fn clustered() {
    let shorter = |mut case: Case| {
        case.cutoff *= 0.1;
        case
    };
    check_all(clustered_cases().into_iter().map(shorter).collect(), 2);
}

/// A chain whose points go round the ranks: as long as it is, few rounds unite it, and so do they on a ring.
#[test]
fn chains() {
    let n = 700;
    for size in SIZES {
        for (length, closed) in [(n as f64 + 1.5, false), (n as f64, true)] {
            let coords: Vec<f64> = (0..n).map(|k| k as f64).collect();
            let mut case = Case::new("a chain", 1, coords, 1.0);
            case = case.with_domain(Domain::periodic(0.0, length));
            let ids: Vec<i64> = (0..n as i64).map(|k| (k * 293) % 700 - 350).collect();
            for ranks in [Spread::Block, Spread::Random] {
                let rounds = check::<f64>(&case, ranks, size, &ids, 0);
                println!("{size} ranks, {ranks:?}, closed {closed}: {rounds} rounds");
                assert!(rounds <= 2 + size as i64, "{size} ranks, {ranks:?}: {rounds} rounds");
            }
        }
    }
}

fn expect(outcomes: Vec<Result<(), Error>>, number: i32, words: &str) {
    for outcome in outcomes {
        let error = outcome.unwrap_err();
        assert_eq!(error.status, number, "{error}");
        assert!(error.text.contains(words), "no {words:?} in {error}");
    }
}

/// A fault on one rank fails on all, and the search works afterwards.
#[test]
fn refusals() {
    let case = Case::new("uniform", 2, Random(4).cloud(2, 90), 0.1);
    let ids: Vec<i64> = (0..90).collect();
    let ranks = Spread::Random.ranks(&case, 3);
    let plain = || Wanted::<f64> {
        min_size: 1,
        masses: None,
        velocities: None,
    };
    let attempt = |asked: &(dyn Fn(usize) -> Result<Wanted<f64>, Error> + Sync)| {
        on_ranks(3, |comm| {
            let mut search = search_for(comm, &case, 0);
            set_part::<_, f64>(&mut search, &case, &ranks, &ids).unwrap();
            let me = search.rank_and_size().0;
            let before = search.groups(Ok(plain())).unwrap().labels.to_vec();
            let failed = search.groups(asked(me)).map(|_| ());
            assert_eq!(search.groups(Ok(plain())).unwrap().labels, before);
            failed
        })
    };
    let with = |change: fn(&mut Wanted<f64>, usize)| {
        move |me: usize| {
            let mut wanted = plain();
            change(&mut wanted, me);
            Ok(wanted)
        }
    };
    let outcomes = attempt(&with(|wanted, me| wanted.min_size = if me == 1 { 0 } else { 1 }));
    expect(outcomes, status::BAD_COUNT, "rank 1: min_size = 0 ");
    let outcomes = attempt(&with(|wanted, me| wanted.min_size = if me == 2 { 3 } else { 5 }));
    expect(outcomes, status::DISAGREEMENT, "groups = 5 on rank 0, 3 on rank 2");
    let outcomes = attempt(&with(|wanted, me| wanted.masses = (me == 1).then(|| vec![1.0; 7])));
    expect(outcomes, status::BAD_COUNT, "rank 1: number of masses = 7 ");
    let some = |me: usize| (0..90).filter(|&k| ranks[k] == me).count();
    let outcomes = attempt(&|me| {
        let masses = (me != 1).then(|| vec![1.0; some(me)]);
        Ok(Wanted { masses, ..plain() })
    });
    expect(outcomes, status::DISAGREEMENT, "masses are given on some ranks");
    let outcomes = attempt(&|me| {
        let velocities = Some(vec![if me == 2 { f64::NAN } else { 1.0 }; 2 * some(me)]);
        Ok(Wanted { velocities, ..plain() })
    });
    expect(outcomes, status::NON_FINITE, "rank 2: vx = NaN ");
    let outcomes = attempt(&|me| match me {
        0 => Err(Error::new(status::NULL_POINTER, "ngroups is NULL")),
        _ => Ok(plain()),
    });
    expect(outcomes, status::NULL_POINTER, "rank 0: ngroups is NULL");
}
