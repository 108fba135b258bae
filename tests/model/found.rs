//! Sequences that were found to fail once, as short as they were made.

use super::machine::call::{Call, Capacity, Coords, Layout, Role, Step, What};

/// Points of `dim` axes.
pub fn points(role: Role, dim: i32, values: &[f64]) -> Call {
    let coords = Coords {
        single: false,
        dim,
        values: values.to_vec(),
        n: None,
        layout: Layout::Interleaved,
        nulls: 0,
    };
    Call::Points {
        role,
        coords,
        null: false,
    }
}

pub fn set(dim: i32, values: &[f64]) -> Call {
    points(Role::Set, dim, values)
}

pub fn view(what: What) -> Call {
    Call::View { what, nulls: 0 }
}

fn bounds(lo: &[f64], length: &[f64], periodic: &[i32]) -> Call {
    Call::Box {
        dim: lo.len() as i32,
        lo: lo.to_vec(),
        length: length.to_vec(),
        periodic: periodic.to_vec(),
        nulls: 0,
    }
}

pub fn begin(kind: i32, max_entries: i64) -> Call {
    Call::ChunksBegin {
        kind,
        max_entries,
        null: false,
    }
}

pub fn next(pairs: bool) -> Call {
    Call::ChunksNext { pairs, nulls: 0 }
}

fn count(what: What) -> Call {
    Call::Count { what, null: false }
}

fn groups(min_size: i64) -> Call {
    Call::Groups {
        min_size,
        properties: None,
        null: false,
    }
}

fn groups_view(sums: bool) -> Call {
    Call::GroupsView { sums, nulls: 0 }
}

pub fn histogram(kind: i32) -> Call {
    Call::Histogram {
        kind,
        shares: vec![0.0, 0.7, 1.0],
        nulls: 0,
    }
}

fn query_radii(radii: &[f64]) -> Call {
    Call::QueryRadii {
        single: false,
        n: None,
        radii: radii.to_vec(),
        null: false,
    }
}

const FULL: What = What::Rows(1);
const OF_QUERIES: What = What::Rows(2);
const QUERIES: Role = Role::Queries;

/// All, by name.
pub fn sequences() -> Vec<(&'static str, Vec<Step>)> {
    let calls = on_the_cpu().into_iter().chain(on_a_gpu());
    let steps = |calls: Vec<Call>| calls.into_iter().map(|call| Step { handle: 0, call }).collect();
    calls.map(|(name, calls)| (name, steps(calls))).collect()
}

fn on_the_cpu() -> Vec<(&'static str, Vec<Call>)> {
    let two = || vec![Call::Cutoff(1.0), set(1, &[0.0, 1.0])];
    vec![
        (
            "groups stay where pairs are asked for",
            [
                two(),
                vec![groups(1), view(What::Pairs), groups_view(false), groups_view(true)],
            ]
            .concat(),
        ),
        (
            "groups stay where pairs are counted",
            [two(), vec![groups(1), count(What::Pairs), groups_view(false)]].concat(),
        ),
        (
            "rows and pairs in turns, with ghosts among other points",
            vec![
                Call::Cutoff(1.0),
                set(1, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
                Call::Roles {
                    n: None,
                    roles: vec![2, 1, 2, 1, 2, 1],
                    null: false,
                },
                begin(0, 2),
                next(false),
                next(true),
                next(false),
                begin(0, 2),
                next(true),
                next(false),
                next(true),
                begin(1, 3),
                next(true),
                next(false),
            ],
        ),
        (
            "a memory limit is not allocated",
            [
                two(),
                vec![
                    Call::Limit(1 << 35),
                    begin(1, 5),
                    next(true),
                    Call::Limit(i64::MAX),
                    begin(1, 5),
                    next(false),
                ],
            ]
            .concat(),
        ),
        (
            "a box whose open axes change leaves the points alone",
            vec![
                bounds(&[0.0, 0.0], &[5.0, 5.0], &[1, 0]),
                set(2, &[1.0, 1.0]),
                bounds(&[0.0, 0.0], &[5.0, 8.5], &[1, 0]),
                Call::Counter {
                    counter: 0,
                    null: false,
                },
            ],
        ),
        (
            "full rows as pairs in chunks, with ids and ghosts",
            vec![
                Call::Active(6),
                set(1, &[0.2, 0.2, 0.0, -6.4, -4.5, -4.1, -7.0]),
                Call::Ids {
                    n: None,
                    ids: vec![2, 6, 0, 1, 4, 3, 5],
                    null: false,
                },
                Call::Cutoff(1.0),
                begin(1, 8),
                next(true),
                next(true),
            ],
        ),
        (
            "chunks go on where the next are refused before they begin",
            [
                two(),
                vec![
                    begin(1, 1),
                    next(false),
                    begin(3, 1),
                    begin(1, 0),
                    next(false),
                    next(false),
                ],
            ]
            .concat(),
        ),
        (
            "skin used where a box forgot the points",
            [
                vec![Call::Skin(1.0)],
                two(),
                vec![
                    view(What::Pairs),
                    points(Role::Update, 1, &[0.1, 1.0]),
                    bounds(&[0.0], &[9.0], &[1]),
                    Call::SkinUsed { null: false },
                ],
            ]
            .concat(),
        ),
        (
            "queries become points after those that there are",
            vec![
                Call::Cutoff(0.5),
                Call::Skin(1.0),
                set(1, &[0.0, 0.25, 3.0]),
                points(QUERIES, 1, &[5.0, 5.25]),
                count(OF_QUERIES),
                points(Role::Update, 1, &[0.0, 0.25, 3.0, 5.0, 5.25]),
                Call::SkinUsed { null: false },
                count(What::Pairs),
            ],
        ),
        (
            "radii where the middle between both ends of a period is rounded",
            vec![
                bounds(&[0.10070000000000001], &[0.008], &[1]),
                set(1, &[0.1247, 0.0, 0.0, 0.10070000000000001]),
                Call::Radii {
                    single: false,
                    n: None,
                    radii: vec![0.0005, 0.002, 0.0001, 0.0001],
                    rule: 4,
                    null: false,
                },
                count(FULL),
                view(FULL),
                begin(1, 4),
                next(false),
            ],
        ),
        (
            "a coordinate that cannot be wrapped",
            vec![bounds(&[-1e308], &[1e300], &[1]), set(1, &[f64::MAX])],
        ),
        (
            "queries and added points that change are sent to the device",
            vec![
                Call::Backend(2),
                Call::Cutoff(1.5),
                set(1, &[0.0, 1.0, 2.0, 3.0]),
                points(Role::Queries, 1, &[0.0, 1.0]),
                count(OF_QUERIES),
                points(Role::Queries, 1, &[100.0, 200.0]),
                count(OF_QUERIES),
                points(Role::Add, 1, &[300.0, 400.0, 500.0]),
                count(What::Pairs),
                view(What::Pairs),
            ],
        ),
        (
            "chunks go on where others are refused",
            vec![
                Call::Cutoff(1.0),
                set(1, &[0.0, 1.0, 2.0, 3.0]),
                begin(1, 2),
                next(false),
                begin(1, 0),
                begin(7, 2),
                next(false),
                next(false),
            ],
        ),
        (
            "full rows as pairs in chunks follow global ids, those of ghosts too",
            vec![
                Call::Cutoff(1.5),
                set(1, &[0.0, 1.0, 2.0, 3.0]),
                Call::Ids {
                    n: None,
                    ids: vec![40, 30, 20, 10],
                    null: false,
                },
                Call::Active(2),
                begin(1, 4),
                next(true),
                next(true),
                next(true),
                view(What::Rows(0)),
                view(What::Rows(1)),
                view(What::Pairs),
            ],
        ),
        (
            "a box that forgets the points forgets how far they moved",
            vec![
                Call::Cutoff(1.0),
                Call::Skin(1.0),
                set(1, &[0.0, 1.0]),
                view(What::Pairs),
                points(Role::Update, 1, &[0.1, 1.0]),
                Call::SkinUsed { null: false },
                bounds(&[0.0], &[9.0], &[1]),
                Call::SkinUsed { null: false },
            ],
        ),
        (
            "a memory limit holds for k nearest and groups",
            vec![
                Call::Cutoff(1.0),
                set(1, &[0.0, 1.0, 2.0]),
                Call::Limit(11),
                Call::Fof {
                    view: true,
                    off: 0,
                    nulls: 0,
                },
                Call::Limit(12),
                Call::Fof {
                    view: true,
                    off: 0,
                    nulls: 0,
                },
                Call::Knn {
                    single: false,
                    view: true,
                    kind: 0,
                    k: 1,
                    measure: 0,
                    off: 0,
                    nulls: 0,
                },
            ],
        ),
        (
            "no chunks are left by bins of distance",
            [two(), vec![histogram(1), next(true)]].concat(),
        ),
        (
            "bins of distance of queries with radii",
            [
                two(),
                vec![query_radii(&[2.0]), points(QUERIES, 1, &[0.0]), histogram(2)],
            ]
            .concat(),
        ),
        (
            "bins of distance by types alone",
            vec![
                set(1, &[0.0, 1.0]),
                Call::Types {
                    n: None,
                    types: vec![0, 0],
                    ntypes: 1,
                    mask: vec![1],
                    nulls: 0,
                },
                Call::TypeCutoffs {
                    ntypes: 1,
                    cutoffs: vec![1.5],
                    null: false,
                },
                histogram(0),
            ],
        ),
        (
            "a list asked for with too little room",
            vec![
                Call::Cutoff(1.0),
                set(1, &[0.0, 1.0, 2.0]),
                Call::Copy {
                    what: FULL,
                    capacity: Capacity::Less(1),
                    nulls: 0,
                },
                Call::Copy {
                    what: FULL,
                    capacity: Capacity::More(0),
                    nulls: 0,
                },
            ],
        ),
    ]
}

fn on_a_gpu() -> Vec<(&'static str, Vec<Call>)> {
    let begun = |cutoff: f64, values: &[f64]| vec![Call::Backend(2), Call::Cutoff(cutoff), set(1, values)];
    vec![
        (
            "queries move, counted on a GPU",
            [
                begun(1.5, &[0.0, 1.0, 2.0, 3.0]),
                vec![
                    points(QUERIES, 1, &[0.0, 1.0]),
                    count(OF_QUERIES),
                    points(QUERIES, 1, &[100.0, 200.0]),
                    count(OF_QUERIES),
                    points(Role::Add, 1, &[300.0, 400.0, 500.0]),
                    view(What::Pairs),
                ],
            ]
            .concat(),
        ),
        (
            "queries come after chunks, on a GPU",
            [
                begun(0.5, &[2.0]),
                vec![
                    points(QUERIES, 1, &[1.0]),
                    begin(1, 57),
                    points(QUERIES, 1, &[2.0]),
                    view(OF_QUERIES),
                ],
            ]
            .concat(),
        ),
        (
            "points come where queries were, on a GPU",
            [
                begun(0.001, &[1.0]),
                vec![
                    points(QUERIES, 1, &[1.0]),
                    count(What::Rows(0)),
                    points(Role::Add, 1, &[-0.0]),
                    count(What::Rows(0)),
                ],
            ]
            .concat(),
        ),
        (
            "as many points as there were queries, in chunks, on a GPU",
            [
                begun(0.1, &[]),
                vec![
                    points(QUERIES, 1, &[10.0, 10.0]),
                    view(OF_QUERIES),
                    points(Role::Add, 1, &[0.0, 0.0]),
                    begin(1, 122),
                    next(false),
                ],
            ]
            .concat(),
        ),
        (
            "the nearest at infinite distances, on a GPU",
            vec![
                Call::Backend(2),
                set(
                    1,
                    &[0.0, 0.0, 1e304, 1.0, 0.0, 1e155, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                ),
                Call::Knn {
                    single: false,
                    view: false,
                    kind: 0,
                    k: 11,
                    measure: 0,
                    off: 0,
                    nulls: 0,
                },
            ],
        ),
        (
            "the nearest where differences overflow, on a GPU",
            vec![
                Call::Backend(2),
                set(1, &[-f64::MAX, 0.0, 0.0, 4.0, 1.0, 0.0, f64::MAX]),
                Call::Knn {
                    single: false,
                    view: false,
                    kind: 0,
                    k: 5,
                    measure: 0,
                    off: 0,
                    nulls: 0,
                },
            ],
        ),
    ]
}
