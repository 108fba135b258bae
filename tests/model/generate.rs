//! Random sequences of calls. Most calls are valid and belong together; some are borderline, some are wrong.

use super::call::{Call, Capacity, Coords, LISTS, Layout, List, Properties, Role, Step, What};
use super::draw::Draw;

mod clouds;
mod follow;
mod forms;
mod others;
mod settings;
mod sums;

use clouds::{many, points, values};
use settings::{bounds, changed_bounds, setting};

/// The purpose of sequences.
#[derive(Clone, Copy, Debug)]
pub struct Taste {
    /// Calls, at most.
    pub calls: usize,
    /// Backends that are chosen; none: the one of the environment.
    pub backends: bool,
    /// Thousands of points, in some sequences.
    pub large: bool,
    /// Points of a cloud, at most.
    pub most: usize,
}

/// The generator's knowledge of a handle: enough to draw calls that belong together.
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
    /// The last box.
    bounds: Option<Call>,
    /// Thousands of points.
    is_large: bool,
    has_skin: bool,
    /// Most questions are about rows in a cell.
    in_cell: bool,
    base: i32,
    last: Vec<f64>,
    ntypes: i32,
    ids: Vec<i64>,
    /// Whether each point is a ghost, as far as it was said.
    ghosts: Vec<bool>,
    /// Points of a cloud, at most.
    most: usize,
}

impl Sketch {
    /// A box or a cell is set: points are forgotten where other axes are periodic.
    fn set_bounds(&mut self, call: &Call) {
        fn axes(call: Option<&Call>) -> &[i32] {
            match call {
                Some(Call::Box { periodic, .. }) if periodic.contains(&1) => periodic,
                _ => &[],
            }
        }
        if axes(self.bounds.as_ref()) != axes(Some(call)) {
            self.n = 0;
        }
        self.bounds = Some(call.clone()).filter(|call| matches!(call, Call::Box { .. }));
    }
}

/// Draws a sequence.
pub fn sequence(draw: &mut Draw, taste: Taste) -> Vec<Step> {
    let mut sketches = [sketch(draw, taste), sketch(draw, taste)];
    let two = draw.once_in(4);
    let of_runs = draw.once_in(3);
    let mut steps = Vec::new();
    for (handle, sketch) in sketches.iter_mut().enumerate().take(1 + usize::from(two)) {
        begin(draw, taste, sketch, |call| steps.push(Step { handle, call }));
    }
    let mut calls = draw.between(3, taste.calls as i64) as usize;
    if sketches[0].is_large || two && sketches[1].is_large {
        calls /= 2;
    }
    while steps.len() < calls && !draw.is_over() {
        let mut handle = usize::from(two && draw.once_in(2));
        let sketch = &mut sketches[handle];
        if sketch.n == 0 && !draw.once_in(4) {
            let call = points(draw, sketch, Role::Set);
            steps.push(Step { handle, call });
        }
        if sketch.periodic && draw.once_in(12) {
            let changed = changed_bounds(draw, sketch);
            let moved = points(draw, sketch, Role::Update);
            steps.extend(changed.into_iter().chain([moved]).map(|call| Step { handle, call }));
        }
        if sketch.n > 0 && draw.once_in(25) {
            let take = |draw: &mut Draw| Call::Take {
                list: draw.below(2),
                kind: one_of(draw, 0, 1),
                null: false,
            };
            let before = take(draw);
            let changed = match draw.below(3) {
                0 => setting(draw, taste, sketch),
                _ => points(draw, sketch, Role::Update),
            };
            let calls = [before, changed, take(draw), forms::carry(draw, 2)];
            steps.extend(calls.map(|call| Step { handle, call }));
        }
        if sketch.has_skin && draw.once_in(15) {
            for _ in 0..draw.between(1, 4) {
                let moved = points(draw, sketch, Role::Update);
                let asked = follow::walked(draw);
                steps.extend([moved, asked].map(|call| Step { handle, call }));
            }
        }
        if draw.once_in(20)
            && let Some(calls) = others::renumbered(draw, sketch)
        {
            steps.extend(calls.map(|call| Step { handle, call }));
        }
        let call = match of_runs && draw.once_in(2) {
            true => sums::call(draw, sketch),
            false => call(draw, taste, sketch),
        };
        if draw.once_in(400) {
            handle = 2;
        }
        let next = follow::after(draw, sketch, &call);
        steps.push(Step { handle, call });
        steps.extend(next.into_iter().map(|call| Step { handle, call }));
    }
    steps
}

fn sketch(draw: &mut Draw, taste: Taste) -> Sketch {
    let spacing = match draw.below(12) {
        0 => draw.pick(&[1e-15, 1e-12, 1e-30, 1e12, 1e15, 1e30, 1e-140, 1e140]),
        _ => draw.pick(&[1.0, 1.0, 1.0, 0.5, 0.1, 3.0, 1e-3, 1e6]),
    };
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
        bounds: None,
        is_large: taste.large && draw.once_in(if taste.backends { 200 } else { 60 }),
        has_skin: false,
        in_cell: draw.once_in(8),
        base: 0,
        last: Vec::new(),
        ntypes: 0,
        ids: Vec::new(),
        ghosts: Vec::new(),
        most: taste.most,
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
    if sketch.in_cell {
        push(settings::cell(draw, sketch));
    }
    if draw.once_in(4) {
        let skin = skin(draw, sketch);
        sketch.has_skin = skin > 0.0;
        push(Call::Skin(skin));
    }
    if !draw.once_in(8) {
        push(Call::Cutoff(cutoff(draw, sketch)));
    }
    push(points(draw, sketch, Role::Set));
    if draw.once_in(8) {
        push(settings::active_or_roles(draw, sketch));
    }
    if draw.once_in(4) {
        push(settings::ids(draw, sketch));
    }
    if draw.once_in(8) {
        push(match draw.below(2) {
            0 => settings::exclusions(draw, sketch),
            _ => others::exclusions_by_ids(draw),
        });
    }
    if draw.once_in(3) {
        push(Call::Threads(draw.pick(&[1, 2, 3, 4, 7])));
    }
    if draw.once_in(8) {
        push(settings::types(draw, sketch));
        push(settings::type_cutoffs(draw, sketch));
    }
}

/// Any call.
fn call(draw: &mut Draw, taste: Taste, sketch: &mut Sketch) -> Call {
    match draw.below(100) {
        0..4 => points(draw, sketch, Role::Set),
        4..9 => points(draw, sketch, Role::Add),
        9..14 => points(draw, sketch, Role::Queries),
        14..20 => points(draw, sketch, Role::Update),
        20..44 => setting(draw, taste, sketch),
        44..68 => query(draw, sketch),
        68..75 => sums::call(draw, sketch),
        75..82 => chunks(draw, sketch),
        82..92 => question(draw, sketch),
        92..96 => others::by_ids(draw, sketch),
        96 => of_thread(draw, sketch),
        _ => others::alone(draw, sketch),
    }
}

fn query(draw: &mut Draw, sketch: &Sketch) -> Call {
    if sketch.in_cell && draw.once_in(2) {
        return forms::images(draw);
    }
    let what = match draw.below(8) {
        0..3 => What::Pairs,
        _ => What::Rows(kind(draw, sketch)),
    };
    match draw.below(36) {
        35 => Call::Copy32 {
            kind: kind(draw, sketch),
            capacity: capacity(draw),
            nulls: nulls(draw),
        },
        34 => forms::systems(draw, sketch),
        29.. => forms::call(draw, sketch),
        26.. => Call::Take {
            list: draw.below(LISTS),
            kind: kind(draw, sketch),
            null: draw.once_in(40),
        },
        22.. if sketch.has_skin || draw.once_in(8) => Call::Verlet {
            kind: one_of(draw, 0, 1),
            nulls: nulls(draw),
        },
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
        13..17 => Call::Knn {
            single: sketch.single != draw.once_in(40),
            view: draw.once_in(2),
            kind: kind(draw, sketch),
            k: match draw.below(12) {
                0 => draw.pick(&[0, -1, 1025, i32::MAX, 1024, 100]),
                k => k as i32,
            },
            measure: one_of(draw, 0, 2),
            off: off(draw),
            nulls: nulls(draw),
        },
        17 | 18 => Call::Fof {
            view: draw.once_in(2),
            off: off(draw),
            nulls: nulls(draw),
        },
        20 if draw.once_in(4) => Call::GroupsView {
            sums: draw.once_in(2),
            nulls: nulls(draw),
        },
        _ => Call::Groups {
            min_size: draw.pick(&[1, 1, 1, 2, 2, 3, 5, 0, -1, i64::MAX]),
            properties: draw.once_in(2).then(|| properties(draw, sketch)),
            null: draw.once_in(40),
        },
    }
}

fn properties(draw: &mut Draw, sketch: &Sketch) -> Properties {
    let numbers = |draw: &mut Draw, least: f64| {
        let (count, decades) = (draw.between(1, 6), draw.pick(&[0, 0, 6]));
        let one = |draw: &mut Draw| {
            let scale = 10f64.powi(draw.between(-decades, decades) as i32);
            scale * (least + draw.below(9) as f64 * draw.pick(&[0.5, 0.1, 1.0]))
        };
        let mut numbers: Vec<_> = (0..count).map(|_| one(draw)).collect();
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
    match draw.below(8) {
        0..6 => Call::ChunksBegin {
            kind: kind(draw, sketch),
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
    match draw.below(21) {
        18.. => forms::carry(draw, LISTS),
        16 => Call::ListView {
            list: draw.below(LISTS),
            nulls: nulls(draw),
        },
        17 => Call::ListDestroy {
            list: draw.below(LISTS),
        },
        0..7 => {
            let form = draw.below(5);
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
            if form == 0 {
                return Call::OfQueries {
                    displacements: draw.once_in(2),
                    single: sketch.single != draw.once_in(30),
                    list,
                    nulls: nulls(draw),
                };
            }
            Call::Quantity {
                displacements: draw.once_in(2),
                rows: form > 2,
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
            counter: draw.between(-1, 16) as i32,
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
        _ => Call::SkinUsed { null: false },
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
            let n = many(draw, false).min(sketch.most);
            Call::CellCount {
                single: draw.once_in(2),
                dim,
                n: draw.once_in(40).then(|| draw.pick(&[-1, i64::MAX])),
                values: values(draw, sketch, n, dim.clamp(1, 3) as usize),
                cutoff: cutoff(draw, sketch),
                rule: one_of(draw, -1, 1),
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

/// A kind of rows: those of queries where there are some.
fn kind(draw: &mut Draw, sketch: &Sketch) -> i32 {
    match one_of(draw, 0, 2) {
        2 if sketch.queries == 0 && !draw.once_in(8) => 1,
        kind => kind,
    }
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
        _ if sketch.is_large => sketch.spacing * draw.pick(&[1.0, 0.3, 1.5, 2f64.sqrt(), 2.0]),
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
