//! Settings.

use super::*;

pub(super) fn setting(draw: &mut Draw, taste: Taste, sketch: &mut Sketch) -> Call {
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
        6 => match draw.below(3) {
            0 if taste.backends => Call::Device(draw.pick(&[-1, 0])),
            0 => Call::Device(draw.pick(&[-1, 0, 7, -2])),
            1 => Call::DeviceTurn(draw.pick(&[0, 1, 5, -1])),
            _ => Call::Threads(draw.pick(&[0, 1, 2])),
        },
        7 => Call::Limit(limit(draw, sketch)),
        8 | 9 => {
            let skin = skin(draw, sketch);
            sketch.has_skin |= skin > 0.0;
            Call::Skin(skin)
        }
        10 if draw.once_in(3) => cell(draw, sketch),
        10 => {
            let periodic = draw.once_in(2);
            bounds(draw, sketch, periodic)
        }
        11 | 12 => active(draw, sketch),
        13 => match draw.below(6) {
            4.. if draw.once_in(3) => Call::Exclusions(None),
            4.. => exclusions(draw, sketch),
            0 => Call::GhostPairs(one_of(draw, 0, 1)),
            1 => Call::GhostRows(one_of(draw, 0, 2)),
            _ => roles(draw, sketch),
        },
        14 if draw.once_in(3) => type_cutoffs(draw, sketch),
        14 => types(draw, sketch),
        15 => primary(draw, sketch),
        16 | 17 => ids(draw, sketch),
        18 => radii(draw, sketch),
        _ => match draw.below(5) {
            4 => Call::KnnWithin(match draw.below(3) {
                0 => 0.0,
                _ => cutoff(draw, sketch),
            }),
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

fn active(draw: &mut Draw, sketch: &mut Sketch) -> Call {
    let active = match draw.below(8) {
        0 | 1 => -1,
        2 => sketch.n as i64,
        3 => sketch.n as i64 + draw.between(0, 2),
        4 => draw.pick(&[-2, i64::MAX, 1 << 31, (1 << 31) - 1]),
        _ => draw.below(sketch.n + 1) as i64,
    };
    sketch.ghosts = (0..sketch.n as i64).map(|i| active >= 0 && i >= active).collect();
    Call::Active(active)
}

pub(super) fn active_or_roles(draw: &mut Draw, sketch: &mut Sketch) -> Call {
    match draw.below(2) {
        0 => active(draw, sketch),
        _ => roles(draw, sketch),
    }
}

/// A box: most of the time the one of the sketch.
pub(super) fn bounds(draw: &mut Draw, sketch: &mut Sketch, periodic: bool) -> Call {
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
    if draw.once_in(6) {
        // Along an open axis these mean nothing.
        for axis in (0..axes).filter(|&axis| flags[axis] == 0) {
            lo[axis] = draw.pick(&[0.0, -1e300, f64::NAN, f64::NEG_INFINITY]);
            length[axis] = draw.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY]);
        }
    }
    if draw.once_in(25) {
        match draw.below(3) {
            0 => flags[0] = draw.pick(&[2, -1]),
            1 => lo[0] = draw.pick(&[f64::NAN, f64::INFINITY]),
            _ => length[0] = draw.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY]),
        }
    }
    sketch.periodic = periodic;
    let call = Call::Box {
        dim,
        lo,
        length,
        periodic: flags,
        nulls: nulls(draw),
    };
    sketch.set_bounds(&call);
    call
}

/// A cell: a box, upright or tilted, or no cell.
pub(super) fn cell(draw: &mut Draw, sketch: &mut Sketch) -> Call {
    if draw.once_in(4) {
        return Call::Cell {
            cell: None,
            periodic: vec![0; 3],
            null: draw.once_in(2),
        };
    }
    let axes = sketch.dim as usize;
    let mut periodic: Vec<i32> = (0..3).map(|axis| i32::from(axis < axes && !draw.once_in(4))).collect();
    let mut cell = vec![0.0; 9];
    for k in 0..3 {
        for axis in 0..axes {
            let any = draw.unit();
            let tilt = draw.pick(&[0.0, 0.0, 0.5, -0.3, 1.0, 2.0, -3.0]) * draw.pick(&[1.0, 1.0, any]);
            cell[3 * k + axis] = sketch.length * if k == axis { draw.pick(&[1.0, 0.7, -1.0]) } else { tilt };
        }
    }
    if draw.once_in(3) {
        cell.iter_mut().for_each(|x| *x *= 0.3);
    }
    if draw.once_in(12) {
        match draw.below(4) {
            0 => periodic[0] = draw.pick(&[2, -1]),
            1 => cell[draw.below(9)] = draw.pick(&[f64::NAN, 1e200, 0.0, 1e-200]),
            2 => cell.copy_within(0..3, 3),
            _ => periodic[2] = 1,
        }
    }
    sketch.periodic = false;
    let call = Call::Cell {
        cell: Some(cell),
        periodic,
        null: draw.once_in(40),
    };
    sketch.set_bounds(&call);
    call
}

/// The last box, a little larger or smaller.
pub(super) fn changed_bounds(draw: &mut Draw, sketch: &mut Sketch) -> Option<Call> {
    if let Some(Call::Box { lo, length, .. }) = &mut sketch.bounds {
        let by = draw.pick(&[0.01, -0.01, 0.1, -0.1, 0.5]) * sketch.spacing;
        length.iter_mut().for_each(|length| *length += by);
        lo.iter_mut().for_each(|lo| *lo -= 0.5 * by);
    }
    sketch.bounds.clone()
}

pub(super) fn types(draw: &mut Draw, sketch: &mut Sketch) -> Call {
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
    let some = draw.below(4);
    let one = |draw: &mut Draw, i: usize| match some {
        // by place, and most of one type
        0 => i * count / len.max(1),
        1 if !draw.once_in(10) => 0,
        _ => draw.below(count),
    };
    let mut types: Vec<i32> = (0..len).map(|i| sketch.base + one(draw, i) as i32).collect();
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

pub(super) fn type_cutoffs(draw: &mut Draw, sketch: &Sketch) -> Call {
    let ntypes = match draw.below(8) {
        0 | 1 => 0,
        2 => draw.pick(&[-1, 33, 32, 1]),
        _ => sketch.ntypes,
    };
    let count = ntypes.clamp(0, 33) as usize;
    let mut cutoffs = vec![0.0; count * count];
    for a in 0..count {
        for b in 0..=a {
            let one = match draw.below(8) {
                0 => 0.0,
                1 => sketch.spacing * 0.7,
                2..5 => sketch.spacing,
                5 => sketch.spacing * draw.pick(&[2.0, 3.0, 1e-2]),
                _ => cutoff(draw, sketch),
            };
            (cutoffs[a * count + b], cutoffs[b * count + a]) = (one, one);
        }
    }
    if draw.once_in(20) {
        let wrong = draw.pick(&[-1.0, f64::NAN, f64::INFINITY, 2.5]);
        cutoffs
            .iter_mut()
            .skip(count)
            .take(1)
            .for_each(|cutoff| *cutoff = wrong);
    }
    Call::TypeCutoffs {
        ntypes,
        cutoffs,
        null: draw.once_in(40),
    }
}

pub(super) fn exclusions(draw: &mut Draw, sketch: &Sketch) -> Call {
    Call::Exclusions(Some([about(draw, sketch.n), far(draw), draw.below(2)]))
}

/// The reach of exclusions along the numbers of points.
pub(super) fn far(draw: &mut Draw) -> usize {
    if draw.once_in(12) {
        draw.pick(&[40, 600])
    } else {
        draw.below(4)
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

pub(super) fn ids(draw: &mut Draw, sketch: &mut Sketch) -> Call {
    if draw.once_in(4) {
        sketch.ids.clear();
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
            0 | 2 | 3 => *last = *first,
            1 => (*first, *last) = (i64::MAX, i64::MIN),
            _ => {}
        }
    }
    if sketch.ghosts.len() == ids.len() && draw.once_in(2) {
        // Ghosts are images of points, and of each other.
        for i in (0..ids.len()).filter(|&i| sketch.ghosts[i]) {
            if !draw.once_in(3) {
                ids[i] = ids[draw.below(ids.len())];
            }
        }
    }
    sketch.ids.clone_from(&ids);
    Call::Ids {
        n: draw.once_in(40).then_some(-1),
        ids,
        null: draw.once_in(40),
    }
}

/// Roles in any order, or in the one of a number of active points.
fn roles(draw: &mut Draw, sketch: &mut Sketch) -> Call {
    if draw.once_in(4) {
        return Call::Roles {
            n: None,
            roles: Vec::new(),
            null: draw.once_in(2),
        };
    }
    let (len, some) = (about(draw, sketch.n), draw.below(6));
    let mut roles: Vec<i32> = (0..len)
        .map(|i| match some {
            5 => 2 - i32::from(i % 97 == 5), // few have rows
            0 => draw.between(1, 2) as i32,
            1 => draw.between(0, 1) as i32,
            2 => 1 + i32::from(2 * i > len),
            3 => 1 + i32::from(3 * i < len || 3 * i > 2 * len),
            _ => draw.between(0, 2) as i32,
        })
        .collect();
    if draw.once_in(25) {
        let wrong = draw.pick(&[3, -1]);
        roles.iter_mut().take(1).for_each(|role| *role = wrong);
    }
    sketch.ghosts = roles.iter().map(|&role| role == 2).collect();
    Call::Roles {
        n: draw.once_in(40).then_some(-1),
        roles,
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
        let share = draw.pick(&[1.0, 0.5, 1.5, 2.0, 0.1, 0.0, 3.0]);
        match draw.below(if sketch.periodic { 12 } else { 11 }) {
            11 => 0.5 * sketch.length,
            _ if wide && !sketch.is_large => sketch.spacing * 10f64.powi(draw.between(-3, 1) as i32),
            _ => sketch.spacing * share,
        }
    };
    let mut radii: Vec<f64> = (0..len).map(|_| radius(draw)).collect();
    if draw.once_in(20) {
        let bad = draw.pick(&[-1.0, f64::NAN, f64::INFINITY, 1e-170, 1e155]);
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
