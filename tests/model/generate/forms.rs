//! Rows in other forms.

use super::*;

pub(super) fn call(draw: &mut Draw, sketch: &Sketch) -> Call {
    match draw.below(7) {
        5.. => images(draw),
        0 | 1 => Call::Padded {
            kind: one_of(draw, 0, 2),
            width: capacity(draw),
            off: off(draw),
            nulls: nulls(draw),
        },
        2 => Call::Histogram {
            kind: one_of(draw, 0, 2),
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
                kind: one_of(draw, 0, 2),
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
        1 => 40,
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
