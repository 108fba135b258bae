//! Lists with a skin: what is delivered is at every step what a fresh search finds, and lists are kept while they may be.

use crate::common::{Domain, Random};
use neargrid::{Counter, NeighborsKind, PointsView, Precision, Search, Status, TieRule, oracle};

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
