//! Exclusions by global ids follow the ids when points are reordered, leave, are new, or share ids with ghosts.

use std::collections::BTreeMap;

use crate::common::Random;
use neargrid::{Formula, NeighborsKind, PointsView, Search, Status};

/// Excluded pairs by ids, the smaller id first, and their classes.
type Named = BTreeMap<(i64, i64), i32>;

fn class(named: &Named, i: i64, j: i64) -> i32 {
    named.get(&(i.min(j), i.max(j))).copied().unwrap_or(0)
}

fn set(search: &mut Search, x: &[f64], ids: &[i64]) {
    search.set_points(&PointsView::interleaved(1, x).unwrap()).unwrap();
    search.set_ids(ids).unwrap();
}

fn exclude(search: &mut Search, ids: &[i64], named: &Named, base: i64) {
    let (mut offsets, mut rows, mut classes) = (vec![base], Vec::new(), Vec::new());
    for &i in ids {
        for (&(a, b), &class) in named.iter().filter(|((a, b), _)| i == *a || i == *b) {
            rows.push(if i == a { b } else { a });
            classes.push(class);
        }
        offsets.push(base + rows.len() as i64);
    }
    search.set_exclusions_by_ids(&offsets, &rows, Some(&classes)).unwrap();
}

/// Compares full rows and classes with a plain loop.
fn check(search: &mut Search, [x, radius]: [&[f64]; 2], ids: &[i64], named: &Named, name: &str) {
    let near = |i: usize, j: usize| i != j && (x[i] - x[j]).abs() <= radius[0];
    let mut want = Vec::new();
    for (i, _) in ids.iter().enumerate() {
        let mut row: Vec<usize> = (0..ids.len()).filter(|&j| near(i, j)).collect();
        row.retain(|&j| class(named, ids[i], ids[j]) == 0);
        row.sort_by_key(|&j| (ids[j], j));
        want.push(row);
    }
    for round in 0..2 {
        let rows = search.neighbors(NeighborsKind::Full).unwrap();
        let (base, mut found) = (rows.offsets[0], Vec::new());
        for ends in rows.offsets.windows(2) {
            let row = &rows.ids[(ends[0] - base) as usize..(ends[1] - base) as usize];
            found.push(row.iter().map(|&j| (i64::from(j) - base) as usize).collect::<Vec<_>>());
        }
        assert_eq!(found, want, "{name}: rows, round {round}");
    }
    let mut formula = Formula::new("s += 1 + 10*class").unwrap();
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    for (i, &s) in search.field::<f32>("s").unwrap().iter().enumerate() {
        let near = (0..ids.len()).filter(|&j| near(i, j));
        let terms = near.map(|j| 1.0 + 10.0 * f64::from(class(named, ids[i], ids[j])));
        assert_eq!(f64::from(s), terms.sum::<f64>(), "{name}: classes of {i}");
    }
}

/// Steps in which points get other numbers, leave, and come back.
#[test]
fn points_change() {
    let mut random = Random(83);
    for base in [0, 1] {
        let mut search = Search::new().unwrap();
        search.set_index_base(base).unwrap();
        search.set_cutoff(0.3).unwrap();
        let n = 60;
        let (x, ids): (Vec<f64>, Vec<i64>) = (0..n).map(|k| (random.uniform(), 1000 - 7 * k)).unzip();
        let mut named = Named::new();
        for _ in 0..3 * n {
            let [i, j] = [(); 2].map(|()| ids[random.below(n as usize)]);
            if i != j {
                named.insert((i.min(j), i.max(j)), 1 + random.below(3) as i32);
            }
        }
        set(&mut search, &x, &ids);
        exclude(&mut search, &ids, &named, base);
        check(&mut search, [&x, &[0.3]], &ids, &named, "as set");
        for step in 0..8 {
            let mut order: Vec<usize> = (0..n as usize).collect();
            (0..order.len()).rev().for_each(|k| order.swap(k, random.below(k + 1)));
            order.truncate(n as usize - 9 * (step % 4)); // some points leave, and come back later
            let (mut x, mut ids): (Vec<f64>, Vec<i64>) = order.iter().map(|&k| (x[k], ids[k])).unzip();
            x.extend([0.4, 0.5]); // new points have no exclusions
            ids.extend([-5, 5000]);
            set(&mut search, &x, &ids);
            check(
                &mut search,
                [&x, &[0.3]],
                &ids,
                &named,
                &format!("base {base}, step {step}"),
            );
        }
        set(&mut search, &[], &[]);
        assert_eq!(search.count_pairs().unwrap(), 0);
        set(&mut search, &x, &ids);
        check(&mut search, [&x, &[0.3]], &ids, &named, "all are back");
        // Exclusions by numbers replace those by ids.
        let mut offsets = vec![base + 2; n as usize + 1];
        offsets[..2].copy_from_slice(&[base, base + 1]);
        let numbers = [1, 0].map(|k| k + base as i32);
        search.set_exclusions(&offsets, &numbers, None).unwrap();
        let (of_two, turned): (Named, Vec<i64>) = (
            [((ids[0].min(ids[1]), ids[0].max(ids[1])), 1)].into(),
            ids.iter().rev().copied().collect(),
        );
        check(&mut search, [&x, &[0.3]], &ids, &of_two, "by numbers");
        search.set_ids(&turned).unwrap();
        let of_two = [((turned[1].min(turned[0]), turned[1].max(turned[0])), 1)].into();
        check(&mut search, [&x, &[0.3]], &turned, &of_two, "numbers stay");
    }
}

/// Ghosts with the ids of points have the exclusions of these points, also when the ghosts change.
#[test]
fn ghosts_share_ids() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.3).unwrap();
    let named: Named = [((1, 2), 2), ((2, 3), 1)].into();
    let (x, ids) = ([0.0, 0.1, 0.2, 1.0], [1, 2, 3, 4]);
    set(&mut search, &x, &ids);
    exclude(&mut search, &ids, &named, 0);
    search.set_ghost_rows(neargrid::GhostRows::All);
    for ghosts in [&[1, 2][..], &[3, 2, 2, 1], &[4], &[]] {
        let mut all = [&x[..], &vec![0.15; ghosts.len()]].concat();
        all[3] = 0.21;
        let ids = [&ids[..], ghosts].concat();
        search.set_points(&PointsView::interleaved(1, &all).unwrap()).unwrap();
        search.set_active(Some(4)).unwrap();
        search.set_ids(&ids).unwrap();
        check(&mut search, [&all, &[0.3]], &ids, &named, &format!("ghosts {ghosts:?}"));
    }
}

/// A list with a skin is made again if the ids change its pairs. So are images.
#[test]
fn kept_results() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    search.set_skin(0.2).unwrap();
    let x = [0.0, 0.5, 0.9];
    set(&mut search, &x, &[10, 20, 30]);
    search.set_exclusions_by_ids(&[0, 1, 2, 2], &[20, 10], None).unwrap();
    let mut pairs = |ids: &[i64]| {
        search.set_ids(ids).unwrap();
        let list = search.verlet_list(NeighborsKind::Half).unwrap().neighbors;
        let mut found = Vec::new();
        for (i, ends) in list.offsets.windows(2).enumerate() {
            let row = &list.ids[ends[0] as usize..ends[1] as usize];
            found.extend(row.iter().map(|&j| (ids[i], ids[j as usize])));
        }
        found.sort();
        found
    };
    assert_eq!(pairs(&[10, 20, 30]), [(10, 30), (20, 30)]);
    assert_eq!(pairs(&[30, 10, 20]), [(10, 30), (20, 30)]);
    search.set_skin(0.0).unwrap();
    search
        .set_cell(&[[3.0, 0.0, 0.0], [0.0; 3], [0.0; 3]], [true, false, false])
        .unwrap();
    for ids in [[10, 20, 30], [20, 30, 10]] {
        search.set_ids(&ids).unwrap();
        let rows = search.images(NeighborsKind::Half).unwrap();
        assert_eq!(rows.ids.len(), 2, "{ids:?}");
    }
}

/// A query refuses exclusions by ids if ids were set or cleared after them.
#[test]
fn ids_come_and_go() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    set(&mut search, &[0.0, 0.1, 0.2], &[]);
    search.set_exclusions_by_ids(&[0, 1, 2, 2], &[1, 0], None).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 2);
    search.set_ids(&[2, 0, 1]).unwrap();
    let error = search.count_pairs().unwrap_err();
    assert_eq!(error.status(), Status::BadState);
    let text =
        "global ids = set is not allowed: it must be not set, as when the exclusions were set by ids; set them again";
    assert_eq!(error.to_string(), text);
    search.set_exclusions_by_ids(&[0, 0, 1, 2], &[1, 0], None).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 2);
    search.set_ids(&[]).unwrap();
    let error = search.count_pairs().unwrap_err();
    assert_eq!(error.status(), Status::BadState);
    assert!(
        error
            .to_string()
            .starts_with("global ids = not set is not allowed: it must be set"),
        "{error}"
    );
    search.set_ids(&[2, 0, 1]).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 2);
    let error = search.set_exclusions_by_ids(&[0, 0, 1, 2], &[7, 0], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ids = a row 1 with id 7 is not allowed: it must be ids of points"
    );
    search.set_exclusions_by_ids(&[], &[], None).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 3);
}
