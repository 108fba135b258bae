//! Lists with a skin: what is delivered is at every step what a fresh search finds, and lists are kept while they may be.

use crate::common::{Domain, Random};
use neargrid::{Counter, NeighborsKind, PointsView, Precision, RadiusRule, Search, Status, TieRule, oracle};

fn search(cutoff: f64, domain: Domain, dim: usize) -> Search {
    let mut search = Search::new().unwrap();
    search.set_cutoff(cutoff).unwrap();
    domain.set(&mut search, dim);
    search
}

/// Both must deliver the same.
fn compare(kept: &mut Search, fresh: &mut Search, kind: NeighborsKind, step: usize) {
    let (found, truth) = (kept.neighbors(kind).unwrap(), fresh.neighbors(kind).unwrap());
    assert!(
        found.offsets == truth.offsets && found.ids == truth.ids,
        "step {step}, {kind:?}"
    );
}

/// A random walk of `n` points, the list kept in one handle and made again in the other at every step.
fn walk<T: Precision>(n: usize, steps: usize, dim: usize, domain: Domain, tie: TieRule) -> (i64, usize) {
    let mut random = Random(21 + dim as u64);
    let cutoff = 1.6 * (n as f64).powf(-1.0 / dim as f64);
    let (mut kept, mut fresh) = (search(cutoff, domain, dim), search(cutoff, domain, dim));
    let skin = 0.25 * cutoff;
    kept.set_skin(skin).unwrap();
    for search in [&mut kept, &mut fresh] {
        search.set_tie_rule(tie);
        search.set_index_base(1).unwrap();
    }
    let mut coords = random.cloud(dim, n);
    let mut rebuilt = 0;
    for step in 0..steps {
        let rounded: Vec<T> = coords.iter().map(|&c| T::from_f64(c)).collect();
        let view = PointsView::interleaved(dim, &rounded).unwrap();
        rebuilt += usize::from(kept.update(&view).unwrap());
        fresh.set_points(&view).unwrap();
        let kind = [NeighborsKind::Half, NeighborsKind::Full, NeighborsKind::Half][step / 7 % 3];
        compare(&mut kept, &mut fresh, kind, step);
        assert!((0.0..=1.0).contains(&kept.skin_used()) || kept.skin_used() > 1.0 && rebuilt > 0);
        for c in &mut coords {
            *c += 0.05 * skin * (random.uniform() - 0.5);
        }
    }
    (kept.counter(Counter::SkinLists), rebuilt)
}

#[test]
fn walks() {
    for dim in 1..=3 {
        // From 0 on, around it, and where coordinates of real32 are coarse.
        let unit = Domain::periodic([0.0, -0.5, -40.3][dim - 1], 1.0);
        for domain in [Domain::default(), unit] {
            let (lists, rebuilt) = walk::<f64>(1500, 90, dim, domain, TieRule::Inclusive);
            assert!(
                rebuilt < 20 && lists < 40,
                "{dim}: {lists} lists, {rebuilt} rebuilt of 90"
            );
            walk::<f32>(1500, 30, dim, domain, TieRule::Exclusive);
        }
    }
}

/// All of the requirement, where all is asked for.
#[test]
fn a_thousand_steps() {
    let steps = if crate::common::is_whole() { 1000 } else { 12 };
    let (lists, _) = walk::<f64>(100_000, steps, 3, Domain::default(), TieRule::Inclusive);
    assert!(lists < steps as i64 / 2 + 3, "{lists} lists in {steps} steps");
}

/// Points that approach each other from beyond cutoff plus skin are found as soon as they are in reach, in half units of
/// roundoff around it.
#[test]
fn approach() {
    for (periodic, far) in [(false, 0.0), (true, 0.0), (true, 1e6), (true, 1e12)] {
        let length = if far == 0.0 { 64.0 } else { far };
        let lo = if far == 1e6 { -0.5 * length } else { 0.0 };
        let domain = Domain::new([lo; 3], [length; 3], [periodic; 3]);
        let (mut kept, mut fresh) = (search(1.0, domain, 1), search(1.0, domain, 1));
        kept.set_skin(0.5).unwrap();
        for start in [1.5, 1.5 + 1e-9, 1.499_999] {
            let mut distance: f64 = start;
            while distance > 0.95 {
                let points = [lo + length - 0.5 * distance, lo + 0.5 * distance];
                let points = if periodic { points } else { [0.0, distance] };
                let view = PointsView::interleaved(1, &points).unwrap();
                kept.update(&view).unwrap();
                fresh.set_points(&view).unwrap();
                let (found, truth) = (kept.count_pairs().unwrap(), fresh.count_pairs().unwrap());
                assert_eq!(found, truth, "{distance} apart, length {length}");
                distance -= if (distance - 1.0).abs() < 1e-3 { 1e-5 } else { 7e-4 };
            }
        }
    }
}

/// Displacements of any size are reported: squares of small ones vanish, those of large ones overflow.
#[test]
fn every_scale() {
    fn check<T: Precision>(cutoffs: &[f64], shares: &[f64]) {
        let scales = cutoffs
            .iter()
            .flat_map(|&cutoff| shares.iter().map(move |&share| (cutoff, share)));
        for (cutoff, share) in scales {
            let (mut kept, mut fresh) = (
                search(cutoff, Domain::default(), 2),
                search(cutoff, Domain::default(), 2),
            );
            let skin = share * cutoff;
            kept.set_skin(skin).unwrap();
            // From beyond cutoff plus skin into reach, and far away.
            for (step, x) in [cutoff + 1.2 * skin, cutoff, cutoff + skin, 0.9 * cutoff, 1e300]
                .into_iter()
                .enumerate()
            {
                let far = T::from_f64(x.min(0.9 * T::CUTOFF2_MAX.sqrt()));
                let points = [T::default(), T::default(), T::default(), far];
                let view = PointsView::interleaved(2, &points).unwrap();
                kept.update(&view).unwrap();
                fresh.set_points(&view).unwrap();
                let (found, truth) = (kept.count_pairs().unwrap(), fresh.count_pairs().unwrap());
                assert_eq!(
                    found,
                    truth,
                    "{} step {step}, cutoff {cutoff:e}, skin {skin:e}",
                    T::NAME
                );
                assert!(!kept.skin_used().is_nan());
            }
        }
    }
    check::<f64>(
        &[1.3e-150, 1e-140, 1e-100, 1.0, 1e100, 6e153],
        &[4e-13, 1e-10, 1e-6, 0.1, 0.1],
    );
    check::<f32>(&[1e-15, 1e-10, 1.0, 1e10, 8e18], &[1e-4, 1e-2, 0.1]);
}

/// Changes that make a list useless make it again, and others do not.
#[test]
fn settings() {
    let coords = Random(5).cloud(2, 300);
    let view = PointsView::interleaved(2, &coords).unwrap();
    let mut search = search(0.1, Domain::default(), 2);
    search.set_skin(0.05).unwrap();
    let lists = |search: &mut Search| {
        search.count_pairs().unwrap();
        search.counter(Counter::SkinLists)
    };
    assert!(search.update(&view).unwrap(), "there was none");
    assert_eq!(lists(&mut search), 1);
    assert!(!search.update(&view).unwrap());
    search.set_tie_rule(TieRule::Exclusive);
    search.set_index_base(1).unwrap();
    assert_eq!(lists(&mut search), 1, "the list holds for either");
    let mut expected = 1;
    let mut anew = |search: &mut Search, what: &str| {
        search.update(&view).unwrap();
        expected += 1;
        assert_eq!(lists(search), expected, "{what}");
    };
    search.set_cutoff(0.11).unwrap();
    anew(&mut search, "cutoff");
    search.set_skin(0.06).unwrap();
    anew(&mut search, "skin");
    search.set_active(Some(100)).unwrap();
    anew(&mut search, "active points");
    search.set_types(&[1; 300], &[true]).unwrap();
    anew(&mut search, "types");
    search.set_box(&[0.0; 2], &[2.0; 2], &[true, false]).unwrap();
    anew(&mut search, "box");
    search.set_types(&[], &[]).unwrap();
    search.set_active(None).unwrap();
    anew(&mut search, "no kinds");
    let fewer = PointsView::interleaved(2, &coords[..400]).unwrap();
    assert!(search.update(&fewer).unwrap(), "fewer points");
    let narrow: Vec<f32> = coords.iter().map(|&c| c as f32).collect();
    assert!(
        search.update(&PointsView::interleaved(2, &narrow).unwrap()).unwrap(),
        "another precision"
    );
    assert!(
        search.update(&PointsView::interleaved(1, &narrow).unwrap()).is_err(),
        "a box of another dim"
    );
    for skin in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(search.set_skin(skin).unwrap_err().status(), Status::BadValue);
    }
    search.set_box(&[0.0; 2], &[0.3; 2], &[true; 2]).unwrap();
    search.update(&view).unwrap();
    let error = search.count_pairs().unwrap_err();
    assert_eq!(
        error.status(),
        Status::BadDomain,
        "two of cutoff and skin do not fit: {error}"
    );
    search.set_skin(0.0).unwrap();
    search.update(&view).unwrap();
    search.count_pairs().unwrap();
}

/// The data of a walk's points beside their places.
#[derive(Clone, Copy, PartialEq)]
enum Said {
    Nothing,
    /// Ids that descend, ghosts, and types that do not all interact.
    Much,
}

fn say(search: &mut Search, n: usize, said: Said) {
    search.set_index_base(1).unwrap();
    if said == Said::Much {
        let ids: Vec<i64> = (0..n as i64).map(|i| 7 - 3 * i).collect();
        let types: Vec<i32> = (0..n as i32).map(|i| 1 + i % 3 / 2).collect();
        search.set_ids(&ids).unwrap();
        search.set_types(&types, &[true, true, true, false]).unwrap();
        search.set_active(Some(n as i64 * 3 / 4)).unwrap();
    }
}

/// At every step the Verlet list is that of a fresh search for cutoff plus skin where the points were when it was made, and has
/// all that is within the cutoff now; whether it was made is what `update` said.
fn verlet<T: Precision>(dim: usize, domain: Domain, kind: NeighborsKind, said: Said) {
    let (n, steps, mut random) = (700, 50, Random(40 + dim as u64));
    let cutoff = 1.6 * (n as f64).powf(-1.0 / dim as f64);
    let skin = 0.25 * cutoff;
    let (mut kept, mut fresh) = (search(cutoff, domain, dim), search(cutoff, domain, dim));
    say(&mut kept, n, said);
    say(&mut fresh, n, said);
    kept.set_skin(skin).unwrap();
    let (mut coords, mut reference, mut lists) = (random.cloud(dim, n), Vec::new(), 0);
    for step in 0..steps {
        let rounded: Vec<T> = coords.iter().map(|&c| T::from_f64(c)).collect();
        let view = PointsView::interleaved(dim, &rounded).unwrap();
        let rebuilt = kept.update(&view).unwrap();
        if rebuilt {
            (reference, lists) = (rounded.clone(), lists + 1);
        }
        if step % 3 == 2 && kind == NeighborsKind::Half {
            kept.count_pairs().unwrap(); // out of the same list
        }
        let list = kept.verlet_list(kind).unwrap();
        assert_eq!(list.rebuilt, rebuilt, "step {step}");
        fresh
            .set_points(&PointsView::interleaved(dim, &reference).unwrap())
            .unwrap();
        fresh.set_cutoff(cutoff + skin).unwrap();
        let then = fresh.neighbors(kind).unwrap();
        assert!(
            (list.neighbors.offsets, list.neighbors.ids) == (then.offsets, then.ids),
            "step {step}, {kind:?}"
        );
        let row = |i: usize| list.neighbors.offsets[i] as usize - 1..list.neighbors.offsets[i + 1] as usize - 1;
        fresh.set_points(&view).unwrap();
        fresh.set_cutoff(cutoff).unwrap();
        let now = fresh.neighbors(kind).unwrap();
        for i in 0..n {
            let listed = &list.neighbors.ids[row(i)];
            let mut near = now.ids[now.offsets[i] as usize - 1..now.offsets[i + 1] as usize - 1].iter();
            assert!(
                near.all(|j| listed.contains(j)),
                "step {step}: the row of {i} lacks a pair"
            );
        }
        for c in &mut coords {
            *c += 0.2 * skin * (random.uniform() - 0.5);
        }
    }
    assert_eq!(kept.counter(Counter::SkinLists), lists);
    assert!((2..steps / 2).contains(&lists), "{lists} lists in {steps} steps");
}

#[test]
fn verlet_lists() {
    for dim in 1..=3 {
        for domain in [Domain::default(), Domain::periodic(-0.5, 1.0)] {
            for said in [Said::Nothing, Said::Much] {
                verlet::<f64>(dim, domain, NeighborsKind::Half, said);
                verlet::<f32>(dim, domain, NeighborsKind::Full, said);
            }
        }
    }
}

/// The calls that make another list, and those that are refused.
#[test]
fn verlet_settings() {
    let line = [0.0, 1.0, 2.4, 3.0];
    let view = PointsView::interleaved(1, &line).unwrap();
    let mut search = search(1.0, Domain::default(), 1);
    let refused = |search: &mut Search, kind| search.verlet_list(kind).unwrap_err().status();
    search.set_points(&view).unwrap();
    assert_eq!(refused(&mut search, NeighborsKind::Half), Status::BadState, "no skin");
    search.set_skin(0.5).unwrap();
    assert_eq!(refused(&mut search, NeighborsKind::Queries), Status::BadValue);
    search.count_pairs_of(&view).unwrap();
    assert_eq!(
        refused(&mut search, NeighborsKind::Half),
        Status::BadState,
        "the points are the caller's"
    );
    search.set_points(&view).unwrap();
    search.set_radii(&[1.0; 4], RadiusRule::Gather).unwrap();
    assert_eq!(
        refused(&mut search, NeighborsKind::Half),
        Status::BadValue,
        "for full rows only"
    );
    search.clear_radii();
    let mut get = |change: &dyn Fn(&mut Search), kind| {
        change(&mut search);
        let list = search.verlet_list(kind).unwrap();
        (list.neighbors.ids.to_vec(), list.rebuilt)
    };
    let (half, full) = (NeighborsKind::Half, NeighborsKind::Full);
    assert_eq!(get(&|_| {}, half), (vec![1, 2, 3], true));
    assert_eq!(get(&|_| {}, half), (vec![1, 2, 3], false));
    assert_eq!(get(&|search| drop(search.count_pairs()), half), (vec![1, 2, 3], false));
    assert_eq!(get(&|_| {}, full), (vec![1, 0, 2, 1, 3, 2], true), "another kind");
    assert_eq!(get(&|_| {}, half), (vec![1, 2, 3], true), "and back");
    assert_eq!(
        get(&|search| search.set_index_base(1).unwrap(), half),
        (vec![2, 3, 4], true)
    );
    assert_eq!(
        get(&|search| search.set_ids(&[4, 3, 2, 1]).unwrap(), half),
        (vec![1, 2, 3], true)
    );
    assert_eq!(get(&|search| search.set_ids(&[]).unwrap(), half), (vec![2, 3, 4], true));
    assert_eq!(get(&|search| search.set_skin(0.3).unwrap(), half), (vec![2, 4], true));
    assert_eq!(
        get(&|search| search.set_points(&view).unwrap(), half),
        (vec![2, 4], true)
    );
    let edge = [0.0, 1.25, 2.4, 3.0];
    let at = |search: &mut Search| {
        search.set_skin(0.25).unwrap();
        search.set_points(&PointsView::interleaved(1, &edge).unwrap()).unwrap();
    };
    assert_eq!(get(&at, half), (vec![2, 3, 4], true), "at the edge");
    let exclusive = |search: &mut Search| search.set_tie_rule(TieRule::Exclusive);
    assert_eq!(get(&exclusive, half), (vec![3, 4], true), "the tie rule");
    assert_eq!(
        get(&|search| search.trim().unwrap(), half),
        (vec![3, 4], true),
        "memory was given back"
    );
}

/// A periodic axis may be as long as two cutoffs and two skins are, in whatever precision and order the caller adds them up.
#[test]
fn twice_cutoff_and_skin() {
    fn check<T: Precision>() {
        let mut random = Random(72);
        let mut search = Search::new().unwrap();
        for k in 0..600 {
            let scale = 10f64.powi(k % 21 - 10);
            let (cutoff, skin) = (scale * (0.1 + random.uniform()), scale * 0.3 * random.uniform());
            let [c, s] = [cutoff, skin].map(T::from_f64);
            let two = T::from_f64(2.0);
            let lengths = [
                2.0 * (cutoff + skin),
                2.0 * cutoff + 2.0 * skin,
                two.mul(c.add(s)).to_f64(),
                two.mul(c).add(two.mul(s)).to_f64(),
            ];
            let length = lengths[k as usize / 21 % 4];
            search.set_cutoff(cutoff).unwrap();
            search.set_skin(skin).unwrap();
            search.set_box(&[0.0], &[length], &[true]).unwrap();
            let coords: Vec<T> = (0..60).map(|_| T::from_f64(length * random.uniform())).collect();
            let view = PointsView::interleaved(1, &coords).unwrap();
            let mut moved = coords.clone();
            moved.iter_mut().for_each(|x| *x = x.add(T::from_f64(0.4 * skin)));
            let moved = PointsView::interleaved(1, &moved).unwrap();
            search.update(&view).unwrap();
            for view in [&view, &moved] {
                let period = [Some([0.0, length].map(T::from_f64)), None, None];
                let truth = oracle::pairs_in(view, &period, c, TieRule::Inclusive);
                search.update(view).unwrap();
                let pairs = search.pairs().unwrap();
                let found: Vec<_> = pairs.left.iter().zip(pairs.right).map(|(&i, &j)| (i, j)).collect();
                assert!(found == truth, "cutoff {cutoff:e}, skin {skin:e}, length {length:e}");
            }
        }
        let length = 2.0 * (0.3 + 0.1) * (1.0 - 4.0 * T::ROUNDOFF);
        search.set_cutoff(0.3).unwrap();
        search.set_skin(0.1).unwrap();
        search.set_box(&[0.0], &[length], &[true]).unwrap();
        search
            .set_points(&PointsView::interleaved(1, &[T::default(); 2]).unwrap())
            .unwrap();
        assert_eq!(search.pairs().unwrap_err().status(), Status::BadDomain);
    }
    check::<f32>();
    check::<f64>();
}

/// Queries that become points after those that there are: as many coordinates as before, but other points.
#[test]
fn queries_become_points() {
    let coords = [0.0, 0.25, 3.0, 5.0, 5.25];
    for kind in [NeighborsKind::Half, NeighborsKind::Full, NeighborsKind::Queries] {
        let mut search = Search::new().unwrap();
        search.set_cutoff(0.5).unwrap();
        search.set_skin(1.0).unwrap();
        search
            .set_points(&PointsView::interleaved(1, &coords[..3]).unwrap())
            .unwrap();
        search
            .set_queries(&PointsView::interleaved(1, &coords[3..]).unwrap())
            .unwrap();
        search.count_neighbors(kind).unwrap();
        let rebuilt = search.update(&PointsView::interleaved(1, &coords).unwrap()).unwrap();
        assert!(rebuilt, "{kind:?}");
        assert_eq!(
            (search.skin_used(), search.count_pairs().unwrap()),
            (0.0, 2),
            "{kind:?}"
        );
    }
}

/// A random walk with radii: by every rule, rows out of the list are those of a fresh search.
fn walk_by_radii<T: Precision>(dim: usize, domain: Domain, rule: RadiusRule, said: Said) -> i64 {
    let (n, steps, mut random) = (600, 40, Random(60 + dim as u64));
    let mean = 1.6 * (n as f64).powf(-1.0 / dim as f64);
    let skin = 0.25 * mean;
    let radii: Vec<T> = (0..n)
        .map(|_| T::from_f64(mean * [0.0, 0.5, 1.0, 0.8 + random.uniform()][random.below(4)]))
        .collect();
    let (mut kept, mut fresh) = (search(mean, domain, dim), search(mean, domain, dim));
    for search in [&mut kept, &mut fresh] {
        say(search, n, said);
        search.set_radii(&radii, rule).unwrap();
    }
    kept.set_skin(skin).unwrap();
    let is_half = !matches!(rule, RadiusRule::Gather | RadiusRule::Scatter);
    let mut coords = random.cloud(dim, n);
    for step in 0..steps {
        let rounded: Vec<T> = coords.iter().map(|&c| T::from_f64(c)).collect();
        let view = PointsView::interleaved(dim, &rounded).unwrap();
        kept.update(&view).unwrap();
        fresh.set_points(&view).unwrap();
        let kind = match step / 5 % 2 {
            0 if is_half => NeighborsKind::Half,
            _ => NeighborsKind::Full,
        };
        compare(&mut kept, &mut fresh, kind, step);
        for c in &mut coords {
            *c += 0.05 * skin * (random.uniform() - 0.5);
        }
    }
    kept.counter(Counter::SkinLists)
}

#[test]
fn walks_by_radii() {
    use RadiusRule::*;
    for (k, rule) in [Gather, Scatter, Max, Min, Mean].into_iter().enumerate() {
        for dim in 1..=3 {
            for domain in [Domain::default(), Domain::periodic(-0.5, 1.0)] {
                let said = [Said::Nothing, Said::Much][(k + dim) % 2];
                let lists = walk_by_radii::<f64>(dim, domain, rule, said);
                assert!((1..20).contains(&lists), "{rule:?} {dim}: {lists} lists of 40 steps");
                walk_by_radii::<f32>(dim, domain, rule, said);
            }
        }
    }
}

/// The list by radii is that of a search whose radii are larger by the skin, and points that approach each other are found as soon as
/// they are in reach.
#[test]
fn lists_by_radii() {
    let (mut random, mut kept, mut fresh) = (Random(9), Search::new().unwrap(), Search::new().unwrap());
    let coords = random.cloud(2, 400);
    let radii: Vec<f64> = (0..400)
        .map(|_| [0.0, 0.05 * random.uniform()][random.below(2)])
        .collect();
    let view = PointsView::interleaved(2, &coords).unwrap();
    for (search, skin) in [(&mut kept, 0.0), (&mut fresh, 0.03125)] {
        let radii: Vec<f64> = radii.iter().map(|r| r + skin).collect();
        search.set_points(&view).unwrap();
        search.set_radii(&radii, RadiusRule::Max).unwrap();
    }
    kept.set_skin(0.03125).unwrap();
    let list = kept.verlet_list(NeighborsKind::Half).unwrap().neighbors;
    let wanted = fresh.neighbors(NeighborsKind::Half).unwrap();
    assert!(wanted.ids.len() > 400 && (list.offsets, list.ids) == (wanted.offsets, wanted.ids));

    let (mut kept, mut fresh) = (Search::new().unwrap(), Search::new().unwrap());
    kept.set_skin(0.5).unwrap();
    for search in [&mut kept, &mut fresh] {
        search.set_radii(&[0.25f32, 0.75], RadiusRule::Mean).unwrap();
    }
    let mut distance: f32 = 1.25;
    while distance > 0.4 {
        let points = [0.0, distance];
        let view = PointsView::interleaved(1, &points).unwrap();
        kept.update(&view).unwrap();
        fresh.set_points(&view).unwrap();
        assert_eq!(
            kept.count_pairs().unwrap(),
            fresh.count_pairs().unwrap(),
            "{distance} apart"
        );
        distance -= 1e-3;
    }
    assert!(kept.counter(Counter::SkinLists) < 6);
    let huge = kept.set_skin(1e19).and_then(|()| kept.count_pairs()).unwrap_err();
    assert!(
        huge.status() == Status::BadRadius && huge.to_string().contains("skin"),
        "{huge}"
    );
    kept.set_skin(0.5).unwrap();
    kept.set_radii(&[1.0f32; 3], RadiusRule::Mean).unwrap();
    kept.update(&PointsView::interleaved(1, &[0.0f32, 1.0]).unwrap())
        .unwrap();
    assert_eq!(
        kept.count_pairs().unwrap_err().status(),
        Status::BadCount,
        "of three radii for two points"
    );
}

/// A box that breathes: points move with it, and the list holds while its change and their displacements fit into the skin.
fn breathe<T: Precision>(dim: usize, periodic: [bool; 3], is_by_radii: bool) -> (i64, usize) {
    let (n, steps, mut random) = (700, 60, Random(80 + dim as u64));
    let cutoff = 1.6 * (n as f64).powf(-1.0 / dim as f64);
    let skin = 0.25 * cutoff;
    let (mut kept, mut fresh) = (
        search(cutoff, Domain::default(), dim),
        search(cutoff, Domain::default(), dim),
    );
    kept.set_skin(skin).unwrap();
    if is_by_radii {
        let radii: Vec<T> = (0..n).map(|_| T::from_f64(cutoff * random.uniform())).collect();
        kept.set_radii(&radii, RadiusRule::Max).unwrap();
        fresh.set_radii(&radii, RadiusRule::Max).unwrap();
    }
    let (mut coords, mut rebuilt) = (random.cloud(dim, n), 0);
    for step in 0..steps {
        let edges = [0, 1, 2].map(|axis| 1.0 + 0.2 * skin * (0.5 * (step + axis) as f64).sin());
        let lo = [0, 1, 2].map(|axis| -0.25 + 0.1 * skin * (0.3 * (step * axis) as f64).cos());
        let scaled: Vec<T> = (coords.iter().enumerate())
            .map(|(k, &c)| T::from_f64(lo[k % dim] + c * edges[k % dim]))
            .collect();
        let view = PointsView::interleaved(dim, &scaled).unwrap();
        for search in [&mut kept, &mut fresh] {
            search.set_box(&lo[..dim], &edges[..dim], &periodic[..dim]).unwrap();
        }
        rebuilt += usize::from(kept.update(&view).unwrap());
        fresh.set_points(&view).unwrap();
        compare(&mut kept, &mut fresh, NeighborsKind::Half, step);
        for c in &mut coords {
            *c += 0.02 * skin * (random.uniform() - 0.5);
        }
    }
    (kept.counter(Counter::SkinLists), rebuilt)
}

#[test]
fn boxes_that_change() {
    for dim in 1..=3 {
        for periodic in [[true; 3], [true, false, true]] {
            let (lists, rebuilt) = breathe::<f64>(dim, periodic, dim == 2);
            assert!(
                lists == rebuilt as i64 && (1..20).contains(&lists),
                "{lists} lists, {rebuilt} of 60"
            );
            breathe::<f32>(dim, periodic, dim == 3);
        }
    }
}

/// Two points that stay where they are, and that a box which shrinks brings into reach of each other.
#[test]
fn a_box_that_shrinks() {
    let (mut kept, mut fresh) = (search(1.0, Domain::default(), 1), search(1.0, Domain::default(), 1));
    kept.set_skin(0.5).unwrap();
    let view = PointsView::interleaved(1, &[0.0, 10.0]).unwrap();
    let mut counts = [0; 2];
    for step in 0..400 {
        let length = 11.75 - step as f64 / 256.0;
        for search in [&mut kept, &mut fresh] {
            search.set_box(&[0.0], &[length], &[true]).unwrap();
        }
        kept.update(&view).unwrap();
        fresh.set_points(&view).unwrap();
        assert!(step == 0 || kept.skin_used() <= 1.0 + 1.0 / 128.0);
        let [found, wanted] = [kept.count_pairs().unwrap(), fresh.count_pairs().unwrap()];
        assert_eq!(found, wanted, "in a box of length {length}");
        counts[wanted as usize] += 1;
    }
    let lists = kept.counter(Counter::SkinLists);
    assert!(
        counts.iter().all(|&count| count > 100) && (3..6).contains(&lists),
        "{counts:?} {lists}"
    );
    // Another box and set_points, another number of points, other axes: the list is made again.
    kept.set_box(&[0.0], &[11.0], &[true]).unwrap();
    kept.set_points(&view).unwrap();
    kept.count_pairs().unwrap();
    kept.set_box(&[0.0], &[11.0], &[false]).unwrap();
    assert!(kept.update(&view).unwrap());
    kept.count_pairs().unwrap();
    kept.set_box(&[0.0], &[11.0], &[true]).unwrap();
    kept.update(&view).unwrap();
    kept.set_box(&[0.0], &[11.0001], &[true]).unwrap();
    assert_eq!(
        kept.count_pairs().unwrap_err().status(),
        Status::BadState,
        "the points are gone"
    );
    assert!(
        kept.update(&PointsView::interleaved(1, &[0.0, 1.0, 2.0]).unwrap())
            .unwrap()
    );
    assert_eq!(kept.count_pairs().unwrap(), 2);
    assert_eq!(kept.counter(Counter::SkinLists), lists + 3);
}

/// Two ranks, of which one moves more, make their lists in the same steps: `update` says whether one of them must, and `set_points`
/// gives up the list of the other.
#[test]
fn ranks_decide_together() {
    let mut random = Random(8);
    let (n, cutoff) = (400, 0.1);
    let mut coords = [random.cloud(3, n), random.cloud(3, n)];
    let mut ranks = [(); 2].map(|()| search(cutoff, Domain::default(), 3));
    let mut fresh = search(cutoff, Domain::default(), 3);
    let mut alone = [0; 2];
    for rank in &mut ranks {
        rank.set_skin(0.3 * cutoff).unwrap();
    }
    for step in 0..40 {
        let mut rebuilt = false;
        for (k, rank) in ranks.iter_mut().enumerate() {
            let must = rank.update(&PointsView::interleaved(3, &coords[k]).unwrap()).unwrap();
            alone[k] += usize::from(must && step > 0);
            rebuilt |= must;
        }
        for (k, rank) in ranks.iter_mut().enumerate() {
            let view = PointsView::interleaved(3, &coords[k]).unwrap();
            if rebuilt {
                rank.set_points(&view).unwrap();
            }
            let before = rank.counter(Counter::SkinLists);
            fresh.set_points(&view).unwrap();
            compare(rank, &mut fresh, NeighborsKind::Half, step);
            assert_eq!(
                rank.counter(Counter::SkinLists) - before,
                i64::from(rebuilt),
                "step {step}, rank {k}"
            );
            let far = 0.02 * cutoff * (k + 1) as f64;
            coords[k].iter_mut().for_each(|c| *c += far * (random.uniform() - 0.2));
        }
    }
    assert!(alone[1] > 2 && alone[0] < alone[1], "{alone:?}");
}
