//! Searches across ranks that are threads: their results together are those of the plain loop, whatever the number of ranks and
//! however points are spread over them.
//!
//! Usually every third cloud is tried, in one way, which changes from cloud to cloud; with NEARGRID_TEST_ALL=1 all are, in all
//! ways.

use std::collections::HashMap;

use crate::common::clouds::{Case, Random, all_cases, clustered_cases, periodic_cases, some_ids};
use crate::common::fake::{Fake, on_ranks};
use crate::common::{Both, SIZES, SPREADS, Spread, given, search_for, set_part, truth_by_ids};
use neargrid_mpi::{Counter, Domain, Kind, Real, Search, Sides, status};

/// The findings of a rank, by global ids: pairs of both kinds, and rows of both kinds behind the id of their point.
#[derive(Debug, Default, PartialEq)]
struct Found {
    once: Vec<(i64, i64)>,
    both: Vec<(i64, i64)>,
    half: Vec<(i64, Vec<i64>)>,
    full: Vec<(i64, Vec<i64>)>,
}

/// Global ids of this rank's points and ghosts, whose owners and coordinates are checked.
fn known<T: Both>(search: &mut Search<Fake>, case: &Case, ranks: &[usize], ids: &[i64]) -> Vec<i64> {
    let me = search.rank_and_size().0;
    let mut known: Vec<i64> = (0..ranks.len()).filter(|&k| ranks[k] == me).map(|k| ids[k]).collect();
    let place: HashMap<i64, usize> = ids.iter().enumerate().map(|(k, &id)| (id, k)).collect();
    let coords = case.coords_as::<T>();
    let ghosts = search.ghosts(Ok(())).unwrap();
    let at = &T::held(ghosts.coords)[ghosts.start..];
    assert_eq!(
        (ghosts.start, at.len()),
        (known.len() * case.dim, ghosts.ids.len() * case.dim)
    );
    let around: Vec<_> = ghosts.ranks.iter().map(|&rank| ((rank as usize) < me, rank)).collect();
    assert!(around.is_sorted(), "ranks behind this one, then those before it");
    for ((&id, &rank), at) in ghosts.ids.iter().zip(ghosts.ranks).zip(at.chunks(case.dim)) {
        let k = place[&id];
        assert!(
            ranks[k] == rank as usize && rank as usize != me,
            "{}: owner of {id}",
            case.name
        );
        assert!(
            at == &coords[k * case.dim..(k + 1) * case.dim],
            "{}: coordinates of {id}",
            case.name
        );
    }
    known.extend(ghosts.ids);
    known
}

fn pairs(search: &mut Search<Fake>, sides: Sides, known: &[i64]) -> Vec<(i64, i64)> {
    let base = search.base();
    let id = |number: &i32| known[(number - base) as usize];
    let pairs = search.pairs(Ok(sides)).unwrap();
    pairs.left.iter().map(id).zip(pairs.right.iter().map(id)).collect()
}

fn rows(search: &mut Search<Fake>, kind: Kind, known: &[i64]) -> Vec<(i64, Vec<i64>)> {
    let base = search.base();
    let rows = search.neighbors(Ok(kind)).unwrap();
    assert_eq!(rows.offsets[0], i64::from(base));
    assert_eq!(
        rows.offsets[rows.offsets.len() - 1],
        rows.ids.len() as i64 + i64::from(base)
    );
    let id = |number: &i32| known[(number - base) as usize];
    let row = |k: usize| {
        &rows.ids[(rows.offsets[k] - i64::from(base)) as usize..(rows.offsets[k + 1] - i64::from(base)) as usize]
    };
    (0..rows.offsets.len() - 1)
        .map(|k| (known[k], row(k).iter().map(id).collect()))
        .collect()
}

/// Enough points that a plan is made by several threads: it is the same, and so are pairs, those of one rank.
#[test]
fn threads() {
    let (mut random, n) = (Random(12), 30_000);
    let mut coords = random.cloud(3, n);
    coords[0] = 1e300; // a stray
    let case = Case::new("many points", 3, coords, 0.03);
    let ids = [(0..n as i64).collect(), some_ids(n, &mut random).swap_remove(0)];
    let found = |size: usize, spread: Spread, ids: &Vec<i64>, threads: i32| {
        let ranks = spread.ranks(&case, size);
        on_ranks(size, |comm| {
            let mut search = search_for(comm, &case, 0);
            search.set_threads(threads).unwrap();
            search.set_backend(1).unwrap(); // the CPU
            set_part::<_, f64>(&mut search, &case, &ranks, ids).unwrap();
            let (known, both) = {
                let known = known::<f64>(&mut search, &case, &ranks, ids);
                let both = pairs(&mut search, Sides::Both, &known);
                (known, both)
            };
            let found = pairs(&mut search, Sides::Once, &known);
            // Of points that follow others the core is given the own ones while the plan is made, and ghosts behind them.
            for _ in 0..2 {
                set_part::<_, f64>(&mut search, &case, &ranks, ids).unwrap();
                assert!(pairs(&mut search, Sides::Once, &known) == found, "{spread:?}: again");
                assert!(
                    pairs(&mut search, Sides::Both, &known) == both,
                    "{spread:?}: again, both"
                );
            }
            (known, found)
        })
    };
    let truth = found(1, Spread::Block, &ids[0], 1).remove(0).1;
    assert!(truth.len() > n);
    for (spread, ids) in [
        (Spread::Slab, &ids[0]),
        (Spread::Random, &ids[1]),
        (Spread::Slab, &ids[1]),
    ] {
        let [alone, team] = [1, 3].map(|threads| found(2, spread, ids, threads));
        assert!(alone == team, "{spread:?}: three threads");
        let mut all: Vec<_> = alone.into_iter().flat_map(|(_, pairs)| pairs).collect();
        all.sort_unstable();
        let mut truth: Vec<_> = truth.iter().map(|&(i, j)| [i, j].map(|k| ids[k as usize])).collect();
        truth.iter_mut().for_each(|pair| pair.sort_unstable());
        truth.sort_unstable();
        assert!(all.iter().map(|&(i, j)| [i, j]).eq(truth), "{spread:?}");
    }
}

/// Facts found out while points came are not held against others, nor where the box has changed since.
#[test]
fn points_that_come() {
    let mut random = Random(3);
    let case = Case::new("a block", 2, random.cloud(2, 20_000), 0.02);
    let (ids, ranks) = ((0..20_000).collect::<Vec<i64>>(), Spread::Slab.ranks(&case, 2));
    on_ranks(2, |comm| {
        let mut search = search_for(comm, &case, 1);
        let ghosts = |search: &mut Search<Fake>| search.ghosts(Ok(())).unwrap().ids.to_vec();
        let set = |search: &mut Search<Fake>| set_part::<_, f64>(search, &case, &ranks, &ids);
        let domain = |periodic| Domain {
            lo: vec![0.0; 2],
            length: vec![1.0; 2],
            periodic: vec![periodic, false],
        };
        let found = [false, true].map(|periodic| {
            search.set_box(domain(periodic)).unwrap();
            set(&mut search).unwrap();
            [true, false].map(|is_other| {
                let periodic = periodic != is_other;
                search.set_box(domain(periodic)).unwrap();
                (periodic, ghosts(&mut search))
            })
        });
        let [[ring, open], [open_too, ring_too]] = found;
        assert!(open == open_too && ring == ring_too && open.1.len() < ring.1.len());
        // One rank's points are no good: those of before stay, with a plan of their own.
        let me = search.rank_and_size().0;
        let mut coords = vec![0.25; 2 * 20_000];
        coords[2 * 10_000 + 1] = if me == 1 { f64::NAN } else { 0.25 };
        let copy = |first: usize, to: &mut [f64]| to.copy_from_slice(&coords[2 * first..][..to.len()]);
        set(&mut search).unwrap();
        let taken = search.take_in(2, 20_000, copy);
        let refused = search
            .set_points(taken.and_then(|coords| given(2, coords, None)))
            .unwrap_err();
        assert_eq!(refused.status, status::NON_FINITE);
        assert!(
            refused.text.contains("the y coordinate of point 10001 is NaN"),
            "{}",
            refused.text
        );
        assert_eq!(ghosts(&mut search), ring.1);
    });
}

/// All ranks' results, checked one by one and together.
pub fn check<T: Both>(case: &Case, spread: Spread, size: usize, ids: &[i64], base: i32) {
    let name = format!("{} on {size} ranks, {spread:?}, {}", case.name, <T as Real>::NAME);
    let ranks = spread.ranks(case, size);
    let found = on_ranks(size, |comm| {
        let mut search = search_for(comm, case, base);
        set_part::<_, T>(&mut search, case, &ranks, ids).unwrap();
        let once_first = size.is_multiple_of(2);
        let early = once_first.then(|| search.pairs(Ok(Sides::Once)).map(|pairs| pairs.left.len()).unwrap());
        let known = known::<T>(&mut search, case, &ranks, ids);
        let found = Found {
            once: pairs(&mut search, Sides::Once, &known),
            both: pairs(&mut search, Sides::Both, &known),
            half: rows(&mut search, Kind::Half, &known),
            full: rows(&mut search, Kind::Full, &known),
        };
        assert!(early.is_none_or(|early| early == found.once.len()));
        assert_eq!(search.counter(Counter::Plans), Ok(1));
        // Now that there was a plan, cells are laid while points come.
        set_part::<_, T>(&mut search, case, &ranks, ids).unwrap();
        assert_eq!(
            self::known::<T>(&mut search, case, &ranks, ids),
            known,
            "{name}: once more"
        );
        assert!(
            pairs(&mut search, Sides::Once, &known) == found.once,
            "{name}: once more"
        );
        (known[..search.owned()].to_vec(), found)
    });
    let truth = truth_by_ids::<T>(case, ids);
    let owner: HashMap<i64, usize> = found
        .iter()
        .enumerate()
        .flat_map(|(rank, (mine, _))| mine.iter().map(move |&id| (id, rank)))
        .collect();
    let mut near: HashMap<i64, Vec<i64>> = ids.iter().map(|&id| (id, Vec::new())).collect();
    for &(i, j) in &truth {
        near.get_mut(&i).unwrap().push(j);
        near.get_mut(&j).unwrap().push(i);
    }
    near.values_mut().for_each(|row| row.sort_unstable());
    for (rank, (mine, found)) in found.into_iter().enumerate() {
        let is_mine = |id: i64| owner[&id] == rank;
        let once: Vec<_> = truth.iter().copied().filter(|&(i, _)| is_mine(i)).collect();
        assert!(found.once == once, "{name}: pairs once");
        let other = truth
            .iter()
            .filter(|&&(i, j)| is_mine(j) && !is_mine(i))
            .map(|&(i, j)| (j, i));
        let mut both: Vec<_> = once.into_iter().chain(other).collect();
        both.sort_unstable();
        assert!(found.both == both, "{name}: pairs on both sides");
        let full: Vec<_> = mine.iter().map(|&id| (id, near[&id].clone())).collect();
        assert!(found.full == full, "{name}: full rows");
        let half = full
            .into_iter()
            .map(|(id, row)| (id, row.into_iter().filter(|&other| other > id).collect()));
        assert!(found.half == half.collect::<Vec<_>>(), "{name}: half rows");
    }
}

fn check_either<T: Both>(case: &Case, k: usize, random: &mut Random) {
    if !case.fits::<T>() {
        return;
    }
    let n = case.coords.len() / case.dim;
    let ids = &some_ids(n, random)[k % 4];
    if std::env::var_os("NEARGRID_TEST_ALL").is_none() {
        return check::<T>(case, SPREADS[k % 5], SIZES[k / 5 % 6], ids, (k % 2) as i32);
    }
    for size in SIZES {
        for spread in SPREADS {
            check::<T>(case, spread, size, ids, (k % 2) as i32);
        }
    }
}

/// Each case in real64 and real32; or every third, in turn.
fn check_all(cases: &[Case]) {
    let all = std::env::var_os("NEARGRID_TEST_ALL").is_some();
    let mut random = Random(11);
    for (k, case) in cases.iter().step_by(if all { 1 } else { 3 }).enumerate() {
        let (wide, narrow) = (case.fits::<f64>(), case.fits::<f32>());
        if wide && (all || k % 2 == 0 || !narrow) {
            check_either::<f64>(case, k, &mut random);
        }
        if narrow && (all || k % 2 == 1 || !wide) {
            check_either::<f32>(case, k, &mut random);
        }
    }
}

#[test]
fn clouds() {
    check_all(&all_cases());
}

#[test]
fn periodic() {
    check_all(&periodic_cases());
}

#[test]
fn clustered() {
    let cases = clustered_cases();
    let shorter = |mut case: Case| {
        case.cutoff *= 0.05;
        case
    };
    check_all(&cases.into_iter().map(shorter).collect::<Vec<_>>());
}
