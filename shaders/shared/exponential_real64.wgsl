// Exponentials, logarithms and powers in real64. CPU twin: src/formula/functions/exponential.rs.
#import arithmetic

const LOG2_E = 1.4426950408889634lf;
const THIRD_HIGH = 0.3333333333333333lf;
const THIRD_LOW = 1.850371707708594e-17lf;
// A larger exponent changes no power of a number other than 1.
const LARGEST_EXPONENT = 18446744073709551616lf;

fn not_a_number() -> f64 {
    return double(vec2(0u, 0x7ff80000u));
}

// ln 2 in two parts: the product of the first and any exponent is exact.
fn ln_2_high() -> f64 {
    return double(vec2(0xfee00000u, 0x3fe62e42u));
}

fn ln_2_low() -> f64 {
    return double(vec2(0x35793c76u, 0x3dea39efu));
}

// e to the power of the sum of two numbers, of which the second is at most a rounding error of the first.
fn exponential_of(x: f64, low: f64) -> f64 {
    if x < -746lf {
        return 0lf;
    }
    if x > 710lf {
        return infinity();
    }
    let k = floor(x * LOG2_E + 0.5lf);
    let rest = (x - k * ln_2_high()) - (k * ln_2_low() - low);
    let above_one = rest + rest * rest * exp_series(rest);
    if is_nan(above_one) {
        return above_one;
    }
    return scaled(1lf + above_one, k);
}

// 1/2 + x (1/6 + x (1/24 ...)). Quotients of constants are written out: shader compilers do not divide them in real64.
fn exp_series(x: f64) -> f64 {
    var series = 1.6059043836821613e-10lf;
    series = series * x + 2.08767569878681e-09lf;
    series = series * x + 2.505210838544172e-08lf;
    series = series * x + 2.755731922398589e-07lf;
    series = series * x + 2.7557319223985893e-06lf;
    series = series * x + 2.48015873015873e-05lf;
    series = series * x + 0.0001984126984126984lf;
    series = series * x + 0.001388888888888889lf;
    series = series * x + 0.008333333333333333lf;
    series = series * x + 0.041666666666666664lf;
    series = series * x + 0.16666666666666666lf;
    return series * x + 0.5lf;
}

// x * 2^k, rounded once; x is near 1.
fn scaled(x: f64, k: f64) -> f64 {
    // Two factors, so that each is a number of its own: only the last product can be rounded.
    let whole = i32(k);
    let first = whole >> 1u;
    return x * power_of_2(first) * power_of_2(whole - first);
}

fn power_of_2(k: i32) -> f64 {
    return double(vec2(0u, u32(k + 1023) << 20u));
}

fn exponential(x: f64) -> f64 {
    return exponential_of(x, 0lf);
}

// x = m * 2^k with m from about 0.7 to about 1.4; x is positive and finite.
struct Parts {
    m: f64,
    k: f64,
}

fn parts_of(x: f64) -> Parts {
    let is_small = high_word(x) < 0x100000u;
    let normal = select(x, x * power_of_2(54), is_small);
    let exponent = i32(high_word(normal) >> 20u) - 1023 - select(0, 54, is_small);
    let m = double(vec2(low_word(normal), (high_word(normal) & 0xfffffu) | 0x3ff00000u));
    if m > 1.4142135623730951lf {
        return Parts(m * 0.5lf, f64(exponent + 1));
    }
    return Parts(m, f64(exponent));
}

// 1/5 + x (1/7 + x (1/9 ...)).
fn log_series(x: f64) -> f64 {
    var series = 0.04lf;
    series = series * x + 0.043478260869565216lf;
    series = series * x + 0.047619047619047616lf;
    series = series * x + 0.05263157894736842lf;
    series = series * x + 0.058823529411764705lf;
    series = series * x + 0.06666666666666667lf;
    series = series * x + 0.07692307692307693lf;
    series = series * x + 0.09090909090909091lf;
    series = series * x + 0.1111111111111111lf;
    series = series * x + 0.14285714285714285lf;
    return series * x + 0.2lf;
}

fn logarithm(x: f64) -> f64 {
    if is_nan(x) || x < 0lf {
        return not_a_number();
    }
    if is_zero(x) {
        return -infinity();
    }
    if !is_finite(x) {
        return x;
    }
    let parts = parts_of(x);
    let f = parts.m - 1lf;
    let s = f / (2lf + f);
    let s2 = s * s;
    let series = THIRD_HIGH + s2 * log_series(s2);
    let rest = (s2 + s2) * series;
    return parts.k * ln_2_high() + (f - (s * (f - rest) - parts.k * ln_2_low()));
}

// A sum or a product, and its error.
fn wide_sum(a: f64, b: f64) -> vec2<f64> {
    let sum = a + b;
    let part = sum - a;
    return vec2(sum, (a - (sum - part)) + (b - part));
}

fn wide_product(a: f64, b: f64) -> vec2<f64> {
    let a_shifted = 134217729lf * a;
    let b_shifted = 134217729lf * b;
    let product = a * b;
    let a_high = a_shifted - (a_shifted - a);
    let b_high = b_shifted - (b_shifted - b);
    let a_low = a - a_high;
    let b_low = b - b_high;
    return vec2(product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low);
}

// The quotient of two pairs as a pair.
fn wide_quotient(a: vec2<f64>, b: vec2<f64>) -> vec2<f64> {
    let quotient = a.x / b.x;
    let product = wide_product(quotient, b.x);
    let rest = (((a.x - product.x) - product.y) - quotient * b.y) + a.y;
    return vec2(quotient, rest / b.x);
}

// The logarithm as the sum of two numbers.
fn wide_log(x: f64) -> vec2<f64> {
    let parts = parts_of(x);
    let f = parts.m - 1lf;
    let g = wide_sum(1lf, parts.m);
    let s = wide_quotient(vec2(f, 0lf), g);
    let q = wide_product(s.x, s.x);
    let q_low = q.y + (s.x + s.x) * s.y;
    let third = wide_sum(THIRD_HIGH, q.x * log_series(q.x));
    let third_low = third.y + THIRD_LOW;
    let u = wide_product(q.x, third.x);
    let u_low = u.y + (q.x * third_low + q_low * third.x);
    let v = wide_product(s.x, u.x);
    let v_low = v.y + (s.x * u_low + s.y * u.x);
    let w = wide_sum(s.x, v.x);
    let w_low = w.y + (s.y + v_low);
    let sum = wide_sum(parts.k * ln_2_high(), w.x + w.x);
    let low = sum.y + (parts.k * ln_2_low() + (w_low + w_low));
    return wide_sum(sum.x, low);
}

fn power(x: f64, y: f64) -> f64 {
    if is_zero(y) || x == 1lf {
        return 1lf;
    }
    if is_nan(x) || is_nan(y) {
        return not_a_number();
    }
    let is_whole = floor(y) == y;
    let is_odd = is_whole && floor(y * 0.5lf) != y * 0.5lf;
    let is_negative = high_word(x) >= 0x80000000u;
    let base = magnitude_of(x);
    let is_end = is_zero(base) || !is_finite(base);
    if is_negative && !is_whole && !is_end {
        return not_a_number();
    }
    var magnitude = 0lf;
    if is_end {
        if is_zero(base) != (y > 0lf) {
            magnitude = infinity();
        }
    } else {
        let above = select(y, LARGEST_EXPONENT, y > LARGEST_EXPONENT);
        let exponent = select(above, -LARGEST_EXPONENT, above < -LARGEST_EXPONENT);
        let log = wide_log(base);
        let product = wide_product(exponent, log.x);
        magnitude = exponential_of(product.x, product.y + exponent * log.y);
    }
    return select(magnitude, negated(magnitude), is_negative && is_odd);
}
