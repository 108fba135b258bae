//! Spatial order: what its rule promises, and moving arrays.

use crate::common::{Case, Random};
use neargrid::{PointsView, Search, Status, reorder, restore};

fn order_of(search: &mut Search, case: &Case, threads: i64) -> Vec<i32> {
    search.set_threads(threads).unwrap();
    case.set::<f64>(search);
    let mut order = vec![-1; search.len()];
    search.order(&mut order).unwrap();
    order
}

/// More points than one thread sorts: the same for any number of threads, and neighbors on the curve are near each other.
#[test]
fn locality() {
    let mut search = Search::new().unwrap();
    let n = 30_000;
    let case = Case::new("many", 3, Random(9).cloud(3, n), 1.0);
    let order = order_of(&mut search, &case, 1);
    for threads in [2, 5] {
        assert_eq!(order, order_of(&mut search, &case, threads), "{threads} threads");
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
