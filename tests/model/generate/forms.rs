//! Rows in other forms.

use super::*;

pub(super) fn call(draw: &mut Draw, sketch: &Sketch) -> Call {
    match draw.below(7) {
        5.. if sketch.in_cell || draw.once_in(6) => images(draw),
        0 | 1 => Call::Padded {
            kind: kind(draw, sketch),
            width: capacity(draw),
            off: off(draw),
            nulls: nulls(draw),
        },
        2 => Call::Histogram {
            kind: kind(draw, sketch),
            shares: shares(draw),
            nulls: nulls(draw),
        },
        _ => {
            let count = match draw.below(30) {
                0 => 0,
                1 => 65,
                _ => 1 + draw.below(LISTS),
            };
            let first = if count < LISTS {
                draw.below(LISTS - count + 1)
            } else {
                0
            };
            Call::ByCutoffs {
                first,
                kind: kind(draw, sketch),
                cutoffs: (0..count).map(|_| cutoff(draw, sketch)).collect(),
                null: draw.once_in(40),
            }
        }
    }
}

pub(super) fn images(draw: &mut Draw) -> Call {
    Call::Images {
        kind: one_of(draw, 0, 1),
        how: draw.below(3),
        capacity: capacity(draw),
        nulls: nulls(draw),
    }
}

/// Edges of bins as shares of the cutoff.
fn shares(draw: &mut Draw) -> Vec<f64> {
    let bins = match draw.below(20) {
        0 => return draw.pick(&[vec![], vec![0.5], vec![0.0]]),
        1 => draw.pick(&[40, 300]),
        _ => draw.between(1, 5) as usize,
    };
    let first = draw.pick(&[0.0, 0.0, 0.5, 1e-9]);
    let last = draw.pick(&[1.0, 1.0, 0.9]);
    let mut shares: Vec<f64> = (0..=bins)
        .map(|k| first + (last - first) * k as f64 / bins as f64)
        .collect();
    if draw.once_in(12) {
        let at = draw.below(shares.len());
        shares[at] = draw.pick(&[-0.1, f64::NAN, 1.1, 0.0, 1.0, 0.99]);
    }
    shares
}

pub(super) fn systems(draw: &mut Draw, sketch: &Sketch) -> Call {
    let dim = if draw.once_in(40) {
        draw.pick(&[0, 4])
    } else {
        sketch.dim
    };
    let axes = dim.clamp(1, 3) as usize;
    let count = draw.pick(&[0, 1, 1, 2, 3, 5, 8]);
    let mut firsts = vec![0];
    for _ in 0..count {
        let points = if draw.once_in(4) { 0 } else { draw.below(40) };
        firsts.push(firsts[firsts.len() - 1] + points as i64);
    }
    let n = firsts[count] as usize;
    let one = cutoff(draw, sketch);
    let cutoffs = (0..count)
        .map(|_| if draw.once_in(4) { cutoff(draw, sketch) } else { one })
        .collect();
    let boxes = draw.once_in(2).then(|| {
        let all = 0..count * axes;
        let lo = all.clone().map(|_| sketch.lo).collect();
        let length = all
            .clone()
            .map(|_| sketch.length * draw.pick(&[1.0, 1.0, 2.0]))
            .collect();
        let wrong = if draw.once_in(20) { 2 } else { 1 };
        (
            lo,
            length,
            all.map(|_| if draw.once_in(2) { wrong } else { 0 }).collect(),
        )
    });
    if draw.once_in(20) {
        match draw.below(2) {
            0 => firsts[0] = 1,
            _ => firsts.insert(1, n as i64 + 3),
        }
        firsts.truncate(count + 1);
        firsts[count] = n as i64;
    }
    Call::Systems {
        kind: one_of(draw, 0, 1),
        coords: Coords {
            single: sketch.single,
            dim,
            values: values(draw, sketch, n, axes),
            n: None,
            layout: draw.pick(&[Layout::Interleaved, Layout::Columns]),
            nulls: nulls(draw),
        },
        firsts,
        cutoffs,
        boxes,
        nulls: nulls(draw),
    }
}

/// From one of some lists to another.
pub(super) fn carry(draw: &mut Draw, lists: usize) -> Call {
    let by_ids = draw.once_in(2);
    Call::Carry {
        lists: [draw.below(lists), draw.below(lists)],
        by_ids: [by_ids, by_ids != draw.once_in(30)],
        columns: draw.pick(&[1, 1, 2, 3, 4, 0, -1]),
        signs: draw.pick(&[0, 1, 6, 0xfe, 0xff]),
        single: draw.once_in(2),
        seed: draw.next(),
        nulls: nulls(draw),
    }
}
