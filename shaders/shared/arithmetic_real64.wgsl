// shared/arithmetic.wgsl in real64. Devices that have it neither flush its subnormal numbers nor err in its division and roots, or they
// fail the test of src/gpu/arithmetic.rs and do not compute in it. CPU twin: src/formula/functions/.
#import double

const SIGN_BIT = 0x80000000u;
const INFINITY_WORD = 0x7ff00000u;

fn of_single(x: f32) -> f64 {
    return double_of(x);
}

fn low_word(x: f64) -> u32 {
    return u32(bitcast<u64>(x) & 0xfffffffflu);
}

fn high_word(x: f64) -> u32 {
    return u32(bitcast<u64>(x) >> 32u);
}

fn infinity() -> f64 {
    return double(vec2(0u, INFINITY_WORD));
}

fn of_words(low: u32, high: u32) -> f64 {
    return double(vec2(low, high));
}

fn is_negative(x: f64) -> bool {
    return (high_word(x) & SIGN_BIT) != 0u;
}

fn is_nan(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}

fn is_finite(x: f64) -> bool {
    return (high_word(x) & INFINITY_WORD) != INFINITY_WORD;
}

fn magnitude_of(x: f64) -> f64 {
    return double(vec2(low_word(x), high_word(x) & ~SIGN_BIT));
}

fn negated(x: f64) -> f64 {
    return double(vec2(low_word(x), high_word(x) ^ SIGN_BIT));
}

fn is_zero(x: f64) -> bool {
    return x == 0.0lf;
}

fn is_less(a: f64, b: f64) -> bool {
    return a < b;
}

fn is_equal(a: f64, b: f64) -> bool {
    return a == b;
}

// 1, -1, or the number itself if it is zero or NaN.
fn sign_of(x: f64) -> f64 {
    let one = double(vec2(0u, (high_word(x) & SIGN_BIT) | 0x3ff00000u));
    return select(one, x, is_zero(x) || is_nan(x));
}

fn divide(a: f64, b: f64) -> f64 {
    return a / b;
}

fn square_root(x: f64) -> f64 {
    return sqrt(x);
}
