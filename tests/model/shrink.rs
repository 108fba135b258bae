//! Makes a sequence that fails as short as it can, while it still fails in the same way.

use super::call::{Call, Capacity, Coords, Layout, List, Step};

/// The shortest sequence found that `fails` says yes to; asks at most `tries` times.
pub fn shrink(steps: Vec<Step>, mut tries: usize, fails: impl Fn(&[Step]) -> bool) -> Vec<Step> {
    let mut best = steps;
    let mut accepts = |candidate: &[Step]| {
        tries = tries.saturating_sub(1);
        tries > 0 && fails(candidate)
    };
    loop {
        let before = format!("{best:?}"); // NaN differs from itself
        drop_calls(&mut best, &mut accepts);
        drop_points(&mut best, &mut accepts);
        simplify(&mut best, &mut accepts);
        if format!("{best:?}") == before {
            return best;
        }
    }
}

type Accepts<'a> = &'a mut dyn FnMut(&[Step]) -> bool;

fn drop_calls(best: &mut Vec<Step>, accepts: Accepts) {
    let mut width = best.len().div_ceil(2).max(1);
    loop {
        let mut first = 0;
        while first < best.len() {
            let mut candidate = best.clone();
            candidate.drain(first..(first + width).min(best.len()));
            if accepts(&candidate) {
                *best = candidate;
            } else {
                first += width;
            }
        }
        if width == 1 {
            return;
        }
        width = width.div_ceil(2);
    }
}

/// The lengths of the arrays of points that a call has.
fn lengths(call: &Call) -> Vec<usize> {
    match call {
        Call::Points { coords, .. } => vec![coords.len()],
        Call::Types { types, .. } => vec![types.len()],
        Call::Ids { ids, .. } => vec![ids.len()],
        Call::Roles { roles, .. } => vec![roles.len()],
        Call::Radii { radii, .. } | Call::QueryRadii { radii, .. } => vec![radii.len()],
        Call::CellCount { dim, values, .. } => vec![values.len() / (*dim).clamp(1, 3) as usize],
        _ => Vec::new(),
    }
}

/// Leaves out points `first..first + width` of all arrays of `len` points.
fn without(step: &Step, len: usize, first: usize, width: usize) -> Step {
    fn cut<T>(values: &mut Vec<T>, each: usize, first: usize, width: usize) {
        values.drain(first * each..((first + width) * each).min(values.len()));
    }
    let mut step = step.clone();
    if !lengths(&step.call).contains(&len) {
        return step;
    }
    match &mut step.call {
        Call::Points { coords, .. } => {
            let axes = coords.axes();
            cut(&mut coords.values, axes, first, width);
        }
        Call::Types { types, .. } => cut(types, 1, first, width),
        Call::Ids { ids, .. } => cut(ids, 1, first, width),
        Call::Roles { roles, .. } => cut(roles, 1, first, width),
        Call::Radii { radii, .. } | Call::QueryRadii { radii, .. } => cut(radii, 1, first, width),
        Call::CellCount { dim, values, .. } => cut(values, (*dim).clamp(1, 3) as usize, first, width),
        _ => {}
    }
    if let Call::Active(active) = &mut step.call
        && *active > first as i64
    {
        *active = (*active - width as i64).max(first as i64);
    }
    step
}

fn drop_points(best: &mut Vec<Step>, accepts: Accepts) {
    let mut all: Vec<usize> = best.iter().flat_map(|step| lengths(&step.call)).collect();
    all.sort_unstable();
    all.dedup();
    for mut len in all.into_iter().rev() {
        let mut width = len.div_ceil(2);
        while width > 0 && len > 0 {
            let mut first = 0;
            while first < len {
                let width = width.min(len - first);
                let candidate: Vec<Step> = best.iter().map(|step| without(step, len, first, width)).collect();
                if accepts(&candidate) {
                    *best = candidate;
                    len -= width;
                } else {
                    first += width;
                }
            }
            width = if width == 1 { 0 } else { width.div_ceil(2) };
        }
    }
    // Of one call alone.
    for at in 0..best.len() {
        let Some(mut len) = lengths(&best[at].call).first().copied() else {
            continue;
        };
        let mut width = len.div_ceil(2);
        while width > 0 && len > 0 {
            let mut first = 0;
            while first < len {
                let width = width.min(len - first);
                let mut candidate = best.clone();
                candidate[at] = without(&best[at], len, first, width);
                if accepts(&candidate) {
                    *best = candidate;
                    len -= width;
                } else {
                    first += width;
                }
            }
            width = if width == 1 { 0 } else { width.div_ceil(2) };
        }
    }
}

/// Simpler versions of a call.
fn simpler(call: &Call) -> Vec<Call> {
    let mut all = Vec::new();
    match call {
        Call::Points { role, coords, null } => {
            let mut with = |coords: Coords| {
                all.push(Call::Points {
                    role: *role,
                    coords,
                    null: *null,
                })
            };
            with(Coords {
                layout: Layout::Interleaved,
                nulls: 0,
                n: None,
                ..coords.clone()
            });
            with(Coords {
                single: false,
                ..coords.clone()
            });
            if coords.dim > 1 && coords.dim <= 3 {
                let axes = coords.axes();
                for left_out in 0..axes {
                    let values = coords.values.iter().enumerate();
                    let values = values.filter(|(k, _)| k % axes != left_out).map(|(_, &x)| x).collect();
                    with(Coords {
                        dim: coords.dim - 1,
                        values,
                        ..coords.clone()
                    });
                }
            }
            for round in [round_to_one as fn(f64) -> f64, round_to_tenth] {
                with(Coords {
                    values: coords.values.iter().map(|&x| round(x)).collect(),
                    ..coords.clone()
                });
            }
            if coords.values.len() <= 40 {
                for k in 0..coords.values.len() {
                    for simple in [
                        0.0,
                        1.0,
                        coords.values[k].round(),
                        (coords.values[k] * 10.0).round() / 10.0,
                    ] {
                        let mut values = coords.values.clone();
                        values[k] = simple;
                        with(Coords {
                            values,
                            ..coords.clone()
                        });
                    }
                }
            }
        }
        Call::Cutoff(cutoff) => {
            all.extend([1.0, cutoff.round(), (cutoff * 10.0).round() / 10.0].map(Call::Cutoff));
        }
        Call::Skin(skin) => all.extend([1.0, 0.5, (skin * 10.0).round() / 10.0].map(Call::Skin)),
        Call::Box {
            dim,
            lo,
            length,
            periodic,
            ..
        } => {
            let simple = |lo: &[f64], length: &[f64], dim: i32| Call::Box {
                dim,
                lo: lo.to_vec(),
                length: length.to_vec(),
                periodic: periodic[..lo.len()].to_vec(),
                nulls: 0,
            };
            all.push(simple(&vec![0.0; lo.len()], length, *dim));
            let rounded: Vec<f64> = length.iter().map(|x| x.round()).collect();
            all.push(simple(lo, &rounded, *dim));
            if *dim > 1 && lo.len() > 1 {
                all.push(simple(&lo[1..], &length[1..], dim - 1));
            }
        }
        Call::Ids { n, ids, null } => {
            let mut order: Vec<usize> = (0..ids.len()).collect();
            order.sort_by_key(|&k| ids[k]);
            let mut ranks = vec![0; ids.len()];
            order.iter().zip(0..).for_each(|(&k, rank)| ranks[k] = rank);
            all.push(Call::Ids {
                n: *n,
                ids: ranks,
                null: *null,
            });
        }
        Call::Radii {
            single,
            n,
            radii,
            rule,
            null,
        } => {
            let round = radii.iter().map(|r| if *r > 0.5 { r.round() } else { *r }).collect();
            all.push(Call::Radii {
                single: *single,
                n: *n,
                radii: round,
                rule: *rule,
                null: *null,
            });
            all.push(Call::Radii {
                single: false,
                n: *n,
                radii: radii.clone(),
                rule: *rule,
                null: *null,
            });
        }
        Call::QueryRadii { single, n, radii, null } => {
            let round = radii.iter().map(|r| if *r > 0.5 { r.round() } else { *r }).collect();
            all.push(Call::QueryRadii {
                single: *single,
                n: *n,
                radii: round,
                null: *null,
            });
            all.push(Call::QueryRadii {
                single: false,
                n: *n,
                radii: radii.clone(),
                null: *null,
            });
        }
        Call::Types { n, types, nulls, .. } => {
            let types = vec![types.iter().copied().min().unwrap_or(0); types.len()];
            all.push(Call::Types {
                n: *n,
                types,
                ntypes: 1,
                mask: vec![1],
                nulls: *nulls,
            });
        }
        Call::Copy {
            what,
            capacity: Capacity::More(1..),
            nulls,
        } => {
            all.push(Call::Copy {
                what: *what,
                capacity: Capacity::More(0),
                nulls: *nulls,
            });
        }
        Call::Verlet { kind, nulls: 1.. } => all.push(Call::Verlet { kind: *kind, nulls: 0 }),
        Call::View { what, nulls: 1.. } => all.push(Call::View { what: *what, nulls: 0 }),
        Call::ListView { list, nulls: 1.. } => all.push(Call::ListView { list: *list, nulls: 0 }),
        Call::Knn {
            single,
            view,
            kind,
            k,
            measure,
            off,
            nulls,
        } => {
            for (k, view, single, nulls) in [
                (1, *view, *single, *nulls),
                (*k, false, *single, 0),
                (*k, *view, false, *nulls),
            ] {
                all.push(Call::Knn {
                    single,
                    view,
                    kind: *kind,
                    k,
                    measure: *measure,
                    off: *off,
                    nulls,
                });
            }
        }
        Call::Groups {
            min_size,
            properties: Some(_),
            null,
        } => {
            all.push(Call::Groups {
                min_size: *min_size,
                properties: None,
                null: *null,
            });
        }
        Call::Quantity {
            displacements,
            rows,
            single,
            list: List::Some(count),
            nulls,
        } => {
            for count in [1, count / 2] {
                let list = List::Some(count);
                all.push(Call::Quantity {
                    displacements: *displacements,
                    rows: *rows,
                    single: *single,
                    list,
                    nulls: *nulls,
                });
            }
        }
        Call::CellCount {
            dim,
            n,
            values,
            cutoff,
            rule,
            base,
            nulls,
            ..
        } => {
            let with = |values: Vec<f64>, cutoff: f64| Call::CellCount {
                single: false,
                dim: *dim,
                n: *n,
                values,
                cutoff,
                rule: *rule,
                base: *base,
                nulls: *nulls,
            };
            all.push(with(values.iter().map(|x| x.round()).collect(), *cutoff));
            all.push(with(values.clone(), 1.0));
        }
        _ => {}
    }
    all.retain(|simple| simple != call);
    all
}

fn round_to_one(x: f64) -> f64 {
    if x.abs() < 1e9 { x.round() } else { x }
}

fn round_to_tenth(x: f64) -> f64 {
    if x.abs() < 1e9 { (x * 10.0).round() / 10.0 } else { x }
}

fn simplify(best: &mut Vec<Step>, accepts: Accepts) {
    if best.iter().any(|step| step.handle == 1) {
        let candidate: Vec<Step> = best
            .iter()
            .map(|step| Step {
                handle: step.handle & 2,
                ..step.clone()
            })
            .collect();
        if accepts(&candidate) {
            *best = candidate;
        }
    }
    // In all calls with coordinates at once: precision and dim belong together.
    let all = |change: &dyn Fn(&Call) -> Call, best: &[Step]| -> Vec<Step> {
        best.iter()
            .map(|step| Step {
                call: change(&step.call),
                ..step.clone()
            })
            .collect()
    };
    let candidate = all(&in_double, best);
    if candidate != *best && accepts(&candidate) {
        *best = candidate;
    }
    for axis in (0..3).rev() {
        let candidate = all(&|call| without_axis(call, axis), best);
        if candidate != *best && accepts(&candidate) {
            *best = candidate;
        }
    }
    for at in 0..best.len() {
        while let Some(candidate) = simpler(&best[at].call).into_iter().find_map(|call| {
            let mut candidate = best.clone();
            candidate[at].call = call;
            (size(&candidate) < size(best) && accepts(&candidate)).then_some(candidate)
        }) {
            *best = candidate;
        }
    }
}

/// Characters that it takes to write the calls down: what shrinks.
fn size(steps: &[Step]) -> usize {
    format!("{steps:?}").len()
}

fn in_double(call: &Call) -> Call {
    let mut call = call.clone();
    match &mut call {
        Call::Points { coords, .. } => coords.single = false,
        Call::Radii { single, .. }
        | Call::QueryRadii { single, .. }
        | Call::Knn { single, .. }
        | Call::Quantity { single, .. }
        | Call::CellCount { single, .. } => *single = false,
        Call::Groups {
            properties: Some(properties),
            ..
        } => properties.single = false,
        _ => {}
    }
    call
}

fn without_axis(call: &Call, axis: usize) -> Call {
    let mut call = call.clone();
    match &mut call {
        Call::Points { coords, .. } if coords.axes() > 1 && axis < coords.axes() => {
            let axes = coords.axes();
            let values = coords.values.iter().enumerate();
            coords.values = values.filter(|(k, _)| k % axes != axis).map(|(_, &x)| x).collect();
            coords.dim = axes as i32 - 1;
        }
        Call::Box {
            dim,
            lo,
            length,
            periodic,
            ..
        } if lo.len() > 1 && axis < lo.len() => {
            lo.remove(axis);
            length.remove(axis);
            periodic.remove(axis);
            *dim = lo.len() as i32;
        }
        _ => {}
    }
    call
}
