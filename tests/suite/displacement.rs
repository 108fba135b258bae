//! Distances and displacements of pairs the caller holds, bit for bit what the language's own operators compute.

use crate::common::{Case, Random, cases, is_whole, periodic_cases};
use neargrid::{Error, PointsView, Precision, Search};

/// A precision with the plain loop's arithmetic, written out with the language's own operators.
trait Plain: Precision {
    /// `a - b`, to the nearest image along a periodic axis of corner and length.
    fn plain_difference(a: Self, b: Self, period: Option<[Self; 2]>) -> Self;
    /// The root of the sum of squares.
    fn plain_distance(d: &[Self]) -> Self;
    fn bits(self) -> u64;
}

macro_rules! plain {
    ($type:ident) => {
        impl Plain for $type {
            fn plain_difference(a: $type, b: $type, period: Option<[$type; 2]>) -> $type {
                let Some([lo, length]) = period else { return a - b };
                let hi = lo + length;
                let wrap = |x: $type| {
                    if lo <= x && x < hi {
                        return x;
                    }
                    let mut t = (x - lo) % length;
                    if t < 0.0 {
                        t += length;
                    }
                    if lo + t >= hi { lo } else { lo + t }
                };
                let d = wrap(a) - wrap(b);
                match d {
                    _ if d > length / 2.0 => d - length,
                    _ if d < -length / 2.0 => d + length,
                    _ => d,
                }
            }
            fn plain_distance(d: &[$type]) -> $type {
                let mut d2 = d[0] * d[0];
                for d in &d[1..] {
                    let square = d * d;
                    d2 += square;
                }
                d2.sqrt()
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
        }
    };
}
plain!(f32);
plain!(f64);

fn expect_same<T: Plain>(found: &[T], wanted: &[T], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (k, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert_eq!(
            found.bits(),
            wanted.bits(),
            "{what}: {found:?} is not {wanted:?}, value {k}"
        );
    }
}

/// Pairs at will, points with themselves among them.
fn check<T: Plain>(search: &mut Search, case: &Case, threads: i64) {
    let (n, dim) = (case.len(), case.dim);
    if !case.fits::<T>() || n == 0 {
        return;
    }
    case.set::<T>(search);
    search.set_threads(threads).unwrap();
    let (coords, periods, mut random) = (case.coords_as::<T>(), case.domain.periods::<T>(), Random(n as u64));
    let [left, right]: [Vec<i32>; 2] = [0, 1].map(|_| (0..500).map(|_| random.below(n) as i32).collect());
    let (mut displacements, mut distances) = (Vec::new(), Vec::new());
    for (&i, &j) in left.iter().zip(&right) {
        let coord = |point: i32, axis: usize| coords[point as usize * dim + axis];
        let axes = 0..dim;
        displacements.extend(axes.map(|axis| T::plain_difference(coord(i, axis), coord(j, axis), periods[axis])));
        distances.push(T::plain_distance(&displacements[displacements.len() - dim..]));
    }
    let (mut of_pairs, mut lengths) = (vec![T::INFINITY; 500 * dim], vec![T::INFINITY; 500]);
    search.pair_displacements(&left, &right, &mut of_pairs).unwrap();
    search.pair_distances(&left, &right, &mut lengths).unwrap();
    expect_same(&of_pairs, &displacements, &format!("{}, displacements", case.name));
    expect_same(&lengths, &distances, &format!("{}, distances", case.name));
}

#[test]
fn clouds() {
    let mut search = Search::new().unwrap();
    let every = if is_whole() { 1 } else { 3 };
    for (k, case) in cases().iter().chain(&periodic_cases()).step_by(every).enumerate() {
        check::<f32>(&mut search, case, [1, 2, 7][k % 3]);
        check::<f64>(&mut search, case, [1, 2, 7][k % 3]);
    }
}

/// In a box around 0, displacements of points inside are plain differences, to the nearest image: no coordinate is rounded.
#[test]
fn points_inside_keep_their_coordinates() {
    fn check<T: Plain>(search: &mut Search, lo: f64, length: f64) -> usize {
        let (mut random, n) = (Random(9), 4000);
        // Many near 0, where coordinates have digits that those of the ends have not.
        let coord = |k: usize| T::from_f64([0.3, -0.3][k % 2] * random.uniform().powi(4) * length);
        let coords: Vec<T> = (0..3 * n).map(coord).collect();
        let (length, half) = (T::from_f64(length), T::from_f64(0.5 * length));
        search.set_box(&[lo; 3], &[length.to_f64(); 3], &[true; 3]).unwrap();
        search
            .set_points(&PointsView::interleaved(3, &coords).unwrap())
            .unwrap();
        let [left, right]: [Vec<i32>; 2] = [0, 1].map(|_| (0..n).map(|_| random.below(n) as i32).collect());
        let mut found = vec![T::INFINITY; 3 * n];
        search.pair_displacements(&left, &right, &mut found).unwrap();
        let (mut wanted, mut shifted) = (Vec::new(), 0);
        for (&i, &j) in left.iter().zip(&right) {
            for axis in 0..3 {
                let [a, b] = [i, j].map(|point| coords[point as usize * 3 + axis]);
                let d = a.sub(b);
                wanted.push(match d {
                    _ if d > half => d.sub(length),
                    _ if d < T::default().sub(half) => d.add(length),
                    _ => d,
                });
                // As it would be from `lo` on.
                let from_lo = |c: T| c.sub(T::from_f64(lo));
                shifted += usize::from(from_lo(a).sub(from_lo(b)).bits() != d.bits());
            }
        }
        expect_same(&found, &wanted, &format!("{lo} + {length:?}, {}", T::NAME));
        shifted
    }
    let mut search = Search::new().unwrap();
    for (lo, length) in [(-0.5, 1.0), (-50.0, 100.0), (-2.0 / 3.0, 2.0)] {
        let shifted = [
            check::<f32>(&mut search, lo, length),
            check::<f64>(&mut search, lo, length),
        ];
        assert!(
            shifted.iter().all(|&values| values > 3000),
            "{shifted:?} values tell the difference"
        );
    }
}

/// The first wrong id is named, whichever thread finds one first.
#[test]
fn the_first_wrong_id() {
    let mut search = Search::new().unwrap();
    search.set_threads(5).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 1.0]).unwrap())
        .unwrap();
    let mut right = vec![1; 200_000];
    for wrong in [199_999, 170_000, 70_001, 16_384, 16_383, 3] {
        right[wrong] = 2 + wrong as i32;
        let mut out = vec![-1.0; right.len()];
        let error = search
            .pair_distances(&vec![0; right.len()], &right, &mut out)
            .unwrap_err();
        let wanted = Error::Element {
            argument: "pair_j",
            position: wrong as i64,
            value: 2 + wrong as i64,
            allowed: "0 to 1".into(),
        };
        assert_eq!(error, wanted);
        assert!(out.iter().all(|&d| d == -1.0));
    }
}

/// Sums that overflow are infinite, and roots of the smallest numbers are right.
#[test]
fn extremes() {
    let mut search = Search::new().unwrap();
    let coords = [0.0, 1e200, -1.7e308, 1.7e308, 5e-324, 1e-160];
    search
        .set_points(&PointsView::interleaved(1, &coords).unwrap())
        .unwrap();
    let mut d = [0.0; 5];
    let pairs = ([1, 3, 4, 5, 3], [0, 2, 0, 0, 0]);
    search.pair_distances(&pairs.0, &pairs.1, &mut d).unwrap();
    assert_eq!(d, [f64::INFINITY, f64::INFINITY, 0.0, 1e-320f64.sqrt(), f64::INFINITY]);
    search.pair_displacements(&pairs.0, &pairs.1, &mut d).unwrap();
    assert_eq!(d, [1e200, f64::INFINITY, 5e-324, 1e-160, 1.7e308]);
}
