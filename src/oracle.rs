//! The reference for all tests: plain O(n^2) loops that define which pairs there are. Every backend, width, precision
//! and language is tested against them; nothing else in the library uses them.

use crate::domain::TieRule;
use crate::points::{PointsView, Real};
use crate::radii::RadiusRule;

/// Squared distance of points `i` and `j`: differences `i` minus `j`, with the squares summed from left to right over
/// the axes, each operation rounded in `T`, and no fused multiply-add.
pub fn distance2<T: Real>(points: &PointsView<T>, i: usize, j: usize) -> T {
    distance2_in(points, &[None; 3], i, j)
}

/// [`distance2`] if some axes are periodic, from `lo` to `lo + length`: points outside are wrapped, and differences are
/// those of the nearest image. A difference of exactly half a length is not changed.
pub fn distance2_in<T: Real>(points: &PointsView<T>, periods: &[Option<[T; 2]>; 3], i: usize, j: usize) -> T {
    let [a, b] = [i, j].map(|point| inside(points, periods, point));
    distance2_inside(points.dim(), periods, &a, &b)
}

/// The coordinates of point `i`, wrapped along the periodic axes.
fn inside<T: Real>(points: &PointsView<T>, periods: &[Option<[T; 2]>; 3], i: usize) -> [T; 3] {
    let mut coords = [T::default(); 3];
    for axis in 0..points.dim() {
        let x = points.get(axis, i);
        coords[axis] = periods[axis].map_or(x, |[lo, length]| wrapped(x, lo, length));
    }
    coords
}

/// All of [`inside`].
fn all_inside<T: Real>(points: &PointsView<T>, periods: &[Option<[T; 2]>; 3]) -> Vec<[T; 3]> {
    (0..points.len()).map(|i| inside(points, periods, i)).collect()
}

/// [`distance2_in`] of points that are wrapped already.
fn distance2_inside<T: Real>(dim: usize, periods: &[Option<[T; 2]>; 3], a: &[T; 3], b: &[T; 3]) -> T {
    let square = |axis: usize| {
        let mut d = a[axis].sub(b[axis]);
        if let Some([_, length]) = periods[axis] {
            let half = length.mul(T::from_f64(0.5));
            if d > half {
                d = d.sub(length);
            } else if d < T::default().sub(half) {
                d = d.add(length);
            }
        }
        d.mul(d)
    };
    (1..dim).fold(square(0), |d2, axis| d2.add(square(axis)))
}

/// `x` wrapped into `lo .. lo + length`. A coordinate inside is not changed.
pub fn wrapped<T: Real>(x: T, lo: T, length: T) -> T {
    let hi = lo.add(length);
    if lo <= x && x < hi {
        return x;
    }
    let mut t = x.sub(lo).rem(length);
    if t < T::default() {
        t = t.add(length);
    }
    let w = lo.add(t);
    if w >= hi { lo } else { w }
}

/// All pairs `i < j` within `cutoff`, 0-based, ordered by `(i, j)`.
pub fn pairs<T: Real>(points: &PointsView<T>, cutoff: T, rule: TieRule) -> Vec<(i32, i32)> {
    pairs_in(points, &[None; 3], cutoff, rule)
}

/// [`pairs`] if some axes are periodic, as in [`distance2_in`].
pub fn pairs_in<T: Real>(
    points: &PointsView<T>,
    periods: &[Option<[T; 2]>; 3],
    cutoff: T,
    rule: TieRule,
) -> Vec<(i32, i32)> {
    let (dim, c2) = (points.dim(), cutoff.mul(cutoff));
    let coords = all_inside(points, periods);
    let mut found = Vec::new();
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            let d2 = distance2_inside(dim, periods, &coords[i], &coords[j]);
            let hit = match rule {
                TieRule::Inclusive => d2 <= c2,
                TieRule::Exclusive => d2 < c2,
            };
            if hit {
                found.push((i as i32, j as i32));
            }
        }
    }
    found
}

/// The `k` nearest of point `i` among the points before `points_end`, with their squared distances, ordered by distance
/// and then by number. Point `i` is left out if `skipped` is true. There are fewer than `k` if there are not enough
/// points.
pub fn nearest<T: Real>(
    points: &PointsView<T>,
    periods: &[Option<[T; 2]>; 3],
    points_end: usize,
    i: usize,
    k: usize,
    skipped: bool,
) -> Vec<(T, i32)> {
    let dim = points.dim();
    let at = inside(points, periods, i);
    let others = (0..points_end).filter(|&j| !(skipped && j == i));
    let distance2 = |j| distance2_inside(dim, periods, &at, &inside(points, periods, j));
    let mut row: Vec<_> = others.map(|j| (distance2(j), j as i32)).collect();
    let by_distance_then_number = |a: &(T, i32), b: &(T, i32)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
    if k < row.len() {
        row.select_nth_unstable_by(k, by_distance_then_number);
        row.truncate(k);
    }
    row.sort_by(by_distance_then_number);
    row
}

/// The smallest radius with a square, as computed, of at least `square`: between 0 and a number that is too large it is
/// found by halves.
pub fn radius_of<T: Real>(square: T) -> T {
    let (mut below, mut radius) = (T::default(), square.sqrt().next_up());
    if square == T::default() || !square.is_finite() {
        return square;
    }
    loop {
        let middle = below.add(radius).mul(T::from_f64(0.5));
        if !(below < middle && middle < radius) {
            return radius;
        }
        if middle.mul(middle) >= square {
            radius = middle;
        } else {
            below = middle;
        }
    }
}

/// The pairs as CSR rows: `offsets[n + 1]` and 0-based ids; `full` lists both sides of each pair.
pub fn neighbors(n: usize, pairs: &[(i32, i32)], full: bool) -> (Vec<i64>, Vec<i32>) {
    let mut rows = vec![Vec::new(); n];
    for &(i, j) in pairs {
        rows[i as usize].push(j);
        if full {
            rows[j as usize].push(i);
        }
    }
    let (mut offsets, mut ids) = (vec![0], Vec::new());
    for mut row in rows {
        row.sort_unstable();
        ids.extend(row);
        offsets.push(ids.len() as i64);
    }
    (offsets, ids)
}

/// The rows of points with a radius each, in compressed form (CSR): row `i` lists, in ascending order, each `j` within
/// the cutoff that the rule gives for `i` and `j`. `counts` decides which `j` row `i` may list at all.
pub fn neighbors_by_radii<T: Real>(
    points: &PointsView<T>,
    periods: &[Option<[T; 2]>; 3],
    radii: &[T],
    (radius_rule, tie_rule): (RadiusRule, TieRule),
    counts: impl Fn(usize, usize) -> bool,
) -> (Vec<i64>, Vec<i32>) {
    let coords = all_inside(points, periods);
    let (mut offsets, mut ids) = (vec![0], Vec::new());
    for i in 0..points.len() {
        for j in 0..points.len() {
            let (mine, other) = (radii[i], radii[j]);
            let cutoff = match radius_rule {
                RadiusRule::Gather => mine,
                RadiusRule::Scatter => other,
                RadiusRule::Max => [mine, other][usize::from(other > mine)],
                RadiusRule::Min => [mine, other][usize::from(other < mine)],
                RadiusRule::Mean => mine.add(other).mul(T::from_f64(0.5)),
            };
            let c2 = cutoff.mul(cutoff);
            let d2 = distance2_inside(points.dim(), periods, &coords[i], &coords[j]);
            let hit = match tie_rule {
                TieRule::Inclusive => d2 <= c2,
                TieRule::Exclusive => d2 < c2,
            };
            if hit && i != j && counts(i, j) {
                ids.push(j as i32);
            }
        }
        offsets.push(ids.len() as i64);
    }
    (offsets, ids)
}

/// The image of point `i` of a cell whose vectors are rows, by a shift: the sum of the vectors in real64, first, second, third,
/// rounded once to the precision of the points and added to the coordinate in that. Vectors of open axes are zero.
pub fn image<T: Real>(points: &PointsView<T>, vectors: &[[f64; 3]; 3], i: usize, shift: [i32; 3]) -> [T; 3] {
    let mut coords = [T::default(); 3];
    for (axis, coord) in coords.iter_mut().enumerate() {
        let first = f64::from(shift[0]) * vectors[0][axis];
        let second = f64::from(shift[1]) * vectors[1][axis];
        let third = f64::from(shift[2]) * vectors[2][axis];
        *coord = points.get(axis, i).add(T::from_f64((first + second) + third));
    }
    coords
}

/// Each pair of a point and an image within `cutoff` once, 0-based and ordered by `(i, j, shift)`: `i < j` with any shift, or
/// `i = j` with the one of two opposite shifts that has a positive sum, or else a positive last component that is not 0.
/// Components of shifts are at most `most`.
pub fn images<T: Real>(
    points: &PointsView<T>,
    vectors: &[[f64; 3]; 3],
    cutoff: T,
    rule: TieRule,
    most: [i32; 3],
) -> Vec<(i32, i32, [i32; 3])> {
    let c2 = cutoff.mul(cutoff);
    let mut found = Vec::new();
    for i in 0..points.len() {
        for j in i..points.len() {
            for a in -most[0]..=most[0] {
                for b in -most[1]..=most[1] {
                    for c in -most[2]..=most[2] {
                        let sum = a + b + c;
                        let is_once = sum > 0 || (sum == 0 && (c > 0 || (c == 0 && b > 0)));
                        let point = inside(points, &[None; 3], i);
                        let image = image(points, vectors, j, [a, b, c]);
                        let d2 = distance2_inside(3, &[None; 3], &point, &image);
                        let hit = match rule {
                            TieRule::Inclusive => d2 <= c2,
                            TieRule::Exclusive => d2 < c2,
                        };
                        if hit && (i < j || is_once) {
                            found.push((i as i32, j as i32, [a, b, c]));
                        }
                    }
                }
            }
        }
    }
    found
}

/// The pairs of [`images`] as rows: offsets, 0-based ids and shifts; `full` lists both sides of each pair.
pub fn image_rows(n: usize, pairs: &[(i32, i32, [i32; 3])], full: bool) -> (Vec<i64>, Vec<i32>, Vec<[i32; 3]>) {
    let mut rows = vec![Vec::new(); n];
    for &(i, j, shift) in pairs {
        rows[i as usize].push((j, shift));
        if full {
            rows[j as usize].push((i, shift.map(|by| -by)));
        }
    }
    let (mut offsets, mut ids, mut shifts) = (vec![0], Vec::new(), Vec::new());
    for mut row in rows {
        row.sort_unstable();
        for (id, shift) in row {
            ids.push(id);
            shifts.push(shift);
        }
        offsets.push(ids.len() as i64);
    }
    (offsets, ids, shifts)
}
