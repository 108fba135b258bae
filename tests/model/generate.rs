//! Random sequences of calls. Most calls are valid and belong together; some are borderline, some are wrong.

use super::call::{Call, Capacity, Coords, Layout, List, Properties, Role, Step, What};
use super::draw::Draw;

/// What sequences are drawn for.
#[derive(Clone, Copy, Debug)]
pub struct Taste {
    /// Calls, at most.
    pub calls: usize,
    /// Backends that are chosen; none: the one of the environment.
    pub backends: bool,
    /// Clouds of thousands of points now and then.
    pub large: bool,
}

/// What the generator knows of a handle: enough to draw calls that belong together.
#[derive(Clone, Debug)]
struct Sketch {
    single: bool,
    dim: i32,
    n: usize,
    queries: usize,
    /// The distance between sites of lattices.
    spacing: f64,
    lo: f64,
    length: f64,
    periodic: bool,
    base: i32,
    last: Vec<f64>,
    ntypes: i32,
}

/// Draws a sequence.
pub fn sequence(draw: &mut Draw, taste: Taste) -> Vec<Step> {
    let mut sketches = [sketch(draw), sketch(draw)];
    let two = draw.once_in(4);
    let mut steps = Vec::new();
    for (handle, sketch) in sketches.iter_mut().enumerate().take(1 + usize::from(two)) {
        begin(draw, taste, sketch, |call| steps.push(Step { handle, call }));
    }
    let calls = draw.between(3, taste.calls as i64) as usize;
    while steps.len() < calls && !draw.is_over() {
        let mut handle = usize::from(two && draw.once_in(2));
        let call = call(draw, taste, &mut sketches[handle]);
        if draw.once_in(400) {
            handle = 2;
        }
        steps.push(Step { handle, call });
    }
    steps
}

fn sketch(draw: &mut Draw) -> Sketch {
    let spacing = draw.pick(&[1.0, 1.0, 1.0, 0.5, 0.1, 3.0, 1e-3, 1e6]);
    let cells = draw.pick(&[2.0, 3.0, 4.0, 5.0, 8.0, 30.0]);
    Sketch {
        single: draw.once_in(2),
        dim: draw.between(1, 3) as i32,
        n: 0,
        queries: 0,
        spacing,
        lo: draw.pick(&[0.0, -0.5, -3.0, 0.3, 100.7, -1e6, 1e9]) * spacing,
        length: cells * spacing,
        periodic: draw.once_in(2),
        base: 0,
        last: Vec::new(),
        ntypes: 0,
    }
}

/// The calls that most sequences begin with.
fn begin(draw: &mut Draw, taste: Taste, sketch: &mut Sketch, mut push: impl FnMut(Call)) {
    if draw.once_in(10) {
        return;
    }
    if taste.backends {
        push(Call::Backend(draw.pick(&[2, 2, 2, 1])));
    }
    if sketch.periodic {
        push(bounds(draw, sketch, true));
    }
    if draw.once_in(4) {
        push(Call::Skin(skin(draw, sketch)));
    }
    if !draw.once_in(8) {
        push(Call::Cutoff(cutoff(draw, sketch)));
    }
    push(points(draw, taste, sketch, Role::Set));
}

/// Any call.
fn call(draw: &mut Draw, taste: Taste, sketch: &mut Sketch) -> Call {
    match draw.below(100) {
        0..4 => points(draw, taste, sketch, Role::Set),
        4..9 => points(draw, taste, sketch, Role::Add),
        9..14 => points(draw, taste, sketch, Role::Queries),
        14..20 => points(draw, taste, sketch, Role::Update),
        20..44 => setting(draw, taste, sketch),
        44..75 => query(draw, sketch),
        75..82 => chunks(draw, sketch),
        82..98 => question(draw, sketch),
        _ => of_thread(draw, sketch),
    }
}

fn setting(draw: &mut Draw, taste: Taste, sketch: &mut Sketch) -> Call {
    match draw.below(20) {
        0..3 => Call::Cutoff(cutoff(draw, sketch)),
        3 => Call::Tie(one_of(draw, 0, 1)),
        4 => {
            let base = one_of(draw, 0, 1);
            if (0..=1).contains(&base) {
                sketch.base = base;
            }
            Call::Base(base)
        }
        5 if taste.backends => Call::Backend(one_of(draw, 0, 2)),
        5 => Call::Threads(draw.pick(&[0, 1, 2, 3, 4, -1, 1025])),
        6 => match draw.below(4) {
            0 if taste.backends => Call::Device(draw.pick(&[-1, 0])),
            0 => Call::Device(draw.pick(&[-1, 0, 7, -2])),
            1 => Call::DeviceTurn(draw.pick(&[0, 1, 5, -1])),
            2 => Call::Domain,
            _ => Call::Threads(draw.pick(&[0, 1, 2])),
        },
        7 => Call::Limit(limit(draw, sketch)),
        8 | 9 => Call::Skin(skin(draw, sketch)),
        10 => {
            let periodic = draw.once_in(2);
            bounds(draw, sketch, periodic)
        }
        11 | 12 => Call::Active(match draw.below(8) {
            0 | 1 => -1,
            2 => sketch.n as i64,
            3 => sketch.n as i64 + draw.between(0, 2),
            4 => draw.pick(&[-2, i64::MAX, 1 << 31, (1 << 31) - 1]),
            _ => draw.below(sketch.n + 1) as i64,
        }),
        13 => Call::GhostPairs(one_of(draw, 0, 1)),
        14 => types(draw, sketch),
        15 => primary(draw, sketch),
        16 | 17 => ids(draw, sketch),
        18 => radii(draw, sketch),
        _ => match draw.below(4) {
            0 => Call::Trim,
            1 => Call::Renew,
            2 => Call::Create {
                abi: one_of(draw, 1, 1),
                null: draw.once_in(4),
            },
            _ => Call::ClearRadii,
        },
    }
}

fn query(draw: &mut Draw, sketch: &Sketch) -> Call {
    let what = match draw.below(8) {
        0..3 => What::Pairs,
        3..6 => What::Rows(one_of(draw, 0, 1)),
        _ => What::Queries,
    };
    match draw.below(22) {
        0..4 => Call::Count {
            what,
            null: draw.once_in(40),
        },
        4..8 => Call::Copy {
            what,
            capacity: capacity(draw),
            nulls: nulls(draw),
        },
        8..13 => Call::View {
            what,
            nulls: nulls(draw),
        },
        13 => Call::KnnRows {
            kind: one_of(draw, 0, 2),
            null: draw.once_in(40),
        },
        14..17 => Call::Knn {
            single: sketch.single != draw.once_in(40),
            view: draw.once_in(2),
            kind: one_of(draw, 0, 2),
            k: match draw.below(12) {
                0 => draw.pick(&[0, -1, 1025, i32::MAX, 1024, 100]),
                k => k as i32,
            },
            measure: one_of(draw, 0, 1),
            off: off(draw),
            nulls: nulls(draw),
        },
        17..19 => Call::Fof {
            view: draw.once_in(2),
            off: off(draw),
            nulls: nulls(draw),
        },
        19 => Call::Groups {
            min_size: draw.pick(&[1, 1, 1, 2, 2, 3, 5, 0, -1, i64::MAX]),
            properties: draw.once_in(2).then(|| properties(draw, sketch)),
            null: draw.once_in(40),
        },
        _ => Call::GroupsView {
            sums: draw.once_in(2),
            nulls: nulls(draw),
        },
    }
}

fn properties(draw: &mut Draw, sketch: &Sketch) -> Properties {
    let numbers = |draw: &mut Draw, least: f64| {
        let count = draw.between(1, 6);
        let mut numbers: Vec<_> = (0..count)
            .map(|_| least + draw.below(9) as f64 * draw.pick(&[0.5, 0.1, 1.0]))
            .collect();
        if draw.once_in(12) {
            numbers[0] = draw.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY, 1e300]);
        }
        numbers
    };
    Properties {
        single: sketch.single != draw.once_in(30),
        off: off(draw),
        masses: draw.once_in(2).then(|| numbers(draw, 0.5)),
        velocities: draw.once_in(2).then(|| numbers(draw, -2.0)),
    }
}

fn chunks(draw: &mut Draw, sketch: &Sketch) -> Call {
    match draw.below(5) {
        0 | 1 => Call::ChunksBegin {
            kind: one_of(draw, 0, 2),
            max_entries: match draw.below(8) {
                0 => draw.pick(&[0, -1, i64::MAX, 1]),
                1..4 => draw.between(1, 12),
                4..7 => draw.between(1, 1 + sketch.n as i64),
                _ => 1 << 20,
            },
            null: draw.once_in(30),
        },
        _ => Call::ChunksNext {
            pairs: draw.once_in(2),
            nulls: nulls(draw),
        },
    }
}

fn question(draw: &mut Draw, sketch: &Sketch) -> Call {
    match draw.below(16) {
        0..7 => {
            let rows = draw.once_in(2);
            let list = match draw.below(8) {
                0 => {
                    let len = draw.below(5);
                    let ids = |draw: &mut Draw| -> Vec<i32> {
                        (0..len).map(|_| draw.between(-1, sketch.n as i64 + 1) as i32).collect()
                    };
                    List::Given(ids(draw), ids(draw))
                }
                1 => List::Refused(draw.pick(&[-1, i64::MAX, i64::MIN])),
                2..5 => List::Some(draw.between(0, 40)),
                _ => List::View,
            };
            Call::Quantity {
                displacements: draw.once_in(2),
                rows,
                single: sketch.single != draw.once_in(30),
                list,
                nulls: nulls(draw),
            }
        }
        7 | 8 => Call::Order {
            off: off(draw),
            null: draw.once_in(30),
        },
        9 | 10 => Call::Counter {
            counter: draw.between(-1, 15) as i32,
            null: draw.once_in(40),
        },
        11 => Call::Timing {
            phase: draw.between(-1, 7) as i32,
            null: draw.once_in(40),
        },
        12 => Call::Info {
            capacity: draw.pick(&[0, 1, 7, 1000]),
            nulls: nulls(draw),
        },
        13 => Call::SkinUsed { null: draw.once_in(40) },
        14 => Call::LastError {
            capacity: draw.pick(&[0, 1, 7, 1000]),
            nulls: nulls(draw),
        },
        _ => Call::KnnRows {
            kind: one_of(draw, 0, 2),
            null: false,
        },
    }
}

/// The search that has no handle.
fn of_thread(draw: &mut Draw, sketch: &mut Sketch) -> Call {
    match draw.below(6) {
        0 => Call::CellRelease,
        1 | 2 => Call::CellFetch {
            compact: draw.once_in(2),
            capacity: capacity(draw),
            nulls: nulls(draw),
        },
        _ => {
            let dim = one_of(draw, 1, 3);
            let n = many(draw, false);
            Call::CellCount {
                single: draw.once_in(2),
                dim,
                n: draw.once_in(40).then(|| draw.pick(&[-1, i64::MAX])),
                values: values(draw, sketch, n, dim.clamp(1, 3) as usize),
                cutoff: cutoff(draw, sketch),
                base: one_of(draw, 0, 1),
                nulls: nulls(draw),
            }
        }
    }
}

/// One of `first..=last`; sometimes one beside them.
fn one_of(draw: &mut Draw, first: i32, last: i32) -> i32 {
    if draw.once_in(60) {
        return draw.pick(&[first - 1, last + 1, i32::MIN, i32::MAX]);
    }
    draw.between(first.into(), last.into()) as i32
}

fn nulls(draw: &mut Draw) -> u8 {
    if draw.once_in(40) {
        draw.next() as u8 & draw.next() as u8
    } else {
        0
    }
}

fn off(draw: &mut Draw) -> i64 {
    if draw.once_in(40) {
        draw.pick(&[-1, 1, i64::MIN / 2])
    } else {
        0
    }
}

fn capacity(draw: &mut Draw) -> Capacity {
    match draw.below(10) {
        0..6 => Capacity::More(0),
        6 | 7 => Capacity::More(draw.between(1, 9)),
        8 => Capacity::Less(draw.between(1, 3)),
        _ => Capacity::Is(draw.pick(&[0, 1, 5, -1, i64::MIN])),
    }
}

fn limit(draw: &mut Draw, sketch: &Sketch) -> i64 {
    match draw.below(8) {
        0 | 1 => 0,
        2 => draw.pick(&[-1, 1, i64::MAX, 1 << 33, 1 << 35, 1 << 62]),
        3 => 1 << 20,
        4 => 1 << 28,
        _ => draw.between(1, 40 * (sketch.n as i64 + 1)),
    }
}

fn skin(draw: &mut Draw, sketch: &Sketch) -> f64 {
    match draw.below(10) {
        0..3 => 0.0,
        3 => draw.pick(&[-1.0, f64::NAN, f64::INFINITY, 1e-300, 5e-324, 1e300, -0.0]),
        _ => sketch.spacing * draw.pick(&[0.1, 0.25, 0.5, 1.0, 2.0]),
    }
}

fn cutoff(draw: &mut Draw, sketch: &Sketch) -> f64 {
    match draw.below(16) {
        0 => draw.pick(&[
            0.0,
            -1.0,
            f64::NAN,
            f64::INFINITY,
            1e-170,
            1e160,
            1e-150,
            1e150,
            1e-30,
            1e20,
            f64::MAX,
            5e-324,
        ]),
        1 => sketch.spacing * 2f64.sqrt(),
        2 => sketch.spacing * 10f64.powi(draw.between(-9, 9) as i32),
        3 => sketch.spacing * 0.3,
        4 => sketch.length * 0.5,
        5 => sketch.spacing * 4.0,
        6 => sketch.spacing * draw.unit(),
        7 => sketch.spacing * 1.5,
        8 => sketch.spacing * 2.0,
        _ => sketch.spacing,
    }
}

/// A box: most of the time the one of the sketch.
fn bounds(draw: &mut Draw, sketch: &mut Sketch, periodic: bool) -> Call {
    if draw.once_in(6) {
        sketch.lo = draw.pick(&[0.0, -0.5, -3.0, 0.3, 100.7]) * sketch.spacing;
        sketch.length = draw.pick(&[2.0, 3.0, 5.0, 9.0]) * sketch.spacing;
    }
    let dim = if draw.once_in(30) {
        draw.between(0, 4) as i32
    } else {
        sketch.dim
    };
    let axes = dim.clamp(1, 3) as usize;
    let mut flags: Vec<i32> = (0..axes).map(|_| i32::from(periodic && !draw.once_in(4))).collect();
    let (mut lo, mut length) = (vec![sketch.lo; axes], vec![sketch.length; axes]);
    if draw.once_in(6) {
        length[axes - 1] *= draw.pick(&[1.0, 2.0, 1.7]);
        lo[0] += draw.pick(&[0.0, 1.0, 0.1]) * sketch.spacing;
    }
    if draw.once_in(25) {
        match draw.below(3) {
            0 => flags[0] = draw.pick(&[2, -1]),
            1 => lo[0] = draw.pick(&[f64::NAN, f64::INFINITY]),
            _ => length[0] = draw.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY]),
        }
    }
    sketch.periodic = periodic;
    Call::Box {
        dim,
        lo,
        length,
        periodic: flags,
        nulls: nulls(draw),
    }
}

fn types(draw: &mut Draw, sketch: &mut Sketch) -> Call {
    if draw.once_in(3) {
        return Call::Types {
            n: None,
            types: Vec::new(),
            ntypes: draw.between(-1, 3) as i32,
            mask: Vec::new(),
            nulls: 0,
        };
    }
    let ntypes = if draw.once_in(20) {
        draw.pick(&[0, -1, 33, 32])
    } else {
        draw.between(1, 4) as i32
    };
    let count = ntypes.clamp(1, 33) as usize;
    let mut mask = vec![0; count * count];
    for a in 0..count {
        for b in 0..=a {
            let flag = i32::from(!draw.once_in(3));
            (mask[a * count + b], mask[b * count + a]) = (flag, flag);
        }
    }
    let len = about(draw, sketch.n);
    let mut types: Vec<i32> = (0..len).map(|_| sketch.base + draw.below(count) as i32).collect();
    if draw.once_in(20) {
        match draw.below(3) {
            0 => mask[0] = draw.pick(&[2, -1]),
            1 => mask[count * count - 1 - usize::from(count > 1)] ^= 1,
            _ => types.iter_mut().take(1).for_each(|t| *t = sketch.base + count as i32),
        }
    }
    sketch.ntypes = count as i32;
    let n = draw.once_in(40).then_some(-1);
    Call::Types {
        n,
        types,
        ntypes,
        mask,
        nulls: nulls(draw),
    }
}

fn primary(draw: &mut Draw, sketch: &Sketch) -> Call {
    let ntypes = match draw.below(8) {
        0..3 => 0,
        3 => draw.pick(&[-1, 33, 32, 1]),
        _ => sketch.ntypes,
    };
    let mut flags: Vec<i32> = (0..ntypes.clamp(0, 33)).map(|_| i32::from(draw.once_in(2))).collect();
    if draw.once_in(30) {
        flags.iter_mut().take(1).for_each(|flag| *flag = 2);
    }
    Call::Primary {
        ntypes,
        flags,
        null: draw.once_in(40),
    }
}

/// The number of points, or one beside it.
fn about(draw: &mut Draw, n: usize) -> usize {
    if draw.once_in(12) {
        n.saturating_sub(1) + draw.below(3)
    } else {
        n
    }
}

fn ids(draw: &mut Draw, sketch: &Sketch) -> Call {
    if draw.once_in(4) {
        return Call::Ids {
            n: None,
            ids: Vec::new(),
            null: draw.once_in(2),
        };
    }
    let len = about(draw, sketch.n);
    let mut ids: Vec<i64> = match draw.below(4) {
        0 => (0..len as i64).collect(),
        1 => (0..len as i64).map(|k| 3 * k - 7).collect(),
        2 => (0..len as i64).rev().map(|k| k * k - 5).collect(),
        _ => {
            let mut ids: Vec<i64> = (0..len as i64).map(|k| (k - 3) * ((1 << 40) + 1)).collect();
            for k in (1..len).rev() {
                ids.swap(k, draw.below(k + 1));
            }
            ids
        }
    };
    if let [first, .., last] = &mut ids[..] {
        match draw.below(20) {
            0 => *last = *first,
            1 => (*first, *last) = (i64::MAX, i64::MIN),
            _ => {}
        }
    }
    Call::Ids {
        n: draw.once_in(40).then_some(-1),
        ids,
        null: draw.once_in(40),
    }
}

fn radii(draw: &mut Draw, sketch: &Sketch) -> Call {
    if draw.once_in(5) {
        return Call::ClearRadii;
    }
    let of_queries = draw.once_in(3);
    let len = about(draw, if of_queries { sketch.queries } else { sketch.n });
    let wide = draw.once_in(4);
    let radius = |draw: &mut Draw| {
        let share = draw.pick(&[1.0, 0.5, 1.5, 2.0, 0.1]);
        sketch.spacing
            * if wide {
                10f64.powi(draw.between(-3, 1) as i32)
            } else {
                share
            }
    };
    let mut radii: Vec<f64> = (0..len).map(|_| radius(draw)).collect();
    if draw.once_in(20) {
        let bad = draw.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY, 1e-170, 1e155]);
        radii.iter_mut().take(1).for_each(|r| *r = bad);
    }
    let (single, n, null) = (
        sketch.single != draw.once_in(30),
        draw.once_in(40).then_some(-1),
        draw.once_in(40),
    );
    match of_queries {
        true => Call::QueryRadii { single, n, radii, null },
        false => Call::Radii {
            single,
            n,
            radii,
            rule: one_of(draw, 0, 4),
            null,
        },
    }
}

/// How many points.
fn many(draw: &mut Draw, large: bool) -> usize {
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

fn points(draw: &mut Draw, taste: Taste, sketch: &mut Sketch, role: Role) -> Call {
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
            let n = many(draw, taste.large);
            values(draw, sketch, n, axes)
        }
        Role::Add | Role::Queries => {
            let n = many(draw, false).min(200) / if draw.once_in(2) { 1 } else { 5 };
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
fn values(draw: &mut Draw, sketch: &Sketch, n: usize, axes: usize) -> Vec<f64> {
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
        6 if k % axes > 0 => sites[0],
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
