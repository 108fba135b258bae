//! Tables at their ends, at the places of their values, and beside infinite ones.

use super::*;

/// The value of a table at `x`, and whether that place is one of a value. Between an infinite value and a finite one it is infinite, as
/// numpy's interp says and IEEE arithmetic.
fn wanted<F: Number>([first, last]: [f64; 2], values: &[f64], x: F) -> F {
    let steps = (values.len() - 1) as f64;
    let value = |k: usize| F::from_f64(values[k]);
    let place = ((x - F::from_f64(first)) * F::from_f64(steps / (last - first))).to_f64();
    if x >= F::from_f64(last) || place >= steps {
        return value(values.len() - 1);
    }
    if place <= 0.0 {
        return value(0);
    }
    let part = F::from_f64(place - place.floor());
    let (y, z) = (value(place as usize), value((place as usize + 1).min(values.len() - 1)));
    match (y.is_finite(), z.is_finite()) {
        _ if part == F::default() => y,
        (true, true) if (z - y).is_finite() => y + part * (z - y),
        (true, true) => y * (F::ONE - part) + z * part,
        (false, true) => y,
        (true, false) => z,
        (false, false) => y + z,
    }
}

fn check<T: Precision, F: Number>(range: [f64; 2], values: &[f64]) {
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
    formula.set_table("W", TableOf::R, range, values).unwrap();
    search.run(&mut formula, NeighborsKind::Queries, 1).unwrap();
    let [most, least] = ["most", "least"].map(|name| search.query_field::<F>(name).unwrap());
    for ((&query, &most), &least) in queries.iter().zip(most).zip(least) {
        let wanted = wanted(range, values, F::from_f64(query.to_f64()));
        let [top, bottom] = match wanted.to_f64().is_nan() {
            true => [F::NEG_INFINITY, F::INFINITY], // a NaN is ignored
            false => [wanted; 2],
        };
        assert!(
            most.is_same(top) && least.is_same(bottom),
            "{range:?} {values:?} at {query:?}: {most:?} and {least:?}, not {wanted:?}"
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
            check::<f64, f64>(range, values);
            check::<f64, f32>(range, values);
            check::<f32, f32>(range, values);
        }
    }
}
