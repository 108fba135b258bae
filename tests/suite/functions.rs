//! exp, log and pow of formulas: within 2 units in the last place of what they should be.

#[path = "../../src/formula/functions.rs"]
#[allow(dead_code, unreachable_pub, missing_docs)]
pub mod steps;

use steps::{Float, exp, log, pow};

#[allow(clippy::eq_op)] // only NaN differs from itself
fn is_nan<F: Float>(x: F) -> bool {
    x != x
}

/// A number twice as wide as real64: enough to see errors of real64.
type Wide = [f64; 2];

/// The sum as the rounded sum and its error.
fn two_sum(a: f64, b: f64) -> Wide {
    let sum = a + b;
    let part = sum - a;
    [sum, (a - (sum - part)) + (b - part)]
}

/// The product as the rounded product and its error.
fn two_product(a: f64, b: f64) -> Wide {
    [a * b, a.mul_add(b, -(a * b))]
}

fn sum(a: Wide, b: Wide) -> Wide {
    let [high, low] = two_sum(a[0], b[0]);
    two_sum(high, low + (a[1] + b[1]))
}

fn product(a: Wide, b: Wide) -> Wide {
    let [high, low] = two_product(a[0], b[0]);
    two_sum(high, low + (a[0] * b[1] + a[1] * b[0]))
}

fn quotient(a: Wide, n: f64) -> Wide {
    let high = a[0] / n;
    let [back, error] = two_product(high, n);
    two_sum(high, (((a[0] - back) - error) + a[1]) / n)
}

/// e^x by its series, of a number halved so often that few terms are left, and squared as often.
fn wide_exp(x: Wide) -> (Wide, i32) {
    let k = (x[0] / std::f64::consts::LN_2).round();
    let ln_2 = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];
    let rest = sum(x, product(ln_2, [-k, 0.0]));
    let small = [rest[0] / 256.0, rest[1] / 256.0];
    let mut value = [1.0, 0.0];
    for n in (1..16).rev() {
        value = sum([1.0, 0.0], quotient(product(value, small), f64::from(n)));
    }
    (0..8).for_each(|_| value = product(value, value));
    (value, k as i32)
}

/// ln x: near 1 by its series, elsewhere by one step of Newton's from the logarithm of the system, which doubles its digits.
fn wide_ln(x: f64) -> Wide {
    let f = [x - 1.0, 0.0];
    if f[0].abs() < 1e-3 {
        let series = (1..13).rev().fold([0.0; 2], |tail: Wide, n| {
            let term = quotient([1.0, 0.0], f64::from(n));
            sum(term, product(product(f, tail), [-1.0, 0.0]))
        });
        return product(f, series);
    }
    let guess = x.ln();
    let (value, k) = wide_exp([-guess, 0.0]);
    // x e^-guess - 1 = t, ln x = guess + t - t^2/2
    let [m, n] = [k / 2, k - k / 2].map(|k| 2f64.powi(k));
    let scaled = product([x * m * n, 0.0], value);
    let t = sum(scaled, [-1.0, 0.0]);
    sum([guess, 0.0], sum(t, product(product(t, t), [-0.5, 0.0])))
}

fn random(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

/// The error of `found` in units in the last place.
fn error_single(found: f32, wanted: f64) -> f64 {
    if found.is_infinite() {
        return if wanted.abs() > f64::from(f32::MAX) {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let unit = 2f64.powi((wanted.abs().log2().floor() as i32).max(-126) - 23);
    (f64::from(found) - wanted).abs() / unit
}

#[test]
fn single_within_2_units() {
    let (mut worst, mut state) = ([0f64; 3], 1);
    for k in 0..400_000 {
        let x = (random(&mut state) * 194.0 - 105.0) as f32;
        worst[0] = worst[0].max(error_single(exp(x), f64::from(x).exp()));
        let near = (random(&mut state) * 2.0 - 1.0) * 10f64.powi(-(k % 8));
        worst[0] = worst[0].max(error_single(exp(near as f32), f64::from(near as f32).exp()));
        let x = match k % 3 {
            0 => 1.0 + 0.5 * near as f32,
            _ => f32::from_bits((random(&mut state) * f64::from(0x7f80_0000u32)) as u32),
        };
        if x > 0.0 && x != 1.0 {
            worst[1] = worst[1].max(error_single(log(x), f64::from(x).ln()));
            let y = (random(&mut state) * 2.0 - 1.0) * 95.0 / f64::from(x).ln().abs();
            let y = y as f32;
            let wanted = (f64::from(y) * f64::from(x).ln()).exp();
            if y.is_finite() && wanted > 0.0 {
                worst[2] = worst[2].max(error_single(pow(x, y), wanted));
            }
        }
    }
    assert!(worst.iter().all(|&worst| worst > 0.4 && worst < 2.0), "{worst:?}");
}

#[test]
fn double_within_2_units() {
    let error = |found: f64, wanted: Wide, k: i32| {
        // The unit of the wanted value before it is scaled; the result is not subnormal.
        let unit = 2f64.powi(wanted[0].abs().log2().floor() as i32 - 52);
        let [m, n] = [-k / 2, -k - -k / 2].map(|k| 2f64.powi(k));
        ((found * m * n - wanted[0]) - wanted[1]).abs() / unit
    };
    let (mut worst, mut state) = ([0f64; 3], 2);
    for k in 0..100_000 {
        let x = random(&mut state) * 1416.0 - 707.0;
        let (wanted, scale) = wide_exp([x, 0.0]);
        worst[0] = worst[0].max(error(exp(x), wanted, scale));
        let near = (random(&mut state) * 2.0 - 1.0) * 10f64.powi(-(k % 16));
        let (wanted, scale) = wide_exp([near, 0.0]);
        worst[0] = worst[0].max(error(exp(near), wanted, scale));
        let x = match k % 3 {
            0 => 1.0 + 0.5 * near,
            _ => 2f64.powf(random(&mut state) * 1800.0 - 900.0),
        };
        if x == 1.0 {
            continue;
        }
        let ln = wide_ln(x);
        worst[1] = worst[1].max(error(log(x), ln, 0));
        let y = (random(&mut state) * 2.0 - 1.0) * 700.0 / ln[0].abs();
        let (wanted, scale) = wide_exp(product(ln, [y, 0.0]));
        worst[2] = worst[2].max(error(pow(x, y), wanted, scale));
    }
    assert!(worst.iter().all(|&worst| worst > 0.4 && worst < 2.0), "{worst:?}");
}

#[test]
fn special_values() {
    fn check<F: Float + std::fmt::Debug>(of: impl Fn(f64) -> F) {
        let [zero, one, two, three, huge] = [0.0, 1.0, 2.0, 3.0, 1e30].map(&of);
        let (nan, infinite) = (F::NOT_A_NUMBER, F::INFINITE);
        assert!(is_nan(exp(nan)) && is_nan(log(nan)) && is_nan(log(-one)) && is_nan(pow(-two, F::HALF)));
        assert!(is_nan(pow(nan, one)) && is_nan(pow(one, nan)) && pow(nan, zero) == one);
        assert!(exp(zero) == one && exp(-infinite) == zero && exp(infinite) == infinite);
        assert!(exp(huge) == infinite && exp(-huge) == zero);
        assert!(log(zero) == -infinite && log(infinite) == infinite && log(one) == zero);
        assert!(pow(-two, three) == -(two * two * two) && pow(-two, two) == two * two);
        assert!(pow(zero, two) == zero && pow(zero, -two) == infinite && pow(infinite, -one) == zero);
        assert!(pow(two, infinite) == infinite && pow(F::HALF, infinite) == zero && pow(one, infinite) == one);
        assert!(pow(two, huge) == infinite && pow(two, -huge) == zero);
    }
    check(|x| x as f32);
    check(|x| x);
    // The least and the largest numbers there are.
    assert_eq!((exp(-103.9f32), exp(-104.1f32)), (f32::from_bits(1), 0.0));
    assert_eq!((exp(-745.1f64), exp(-745.2f64)), (f64::from_bits(1), 0.0));
    assert!(exp(88.7f32) < f32::INFINITY && exp(88.73f32) == f32::INFINITY);
    assert!(exp(709.7f64) < f64::INFINITY && exp(709.8f64) == f64::INFINITY);
    assert!(
        (log(f32::from_bits(1)) + 103.278_93).abs() < 1e-5
            && (log(f64::from_bits(1)) + 744.440_071_921_381_3).abs() < 1e-12
    );
}
