//! exp, log, pow and tanh.

use super::float::{Float, is_nan, polynomial};
use super::wide::{wide_product, wide_quotient, wide_sum};

/// e to the power of `x`.
pub fn exp<F: Float>(x: F) -> F {
    exp_of([x, F::default()])
}

/// e to the power of the sum of two numbers, of which the second is at most a rounding error of the first.
fn exp_of<F: Float>([x, low]: [F; 2]) -> F {
    let [least, most] = F::EXP_RANGE;
    if x < least {
        return F::default();
    }
    if x > most {
        return F::INFINITE;
    }
    let k = (x * F::LOG2_E + F::HALF).floor();
    let rest = (x - k * F::LN_2[0]) - (k * F::LN_2[1] - low);
    let above_one = rest + rest * rest * polynomial(F::EXP, rest);
    if is_nan(above_one) {
        return above_one;
    }
    (F::ONE + above_one).scaled(k)
}

/// The natural logarithm: -infinity of 0, and no number of a negative number.
pub fn log<F: Float>(x: F) -> F {
    if let Some(special) = special_log(x) {
        return special;
    }
    // m = 1 + f = (1 + s) / (1 - s), whose logarithm is 2 (s + s^3/3 + s^5/5 ...) = f - s (f - rest).
    let (m, k) = x.parts();
    let f = m - F::ONE;
    let s = f / (F::ONE + F::ONE + f);
    let s2 = s * s;
    let series = F::THIRD[0] + s2 * polynomial(F::LOG, s2);
    let rest = (s2 + s2) * series;
    k * F::LN_2[0] + (f - (s * (f - rest) - k * F::LN_2[1]))
}

fn special_log<F: Float>(x: F) -> Option<F> {
    let zero = F::default();
    if is_nan(x) || x < zero {
        return Some(F::NOT_A_NUMBER);
    }
    if x == zero {
        return Some(-F::INFINITE);
    }
    (x == F::INFINITE).then_some(x)
}

/// `x` to the power of `y`. Special values have the results of C: anything to the power 0 is 1, and so is 1 to any power. A
/// negative number has whole powers only. An odd power has the sign of `x`, also if `x` is a zero or an infinity.
pub fn pow<F: Float>(x: F, y: F) -> F {
    let zero = F::default();
    if y == zero || x == F::ONE {
        return F::ONE;
    }
    if is_nan(x) || is_nan(y) {
        return F::NOT_A_NUMBER;
    }
    let is_whole = y.floor() == y;
    let is_odd = is_whole && (y * F::HALF).floor() != y * F::HALF;
    let base = x.magnitude();
    let is_end = base == zero || base == F::INFINITE;
    if x < zero && !is_whole && !is_end {
        return F::NOT_A_NUMBER;
    }
    let magnitude = if is_end {
        if (base == zero) == (y > zero) {
            zero
        } else {
            F::INFINITE
        }
    } else {
        let most = F::LARGEST_EXPONENT;
        let above = if y > most { most } else { y };
        let exponent = if above < -most { -most } else { above };
        let [high, low] = wide_log(base);
        let [product, error] = wide_product(exponent, high);
        exp_of([product, error + exponent * low])
    };
    magnitude.negated_if(x.is_negative() && is_odd)
}

/// The logarithm as the sum of two numbers, so exact that a power of it is right to the last place: the first two terms
/// of the series have two numbers each.
fn wide_log<F: Float>(x: F) -> [F; 2] {
    let (m, k) = x.parts();
    let f = m - F::ONE;
    let [g, g_low] = wide_sum(F::ONE, m);
    // s = f / g
    let [s, s_low] = wide_quotient([f, F::default()], [g, g_low]);
    // q = s^2
    let [q, q_error] = wide_product(s, s);
    let q_low = q_error + (s + s) * s_low;
    // third = 1/3 + q (1/5 + q (1/7 ...))
    let [third, third_error] = wide_sum(F::THIRD[0], q * polynomial(F::LOG, q));
    let third_low = third_error + F::THIRD[1];
    // u = q third, v = s u, w = s + v: half the logarithm of m
    let [u, u_error] = wide_product(q, third);
    let u_low = u_error + (q * third_low + q_low * third);
    let [v, v_error] = wide_product(s, u);
    let v_low = v_error + (s * u_low + s_low * u);
    let [w, w_error] = wide_sum(s, v);
    let w_low = w_error + (s_low + v_low);
    let [sum, sum_error] = wide_sum(k * F::LN_2[0], w + w);
    let low = sum_error + (k * F::LN_2[1] + (w_low + w_low));
    wide_sum(sum, low)
}

/// e to the power of the sum of two numbers, of which the second is at most a rounding error of the first, as the sum of
/// two numbers times a power of 2, whose exponent is the other result. The power is finite and not 0.
pub(super) fn wide_exp<F: Float>([x, low]: [F; 2]) -> ([F; 2], F) {
    let k = (x * F::LOG2_E + F::HALF).floor();
    let [rest, rest_low] = wide_sum(x - k * F::LN_2[0], low - k * F::LN_2[1]);
    let more = rest * rest * polynomial(F::EXP, rest) + (rest_low + rest_low * rest);
    let [above_one, error] = wide_sum(rest, more);
    let [power, power_low] = wide_sum(F::ONE, above_one);
    ([power, power_low + error], k)
}

/// The hyperbolic tangent.
pub fn tanh<F: Float>(x: F) -> F {
    let magnitude = x.magnitude();
    if magnitude < F::TINY || is_nan(x) {
        return x;
    }
    if magnitude < F::of(0.55) {
        let x2 = x * x;
        return x + x * x2 * polynomial(F::TANH, x2);
    }
    // 1 - 2 / (e^2x + 1), which is 1 from 20 on.
    let two = F::ONE + F::ONE;
    let most = F::of(20.0);
    let bounded = if magnitude < most { magnitude } else { most };
    let ([power, low], k) = wide_exp([two * bounded, F::default()]);
    let [sum, error] = wide_sum(power.scaled(k), F::ONE);
    let value = F::ONE - two / (sum + (error + low.scaled(k)));
    value.negated_if(x.is_negative())
}
