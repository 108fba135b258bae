//! Sums over rows by radii, by every rule, with everything that rows may have: `c` is the cutoff of the pair.

use neargrid::TieRule;

use super::*;
use crate::common::Domain;

const ALL: [RadiusRule; 5] = [
    RadiusRule::Gather,
    RadiusRule::Scatter,
    RadiusRule::Max,
    RadiusRule::Min,
    RadiusRule::Mean,
];

/// A cloud on a lattice, so that many distances are equal to a cutoff; the radii of some points are 0, and one is far larger than others.
fn cloud(k: usize, n: usize) -> (Case, Vec<f64>) {
    let (dim, mut random) = (1 + k % 3, Random(k as u64));
    let steps = [256.0, 32.0, 16.0][dim - 1];
    let coords = random
        .cloud(dim, n)
        .iter()
        .map(|x| (x * steps).floor() / steps)
        .collect();
    let mut case = Case::new(format!("radii {k}"), dim, coords, 4.0 / steps);
    case.rule = [TieRule::Inclusive, TieRule::Exclusive][k / 2 % 2];
    case.domain = if k % 4 == 3 {
        Domain::periodic(0.0, 1.0)
    } else {
        Domain::default()
    };
    let mut radii: Vec<f64> = (0..n)
        .map(|_| match random.below(6) {
            0 => 0.0,
            1 | 2 => case.cutoff,
            _ => case.cutoff * (0.1 + random.uniform()),
        })
        .collect();
    radii[n / 3] = 0.45;
    (case, radii)
}

/// Rows of points of several kinds, of some rows by ids, with and without the point itself.
fn check_points<T: Precision>(search: &mut Search, k: usize) {
    let n = 240;
    let (mut case, radii) = cloud(k, n);
    if k % 3 == 1 {
        case.rules = Rules::some(n, &mut Random(k as u64)).swap_remove(k / 3 % 8);
    }
    let radii: Vec<T> = radii.into_iter().map(T::from_f64).collect();
    let (coords, periods) = (case.coords_as::<T>(), case.domain.periods());
    let view = PointsView::interleaved(case.dim, &coords).unwrap();
    set::<T>(search, &case, k as i64 % 2);
    for rule in ALL {
        search.set_radii(&radii, rule).unwrap();
        let counts = |i: usize, j: usize| case.rules.counts(i, j);
        let rows = oracle::neighbors_by_radii(&view, &periods, &radii, (rule, case.rule), counts);
        let mut world = World::<T>::new(&case, rows);
        world.radii = Some((radii.clone(), rule));
        let about = format!("{}, {rule:?}, {:?}", case.name, case.rule);
        check_one::<T, f32>(search, &world, NeighborsKind::Full, (k, false), &about);
        if !matches!(rule, RadiusRule::Gather | RadiusRule::Scatter) {
            let mut half = World {
                rows: world.rows.clone(),
                radii: world.radii.clone(),
                coords: world.coords.clone(),
                ..world
            };
            half.rows.iter_mut().for_each(|(i, row)| row.retain(|j| j > i));
            check_one::<T, f32>(search, &half, NeighborsKind::Half, (k, false), &about);
        }
        for (i, row) in &mut world.rows {
            row.insert(row.partition_point(|j| j < i), *i);
        }
        check_one::<T, f32>(search, &world, NeighborsKind::Full, (k, true), &about);
    }
    search.clear_radii();
}

#[test]
fn points() {
    let mut search = Search::new().unwrap();
    for k in (0..10).step_by(Part::of_environment().every.clamp(1, 3)) {
        check_points::<f32>(&mut search, k);
        check_points::<f64>(&mut search, k + 1);
    }
}

/// Rows of queries, which have radii too, or alone.
#[test]
fn queries() {
    fn check<T: Precision>(search: &mut Search, k: usize) {
        let (points, queries) = (200, 40);
        let (case, radii) = cloud(k, points + queries);
        let radii: Vec<T> = radii.into_iter().map(T::from_f64).collect();
        let both = case.coords_as::<T>();
        let view = PointsView::interleaved(case.dim, &both).unwrap();
        let (of_points, of_queries) = both.split_at(points * case.dim);
        set::<T>(search, &case, 0);
        search
            .set_points(&PointsView::interleaved(case.dim, of_points).unwrap())
            .unwrap();
        search
            .set_queries(&PointsView::interleaved(case.dim, of_queries).unwrap())
            .unwrap();
        for rule in ALL {
            search.set_query_radii(&radii[points..]).unwrap();
            search.set_radii(&radii[..points], rule).unwrap();
            let (periods, counts) = (case.domain.periods(), |i: usize, j: usize| i >= points && j < points);
            let rows = oracle::neighbors_by_radii(&view, &periods, &radii, (rule, case.rule), counts);
            let mut world = World::<T>::new(&case, rows);
            world.rows.drain(..points);
            world.radii = Some((radii.clone(), rule));
            let about = format!("queries of {}, {rule:?}", case.name);
            check_one::<T, f32>(search, &world, NeighborsKind::Queries, (k, false), &about);
        }
        search.clear_radii();
    }
    let mut search = Search::new().unwrap();
    for k in 0..8 {
        check::<f32>(&mut search, k);
        check::<f64>(&mut search, k + 1);
    }
}

/// Sums and lists in turns, with other radii and rules between.
#[test]
fn in_turns() {
    let mut search = Search::new().unwrap();
    let (case, radii) = cloud(2, 400);
    set::<f64>(&mut search, &case, 1);
    let view = PointsView::interleaved(case.dim, &case.coords).unwrap();
    for k in 0..12 {
        let rule = ALL[k % 5];
        let radii: Vec<f64> = radii.iter().map(|r| r * [1.0, 0.7, 1.1][k / 2 % 3]).collect();
        search.set_radii(&radii, rule).unwrap();
        let rows = oracle::neighbors_by_radii(&view, &[None; 3], &radii, (rule, case.rule), |_, _| true);
        let mut world = World::<f64>::new(&case, rows.clone());
        world.radii = Some((radii, rule));
        for step in 0..3 {
            if (k + step) % 2 == 0 {
                let found = search.neighbors(NeighborsKind::Full).unwrap();
                assert!(found.ids.iter().map(|id| id - 1).eq(rows.1.iter().copied()), "list {k}");
            }
            check_one::<f64, f32>(&mut search, &world, NeighborsKind::Full, (k + step, false), "in turns");
        }
        search.clear_radii();
        let same = World::<f64>::new(&case, oracle::neighbors(400, &case.truth::<f64>(), true));
        check_one::<f64, f32>(
            &mut search,
            &same,
            NeighborsKind::Full,
            (k, false),
            "one cutoff between",
        );
    }
}
