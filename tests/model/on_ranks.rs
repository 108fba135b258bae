//! The same sequences across 1 to 12 ranks that are threads.

use std::sync::{LazyLock, Mutex};

use super::found::{begin, histogram, next, points, set, view};
use super::machine::call::{Call, Capacity, Coords, Layout, Role, Step, What};
use super::machine::interpret::Failure;
use super::machine::ranks::{Tally, run};
use super::{check, is_whole, variable};

/// Sequences in the time of a test.
const SEQUENCES: u64 = 300;

static TALLY: LazyLock<Mutex<Tally>> = LazyLock::new(Mutex::default);

#[test]
fn on_ranks() {
    let sequences = if is_whole() { 10 * SEQUENCES } else { SEQUENCES };
    check(&[("NEARGRID_BACKEND", "cpu"), ("NEARGRID_MODEL_RANKS", "1")], sequences);
}

/// Sequences that failed across ranks once, dealt in many ways.
#[test]
fn found_before_on_ranks() {
    let mut failures = Vec::new();
    for (name, calls) in found() {
        let steps: Vec<Step> = calls.into_iter().map(|call| Step { handle: 0, call }).collect();
        let failed = (0..25).find_map(|seed| {
            run(&steps, seed, &mut Tally::default())
                .err()
                .map(|why| (seed, why.text))
        });
        failures.extend(failed.map(|(seed, text)| format!("{name}, seed {seed}: {text}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn found() -> Vec<(&'static str, Vec<Call>)> {
    [found_first(), of_points_that_moved()].concat()
}

/// Pairs that were out of cutoff and skin when ghosts were found, and have come nearer within the skin. Then they are asked for in a way
/// that no list made before answers.
fn of_points_that_moved() -> Vec<(&'static str, Vec<Call>)> {
    let update = |x: &[f64]| points(Role::Update, 1, x);
    let moved = |more: Vec<Call>| {
        let mut calls = vec![Call::Cutoff(1.0), Call::Skin(0.4), set(1, &[0.0, 1.45, 2.9, 4.35])];
        calls.extend([view(What::Rows(0)), update(&[0.125, 1.325, 3.025, 4.225])]);
        calls.extend(more);
        calls
    };
    let verlet = |kind| Call::Verlet { kind, nulls: 0 };
    let longer = || vec![Call::Skin(0.0), Call::Cutoff(1.25)];
    let fof = Call::Fof {
        view: false,
        off: 0,
        nulls: 0,
    };
    let by_cutoffs = Call::ByCutoffs {
        first: 0,
        kind: 1,
        cutoffs: vec![0.5, 1.25],
        null: false,
    };
    let types = vec![
        Call::Types {
            n: None,
            types: vec![0; 4],
            ntypes: 1,
            mask: vec![1],
            nulls: 0,
        },
        Call::TypeCutoffs {
            ntypes: 1,
            cutoffs: vec![1.25],
            null: false,
        },
    ];
    let radii = Call::Radii {
        single: false,
        n: None,
        radii: vec![1.25; 4],
        rule: 0,
        null: false,
    };
    let far = update(&[0.25, 1.2, 3.15, 4.1]);
    vec![
        ("a list of another kind, as it is", moved(vec![verlet(1)])),
        (
            "rows of another kind, and points move on",
            moved(vec![view(What::Rows(1)), far.clone(), view(What::Rows(1))]),
        ),
        (
            "a list of the same kind as it is, and points move on",
            moved(vec![verlet(0), far, view(What::Pairs), verlet(0)]),
        ),
        (
            "a longer cutoff without the skin",
            moved([longer(), vec![view(What::Rows(1))]].concat()),
        ),
        (
            "a longer cutoff in chunks",
            moved([longer(), vec![begin(1, 9), next(false)]].concat()),
        ),
        (
            "a longer cutoff in bins",
            moved([longer(), vec![histogram(1)]].concat()),
        ),
        ("a longer cutoff of groups", moved([longer(), vec![fof]].concat())),
        ("several cutoffs", moved(vec![by_cutoffs])),
        (
            "a longer cutoff of types",
            moved([vec![Call::Skin(0.0)], types, vec![view(What::Rows(1))]].concat()),
        ),
        ("longer radii", moved(vec![Call::Skin(0.0), radii, view(What::Rows(1))])),
    ]
}

fn found_first() -> Vec<(&'static str, Vec<Call>)> {
    let count = |what| Call::Count { what, null: false };
    let run = |seed| Call::Run {
        which: 0,
        kind: 1,
        times: 1,
        seed: Some(seed),
        null: false,
    };
    let solve_in = |single| Call::Solve {
        which: 0,
        kind: 1,
        single,
        target: 8.0,
        range: [0.01, 0.4],
        tolerance: 0.5,
        times: 1,
        capacity: Capacity::Less(3),
        nulls: 0,
    };
    let nearest = Call::Knn {
        single: false,
        view: true,
        kind: 2,
        k: 2,
        measure: 2,
        off: 0,
        nulls: 0,
    };
    let of_points = Call::Knn {
        single: false,
        view: true,
        kind: 0,
        k: 2,
        measure: 1,
        off: 0,
        nulls: 0,
    };
    let no_types = Call::TypeCutoffs {
        ntypes: 1,
        cutoffs: vec![3.0],
        null: false,
    };
    let queries = || Call::Points {
        role: Role::Queries,
        coords: Coords {
            single: false,
            dim: 1,
            values: vec![0.5],
            n: None,
            layout: Layout::Interleaved,
            nulls: 0,
        },
        null: false,
    };
    let of_one_type = || {
        let types = Call::Types {
            n: None,
            types: vec![0; 3],
            ntypes: 1,
            mask: vec![1],
            nulls: 0,
        };
        let cutoffs = Call::TypeCutoffs {
            ntypes: 1,
            cutoffs: vec![3.0],
            null: false,
        };
        vec![types, cutoffs]
    };
    let primary = Call::Primary {
        ntypes: 1,
        flags: vec![1],
        null: false,
    };
    let groups = Call::Fof {
        view: false,
        off: 0,
        nulls: 0,
    };
    let boxed = Call::Box {
        dim: 1,
        lo: vec![0.0],
        length: vec![10.0],
        periodic: vec![1],
        nulls: 0,
    };
    let close = || vec![Call::Cutoff(1.5), set(1, &[0.0, 1.0, 2.0])];
    vec![
        (
            "one rank's points are refused: all keep theirs",
            [close(), vec![set(1, &[0.0, f64::NAN, 2.0, 3.0]), view(What::Rows(1))]].concat(),
        ),
        (
            "one rank has no types: no count is written",
            [close(), vec![no_types, count(What::Pairs), count(What::Rows(1))]].concat(),
        ),
        (
            "one rank has too little room, another is refused",
            [close(), vec![solve_in(true)]].concat(),
        ),
        (
            "a formula of vectors before there are points",
            vec![run(11_009_427_746_999_665_287)],
        ),
        (
            "groups have the one cutoff, where types have others",
            vec![
                Call::Cutoff(1.0),
                set(1, &[0.0, 1.0]),
                Call::TypeCutoffs {
                    ntypes: 1,
                    cutoffs: vec![1e-5],
                    null: false,
                },
                Call::Fof {
                    view: false,
                    off: 0,
                    nulls: 0,
                },
            ],
        ),
        (
            "radii of no points",
            [
                close(),
                vec![
                    Call::Radii {
                        single: false,
                        n: None,
                        radii: Vec::new(),
                        rule: 2,
                        null: false,
                    },
                    view(What::Rows(1)),
                ],
            ]
            .concat(),
        ),
        (
            "the nearest after ghosts were dropped and no others came",
            vec![
                set(1, &[0.0, 0.0]),
                solve_in(true),
                points(Role::Queries, 1, &[]),
                view(What::Rows(2)),
                nearest.clone(),
                of_points,
            ],
        ),
        (
            "queries after ghosts, and then the nearest",
            [close(), vec![begin(0, 9), queries(), nearest]].concat(),
        ),
        (
            "a rank has a query, and types and cutoffs are of points",
            [
                close(),
                of_one_type(),
                vec![queries(), count(What::Pairs), count(What::Rows(2))],
            ]
            .concat(),
        ),
        (
            "groups of points of a type, where a rank has a query alone",
            [close(), of_one_type(), vec![primary, queries(), groups]].concat(),
        ),
        (
            "radii by a number of neighbors, with exclusions by shifts in a periodic box",
            vec![
                boxed,
                set(1, &[0.0, 1.0, 2.0]),
                Call::Exclusions(Some([3, 1, 1])),
                solve_in(false),
            ],
        ),
    ]
}

/// Whether sequences are played across ranks.
pub fn is_asked() -> bool {
    variable("RANKS").is_some()
}

pub fn play(seed: u64, steps: &[Step]) -> Result<(), Failure> {
    run(steps, seed, &mut TALLY.lock().unwrap())
}

/// Calls that were played and that were not.
pub fn tally() -> String {
    match is_asked() {
        true => TALLY.lock().unwrap().to_string(),
        false => String::new(),
    }
}
