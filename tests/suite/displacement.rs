//! Distances and displacements of pairs the caller holds: every cloud, bit for bit what a plain loop computes.

use crate::common::{Case, Random, all_cases, is_whole, periodic_cases};
use neargrid::{Error, NeighborsKind, PointsView, Precision, Search, Status, oracle};

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

/// The pairs of a case, and as many at will, points with themselves among them; 0-based.
fn pairs_of<T: Plain>(case: &Case, n: usize) -> Vec<[usize; 2]> {
    let mut random = Random(n as u64);
    let mut pairs: Vec<_> = case
        .truth::<T>()
        .iter()
        .map(|&(i, j)| [i as usize, j as usize])
        .collect();
    pairs.truncate(20_000);
    if n > 0 {
        pairs.extend((0..500).map(|_| [random.below(n), random.below(n)]));
        pairs.extend([[0, 0], [n - 1, 0]]);
    }
    pairs
}

/// Displacements and distances of `pairs` by the plain loop.
fn plain_of<T: Plain>(case: &Case, pairs: &[[usize; 2]]) -> [Vec<T>; 2] {
    let (coords, periods, dim) = (case.coords_as::<T>(), case.domain.periods::<T>(), case.dim);
    let mut values = [Vec::new(), Vec::new()];
    for &[i, j] in pairs {
        let d: Vec<T> = (0..dim)
            .map(|axis| T::plain_difference(coords[i * dim + axis], coords[j * dim + axis], periods[axis]))
            .collect();
        values[0].extend(&d);
        values[1].push(T::plain_distance(&d));
    }
    values
}

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

fn set<T: Plain>(search: &mut Search, case: &Case) {
    let coords = case.coords_as::<T>();
    case.domain.set(search, case.dim);
    let view = PointsView::interleaved(case.dim, &coords).unwrap();
    search.set_points(&view).unwrap();
}

fn check<T: Plain>(search: &mut Search, case: &Case, threads: i64) -> usize {
    if !case.fits::<T>() {
        return 0;
    }
    set::<T>(search, case);
    search.set_threads(threads).unwrap();
    let pairs = pairs_of::<T>(case, search.len());
    let wanted = plain_of::<T>(case, &pairs);
    for base in 0..=1 {
        search.set_index_base(base).unwrap();
        let what = |kind: &str| format!("{} ({}, {kind}, base {base}, {threads} threads)", case.name, T::NAME);
        let id = |point: usize| (point as i64 + base) as i32;
        let [left, right]: [Vec<i32>; 2] = [0, 1].map(|side| pairs.iter().map(|pair| id(pair[side])).collect());
        let mut distances = vec![T::INFINITY; pairs.len()];
        search.pair_distances(&left, &right, &mut distances).unwrap();
        expect_same(&distances, &wanted[1], &what("distances"));
        let mut displacements = vec![T::INFINITY; pairs.len() * case.dim];
        search.pair_displacements(&left, &right, &mut displacements).unwrap();
        expect_same(&displacements, &wanted[0], &what("displacements"));
        check_rows::<T>(search, case, base, &what);
    }
    pairs.len()
}

/// Half and full rows of the case's own pairs.
fn check_rows<T: Plain>(search: &mut Search, case: &Case, base: i64, what: &impl Fn(&str) -> String) {
    let truth = case.truth::<T>();
    if truth.len() > 20_000 {
        return;
    }
    for full in [false, true] {
        let (mut offsets, mut ids) = oracle::neighbors(search.len(), &truth, full);
        let rows = offsets.windows(2).enumerate();
        let pairs: Vec<_> = rows
            .flat_map(|(i, ends)| {
                ids[ends[0] as usize..ends[1] as usize]
                    .iter()
                    .map(move |&j| [i, j as usize])
            })
            .collect();
        let wanted = plain_of::<T>(case, &pairs);
        offsets.iter_mut().for_each(|offset| *offset += base);
        ids.iter_mut().for_each(|id| *id += base as i32);
        let mut distances = vec![T::INFINITY; ids.len()];
        search.neighbor_distances(&offsets, &ids, &mut distances).unwrap();
        expect_same(&distances, &wanted[1], &what("distances of rows"));
        let mut displacements = vec![T::INFINITY; ids.len() * case.dim];
        search
            .neighbor_displacements(&offsets, &ids, &mut displacements)
            .unwrap();
        expect_same(&displacements, &wanted[0], &what("displacements of rows"));
    }
    check_queries::<T>(search, case, base, what);
}

/// Rows of queries that are the points from the last to the first.
fn check_queries<T: Plain>(search: &mut Search, case: &Case, base: i64, what: &impl Fn(&str) -> String) {
    let (coords, n) = (case.coords_as::<T>(), search.len());
    let queries: Vec<T> = coords.chunks(case.dim).rev().flatten().copied().collect();
    search
        .set_queries(&PointsView::interleaved(case.dim, &queries).unwrap())
        .unwrap();
    let (offsets, ids) = oracle::neighbors(n, &case.truth::<T>(), true);
    let (mut own, mut row_ids, mut pairs) = (vec![base], Vec::new(), Vec::new());
    for q in 0..n {
        let i = n - 1 - q;
        let row = &ids[offsets[i] as usize..offsets[i + 1] as usize];
        for j in row.iter().copied().chain([i as i32, 0]) {
            row_ids.push(j + base as i32);
            pairs.push([i, j as usize]);
        }
        own.push(base + row_ids.len() as i64);
    }
    let wanted = plain_of::<T>(case, &pairs);
    let mut distances = vec![T::INFINITY; row_ids.len()];
    search.query_distances(&own, &row_ids, &mut distances).unwrap();
    expect_same(&distances, &wanted[1], &what("distances of queries"));
    let mut displacements = vec![T::INFINITY; row_ids.len() * case.dim];
    search.query_displacements(&own, &row_ids, &mut displacements).unwrap();
    expect_same(&displacements, &wanted[0], &what("displacements of queries"));
}

/// Rows of queries are refused where there are none, and where they are not as many.
#[test]
fn refusals_of_queries() {
    let mut search = Search::new().unwrap();
    let refused = |search: &mut Search, offsets: &[i64], ids: &[i32], len: usize| {
        let error = search
            .query_distances(offsets, ids, &mut vec![0.0f64; len])
            .unwrap_err();
        (error.status(), error.to_string())
    };
    assert_eq!(refused(&mut search, &[0], &[], 0).0, Status::BadState);
    let line = [0.0, 1.0, 2.0];
    search.set_points(&PointsView::interleaved(1, &line).unwrap()).unwrap();
    let (status, text) = refused(&mut search, &[0], &[], 0);
    assert!(status == Status::BadState && text.contains("set_queries"), "{text}");
    search
        .set_queries(&PointsView::interleaved(1, &line[..2]).unwrap())
        .unwrap();
    let (status, text) = refused(&mut search, &[0, 0, 0, 1], &[1], 1);
    assert!(status == Status::BadCount && text.contains("it must be 3"), "{text}");
    let (status, text) = refused(&mut search, &[0, 0, 1], &[3], 1);
    assert!(
        status == Status::BadValue && text.contains("element 0 of ids is 3"),
        "{text}"
    );
    assert_eq!(refused(&mut search, &[0, 0, 1], &[2], 2).0, Status::BadCount);
}

#[test]
fn all_clouds() {
    let mut search = Search::new().unwrap();
    let mut compared = [0; 2];
    let every = if is_whole() { 1 } else { 3 };
    for (k, case) in all_cases().iter().chain(&periodic_cases()).step_by(every).enumerate() {
        if case.rule == neargrid::TieRule::Exclusive {
            continue; // the same points again
        }
        let threads = [1, 2, 7][k % 3];
        compared[0] += check::<f32>(&mut search, case, threads);
        compared[1] += check::<f64>(&mut search, case, threads);
    }
    let least = if is_whole() { 500_000 } else { 150_000 };
    assert!(compared.iter().all(|&pairs| pairs > least), "{compared:?}");
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

/// Lists that a search found, given back to it.
#[test]
fn of_a_search() {
    let mut random = Random(5);
    let coords = random.cloud(3, 3000);
    let case = Case::new("a search", 3, coords, 0.1);
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.1).unwrap();
    set::<f64>(&mut search, &case);
    let pairs = search.pairs().unwrap();
    let (left, right) = (pairs.left.to_vec(), pairs.right.to_vec());
    let mut distances = vec![-1.0; left.len()];
    search.pair_distances(&left, &right, &mut distances).unwrap();
    assert!(left.len() > 10_000 && distances.iter().all(|&d| (0.0..=0.1).contains(&d)));
    let rows = search.neighbors(NeighborsKind::Full).unwrap();
    let (offsets, ids) = (rows.offsets.to_vec(), rows.ids.to_vec());
    let mut of_rows = vec![-1.0; ids.len()];
    search.neighbor_distances(&offsets, &ids, &mut of_rows).unwrap();
    let sum = |values: &[f64]| values.iter().map(|d| (d * 1e6) as i64).sum::<i64>();
    assert_eq!(sum(&of_rows), 2 * sum(&distances)); // each pair twice
}

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    let refused = |result: neargrid::Result<()>, status: Status, words: &str| {
        let error = result.unwrap_err();
        assert!(error.status() == status && error.to_string().contains(words), "{error}");
    };
    let mut d = [-7.0; 3];
    refused(
        search.pair_distances(&[0], &[1], &mut d[..1]),
        Status::BadState,
        "points",
    );
    refused(
        search.neighbor_distances(&[0], &[], &mut d[..0]),
        Status::BadState,
        "points",
    );
    let line = [0.0, 1.0, 2.5];
    search.set_points(&PointsView::interleaved(1, &line).unwrap()).unwrap();
    refused(
        search.pair_distances(&[0], &[1, 2], &mut d[..1]),
        Status::BadCount,
        "the length of pair_j = 2",
    );
    refused(
        search.pair_distances(&[0], &[1], &mut d[..2]),
        Status::BadCount,
        "the length of distances = 2",
    );
    refused(
        search.pair_distances(&[0], &[1], &mut [0f32; 1]),
        Status::BadValue,
        "precision = real32",
    );
    let wrong = "element 1 of pair_i is 3: it must be 0 to 2";
    refused(
        search.pair_distances(&[0, 3], &[-9, 9], &mut d[..2]),
        Status::BadValue,
        wrong,
    );
    let wrong = "element 0 of pair_j is -9: it must be 0 to 2";
    refused(
        search.pair_displacements(&[0, 2], &[-9, 9], &mut d[..2]),
        Status::BadValue,
        wrong,
    );
    let rows =
        |search: &mut Search, offsets: &[i64], ids: &[i32]| search.neighbor_distances(offsets, ids, &mut [0.0; 2]);
    refused(
        rows(&mut search, &[0, 1, 2], &[1, 2]),
        Status::BadCount,
        "the length of offsets = 3",
    );
    refused(
        rows(&mut search, &[1, 1, 2, 2], &[1, 2]),
        Status::BadValue,
        "element 0 of offsets is 1",
    );
    refused(
        rows(&mut search, &[0, 2, 1, 2], &[1, 2]),
        Status::BadValue,
        "element 2 of offsets is 1: it must be at least 2",
    );
    refused(
        rows(&mut search, &[0, 2, 2, 3], &[1, 2]),
        Status::BadCount,
        "the length of ids = 2",
    );
    refused(
        rows(&mut search, &[0, 2, 2, 2], &[1, i32::MIN]),
        Status::BadValue,
        "element 1 of ids is -2147483648",
    );
    search.set_index_base(1).unwrap();
    refused(
        rows(&mut search, &[1, 3, 3, 3], &[3, 0]),
        Status::BadValue,
        "element 2 of ids is 0: it must be 1 to 3",
    );
    refused(
        rows(&mut search, &[1, 3, 3, 3], &[4, i32::MIN]),
        Status::BadValue,
        "element 1 of ids is 4",
    );
    assert_eq!(d, [-7.0; 3]);
    search.pair_distances(&[1, 3], &[2, 1], &mut d[..2]).unwrap();
    assert_eq!(d, [1.0, 2.5, -7.0]);
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
