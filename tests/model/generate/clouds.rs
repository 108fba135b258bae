//! Points.

use super::*;

/// The number of points.
pub(super) fn many(draw: &mut Draw, large: bool) -> usize {
    match draw.below(24) {
        _ if large => 1000 + draw.below(4000),
        0 => draw.below(3),
        1..8 => draw.below(12),
        8..13 => draw.below(60),
        13..16 => 120 + draw.below(20),
        // the sizes of vectors, leaves and blocks, and those beside them
        16..20 => (draw.pick(&[4, 8, 16, 32, 64, 128, 256, 512]) + draw.below(3)) - 1,
        20..23 => 120 + draw.below(180),
        _ => 300 + draw.below(300),
    }
}

pub(super) fn points(draw: &mut Draw, sketch: &mut Sketch, role: Role) -> Call {
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
            let n = many(draw, sketch.is_large).min(sketch.most);
            values(draw, sketch, n, axes)
        }
        Role::Queries if sketch.last.len() == sketch.n * axes && draw.once_in(3) => some_points(draw, sketch, axes),
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
    if !values.is_empty() && draw.once_in(20) {
        // One goes far away, or by the least that there is.
        values[chosen] = match draw.below(2) {
            0 => draw.pick(&[1e30, -1e6, 0.0]),
            _ => beside(values[chosen], draw.pick(&[-1, 1]), sketch.single),
        };
    }
    values
}

/// Some of the points there are.
fn some_points(draw: &mut Draw, sketch: &Sketch, axes: usize) -> Vec<f64> {
    let step = draw.pick(&[1, 3, 40]).max(sketch.n / 200);
    let points = sketch.last.chunks_exact(axes).step_by(step.max(1));
    points.flatten().copied().collect()
}

/// Numbers near the ends of the range, and near 0.
const EXTREMES: [f64; 19] = [
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

/// Those of real32, where the largest are finite there.
const SINGLE_EXTREMES: [f64; 8] = [
    f32::MAX as f64,
    f32::MIN as f64,
    3e38,
    -1e38,
    1e19,
    -2e18,
    1e-45,
    f32::MIN_POSITIVE as f64,
];

/// A kind of cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Sites of a lattice, any or in turn: their distances are cutoffs.
    Lattice,
    LatticeInTurn,
    FewSites,
    OneSite,
    Clusters,
    Line,
    Plane,
    /// Many points in one place, and others.
    Crowd,
    /// One, two, three and more points in clumps along an axis.
    GrowingClumps,
    /// Clumps at both ends of the box.
    OppositeFaces,
    /// Each point beside the one before.
    Filament,
    /// Ever farther from one place.
    Decades,
    /// One axis is far longer than the others.
    Long,
    Strays,
    ManyStrays,
    /// At the walls of the box, in its middle, and at the numbers beside these.
    Places,
    Walls,
    Outside,
    Uniform,
}

const KINDS: [Kind; 24] = [
    Kind::Lattice,
    Kind::Lattice,
    Kind::LatticeInTurn,
    Kind::LatticeInTurn,
    Kind::FewSites,
    Kind::OneSite,
    Kind::Clusters,
    Kind::Line,
    Kind::Plane,
    Kind::Crowd,
    Kind::GrowingClumps,
    Kind::OppositeFaces,
    Kind::Filament,
    Kind::Decades,
    Kind::Long,
    Kind::Strays,
    Kind::ManyStrays,
    Kind::Places,
    Kind::Places,
    Kind::Walls,
    Kind::Outside,
    Kind::Uniform,
    Kind::Uniform,
    Kind::Uniform,
];

/// Those of thousands of points, which have few neighbors.
const LARGE: [Kind; 6] = [
    Kind::LatticeInTurn,
    Kind::Uniform,
    Kind::Uniform,
    Kind::Strays,
    Kind::Filament,
    Kind::Long,
];

/// Coordinates of a cloud.
pub(super) fn values(draw: &mut Draw, sketch: &Sketch, n: usize, axes: usize) -> Vec<f64> {
    let kind = match n > 700 {
        true => draw.pick(&LARGE),
        false => draw.pick(&KINDS),
    };
    let (spacing, lo) = (sketch.spacing, sketch.lo);
    let side = match draw.below(4) {
        _ if n > 700 => 1.2 * spacing * (n as f64).powf(1.0 / axes as f64),
        0 => sketch.length,
        1 => spacing * 30.0,
        _ => spacing * (n as f64).powf(1.0 / axes as f64) * draw.pick(&[0.5, 1.0, 1.0, 2.0]),
    };
    let sites: Vec<f64> = (0..24).map(|_| lo + side * draw.unit()).collect();
    let extremes = if sketch.single {
        &SINGLE_EXTREMES[..]
    } else {
        &EXTREMES[..]
    };
    let cells = (side / spacing).max(1.0) as usize + 1;
    let across = draw.below(axes);
    let mut last = sites.clone();
    let mut one = |draw: &mut Draw, k: usize| {
        let (point, axis) = (k / axes, k % axes);
        match kind {
            Kind::Lattice => lo + spacing * (draw.below(cells) as f64),
            Kind::LatticeInTurn => lo + spacing * ((point / [1, cells, cells * cells][axis]) % cells) as f64,
            Kind::FewSites => sites[axis * 8 + draw.below(3)],
            Kind::OneSite => sites[axis],
            Kind::Crowd if point.is_multiple_of(2) => sites[axis],
            Kind::Clusters => sites[point % 6] + spacing * 0.2 * draw.unit(),
            Kind::Line if axis != across => sites[axis],
            Kind::Plane if axis == across => sites[0],
            Kind::GrowingClumps if axis == across => lo + 3.0 * spacing * (2.0 * point as f64).sqrt().floor(),
            Kind::GrowingClumps => lo + spacing * 0.1 * draw.unit(),
            Kind::OppositeFaces if axis == across => {
                let end = if point.is_multiple_of(2) { 0.0 } else { sketch.length };
                lo + end + spacing * 0.1 * (draw.unit() - 0.5)
            }
            Kind::OppositeFaces => sites[axis] + spacing * 0.1 * draw.unit(),
            Kind::Filament => {
                last[axis] += spacing * (draw.unit() - 0.3);
                last[axis]
            }
            Kind::Decades => sites[axis] + spacing * (draw.unit() - 0.5) * 10f64.powi(draw.between(-6, 2) as i32),
            Kind::Long if axis == across => lo + side * 1e4 * draw.unit(),
            Kind::Strays if draw.once_in(if n > 700 { 300 } else { 8 }) => draw.pick(extremes),
            Kind::ManyStrays if draw.once_in(3) => draw.pick(extremes),
            Kind::Places => {
                let place = lo + sketch.length * draw.pick(&[0.0, 1.0, 0.5, 0.25]);
                beside(place, draw.pick(&[0, 0, -1, 1]), sketch.single)
            }
            Kind::Walls => {
                lo + sketch.length * draw.pick(&[0.0, 1.0, 0.5, -1.0, 2.0, 1e6, -7.5, 0.999_999_999_999_999_9])
            }
            Kind::Outside => lo + sketch.length * (4.0 * draw.unit() - 2.0),
            _ => lo + side * draw.unit(),
        }
    };
    let mut values: Vec<f64> = (0..n * axes).map(|k| one(draw, k)).collect();
    if !values.is_empty() && draw.once_in(40) {
        let at = draw.below(values.len());
        values[at] = draw.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
    }
    values
}

/// The number before, the number itself, or the one after it, in a precision.
fn beside(x: f64, step: i32, single: bool) -> f64 {
    match (step, single) {
        (0, _) => x,
        (1, true) => f64::from((x as f32).next_up()),
        (1, false) => x.next_up(),
        (_, true) => f64::from((x as f32).next_down()),
        (_, false) => x.next_down(),
    }
}
