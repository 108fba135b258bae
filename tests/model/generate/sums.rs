//! Fields, formulas and runs.

use super::super::pairs::PAIR_FIELDS;
use super::super::sums::{FIELDS, NUMBERS, TEXTS};
use super::*;

pub(super) fn call(draw: &mut Draw, sketch: &Sketch) -> Call {
    let which = draw.below(2);
    match draw.below(16) {
        15 => Call::Solve {
            which,
            kind: if draw.once_in(2) { kind(draw, sketch) } else { 1 },
            single: sketch.single != draw.once_in(40),
            target: draw.pick(&[1.0, 2.0, 3.0, 8.0, 30.0, 0.0, f64::NAN]),
            range: [
                sketch.spacing * draw.pick(&[0.5, 0.1, 1e-3, 1.0, 0.0]),
                sketch.spacing * draw.pick(&[1.5, 2.0, 1.0, 4.0]),
            ],
            tolerance: draw.pick(&[1e-3, 0.1, 0.0, 0.5, 1.0]),
            times: draw.pick(&[100, 100, 7, 1, 0]),
            capacity: capacity(draw),
            nulls: nulls(draw),
        },
        13 => Call::PairFieldSet {
            name: draw.below(PAIR_FIELDS.len()),
            list: draw.below(LISTS),
            single: draw.once_in(2),
            components: match draw.below(4) {
                0 => one_of(draw, 1, 3),
                1 => sketch.dim,
                _ => 1,
            },
            seed: draw.next(),
            nulls: nulls(draw),
        },
        14 => Call::PairFieldGet {
            name: draw.below(PAIR_FIELDS.len()),
            single: draw.once_in(2),
            off: off(draw),
            nulls: nulls(draw),
        },
        0 | 1 => Call::Formula {
            which,
            text: draw.below(TEXTS.len()),
            precision: one_of(draw, 0, 1),
            with_self: if draw.once_in(3) { one_of(draw, 0, 1) } else { 0 },
        },
        2 => Call::FieldSet {
            name: draw.below(FIELDS.len()),
            of_queries: draw.once_in(3),
            single: draw.once_in(2),
            components: match draw.below(4) {
                0 => one_of(draw, 1, 3),
                1 => 1,
                _ => sketch.dim,
            },
            off: if draw.once_in(6) {
                draw.pick(&[1, -1, 7, i64::MIN / 2, i64::MAX / 2])
            } else {
                0
            },
            seed: draw.next(),
            null: draw.once_in(30),
        },
        3 => Call::FormulaConstant {
            which,
            name: draw.below(NUMBERS.len()),
            value: draw.pick(&[0.0, 1.0, -0.3, 1e300, f64::NAN, f64::INFINITY]),
        },
        4..9 => Call::Run {
            which,
            kind: if draw.once_in(2) { kind(draw, sketch) } else { 1 },
            times: draw.pick(&[1, 1, 1, 1, 1, 2, 3, 0, -1]),
            seed: (!draw.once_in(4)).then(|| draw.next()),
            null: draw.once_in(40),
        },
        9 => Call::FormulaNumber {
            which,
            name: draw.below(NUMBERS.len()),
            null: draw.once_in(30),
        },
        10 => Call::FormulaTable {
            which,
            is_known: !draw.once_in(8),
            is_cubic: draw.once_in(2),
            of: if draw.once_in(4) { one_of(draw, 0, 2) } else { 2 },
            n: draw.pick(&[2, 3, 4, 5, 9, 40, 1, 0, -1]),
            last: draw.pick(&[1.0, 0.7, 1.5, 1e-3, 0.0, -1.0, f64::NAN]),
            seed: draw.next(),
            null: draw.once_in(30),
        },
        _ => Call::FieldGet {
            name: draw.below(FIELDS.len()),
            of_queries: draw.once_in(4),
            single: draw.once_in(2),
            off: off(draw),
            null: draw.once_in(30),
        },
    }
}
