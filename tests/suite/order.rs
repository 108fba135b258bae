//! Spatial order: what its rule promises, and moving arrays.

use crate::common::{Case, Random};
use neargrid::{Search, reorder, restore};

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
