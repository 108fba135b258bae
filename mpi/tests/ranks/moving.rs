//! Points that move, on ranks that are threads: with a skin plan and lists are kept while that is exact, and what is found is
//! that of a new search, bit for bit.

use std::collections::HashSet;

use crate::common::clouds::{self, Case, Random, all_cases, periodic_cases};
use crate::common::fake::{Fake, on_ranks};
use crate::common::{Both, SIZES, SPREADS, Spread, given, part, search_for, truth_by_ids};
use neargrid_mpi::{Counter, Domain, Kind, KnnKind, Measure, Nearest, Real, Search, Sides, status};

/// A cloud whose points drift a little: its steps, each a cloud.
fn steps_of(case: &Case, far: f64, steps: usize, random: &mut Random) -> Vec<Case> {
    let mut now = case.clone();
    let mut all = vec![now.clone()];
    for _ in 1..steps {
        let axes = (case.dim as f64).sqrt();
        now.coords
            .iter_mut()
            .for_each(|c| *c += far / axes * (2.0 * random.uniform() - 1.0));
        all.push(now.clone());
    }
    all
}

/// This rank's pairs and full rows, by global ids.
fn found(search: &mut Search<Fake>, mine: &[i64]) -> [Vec<(i64, i64)>; 2] {
    let base = search.base();
    let mut known = mine.to_vec();
    known.extend(search.ghosts(Ok(())).unwrap().ids);
    let id = |number: &i32| known[(number - base) as usize];
    let pairs = search.pairs(Ok(Sides::Once)).unwrap();
    let once = pairs.left.iter().map(id).zip(pairs.right.iter().map(id)).collect();
    let rows = search.neighbors(Ok(Kind::Full)).unwrap();
    let row = |k: usize| {
        let range = (rows.offsets[k] - i64::from(base)) as usize..(rows.offsets[k + 1] - i64::from(base)) as usize;
        rows.ids[range]
            .iter()
            .map(move |other| (mine[k], id(other)))
            .collect::<Vec<_>>()
    };
    [once, (0..mine.len()).flat_map(row).collect()]
}

/// All steps on a number of ranks; returns how many plans were made.
fn check<T: Both>(steps: &[Case], skin: f64, spread: Spread, size: usize, ids: &[i64]) -> i64 {
    let ranks = spread.ranks(&steps[0], size);
    let truths: Vec<HashSet<_>> = steps
        .iter()
        .map(|case| truth_by_ids::<T>(case, ids).into_iter().collect())
        .collect();
    let plans = on_ranks(size, |comm| {
        let mut search = search_for(comm, &steps[0], (size % 2) as i32);
        search.set_skin(skin).unwrap();
        let me = search.rank_and_size().0;
        let mut told = vec![true];
        let mut pairs = Vec::new();
        for (k, case) in steps.iter().enumerate() {
            let (coords, mine) = part::<T>(case, &ranks, ids, me);
            match k {
                0 => search.set_points(given(case.dim, coords.clone(), Some(&mine))).unwrap(),
                _ => told.push(search.update(given(case.dim, coords.clone(), Some(&mine))).unwrap()),
            }
            let [once, rows] = found(&mut search, &mine);
            let owned: HashSet<i64> = mine.iter().copied().collect();
            let near = |a: i64, b: i64| truths[k].contains(&(a.min(b), a.max(b)));
            let name = format!("{}, {spread:?} on {size} ranks, step {k}", case.name);
            let want = truths[k].iter().filter(|(i, _)| owned.contains(i)).count();
            assert!(
                once.len() == want && once.iter().all(|&(i, j)| near(i, j)),
                "{name}: pairs"
            );
            let want: usize = truths[k]
                .iter()
                .map(|(i, j)| [i, j].iter().filter(|id| owned.contains(id)).count())
                .sum();
            assert!(
                rows.len() == want && rows.iter().all(|&(i, j)| near(i, j)),
                "{name}: rows"
            );
            assert!(once.is_sorted() && rows.len() >= once.len());
            pairs.push(once.len());
        }
        let plans = search.counter(Counter::Plans).unwrap();
        assert_eq!(plans, told.iter().filter(|rebuilt| **rebuilt).count() as i64);
        (plans, told)
    });
    assert!(plans.iter().all(|found| *found == plans[0]), "{plans:?}");
    plans[0].0
}

#[test]
fn exact_at_every_step() {
    let whole = std::env::var_os("NEARGRID_TEST_ALL").is_some();
    let mut random = Random(17);
    let (mut plans, mut steps_made) = (0, 0);
    for (k, case) in [all_cases(), periodic_cases()]
        .concat()
        .iter()
        .enumerate()
        .step_by(if whole { 5 } else { 37 })
    {
        let n = case.coords.len() / case.dim;
        let ids: Vec<i64> = (0..n as i64)
            .map(|i| if k % 2 == 0 { i } else { 5 * (n as i64 - i) })
            .collect();
        let periodic = (0..case.dim).filter(|&axis| case.domain.periodic[axis]);
        let room = periodic
            .map(|axis| 0.49 * case.domain.length[axis] - case.cutoff)
            .fold(f64::INFINITY, f64::min);
        let skin = (0.3 * case.cutoff).min(room);
        if skin <= 1e-3 * case.cutoff || !case.cutoff.is_normal() {
            continue;
        }
        let steps = steps_of(case, 0.12 * skin, 5, &mut random);
        if !steps.iter().all(|case| case.fits::<f64>()) {
            continue;
        }
        for (which, size) in SIZES.into_iter().enumerate() {
            if !whole && which != k / 37 % 6 {
                continue;
            }
            plans += check::<f64>(&steps, skin, SPREADS[(k + which) % 5], size, &ids);
            steps_made += steps.len() as i64;
            let narrow: Vec<Case> = steps.iter().filter(|case| case.fits::<f32>()).cloned().collect();
            if narrow.len() == steps.len() {
                check::<f32>(&steps, skin, SPREADS[(k + which + 1) % 5], size, &ids);
            }
        }
    }
    println!("{plans} plans in {steps_made} steps");
    assert!(
        4 * plans < 3 * steps_made,
        "{plans} plans in {steps_made} steps: nothing is kept"
    );
}

/// A plan that is kept costs a message for each near rank; any other cloud or setting makes another on all ranks.
#[test]
fn kept_and_given_up() {
    let case = Case::new("a cloud", 3, Random(5).cloud(3, 600), 0.12);
    let ids: Vec<i64> = (0..600).collect();
    let ranks = Spread::Slab.ranks(&case, 3);
    on_ranks(3, |comm| {
        let mut search = search_for(comm, &case, 0);
        search.set_skin(0.04).unwrap();
        let me = search.rank_and_size().0;
        let (coords, mine) = part::<f64>(&case, &ranks, &ids, me);
        let points = || given(3, coords.clone(), Some(&mine));
        assert_eq!(search.update(points()), Ok(true)); // there is no plan yet
        search.pairs(Ok(Sides::Once)).unwrap();
        let nears = search.counter(Counter::NearRanks).unwrap();
        let moved = |far: f64, rank: usize, search: &mut Search<Fake>| {
            let mut coords = coords.clone();
            coords[0] += if me == rank { far } else { 0.0 };
            let rebuilt = search.update(given(3, coords, Some(&mine))).unwrap();
            search.pairs(Ok(Sides::Both)).unwrap();
            rebuilt
        };
        assert!(!moved(0.019, 1, &mut search));
        assert!((search.skin_used() - 0.95).abs() < 1e-9, "{}", search.skin_used());
        assert_eq!(search.counter(Counter::HaloMessages), Ok(nears));
        assert!(!moved(-0.0199, 2, &mut search));
        assert!(moved(0.0201, 0, &mut search) && search.skin_used() > 1.0);
        assert_eq!(search.counter(Counter::Plans), Ok(2));
        assert!(moved(0.0, 0, &mut search)); // back, too far from where the plan was made
        assert!(!moved(0.0, 0, &mut search));
        // other ids, fewer points, another setting, another precision
        let others: Vec<i64> = mine.iter().map(|id| id + 1000 * i64::from(me == 2)).collect();
        assert_eq!(search.update(given(3, coords.clone(), Some(&others))), Ok(true));
        search.ghosts(Ok(())).unwrap();
        assert_eq!(search.update(given(3, coords.clone(), Some(&others))), Ok(false));
        assert_eq!(search.update(points()), Ok(true));
        search.ghosts(Ok(())).unwrap();
        let fewer = mine.len() - usize::from(me == 1);
        assert_eq!(
            search.update(given(3, coords[..3 * fewer].to_vec(), Some(&mine[..fewer]))),
            Ok(true)
        );
        assert_eq!(search.update(points()), Ok(true));
        search.ghosts(Ok(())).unwrap();
        if me == 0 {
            search.set_cutoff(0.13).unwrap();
        }
        assert_eq!(search.update(points()), Ok(true));
        let error = search.pairs(Ok(Sides::Once)).unwrap_err();
        assert!(
            error.status == status::DISAGREEMENT && error.text.contains("cutoff"),
            "{error}"
        );
        search.set_cutoff(0.13).unwrap();
        search.pairs(Ok(Sides::Once)).unwrap();
        search.set_skin(if me == 1 { 0.01 } else { 0.04 }).unwrap();
        let error = search.pairs(Ok(Sides::Once)).unwrap_err();
        assert!(
            error.status == status::DISAGREEMENT && error.text.contains("skin = 0.04"),
            "{error}"
        );
        search.set_skin(0.0).unwrap();
        search.pairs(Ok(Sides::Once)).unwrap();
        assert_eq!(search.update(points()), Ok(true)); // no skin, nothing is kept
    });
}

/// The k nearest and groups, of which nothing is kept, are those of points set again.
#[test]
fn nearest_and_groups() {
    let case = Case::new("a cloud", 3, Random(8).cloud(3, 500), 0.09);
    let ids: Vec<i64> = (0..500).collect();
    let ranks = Spread::Slab.ranks(&case, 3);
    let steps = steps_of(&case, 0.01, 4, &mut Random(9));
    on_ranks(3, |comm| {
        let mut search = search_for(comm, &case, 0);
        search.set_skin(0.09).unwrap();
        let me = search.rank_and_size().0;
        let answers = |search: &mut Search<Fake>| {
            let labels = search.fof(Ok(())).unwrap().labels.to_vec();
            let asked = Nearest {
                kind: KnnKind::Others,
                k: 5,
                measure: Measure::Square,
            };
            let squares = search.knn::<f64>(Ok(asked)).unwrap().distances.to_vec();
            (labels, squares)
        };
        let mut before = None;
        for case in &steps {
            let (coords, mine) = part::<f64>(case, &ranks, &ids, me);
            let points = || given(3, coords.clone(), Some(&mine));
            assert_eq!(search.update(points()), Ok(before.is_none()));
            let kept = answers(&mut search);
            assert_ne!(before.replace(kept.clone()), Some(kept.clone()));
            let mut fresh = search.update(points()).map(|_| answers(&mut search)).unwrap();
            assert_eq!(kept, fresh);
            search.set_skin(0.0).unwrap();
            fresh = answers(&mut search);
            assert_eq!(kept, fresh);
            search.set_points(points()).unwrap();
            search.set_skin(0.09).unwrap();
            fresh = answers(&mut search);
            assert_eq!(kept, fresh);
        }
    });
}

/// A failure of a rank changes nothing on any.
#[test]
fn refusals() {
    let case = Case::new("a cloud", 2, Random(6).cloud(2, 200), 0.1);
    let ids: Vec<i64> = (0..200).collect();
    let ranks = Spread::Random.ranks(&case, 3);
    on_ranks(3, |comm| {
        let mut search = search_for(comm, &case, 0);
        let me = search.rank_and_size().0;
        for wrong in [-1.0, f64::NAN] {
            assert_eq!(search.set_skin(wrong).unwrap_err().status, status::BAD_VALUE);
        }
        search.set_skin(0.05).unwrap();
        let (coords, mine) = part::<f64>(&case, &ranks, &ids, me);
        search.set_points(given(2, coords.clone(), Some(&mine))).unwrap();
        let before = search.pairs(Ok(Sides::Once)).unwrap().left.len();
        let mut wrong = coords.clone();
        wrong[0] = if me == 1 { f64::INFINITY } else { 2.0 };
        let error = search.update(given(2, wrong, Some(&mine))).unwrap_err();
        assert!(
            error.status == status::NON_FINITE && error.text.starts_with("rank 1: "),
            "{error}"
        );
        assert_eq!(search.pairs(Ok(Sides::Once)).unwrap().left.len(), before);
        assert_eq!(search.counter(Counter::Plans), Ok(1));
        assert_eq!(search.update(given(2, coords.clone(), Some(&mine))), Ok(false));
        // what cannot be wrapped is no step; the query says so
        let box_far_away = || Domain {
            lo: vec![-1e308; 2],
            length: vec![1.5e308; 2],
            periodic: vec![true, false],
        };
        search.set_box(box_far_away()).unwrap();
        search.pairs(Ok(Sides::Once)).unwrap();
        let mut wrong = coords;
        wrong[0] = if me == 1 { f64::MAX } else { wrong[0] };
        assert_eq!(search.update(given(2, wrong, Some(&mine))), Ok(true));
        assert_eq!(search.skin_used(), f64::INFINITY);
        let error = search.pairs(Ok(Sides::Once)).unwrap_err();
        assert!(
            error.status == status::NON_FINITE && error.text.contains("rank 1: "),
            "{error}"
        );
    });
}

/// Displacements of any size are noticed: squares of small ones vanish, those of large ones overflow.
#[test]
fn every_scale() {
    fn check<T: Both>(size: usize, cutoff: f64, share: f64, length: Option<f64>) {
        let (skin, far) = (share * cutoff, 0.9 * T::CUTOFF2_MAX.sqrt());
        // From beyond cutoff plus skin into reach, and far away.
        let places = [cutoff + 1.2 * skin, cutoff, cutoff + skin, 0.9 * cutoff, 1e300];
        let domain = length.map_or(clouds::Domain::default(), |length| {
            clouds::Domain::periodic(-0.3 * cutoff, length)
        });
        let step = |x: &f64| Case::new("two points", 2, vec![0.0, 0.0, 0.0, x.min(far)], cutoff).with_domain(domain);
        let steps: Vec<_> = places.iter().map(step).collect();
        let truths: Vec<_> = steps.iter().map(|case| case.truth::<T>().len()).collect();
        on_ranks(size, |comm| {
            let mut search = search_for(comm, &steps[0], 0);
            search.set_skin(skin).unwrap();
            let me = search.rank_and_size().0;
            for (k, (case, truth)) in steps.iter().zip(&truths).enumerate() {
                let (coords, ids) = part::<T>(case, &[0, size - 1], &[0, 1], me);
                search.update(given(2, coords, Some(&ids))).unwrap();
                assert!(!search.skin_used().is_nan());
                let mine = search.pairs(Ok(Sides::Once)).unwrap().left.len();
                let name = format!(
                    "step {k} on {size} ranks, {}, {cutoff:e}, {skin:e}, {length:?}",
                    <T as Real>::NAME
                );
                assert_eq!(mine, if me == 0 { *truth } else { 0 }, "{name}");
            }
        });
    }
    let lengths = |cutoff: f64| [None, Some(2.5 * cutoff), Some(1e3 * cutoff)];
    for size in 1..=3 {
        for cutoff in [1.3e-150, 1e-140, 1e-100, 1.0, 1e100, 6e153] {
            for (share, length) in [4e-13, 1e-10, 1e-6, 0.1]
                .map(|share| lengths(cutoff).map(|length| (share, length)))
                .as_flattened()
            {
                check::<f64>(size, cutoff, *share, *length);
            }
        }
        for cutoff in [1e-15, 1e-10, 1.0, 1e10, 8e18] {
            for (share, length) in [1e-4, 1e-2, 0.1]
                .map(|share| lengths(cutoff).map(|length| (share, length)))
                .as_flattened()
            {
                check::<f32>(size, cutoff, *share, *length);
            }
        }
    }
}
