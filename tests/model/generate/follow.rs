//! Calls that belong to the one before: without them most questions would find nothing to ask about.

use super::super::call::Act;
use super::super::pairs::PAIR_FIELDS;
use super::super::sums::NUMBERS;
use super::*;

/// The text that reads a table.
const OF_TABLE: usize = 5;

/// Calls after `call`, most of the time.
pub(super) fn after(draw: &mut Draw, sketch: &mut Sketch, call: &Call) -> Vec<Call> {
    if draw.once_in(4) {
        return Vec::new();
    }
    match call {
        Call::ChunksBegin { .. } => {
            let pairs = draw.once_in(2);
            let next = |draw: &mut Draw| Call::ChunksNext {
                pairs: pairs != draw.once_in(20),
                nulls: nulls(draw),
            };
            (0..draw.between(1, 6)).map(|_| next(draw)).collect()
        }
        Call::Groups { .. } => of_groups(draw),
        Call::CellCount { .. } | Call::DropIn { .. } => (0..draw.between(1, 2)).map(|_| of_thread(draw)).collect(),
        Call::Take { list, .. } | Call::ByCutoffs { first: list, .. } => vec![of_list(draw, sketch, *list % LISTS)],
        Call::PairFieldSet { name, .. } | Call::PairFieldByIds { name, .. } => vec![Call::PairFieldGet {
            name: *name,
            single: draw.once_in(2),
            off: off(draw),
            nulls: nulls(draw),
        }],
        Call::FieldSet { name, of_queries, .. } => vec![Call::FieldGet {
            name: *name,
            of_queries: *of_queries,
            single: draw.once_in(2),
            off: off(draw),
            null: draw.once_in(30),
        }],
        Call::Formula { which, text, .. } => vec![of_formula(draw, *which, *text)],
        Call::Points {
            role: Role::Queries, ..
        } => of_queries(draw, sketch),
        Call::View { what, .. } => vec![in_view(draw, sketch, *what)],
        Call::Sum {
            which,
            act: Act::Add(_) | Act::AddProducts(_) | Act::Merge,
            ..
        } => vec![Call::Sum {
            which: *which,
            act: Act::Round,
            null: false,
        }],
        // Points are forgotten where other axes repeat.
        Call::Box { .. } => vec![points(draw, sketch, Role::Set)],
        Call::Renew => vec![Call::Cutoff(cutoff(draw, sketch)), points(draw, sketch, Role::Set)],
        Call::Skin(skin) if *skin > 0.0 => vec![walked(draw)],
        _ => Vec::new(),
    }
}

/// A question to points that have moved.
pub(super) fn walked(draw: &mut Draw) -> Call {
    let kind = draw.between(0, 1) as i32;
    match draw.below(4) {
        0 | 1 => Call::Verlet { kind, nulls: 0 },
        2 => Call::View {
            what: What::Rows(kind),
            nulls: 0,
        },
        _ => Call::Count {
            what: What::Pairs,
            null: false,
        },
    }
}

fn of_groups(draw: &mut Draw) -> Vec<Call> {
    let views = [false, true].map(|sums| Call::GroupsView { sums, nulls: 0 });
    let by_ids = Call::GroupIds {
        capacity: capacity(draw),
        nulls: nulls(draw),
    };
    let labels = Call::FofIds { off: 0, nulls: 0 };
    let mut calls = views.to_vec();
    calls.extend([by_ids, labels]);
    calls.rotate_left(draw.below(4));
    calls.truncate(1 + draw.below(4));
    calls
}

fn of_thread(draw: &mut Draw) -> Call {
    let (capacity, nulls) = (capacity(draw), nulls(draw));
    match draw.below(3) {
        0 => Call::DropInFetch { capacity, nulls },
        some => Call::CellFetch {
            compact: some == 1,
            capacity,
            nulls,
        },
    }
}

fn of_list(draw: &mut Draw, sketch: &Sketch, list: usize) -> Call {
    let (name, single, seed) = (draw.below(PAIR_FIELDS.len()), draw.once_in(2), draw.next());
    let components = if draw.once_in(2) { 1 } else { sketch.dim };
    match draw.below(4) {
        0 => Call::ListView {
            list,
            nulls: nulls(draw),
        },
        1 => Call::PairFieldSet {
            name,
            list,
            single,
            components,
            seed,
            nulls: 0,
        },
        2 => Call::PairFieldByIds {
            name,
            list,
            single,
            components,
            gone: draw.once_in(4),
            seed,
            nulls: 0,
        },
        _ => Call::ListDestroy { list },
    }
}

fn of_formula(draw: &mut Draw, which: usize, text: usize) -> Call {
    let name = draw.below(NUMBERS.len());
    match draw.below(4) {
        _ if text != OF_TABLE && draw.once_in(2) => Call::Run {
            which,
            kind: 1,
            times: 1,
            seed: Some(draw.next()),
            null: false,
        },
        0 => Call::FormulaConstant {
            which,
            name,
            value: draw.unit(),
        },
        1 => Call::FormulaNumber {
            which,
            name,
            null: false,
        },
        2 | 3 if text == OF_TABLE => Call::FormulaTable {
            which,
            is_known: true,
            is_cubic: draw.once_in(2),
            of: 2,
            n: draw.between(2, 9),
            last: 1.5,
            seed: draw.next(),
            null: false,
        },
        _ => Call::Run {
            which,
            kind: draw.between(0, 2) as i32,
            times: 1,
            seed: Some(draw.next()),
            null: false,
        },
    }
}

fn of_queries(draw: &mut Draw, sketch: &Sketch) -> Vec<Call> {
    let what = What::Rows(2);
    let of_queries = Call::OfQueries {
        displacements: draw.once_in(2),
        single: sketch.single,
        list: List::View,
        nulls: 0,
    };
    match draw.below(4) {
        0 => vec![Call::View { what, nulls: 0 }, of_queries],
        1 => vec![Call::Copy {
            what,
            capacity: capacity(draw),
            nulls: 0,
        }],
        2 => vec![Call::Knn {
            single: sketch.single,
            view: draw.once_in(2),
            kind: 2,
            k: draw.between(1, 12) as i32,
            measure: draw.between(0, 2) as i32,
            off: 0,
            nulls: 0,
        }],
        _ => Vec::new(),
    }
}

fn in_view(draw: &mut Draw, sketch: &Sketch, what: What) -> Call {
    let (displacements, single, list) = (draw.once_in(2), sketch.single, List::View);
    match what {
        What::Rows(2) => Call::OfQueries {
            displacements,
            single,
            list,
            nulls: 0,
        },
        _ => Call::Quantity {
            displacements,
            rows: what != What::Pairs,
            single,
            list,
            nulls: 0,
        },
    }
}
