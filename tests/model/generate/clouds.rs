//! Points.

use super::*;

/// The number of points.
pub(super) fn many(draw: &mut Draw, large: bool) -> usize {
    match draw.below(24) {
        0 => draw.below(3),
        1..8 => draw.below(12),
        8..14 => draw.below(60),
        14..17 => 120 + draw.below(20),
        17..23 => 120 + draw.below(180),
        _ if large && draw.once_in(20) => 2000 + draw.below(3000),
        _ => 300 + draw.below(300),
    }
}

pub(super) fn points(draw: &mut Draw, taste: Taste, sketch: &mut Sketch, role: Role) -> Call {
    if role == Role::Set {
        if draw.once_in(6) {
            sketch.single = !sketch.single;
        }
        if draw.once_in(6) {
            sketch.dim = draw.between(1, 3) as i32;
        }
    }
    let dim = if draw.once_in(60) {
        draw.pick(&[0, 4, -1, 1, 2, 3])
    } else {
        sketch.dim
    };
    let axes = dim.clamp(1, 3) as usize;
    let values = match role {
        Role::Update if sketch.last.len() == sketch.n * axes && !draw.once_in(6) => moved(draw, sketch),
        Role::Set | Role::Update => {
            let n = many(draw, taste.large).min(sketch.most);
            values(draw, sketch, n, axes)
        }
        Role::Add | Role::Queries => {
            let n = many(draw, false).min(200).min(sketch.most) / if draw.once_in(2) { 1 } else { 5 };
            values(draw, sketch, n, axes)
        }
    };
    let coords = Coords {
        single: sketch.single != draw.once_in(40),
        dim,
        n: draw.once_in(60).then(|| draw.pick(&[-1, 1 << 31, i64::MAX, i64::MIN])),
        layout: match draw.below(8) {
            0..4 => Layout::Interleaved,
            4 => Layout::Columns,
            6 if draw.once_in(8) => Layout::OneNumber,
            5 if draw.once_in(8) => Layout::Refused(draw.pick(&[0, 1, 3, -1, -3, i64::MIN, i64::MAX])),
            _ => Layout::Structures {
                gap: draw.below(20),
                odd: draw.below(8),
                back: draw.once_in(2),
            },
        },
        nulls: nulls(draw),
        values,
    };
    let count = coords.len();
    match role {
        Role::Set | Role::Update => {
            (sketch.n, sketch.queries) = (count, 0);
            sketch.last.clone_from(&coords.values);
        }
        Role::Add => {
            (sketch.n, sketch.queries) = (sketch.n + count, 0);
            sketch.last.extend_from_slice(&coords.values);
        }
        Role::Queries => sketch.queries = count,
    }
    Call::Points {
        role,
        coords,
        null: draw.once_in(60),
    }
}

/// The points of before, most of them a little farther.
fn moved(draw: &mut Draw, sketch: &Sketch) -> Vec<f64> {
    let step = sketch.spacing * draw.pick(&[0.0, 0.01, 0.05, 0.1, 0.3]);
    let one = draw.once_in(4);
    let mut values = sketch.last.clone();
    let chosen = draw.below(values.len());
    for (k, value) in values.iter_mut().enumerate() {
        if !one || k == chosen {
            *value += step * (draw.unit() - 0.5);
        }
    }
    values
}

/// Coordinates of a cloud.
pub(super) fn values(draw: &mut Draw, sketch: &Sketch, n: usize, axes: usize) -> Vec<f64> {
    let kind = draw.below(12);
    let (spacing, lo) = (sketch.spacing, sketch.lo);
    let side = match draw.below(4) {
        0 => sketch.length,
        1 => spacing * 30.0,
        _ => spacing * (n as f64).powf(1.0 / axes as f64) * draw.pick(&[0.5, 1.0, 1.0, 2.0]),
    };
    let sites: Vec<f64> = (0..24).map(|_| lo + side * draw.unit()).collect();
    let extremes = [
        1e300,
        -1e300,
        1.79e308,
        -1.79e308,
        f64::MAX,
        f64::MIN,
        1e304,
        -1e305,
        1e30,
        -1e30,
        3.4e38,
        -3.4e38,
        1e-300,
        5e-324,
        -0.0,
        0.0,
        1e-45,
        1e19,
        1e155,
    ];
    let cells = (side / spacing).max(1.0) as usize + 1;
    let one = |draw: &mut Draw, k: usize| match kind {
        // a lattice, every site in turn or any
        0 | 1 => lo + spacing * (draw.below(cells) as f64),
        2 => lo + spacing * ((k / axes / [1, cells, cells * cells][k % axes]) % cells) as f64,
        // few sites, taken many times
        3 => sites[(k % axes) * 8 + draw.below(3)],
        4 => sites[0],
        // clusters
        5 => sites[k / axes % 6] + spacing * 0.2 * draw.unit(),
        // a line
        6 if !k.is_multiple_of(axes) => sites[0],
        // strays
        7 if draw.once_in(8) => draw.pick(&extremes),
        8 if draw.once_in(3) => draw.pick(&extremes),
        // outside of the box, at its walls
        9 => lo + sketch.length * draw.pick(&[0.0, 1.0, 0.5, -1.0, 2.0, 1e6, -7.5, 0.999_999_999_999_999_9]),
        10 => lo + sketch.length * (4.0 * draw.unit() - 2.0),
        _ => lo + side * draw.unit(),
    };
    let mut values: Vec<f64> = (0..n * axes).map(|k| one(draw, k)).collect();
    if !values.is_empty() && draw.once_in(40) {
        let at = draw.below(values.len());
        values[at] = draw.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
    }
    values
}
