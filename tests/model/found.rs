//! Sequences that were found to fail once, as short as they were made.

use super::machine::call::{Call, Capacity, Coords, Layout, Role, Step, What};

/// Points of `dim` axes.
fn points(role: Role, dim: i32, values: &[f64]) -> Call {
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

fn set(dim: i32, values: &[f64]) -> Call {
    points(Role::Set, dim, values)
}

fn view(what: What) -> Call {
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

/// All, by name.
pub fn sequences() -> Vec<(&'static str, Vec<Step>)> {
    let all = [
        (
            "groups stay where pairs are asked for",
            vec![
                Call::Cutoff(1.0),
                set(1, &[0.0, 1.0]),
                Call::Groups {
                    min_size: 1,
                    properties: None,
                    null: false,
                },
                view(What::Pairs),
                Call::GroupsView { sums: false, nulls: 0 },
            ],
        ),
        (
            "a memory limit is not allocated",
            vec![
                Call::Cutoff(4.0),
                set(1, &[0.0]),
                Call::Limit(1 << 35),
                Call::ChunksBegin {
                    kind: 1,
                    max_entries: 5,
                    null: false,
                },
                Call::ChunksNext { pairs: true, nulls: 0 },
            ],
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
            "a list asked for with too little room",
            vec![
                Call::Cutoff(1.0),
                set(1, &[0.0, 1.0, 2.0]),
                Call::Copy {
                    what: What::Rows(1),
                    capacity: Capacity::Less(1),
                    nulls: 0,
                },
                Call::Copy {
                    what: What::Rows(1),
                    capacity: Capacity::More(0),
                    nulls: 0,
                },
            ],
        ),
    ];
    let steps = |calls: Vec<Call>| calls.into_iter().map(|call| Step { handle: 0, call }).collect();
    all.into_iter().map(|(name, calls)| (name, steps(calls))).collect()
}
