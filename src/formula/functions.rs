//! exp, log and pow, made of rounded `+ - * /`, comparisons, `floor` and integer operations on bits only. No step is
//! fused and no library of the system takes part, so that any device that rounds these operations gives the same bits.
//! Results are within 2 units in the last place. In: a number of either precision. Out: a number of the same precision.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Operations that the functions need of a precision.
pub trait Float:
    Copy
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    const ONE: Self;
    const HALF: Self;
    const INFINITE: Self;
    const NOT_A_NUMBER: Self;
    /// 1 / ln 2.
    const LOG2_E: Self;
    /// ln 2 in two parts: the product of the first and any exponent is exact.
    const LN_2: [Self; 2];
    /// 1/3 in two parts.
    const THIRD: [Self; 2];
    /// 1/n! from the smallest down to 1/2!.
    const EXP: &'static [Self];
    /// 1/(2n + 1) from the smallest to 1/5.
    const LOG: &'static [Self];
    /// Exponents beyond which exp is 0 or infinite.
    const EXP_RANGE: [Self; 2];
    /// A larger exponent changes no power of a number other than 1.
    const LARGEST_EXPONENT: Self;
    /// `2^s + 1`: splits a number into two halves of its digits.
    const SPLITTER: Self;
    /// The largest whole number that is not larger.
    fn floor(self) -> Self;
    /// `self * 2^k`, rounded once. `self` is near 1.
    fn scaled(self, k: Self) -> Self;
    /// `m` from about 0.7 to about 1.4, and `k`, with `self = m * 2^k`; `self` is positive and finite.
    fn parts(self) -> (Self, Self);
}

macro_rules! float {
    ($type:ident, $bits:ident, $int:ident, $digits:literal, $bias:literal, { $($constants:tt)* }) => {
        impl Float for $type {
            const ONE: $type = 1.0;
            const HALF: $type = 0.5;
            const INFINITE: $type = $type::INFINITY;
            const NOT_A_NUMBER: $type = $type::NAN;
            const LOG2_E: $type = std::$type::consts::LOG2_E;
            $($constants)*

            #[inline(always)]
            fn floor(self) -> $type {
                $type::floor(self)
            }

            #[inline(always)]
            fn scaled(self, k: $type) -> $type {
                // Two factors, so that each is a number of its own: only the last product can be rounded.
                let whole = k as $int;
                let (first, second) = (whole >> 1, whole - (whole >> 1));
                let power = |k: $int| $type::from_bits(((k + $bias) as $bits) << $digits);
                self * power(first) * power(second)
            }

            #[inline(always)]
            fn parts(self) -> ($type, $type) {
                const LIFT: $int = $digits + 2;
                let is_small = self < $type::MIN_POSITIVE;
                let lift = $type::from_bits(((LIFT + $bias) as $bits) << $digits);
                let (normal, lifted) = if is_small { (self * lift, LIFT) } else { (self, 0) };
                let bits = normal.to_bits();
                let exponent = (bits >> $digits) as $int - $bias - lifted;
                let one: $bits = ($bias as $bits) << $digits;
                let m = $type::from_bits(bits & ((1 << $digits) - 1) | one);
                if m > std::$type::consts::SQRT_2 {
                    (m * 0.5, (exponent + 1) as $type)
                } else {
                    (m, exponent as $type)
                }
            }
        }
    };
}

float!(f32, u32, i32, 23, 127, {
    const LN_2: [f32; 2] = [f32::from_bits(0x3f31_7200), f32::from_bits(0x35bf_be8e)];
    const THIRD: [f32; 2] = [1.0 / 3.0, -9.934_108e-9];
    const EXP: &'static [f32] = &[1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5];
    const LOG: &'static [f32] = &[1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0];
    const EXP_RANGE: [f32; 2] = [-104.0, 89.0];
    const LARGEST_EXPONENT: f32 = (1u64 << 33) as f32;
    const SPLITTER: f32 = 4097.0;
});

float!(f64, u64, i64, 52, 1023, {
    const LN_2: [f64; 2] = [
        f64::from_bits(0x3fe6_2e42_fee0_0000),
        f64::from_bits(0x3dea_39ef_3579_3c76),
    ];
    const THIRD: [f64; 2] = [1.0 / 3.0, 1.850_371_707_708_594e-17];
    const EXP: &'static [f64] = &[
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
    ];
    const LOG: &'static [f64] = &[
        1.0 / 25.0,
        1.0 / 23.0,
        1.0 / 21.0,
        1.0 / 19.0,
        1.0 / 17.0,
        1.0 / 15.0,
        1.0 / 13.0,
        1.0 / 11.0,
        1.0 / 9.0,
        1.0 / 7.0,
        1.0 / 5.0,
    ];
    const EXP_RANGE: [f64; 2] = [-746.0, 710.0];
    const LARGEST_EXPONENT: f64 = (1u128 << 64) as f64;
    const SPLITTER: f64 = 134_217_729.0;
});

/// A polynomial with its coefficients from the highest power down, by Horner's rule.
#[inline(always)]
fn polynomial<F: Float>(coefficients: &[F], x: F) -> F {
    coefficients[1..]
        .iter()
        .fold(coefficients[0], |sum, &next| sum * x + next)
}

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

/// `x` to the power of `y`. The power 0 of anything is 1. A negative number has whole powers only. Of zero, powers are
/// 0 or infinity without a sign.
pub fn pow<F: Float>(x: F, y: F) -> F {
    let zero = F::default();
    if y == zero {
        return F::ONE;
    }
    if is_nan(x) || is_nan(y) {
        return F::NOT_A_NUMBER;
    }
    let is_whole = y.floor() == y;
    let is_odd = is_whole && (y * F::HALF).floor() != y * F::HALF;
    if x < zero && !is_whole {
        return F::NOT_A_NUMBER;
    }
    let base = if x < zero { -x } else { x };
    let magnitude = if base == zero || base == F::INFINITE {
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
    if x < zero && is_odd { -magnitude } else { magnitude }
}

/// The logarithm as the sum of two numbers, so exact that a power of it is right to the last place: the first two terms
/// of the series have two numbers each.
fn wide_log<F: Float>(x: F) -> [F; 2] {
    let (m, k) = x.parts();
    let f = m - F::ONE;
    let [g, g_low] = wide_sum(F::ONE, m);
    // s = f / g
    let s = f / g;
    let [sg, sg_low] = wide_product(s, g);
    let s_low = (((f - sg) - sg_low) - s * g_low) / g;
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

/// The sum as the rounded sum and its error.
fn wide_sum<F: Float>(a: F, b: F) -> [F; 2] {
    let sum = a + b;
    let part = sum - a;
    [sum, (a - (sum - part)) + (b - part)]
}

/// The product as the rounded product and its error.
fn wide_product<F: Float>(a: F, b: F) -> [F; 2] {
    let halves = |x: F| {
        let shifted = F::SPLITTER * x;
        let high = shifted - (shifted - x);
        [high, x - high]
    };
    let product = a * b;
    let ([a, a_low], [b, b_low]) = (halves(a), halves(b));
    [product, ((a * b - product) + a * b_low + a_low * b) + a_low * b_low]
}

#[allow(clippy::eq_op)] // only NaN differs from itself
fn is_nan<F: Float>(x: F) -> bool {
    x != x
}
