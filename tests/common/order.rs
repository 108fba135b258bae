//! Spatial order as its rule says it, point by point.

/// The numbers of points in spatial order: by cell in a cube over the extent, bit by bit from the highest, the first axis first;
/// points of one cell likewise in a cube over their own extent; coincident ones by number.
pub fn spatial_order(points: &[Vec<f64>], mut numbers: Vec<usize>, order: &mut Vec<usize>) {
    let Some(dim) = numbers.first().map(|&number| points[number].len()) else {
        return;
    };
    let lowest = |axis: usize| numbers.iter().map(|&k| points[k][axis]).fold(f64::MAX, f64::min);
    let highest = |axis: usize| numbers.iter().map(|&k| points[k][axis]).fold(f64::MIN, f64::max);
    let corners: Vec<_> = (0..dim).map(|axis| [lowest(axis), highest(axis)]).collect();
    let edge = |scale: f64| {
        corners
            .iter()
            .map(|[lo, hi]| hi * scale - lo * scale)
            .fold(0.0, f64::max)
    };
    let scale = if edge(1.0) == f64::INFINITY { 0.5 } else { 1.0 };
    let edge = edge(scale);
    if edge == 0.0 {
        return order.extend(numbers);
    }
    let bits = [0, 64, 32, 21][dim];
    let cell = |k: usize, axis: usize| {
        let place = (points[k][axis] * scale - corners[axis][0] * scale) / edge;
        ((place * 2f64.powi(bits)) as u128).min((1 << bits) - 1)
    };
    let key = |k: usize| -> Vec<u128> {
        let levels = (0..bits).rev();
        levels
            .flat_map(|bit| (0..dim).map(move |axis| cell(k, axis) >> bit & 1))
            .collect()
    };
    let mut keyed: Vec<_> = numbers.drain(..).map(|k| (key(k), k)).collect();
    keyed.sort();
    for shared in keyed.chunk_by(|a, b| a.0 == b.0) {
        match shared {
            [(_, k)] => order.push(*k),
            _ => spatial_order(points, shared.iter().map(|(_, k)| *k).collect(), order),
        }
    }
}
