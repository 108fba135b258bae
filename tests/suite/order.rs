//! Spatial order: every cloud against a plain construction of the same rule, what the rule promises, and moving arrays.

use crate::common::{Case, Random, all_cases, periodic_cases, spatial_order};
use neargrid::{PointsView, Precision, Search, Status, TieRule, oracle, reorder, restore};

/// Coordinates as the handle holds them, exactly, a point each.
fn held<T: Precision>(case: &Case) -> Vec<Vec<f64>> {
    let (coords, periods) = (case.coords_as::<T>(), case.domain.periods::<T>());
    let wrap = |axis: usize, c: T| periods[axis].map_or(c, |[lo, length]| oracle::wrapped(c, lo, length));
    let points = coords.chunks(case.dim);
    points
        .map(|point| {
            point
                .iter()
                .enumerate()
                .map(|(axis, &c)| wrap(axis, c).to_f64())
                .collect()
        })
        .collect()
}

fn order_of<T: Precision>(search: &mut Search, case: &Case, base: i64, threads: i64) -> Vec<i32> {
    let coords = case.coords_as::<T>();
    case.domain.set(search, case.dim);
    search.set_index_base(base).unwrap();
    search.set_threads(threads).unwrap();
    search
        .set_points(&PointsView::interleaved(case.dim, &coords).unwrap())
        .unwrap();
    let mut order = vec![-1; search.len()];
    search.order(&mut order).unwrap();
    order
}

fn check<T: Precision>(search: &mut Search, case: &Case) -> usize {
    if !case.fits::<T>() {
        return 0;
    }
    let points = held::<T>(case);
    let mut wanted = Vec::new();
    spatial_order(&points, (0..points.len()).collect(), &mut wanted);
    for (base, threads) in [(0, 1), (1, 3)] {
        let found = order_of::<T>(search, case, base, threads);
        let found: Vec<_> = found.iter().map(|&k| (i64::from(k) - base) as usize).collect();
        assert_eq!(
            found,
            wanted,
            "{} ({}, base {base}, {threads} threads)",
            case.name,
            T::NAME
        );
    }
    if case.dim == 1 {
        let place = |&k: &usize| (points[k][0], k);
        assert!(wanted.is_sorted_by(|a, b| place(a) < place(b)), "{}", case.name);
    }
    1
}

#[test]
fn all_clouds() {
    let mut search = Search::new().unwrap();
    let mut checked = 0;
    for case in all_cases().iter().chain(&periodic_cases()) {
        if case.rule == TieRule::Inclusive && !case.name.starts_with("rounding tie") {
            checked += check::<f32>(&mut search, case) + check::<f64>(&mut search, case);
        }
    }
    assert!(checked > 300, "{checked}");
}

/// The corners of a cube, in the order of the curve.
#[test]
fn a_cube() {
    let mut search = Search::new().unwrap();
    let corners: Vec<f64> = (0..8)
        .flat_map(|k| [k >> 2 & 1, k >> 1 & 1, k & 1].map(f64::from))
        .collect();
    let shuffled = [5, 2, 7, 0, 3, 6, 1, 4];
    let coords = shuffled
        .iter()
        .flat_map(|&k| corners[3 * k..3 * k + 3].to_vec())
        .collect();
    let order = order_of::<f64>(&mut search, &Case::new("corners", 3, coords, 1.0), 0, 1);
    let along: Vec<_> = order.iter().map(|&k| shuffled[k as usize]).collect();
    assert_eq!(along, [0, 1, 2, 3, 4, 5, 6, 7]);
}

/// More points than one thread sorts: the same for any number of threads, and neighbors on the curve are near each other.
#[test]
fn locality() {
    let mut search = Search::new().unwrap();
    let n = 30_000;
    let case = Case::new("many", 3, Random(9).cloud(3, n), 1.0);
    let order = order_of::<f64>(&mut search, &case, 0, 1);
    for threads in [2, 5] {
        assert_eq!(
            order,
            order_of::<f64>(&mut search, &case, 0, threads),
            "{threads} threads"
        );
    }
    let point = |k: i32| &case.coords[3 * k as usize..3 * k as usize + 3];
    let step = |a: i32, b: i32| {
        (0..3)
            .map(|axis| (point(a)[axis] - point(b)[axis]).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let length = |order: &[i32]| order.windows(2).map(|two| step(two[0], two[1])).sum::<f64>() / n as f64;
    let unordered: Vec<i32> = (0..n as i32).collect();
    let spacing = (n as f64).powf(-1.0 / 3.0);
    assert!(length(&unordered) > 0.6, "{}", length(&unordered));
    assert!(length(&order) < 1.7 * spacing, "{} spacings", length(&order) / spacing);
}

/// A stray that is far enough to leave all others in one cell does not change their order, nor does such a cluster.
#[test]
fn strays() {
    let mut search = Search::new().unwrap();
    for dim in 1..=3 {
        let n = 900;
        let cloud = Random(dim as u64).cloud(dim, n);
        let alone = order_of::<f64>(&mut search, &Case::new("alone", dim, cloud.clone(), 1.0), 0, 1);
        for stray in [1e12, -1e12, 1e300, -1e300, f64::MAX, f64::MIN] {
            let mut coords = cloud.clone();
            coords.extend(vec![stray; dim]);
            let order = order_of::<f64>(&mut search, &Case::new("stray", dim, coords, 1.0), 0, 1);
            let at = if stray > 0.0 { n } else { 0 };
            assert_eq!(order[at], n as i32, "{stray:e} in {dim}D");
            let others: Vec<i32> = order.into_iter().filter(|&k| k != n as i32).collect();
            assert!(others == alone, "{stray:e} in {dim}D");
        }
        let far = cloud.iter().map(|c| c + 2f64.powi(40));
        let both = Case::new("clusters", dim, cloud.iter().copied().chain(far.clone()).collect(), 1.0);
        let order = order_of::<f64>(&mut search, &both, 0, 1);
        let beyond = order_of::<f64>(&mut search, &Case::new("far", dim, far.collect(), 1.0), 0, 1);
        assert!(order[..n] == alone, "{dim}D");
        assert!(order[n..].iter().zip(&beyond).all(|(&a, &b)| a == b + n as i32));
    }
}

#[test]
fn moved_arrays() {
    let mut random = Random(3);
    for (n, base) in [(0, 0), (1, 1), (2, 0), (65, 1), (1000, 0)] {
        let mut order: Vec<i32> = (0..n).map(|k| k + base as i32).collect();
        (1..n as usize).rev().for_each(|k| order.swap(k, random.below(k + 1)));
        let from: Vec<[f32; 3]> = (0..n).map(|k| [k as f32, -1.0, 0.5 * k as f32]).collect();
        let (mut to, mut back) = (vec![[9.0; 3]; n as usize], vec![[9.0; 3]; n as usize]);
        reorder(&order, base, &from, &mut to).unwrap();
        for (k, &number) in order.iter().enumerate() {
            assert_eq!(to[k], from[(i64::from(number) - base) as usize]);
        }
        restore(&order, base, &to, &mut back).unwrap();
        assert_eq!(back, from);
    }
}

#[test]
fn refusals() {
    let refused = |result: neargrid::Result<()>, status: Status, words: &str| {
        let error = result.unwrap_err();
        assert!(error.status() == status && error.to_string().contains(words), "{error}");
    };
    let mut search = Search::new().unwrap();
    refused(search.order(&mut []), Status::BadState, "points");
    let line = [0f32, 1.0, 2.5];
    search.set_cutoff(1.0).unwrap();
    search
        .count_pairs_of(&PointsView::interleaved(1, &line).unwrap())
        .unwrap();
    refused(search.order(&mut [0; 3]), Status::BadState, "points"); // the caller's, and gone
    search.set_points(&PointsView::interleaved(1, &line).unwrap()).unwrap();
    refused(search.order(&mut [0; 4]), Status::BadCount, "the length of order = 4");
    let mut to = [7; 3];
    for move_array in [reorder::<i32>, restore::<i32>] {
        let mut refuse = |order: &[i32], base: i64, status: Status, words: &str| {
            refused(move_array(order, base, &[1, 2, 3], &mut to), status, words);
        };
        refuse(&[0, 1], 0, Status::BadCount, "the length of from = 3");
        refuse(
            &[0, 1, 3],
            0,
            Status::BadValue,
            "element 2 of order is 3: it must be 0 to 2, each once",
        );
        refuse(
            &[0, 1, 2],
            1,
            Status::BadValue,
            "element 1 of order is 0: it must be 1 to 3, each once",
        );
        refuse(
            &[2, 1, 2],
            0,
            Status::BadValue,
            "element 2 of order is 2: it must be 0 to 2, each once",
        );
        refuse(&[0, -1, 2], 0, Status::BadValue, "element 1 of order is -1");
        refuse(&[2, 3, 4], 2, Status::BadValue, "base = 2");
        refused(
            move_array(&[0, 1, 2], 0, &[1, 2, 3], &mut [0; 2]),
            Status::BadCount,
            "the length of to = 2",
        );
    }
    assert_eq!(to, [7; 3]);
}
