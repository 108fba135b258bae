//! Tables at their ends, at the places of their values, and beside infinite ones.

use super::*;

/// The step that `x` is in, and the part of it before `x`.
fn place<F: Width>([first, last]: [f64; 2], steps: usize, x: F) -> (usize, F) {
    let place = ((x - F::from_f64(first)) * F::from_f64(steps as f64 / (last - first))).to_f64();
    let is_inside = x < F::from_f64(last); // a NaN is not
    if !is_inside || place >= steps as f64 {
        return (steps, F::default());
    }
    let place = place.max(0.0);
    (place as usize, F::from_f64(place - place.floor()))
}

/// The polynomials of a cubic spline in the parts of steps, "not a knot" at its ends.
pub fn polynomials(y: &[f64]) -> Vec<[f64; 4]> {
    let d: Vec<f64> = y.windows(2).map(|y| y[1] - y[0]).collect();
    let n = d.len();
    // Each slope is `own - factor * next`.
    let (mut own, mut factor) = (vec![(5.0 * d[0] + d[1]) / 2.0], vec![2.0]);
    for k in 1..n {
        let pivot = 4.0 - factor[k - 1];
        own.push((3.0 * (d[k - 1] + d[k]) - own[k - 1]) / pivot);
        factor.push(1.0 / pivot);
    }
    let last = (5.0 * d[n - 1] + d[n - 2]) / 2.0 - 2.0 * own[n - 1];
    let mut slopes = vec![last / (1.0 - 2.0 * factor[n - 1])];
    for k in (0..n).rev() {
        slopes.push(own[k] - factor[k] * slopes[slopes.len() - 1]);
    }
    slopes.reverse();
    let mut all: Vec<[f64; 4]> = (0..n)
        .map(|k| {
            let (begin, end) = (d[k] - slopes[k], slopes[k + 1] - d[k]);
            [y[k], slopes[k], begin - (end - begin), end - begin]
        })
        .collect();
    all.push([y[n], 0.0, 0.0, 0.0]);
    all
}

/// The value of a cubic table at `x`.
pub fn wanted_cubic<F: Width>(range: [f64; 2], polynomials: &[[f64; 4]], x: F) -> F {
    let (k, t) = place(range, polynomials.len() - 1, x);
    let [y, a, b, c] = polynomials[k].map(F::from_f64);
    if t == F::default() {
        y
    } else {
        y + t * (a + t * (b + t * c))
    }
}

/// The value of a table at `x`, and whether that place is one of a value. Between an infinite value and a finite one it is infinite, as
/// numpy's interp says and IEEE arithmetic.
pub fn wanted_linear<F: Width>([first, last]: [f64; 2], values: &[f64], x: F) -> F {
    let value = |k: usize| F::from_f64(values[k]);
    let (k, part) = place([first, last], values.len() - 1, x);
    let (y, z) = (value(k), value((k + 1).min(values.len() - 1)));
    match (y.is_finite(), z.is_finite()) {
        _ if part == F::default() => y,
        (true, true) if (z - y).is_finite() => y + part * (z - y),
        (true, true) => y * (F::ONE - part) + z * part,
        (false, true) => y,
        (true, false) => z,
        (false, false) => y + z,
    }
}

fn check<T: Precision, F: Width>(range: [f64; 2], values: &[f64], is_cubic: bool) {
    let [first, last] = range;
    let (steps, length) = (values.len() - 1, last - first);
    let mut places = vec![0.0, first, last, last + 0.3 * length, 1e3 * last.abs()];
    for k in 0..=steps {
        let step = length / steps as f64;
        places.extend([0.0, 0.25, 0.5, 1.0 - 1e-6].map(|part| first + (k as f64 + part) * step));
    }
    places.extend([last.next_down(), last.next_up(), f64::from((last as f32).next_down())]);
    places.retain(|&place| place >= 0.0);
    let queries: Vec<T> = places.iter().map(|&place| T::from_f64(place)).collect();
    let mut search = Search::new().unwrap();
    search.set_cutoff(2e3 * last.abs()).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[T::default()]).unwrap())
        .unwrap();
    search
        .set_queries(&PointsView::interleaved(1, &queries).unwrap())
        .unwrap();
    let mut formula = Formula::new("most max= W(r); least min= W(r)").unwrap();
    formula.set_precision(F::PRECISION);
    let set = if is_cubic {
        Formula::set_cubic_table
    } else {
        Formula::set_table
    };
    set(&mut formula, "W", TableOf::R, range, values).unwrap();
    let spline = if is_cubic { polynomials(values) } else { Vec::new() };
    search.run(&mut formula, NeighborsKind::Queries, 1).unwrap();
    let [most, least] = ["most", "least"].map(|name| search.query_field::<F>(name).unwrap().to_vec());
    for ((&query, &most), &least) in queries.iter().zip(&most).zip(&least) {
        let x = F::from_f64(query.to_f64());
        let wanted = match is_cubic {
            true => wanted_cubic(range, &spline, x),
            false => wanted_linear(range, values, x),
        };
        let [top, bottom] = match wanted.to_f64().is_nan() {
            true => [F::NEG_INFINITY, F::INFINITY], // a NaN is ignored
            false => [wanted; 2],
        };
        assert!(
            most.is_same(top) && least.is_same(bottom),
            "cubic: {is_cubic}, {range:?} {values:?} at {query:?}: {most:?} and {least:?}, not {wanted:?}"
        );
    }
}

#[test]
fn at_ends_and_values() {
    const INFINITE: f64 = f64::INFINITY;
    let tables: [&[f64]; 12] = [
        &[1.0, 1e-20],
        &[1e20, 1.0],
        &[1e-30, 1e20],
        &[3.0, 3.0, 3.0],
        &[-0.0, -0.0, 1.0],
        &[INFINITE, 4.0, 3.0, 2.0],
        &[1.0, 2.0, INFINITE],
        &[1.0, -INFINITE, 5.0, 6.0],
        &[INFINITE, INFINITE, 1.0],
        &[-INFINITE, INFINITE],
        &[-3e38, 3e38, 1.0],
        &[-1e308, 1e308, 0.5],
    ];
    for values in tables {
        for range in [[1.0, 2.0], [0.0, 3.0], [0.1, 0.7], [-1.0, 1.0], [1e-3, 7e3]] {
            check::<f64, f64>(range, values, false);
            check::<f64, f32>(range, values, false);
            check::<f32, f32>(range, values, false);
        }
    }
}

#[test]
fn cubic_at_ends_and_values() {
    let tables: [&[f64]; 6] = [
        &[1.0, 0.4, 0.1, 0.0],
        &[0.0, 1.0, 8.0, 27.0, 64.0],
        &[-0.0, -0.0, -0.0, -0.0, 1.0],
        &[1e-40, 1e-41, -1e-42, 1e-38, 1e-39, 0.0],
        &[3e37, -3e37, 1.0, 2e36],
        &[1.0, -2.0, 5.0, 0.3, 7.0, 7.0, -1.0, 2.0, 0.1],
    ];
    for values in tables {
        for range in [[1.0, 2.0], [0.0, 3.0], [0.1, 0.7], [-1.0, 1.0], [1e-3, 7e3]] {
            check::<f64, f64>(range, values, true);
            check::<f64, f32>(range, values, true);
            check::<f32, f32>(range, values, true);
        }
    }
}

/// The polynomials join as a spline does, have one third derivative at either end, and are a cubic polynomial where the values are its.
#[test]
fn cubic_is_not_a_knot() {
    let cube = |x: f64| 2.0 - x + 3.0 * x * x - 0.5 * x * x * x;
    for n in 4..12 {
        let found = polynomials(&(0..n).map(|k| cube(f64::from(k))).collect::<Vec<_>>());
        for (k, [_, a, b, c]) in (0..n - 1).map(f64::from).zip(&found) {
            let wanted = [-1.0 + 6.0 * k - 1.5 * k * k, 3.0 - 1.5 * k, -0.5];
            for (found, wanted) in [a, b, c].into_iter().zip(wanted) {
                assert!(
                    (found - wanted).abs() < 1e-11,
                    "{n} values, step {k}: {found}, not {wanted}"
                );
            }
        }
        let mut random = Random(u64::from(n as u32));
        let values: Vec<f64> = (0..n).map(|_| random.uniform() - 0.5).collect();
        let found = polynomials(&values);
        let at = |k: usize, t: f64| {
            let [y, a, b, c] = found[k];
            [
                y + t * (a + t * (b + t * c)),
                a + t * (2.0 * b + t * 3.0 * c),
                2.0 * b + 6.0 * c * t,
            ]
        };
        for k in 0..values.len() - 1 {
            assert!(found[k][0] == values[k] && (at(k, 1.0)[0] - values[k + 1]).abs() < 1e-14);
        }
        for k in 0..values.len() - 2 {
            for (before, after) in at(k, 1.0).into_iter().zip(at(k + 1, 0.0)) {
                assert!(
                    (before - after).abs() < 1e-13,
                    "{n} values, after step {k}: {before} and {after}"
                );
            }
        }
        let last = values.len() - 2;
        assert!((found[0][3] - found[1][3]).abs() < 1e-13 && (found[last][3] - found[last - 1][3]).abs() < 1e-13);
    }
}
