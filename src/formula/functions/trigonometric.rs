//! sin, cos, tan and atan2.

use super::float::{Float, is_nan, polynomial};
use super::wide::{wide_product, wide_quotient, wide_sum};

/// The sine; no number of infinity.
pub fn sin<F: Float>(x: F) -> F {
    if x.magnitude() < F::TINY {
        return x;
    }
    let Some((quarters, rest)) = reduced(x) else {
        return F::NOT_A_NUMBER;
    };
    let [value, _] = if quarters & 1 == 0 {
        wide_sin(rest)
    } else {
        wide_cos(rest)
    };
    value.negated_if((quarters & 2 != 0) != x.is_negative())
}

/// The cosine; no number of infinity.
pub fn cos<F: Float>(x: F) -> F {
    let Some((quarters, rest)) = reduced(x) else {
        return F::NOT_A_NUMBER;
    };
    let [value, _] = if quarters & 1 == 0 {
        wide_cos(rest)
    } else {
        wide_sin(rest)
    };
    value.negated_if((quarters + 1) & 2 != 0)
}

/// The tangent; no number of infinity.
pub fn tan<F: Float>(x: F) -> F {
    if x.magnitude() < F::TINY {
        return x;
    }
    let Some((quarters, rest)) = reduced(x) else {
        return F::NOT_A_NUMBER;
    };
    let (sin, cos, is_even) = (wide_sin(rest), wide_cos(rest), quarters & 1 == 0);
    let [value, low] = if is_even {
        wide_quotient(sin, cos)
    } else {
        wide_quotient(cos, sin)
    };
    (value + low).negated_if(is_even == x.is_negative())
}

/// The number of quarter turns nearest to the magnitude of `x`, modulo 4, and the rest as the sum of two numbers. There
/// is none of infinity.
fn reduced<F: Float>(x: F) -> Option<(u32, [F; 2])> {
    let magnitude = x.magnitude();
    if magnitude < F::of(std::f32::consts::FRAC_PI_4) {
        return Some((0, [magnitude, F::default()]));
    }
    if is_nan(x) || magnitude == F::INFINITE {
        return None;
    }
    let (quarters, [turns, turns_low]) = magnitude.quarter_turns();
    let [product, error] = wide_product(turns, F::PI_2[0]);
    let low = error + (turns * F::PI_2[1] + turns_low * F::PI_2[0]);
    Some((quarters, wide_sum(product, low)))
}

/// The sine of the sum of two numbers, from -pi/4 to pi/4.
fn wide_sin<F: Float>([x, low]: [F; 2]) -> [F; 2] {
    let x2 = x * x;
    wide_sum(x, x * x2 * polynomial(F::SIN, x2) + (low - low * (x2 * F::HALF)))
}

/// The cosine of the sum of two numbers, from -pi/4 to pi/4.
fn wide_cos<F: Float>([x, low]: [F; 2]) -> [F; 2] {
    let x2 = x * x;
    let [value, error] = wide_sum(F::ONE, -(x2 * F::HALF));
    wide_sum(value, error + (x2 * x2 * polynomial(F::COS, x2) - x * low))
}

/// The angle from the first axis to the point (`x`, `y`), from -pi to pi.
pub fn atan2<F: Float>(y: F, x: F) -> F {
    if is_nan(x) || is_nan(y) {
        return F::NOT_A_NUMBER;
    }
    let (rise, run) = (y.magnitude(), x.magnitude());
    let is_steep = run < rise;
    let (mut eighths, [angle, low]) = match is_steep {
        true => eighths_of_turn(run, rise),
        false => eighths_of_turn(rise, run),
    };
    let mut is_less = false; // than so many eighths of a turn
    if is_steep {
        (eighths, is_less) = (F::of(2.0) - eighths, !is_less);
    }
    if x.is_negative() {
        (eighths, is_less) = (F::of(4.0) - eighths, !is_less);
    }
    let quarters = eighths * F::HALF;
    let [sum, error] = wide_sum(quarters * F::PI_2[0], angle.negated_if(is_less));
    let value = sum + (error + (quarters * F::PI_2[1] + low.negated_if(is_less)));
    value.negated_if(y.is_negative())
}

/// The angle whose tangent is `a / b`, for `a` from 0 to `b`: 0 or 1 eighths of a turn, and the sum of two numbers more.
fn eighths_of_turn<F: Float>(a: F, b: F) -> (F, [F; 2]) {
    let zero = F::default();
    if a == zero || b == F::INFINITE {
        let eighths = if a == F::INFINITE { F::ONE } else { zero };
        return (eighths, [zero; 2]);
    }
    let ((m, k), (n, l)) = (a.parts(), b.parts());
    if k - l < F::TINY_EXPONENT {
        return (zero, [a / b, zero]);
    }
    let a = m.scaled(k - l);
    // Above tan(pi/8) it is pi/4 + atan((a - b)/(a + b)).
    let is_large = n * F::of(0.414_2) < a;
    let [z, low] = match is_large {
        true => wide_quotient(wide_sum(a, -n), wide_sum(a, n)),
        false => wide_quotient([a, zero], [n, zero]),
    };
    let z2 = z * z;
    let more = z * z2 * polynomial(F::ATAN, z2) + (low - low * z2);
    (if is_large { F::ONE } else { zero }, [z, more])
}
