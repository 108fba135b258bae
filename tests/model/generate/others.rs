//! Calls that need no handle, and those that name points by ids.

use super::super::call::{Act, SUMS};
use super::super::pairs::PAIR_FIELDS;
use super::*;

/// Calls that need no handle.
pub(super) fn alone(draw: &mut Draw, sketch: &mut Sketch) -> Call {
    match draw.below(16) {
        0 => Call::Constants {
            status: draw.pick(&[0, 1, 2, 8, 12, 13, 50, 100, 105, 151, 254, 255, 256, -1, i32::MAX]),
        },
        1..4 => reorder(draw),
        4 => Call::DropInRule(one_of(draw, -1, 1)),
        5 => Call::DropInRelease,
        6 => Call::DropInFetch {
            capacity: capacity(draw),
            nulls: nulls(draw),
        },
        7..10 => drop_in(draw, sketch),
        _ => Call::Sum {
            which: draw.below(SUMS),
            act: act(draw),
            null: draw.once_in(60),
        },
    }
}

fn reorder(draw: &mut Draw) -> Call {
    let base = one_of(draw, 0, 1);
    let n = draw.pick(&[0, 1, 2, 5, 9, 40, 300]);
    let mut order: Vec<i32> = (0..n).map(|k| base.wrapping_add(k)).collect();
    for k in (1..order.len()).rev() {
        order.swap(k, draw.below(k + 1));
    }
    if draw.once_in(12) && n > 0 {
        let at = draw.below(order.len());
        order[at] = draw.pick(&[base, base.wrapping_sub(1), base.wrapping_add(n), i32::MIN, i32::MAX]);
    }
    Call::Reorder {
        restores: one_of(draw, 0, 1),
        base,
        bytes: draw.pick(&[1, 2, 3, 4, 8, 12, 16, 24, 40, 7, 0, -1]),
        n: draw.once_in(40).then(|| draw.pick(&[-1, i64::MIN, 1 << 31])),
        order,
        in_place: draw.once_in(3),
        nulls: nulls(draw),
    }
}

fn drop_in(draw: &mut Draw, sketch: &mut Sketch) -> Call {
    let (dim, n) = (one_of(draw, 1, 3), many(draw, false));
    Call::DropIn {
        single: draw.once_in(2),
        by_reference: draw.once_in(2),
        dim,
        n: draw.once_in(40).then(|| draw.pick(&[-1, i32::MIN])),
        values: values(draw, sketch, n, dim.clamp(1, 3) as usize),
        cutoff: cutoff(draw, sketch),
        capacity: capacity(draw),
        nulls: nulls(draw),
    }
}

/// Terms of all sizes, which cancel now and then.
fn act(draw: &mut Draw) -> Act {
    let near_ties = [
        1.0,
        0.5,
        f64::EPSILON,
        -f64::EPSILON / 2.0,
        2f64.powi(53),
        2f64.powi(-53),
    ];
    let extremes = [
        f64::MAX,
        f64::MIN,
        5e-324,
        -5e-324,
        -0.0,
        f64::MIN_POSITIVE,
        1e308,
        1e-300,
    ];
    let spread = draw.pick(&[0, 30, 300]);
    let kind = draw.below(4);
    let one = |draw: &mut Draw| match kind {
        0 => draw.pick(&near_ties) * draw.between(-3, 3) as f64,
        1 => draw.pick(&extremes),
        _ => (draw.unit() - 0.5) * 10f64.powi(draw.between(-spread, spread) as i32),
    };
    let len = draw.below(20);
    let mut terms: Vec<f64> = (0..len).map(|_| one(draw)).collect();
    if draw.once_in(2) {
        // Most of the terms cancel.
        let others: Vec<f64> = terms.iter().skip(1).map(|term| -term).collect();
        terms.extend(others);
    }
    if draw.once_in(30) {
        terms.push(draw.pick(&[f64::NAN, f64::INFINITY]));
    }
    match draw.below(12) {
        0 => Act::Clear,
        1 => Act::Spoil(draw.once_in(2)),
        2 | 3 => Act::Merge,
        4..7 => Act::Round,
        7..10 => Act::Add(terms),
        _ => {
            let factor = one(draw);
            let pair = |&term: &f64| (term, if kind == 1 { one(draw) } else { factor });
            Act::AddProducts(terms.iter().map(pair).collect())
        }
    }
}

/// Calls that name points by ids, and those that only ranks have.
pub(super) fn by_ids(draw: &mut Draw, sketch: &Sketch) -> Call {
    match draw.below(12) {
        0..2 => Call::FofIds {
            off: off(draw),
            nulls: nulls(draw),
        },
        2..4 => Call::GroupIds {
            capacity: capacity(draw),
            nulls: nulls(draw),
        },
        4..7 => exclusions_by_ids(draw),
        7..10 => Call::PairFieldByIds {
            name: draw.below(PAIR_FIELDS.len()),
            list: draw.below(LISTS),
            single: draw.once_in(2),
            components: match draw.below(4) {
                0 => one_of(draw, 1, 3),
                1 => sketch.dim,
                _ => 1,
            },
            gone: draw.once_in(4),
            seed: draw.next(),
            nulls: nulls(draw),
        },
        10 => Call::ForRanks {
            which: draw.below(8),
            nulls: nulls(draw),
        },
        _ => Call::Refuse {
            reason: draw.pick(&[1, 6, 7, 50, 255, 12, 0, -1]),
            text: draw.below(3),
            null: draw.once_in(12),
        },
    }
}

pub(super) fn exclusions_by_ids(draw: &mut Draw) -> Call {
    Call::ExclusionsByIds {
        far: settings::far(draw),
        by_shift: draw.once_in(4),
        wrong: if draw.once_in(12) { draw.below(5) } else { 0 },
        rows: if draw.once_in(20) { draw.pick(&[-1, 1]) } else { 0 },
    }
}

/// Points in another order with their ids.
pub(super) fn renumbered(draw: &mut Draw, sketch: &mut Sketch) -> Option<[Call; 2]> {
    let (axes, n) = (sketch.dim as usize, sketch.n);
    if n < 2 || sketch.ids.len() != n || sketch.last.len() != n * axes {
        return None;
    }
    let mut order: Vec<usize> = (0..n).collect();
    for k in (1..n).rev() {
        order.swap(k, draw.below(k + 1));
    }
    if draw.once_in(3) {
        order.truncate(draw.below(n + 1));
    }
    let values = order
        .iter()
        .flat_map(|&i| sketch.last[i * axes..][..axes].to_vec())
        .collect();
    let ids: Vec<i64> = order.iter().map(|&i| sketch.ids[i]).collect();
    (sketch.n, sketch.queries) = (order.len(), 0);
    sketch.last = values;
    sketch.ids.clone_from(&ids);
    let coords = Coords {
        single: sketch.single,
        dim: sketch.dim,
        n: None,
        layout: Layout::Interleaved,
        nulls: 0,
        values: sketch.last.clone(),
    };
    let points = Call::Points {
        role: Role::Set,
        coords,
        null: false,
    };
    let ids = Call::Ids {
        n: None,
        ids,
        null: false,
    };
    Some(if draw.once_in(2) { [ids, points] } else { [points, ids] })
}
