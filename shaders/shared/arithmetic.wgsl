// Comparisons, division, roots, exponentials and logarithms whose results are those of the CPU, bit for bit. Kernels that import this
// are compiled so that + - * round once (src/gpu/strict.rs). A device's own comparisons and changes of sign may take subnormal
// numbers for zero, so these are made of bits, with a sign bit (`sign_bit`, which kernels have) that compilers do not know. Its own
// division and root may be a few units off: what is left of the dividend, in integers, says by how many.
// CPU twin: src/formula/functions/.

// A number by its bits. A shader cannot write infinity or NaN.
fn number_of(bits: u32) -> f32 {
    return bitcast<f32>(bits);
}

const INFINITY_BITS = 0x7f800000u;
const NAN_BITS = 0x7fc00000u;
const SIGN_BIT = 0x80000000u;
const HIDDEN_BIT = 0x800000u;
const FRACTION = 0x7fffffu;
const ONE_BITS = 0x3f800000u;

fn of_words(low: u32, high: u32) -> f32 {
    return bitcast<f32>(low);
}

fn is_negative(x: f32) -> bool {
    return (bitcast<u32>(x) & SIGN_BIT) != 0u;
}

fn of_single(x: f32) -> f32 {
    return x;
}

fn infinity() -> f32 {
    return number_of(INFINITY_BITS);
}

fn is_finite(x: f32) -> bool {
    return (bitcast<u32>(x) & INFINITY_BITS) != INFINITY_BITS;
}

fn is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & ~SIGN_BIT) > INFINITY_BITS;
}

fn magnitude_of(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & ~sign_bit());
}

fn negated(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ sign_bit());
}

fn negated_if(x: f32, changes: bool) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ select(0u, sign_bit(), changes));
}

fn is_zero(x: f32) -> bool {
    return (bitcast<u32>(x) << 1u) == 0u;
}

// a < b: the difference is from -infinity to the negative number next to zero. It is zero only if the numbers are equal.
fn is_less(a: f32, b: f32) -> bool {
    return bitcast<u32>(a - b) - (SIGN_BIT | 1u) < INFINITY_BITS;
}

fn is_equal(a: f32, b: f32) -> bool {
    return (bitcast<u32>(a) == bitcast<u32>(b) && !is_nan(a)) || (is_zero(a) && is_zero(b));
}

// 1, -1, or the number itself if it is zero or NaN.
fn sign_of(x: f32) -> f32 {
    let one = bitcast<f32>((bitcast<u32>(x) & SIGN_BIT) | ONE_BITS);
    return select(one, x, is_zero(x) || is_nan(x));
}

// Whether fma rounds once, so that what is left of a dividend comes without integers.
const FUSED = $fused;

// a / b, rounded to nearest, ties to even.
fn divide(a: f32, b: f32) -> f32 {
    let x = bitcast<u32>(a);
    let y = bitcast<u32>(b);
    let ex = (x >> 23u) & 0xffu;
    let ey = (y >> 23u) & 0xffu;
    // The quotient is normal, and so are all steps to it: what is left of the dividend has 47 digits less at most.
    let is_plain = ex - 50u < 203u && ey - 3u < 248u && ex + 124u - ey <= 248u;
    if !is_plain || (FUSED && (y & FRACTION) == FRACTION) {
        if is_zero(a) && ey - 1u < 254u {
            return bitcast<f32>((x ^ y) & SIGN_BIT); // of any normal number; frequent
        }
        return divide_any(x, y);
    }
    if FUSED {
        return divide_fused(a, b);
    }
    let quotient = divide_mantissas((x & FRACTION) | HIDDEN_BIT, (y & FRACTION) | HIDDEN_BIT);
    return bitcast<f32>(((x ^ y) & SIGN_BIT) | (quotient + ((ex - ey) << 23u)));
}

// The method of Markstein (IBM Journal of Research and Development 34, 1990): the reciprocal is rounded right after two steps of
// Newton's method, except of numbers whose bits are all ones; with it, a quotient that is right within one unit is rounded right
// in one step. A root begins it, because devices take far longer for a quotient.
fn divide_fused(a: f32, b: f32) -> f32 {
    return quotient_of(a, b, reciprocal_of(b));
}

fn reciprocal_of(b: f32) -> f32 {
    let root = inverseSqrt(abs(b));
    var reciprocal = bitcast<f32>(bitcast<u32>(root * root) | (bitcast<u32>(b) & SIGN_BIT));
    reciprocal = fma(fma(-b, reciprocal, 1.0), reciprocal, reciprocal);
    return fma(fma(-b, reciprocal, 1.0), reciprocal, reciprocal);
}

// a / b from the rounded reciprocal of b.
fn quotient_of(a: f32, b: f32, reciprocal: f32) -> f32 {
    var quotient = a * reciprocal;
    quotient = fma(fma(-b, quotient, a), reciprocal, quotient);
    return fma(fma(-b, quotient, a), reciprocal, quotient);
}

// A divisor, its reciprocal, and the bits of the magnitude of the least dividend and how many follow it whose quotients come from the
// reciprocal: those that `divide` takes as plain, and none where the divisor is not. Rust twin: `divisor` in src/gpu/sum/program.rs.
fn divisor_of(b: f32) -> vec4<f32> {
    if !FUSED {
        return vec4(b, 0.0, 0.0, 0.0);
    }
    let y = bitcast<u32>(b);
    let exponent = (y >> 23u) & 0xffu;
    let is_plain = exponent - 3u < 248u && (y & FRACTION) != FRACTION;
    let least = max(exponent, 174u) - 124u;
    let span = select(0u, min(253u, exponent + 125u) - least, is_plain);
    return vec4(b, reciprocal_of(b), bitcast<f32>(least << 23u), bitcast<f32>(span << 23u));
}

// a / b for a divisor that is the same for all pairs, or that several numbers are divided by.
fn divide_by(a: f32, divisor: vec4<f32>) -> f32 {
    let magnitude = bitcast<u32>(a) & ~SIGN_BIT;
    if FUSED && magnitude - bitcast<u32>(divisor.z) < bitcast<u32>(divisor.w) {
        return quotient_of(a, divisor.x, divisor.y);
    }
    return divide(a, divisor.x);
}

// The bits of the rounded quotient of two mantissas of 24 bits.
fn divide_mantissas(a: u32, b: u32) -> u32 {
    let is_below = a < b;
    let estimate = bitcast<f32>(a + (ONE_BITS - HIDDEN_BIT)) / bitcast<f32>(b + (ONE_BITS - HIDDEN_BIT));
    // The estimate in units of its last place, in the range of the quotient: 2^23 up to 2^24.
    let q = clamp(u32(estimate * select(8388608.0, 16777216.0, is_below)), 0x800000u, 0x1000000u);
    let rest = 2 * i32((a << select(23u, 24u, is_below)) - q * b);
    let whole = i32(b);
    let up = select(0u, 1u, rest > whole) + select(0u, 1u, rest > 3 * whole) + select(0u, 1u, rest > 5 * whole);
    let down = select(0u, 1u, rest < -whole) + select(0u, 1u, rest < -3 * whole) + select(0u, 1u, rest < -5 * whole);
    return q + up - down + select(ONE_BITS - HIDDEN_BIT, ONE_BITS - 2u * HIDDEN_BIT, is_below);
}

// The same of any two numbers, given by their bits.
fn divide_any(x: u32, y: u32) -> f32 {
    let sign = (x ^ y) & SIGN_BIT;
    let a = x & ~SIGN_BIT;
    let b = y & ~SIGN_BIT;
    if a > INFINITY_BITS || b > INFINITY_BITS || (a == b && (a == 0u || a == INFINITY_BITS)) {
        return number_of(NAN_BITS);
    }
    if a == INFINITY_BITS || b == 0u {
        return number_of(sign | INFINITY_BITS);
    }
    if b == INFINITY_BITS || a == 0u {
        return number_of(sign);
    }
    let dividend = normalized(a);
    let divisor = normalized(b);
    let exponent = dividend.exponent - divisor.exponent;
    // The quotient with more bits than the result has, 8 at a time, and whether there is a rest. No loop: shaders/README.md says why.
    let b24 = divisor.mantissa;
    let first = dividend.mantissa / b24;
    let rest = (dividend.mantissa - first * b24) << 8u;
    let second = rest / b24;
    let rest2 = (rest - second * b24) << 8u;
    let third = rest2 / b24;
    let rest3 = (rest2 - third * b24) << 8u;
    let fourth = rest3 / b24;
    let rest4 = (rest3 - fourth * b24) << 2u;
    let fifth = rest4 / b24;
    let quotient = (first << 26u) | (second << 18u) | (third << 10u) | (fourth << 2u) | fifth;
    return rounded(sign, quotient | select(0u, 1u, rest4 != fifth * b24), exponent - 26);
}

// mantissa * 2^exponent; the mantissa has 24 bits.
struct Normalized {
    mantissa: u32,
    exponent: i32,
}

fn normalized(bits: u32) -> Normalized {
    let biased = bits >> 23u;
    if biased != 0u {
        return Normalized((bits & FRACTION) | HIDDEN_BIT, i32(biased) - 150);
    }
    let zeros = countLeadingZeros(bits) - 8u;
    return Normalized(bits << zeros, -149 - i32(zeros));
}

// mantissa * 2^exponent, rounded to nearest, ties to even. The lowest bit of the mantissa, which has 26 bits at least, also stands for
// all that is below it.
fn rounded(sign: u32, mantissa: u32, exponent: i32) -> f32 {
    let zeros = countLeadingZeros(mantissa);
    let least = exponent - i32(zeros) + 8; // the exponent of the last of 24 bits
    if least > 104 {
        return number_of(sign | INFINITY_BITS);
    }
    let dropped = u32(max(max(least, -149) - exponent, 0));
    if dropped > 31u {
        return number_of(sign);
    }
    let kept = mantissa >> dropped;
    let half = (1u << dropped) >> 1u;
    let rest = mantissa - (kept << dropped);
    let up = select(0u, 1u, rest > half || (rest == half && half != 0u && (kept & 1u) == 1u));
    let bits = kept + up + select(0u, u32(least + 149) << 23u, least > -149);
    return number_of(sign | bits);
}

fn square_root(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if FUSED && bits - (50u << 23u) < (172u << 23u) {
        return root_fused(x);
    }
    return root_of_any(x);
}

// A root that is right within one unit, and then by what is left of the square.
fn root_fused(x: f32) -> f32 {
    let inverse = inverseSqrt(x);
    var root = x * inverse;
    root = fma(fma(-root, root, x), 0.5 * inverse, root);
    let rest = fma(-root, root, x);
    let bits = bitcast<u32>(root);
    // The root times the unit of its last place: half a unit more or less changes the square by that, and a little more.
    let side = root * bitcast<f32>((bits & INFINITY_BITS) - (23u << 23u));
    return bitcast<f32>(bits + select(0u, 1u, rest > side) - select(0u, 1u, rest <= -side));
}

// The root of a normal number, which is not negative.
fn root_of_normal(bits: u32) -> f32 {
    // x = m * 4^e with m from 1 up to 4
    let biased = bits >> 23u;
    let is_even = (biased & 1u) == 1u; // the bias is odd
    let mantissa = (bits & FRACTION) | HIDDEN_BIT;
    let m = bitcast<f32>(mantissa + select(ONE_BITS, ONE_BITS - HIDDEN_BIT, is_even));
    // In units of the last place: the root has 24 bits, its square 47 or 48.
    let s = clamp(u32(sqrt(m) * 8388608.0), 0x800000u, 0xffffffu);
    let rest = i32((mantissa << select(24u, 23u, is_even)) - s * s);
    let side = i32(s);
    let up = select(0u, 1u, rest > side) + select(0u, 1u, rest > 3 * side + 2) + select(0u, 1u, rest > 5 * side + 6);
    let down = select(0u, 1u, rest <= -side) + select(0u, 1u, rest <= 2 - 3 * side) + select(0u, 1u, rest <= 6 - 5 * side);
    return bitcast<f32>(s + up - down + (((biased + 125u) >> 1u) << 23u));
}

fn root_of_any(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if (bits & ~SIGN_BIT) == 0u || bits == INFINITY_BITS {
        return x;
    }
    if bits >= INFINITY_BITS {
        return number_of(NAN_BITS);
    }
    if bits >= HIDDEN_BIT {
        return root_of_normal(bits);
    }
    // Subnormal: 4^12 times as much is not.
    let zeros = countLeadingZeros(bits) - 8u;
    let lifted = (bits << zeros) - HIDDEN_BIT + ((25u - zeros) << 23u);
    return root_of_normal(lifted) * (1.0 / 4096.0);
}

const LOG2_E = 1.44269504088896340736f;
const LN_2_HIGH = 0.693145751953125f;
const LN_2_LOW = 1.42860676533018704e-6f;
const THIRD_HIGH = 0.3333333432674407958984375f;
const THIRD_LOW = -9.934108e-9f;

// e to the power of the sum of two numbers, of which the second is at most a rounding error of the first.
fn exponential_of(x: f32, low: f32) -> f32 {
    if x < -104.0 {
        return 0.0;
    }
    if x > 89.0 {
        return number_of(INFINITY_BITS);
    }
    let k = floor(x * LOG2_E + 0.5);
    let rest = (x - k * LN_2_HIGH) - (k * LN_2_LOW - low);
    let above_one = rest + rest * rest * exp_series(rest);
    if is_nan(above_one) {
        return above_one;
    }
    return scaled(1.0 + above_one, k);
}

// 1/2 + x (1/6 + x (1/24 ...)).
fn exp_series(x: f32) -> f32 {
    var series = 1f / 5040f;
    series = series * x + 1f / 720f;
    series = series * x + 1f / 120f;
    series = series * x + 1f / 24f;
    series = series * x + 1f / 6f;
    return series * x + 0.5;
}

// x * 2^k, rounded once; x is near 1.
fn scaled(x: f32, k: f32) -> f32 {
    // Two factors, so that each is a number of its own: only the last product can be rounded.
    let whole = i32(k);
    let first = whole >> 1u;
    return x * power_of_2(first) * power_of_2(whole - first);
}

fn power_of_2(k: i32) -> f32 {
    return bitcast<f32>(u32(k + 127) << 23u);
}

fn exponential(x: f32) -> f32 {
    return exponential_of(x, 0.0);
}

// x = m * 2^k with m from about 0.7 to about 1.4; x is positive and finite.
struct Parts {
    m: f32,
    k: f32,
}

fn parts_of(x: f32) -> Parts {
    let normal = normalized(bitcast<u32>(x));
    let m = bitcast<f32>(normal.mantissa + (ONE_BITS - HIDDEN_BIT));
    let k = normal.exponent + 23;
    if m > 1.41421353816986083984375 {
        return Parts(m * 0.5, f32(k + 1));
    }
    return Parts(m, f32(k));
}

// 1/5 + x (1/7 + x (1/9 ...)).
fn log_series(x: f32) -> f32 {
    var series = 1f / 13f;
    series = series * x + 1f / 11f;
    series = series * x + 1f / 9f;
    series = series * x + 1f / 7f;
    return series * x + 1f / 5f;
}

fn logarithm(x: f32) -> f32 {
    if is_zero(x) {
        return number_of(SIGN_BIT | INFINITY_BITS);
    }
    if bitcast<u32>(x) > INFINITY_BITS {
        return number_of(NAN_BITS); // also of negative numbers
    }
    if bitcast<u32>(x) == INFINITY_BITS {
        return x;
    }
    let parts = parts_of(x);
    let f = parts.m - 1.0;
    let s = divide(f, 1.0 + 1.0 + f);
    let s2 = s * s;
    let series = THIRD_HIGH + s2 * log_series(s2);
    let rest = (s2 + s2) * series;
    return parts.k * LN_2_HIGH + (f - (s * (f - rest) - parts.k * LN_2_LOW));
}

// A sum or a product, and its error.
fn wide_sum(a: f32, b: f32) -> vec2<f32> {
    let sum = a + b;
    let part = sum - a;
    return vec2(sum, (a - (sum - part)) + (b - part));
}

fn wide_product(a: f32, b: f32) -> vec2<f32> {
    let a_shifted = 4097.0 * a;
    let b_shifted = 4097.0 * b;
    let product = a * b;
    let a_high = a_shifted - (a_shifted - a);
    let b_high = b_shifted - (b_shifted - b);
    let a_low = a - a_high;
    let b_low = b - b_high;
    return vec2(product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low);
}

// The quotient of two pairs as a pair.
fn wide_quotient(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let quotient = divide(a.x, b.x);
    let product = wide_product(quotient, b.x);
    let rest = (((a.x - product.x) - product.y) - quotient * b.y) + a.y;
    return vec2(quotient, divide(rest, b.x));
}

// The logarithm as the sum of two numbers.
fn wide_log(x: f32) -> vec2<f32> {
    let parts = parts_of(x);
    let f = parts.m - 1.0;
    let g = wide_sum(1.0, parts.m);
    let s = wide_quotient(vec2(f, 0.0), g);
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
    let sum = wide_sum(parts.k * LN_2_HIGH, w.x + w.x);
    let low = sum.y + (parts.k * LN_2_LOW + (w_low + w_low));
    return wide_sum(sum.x, low);
}

// A larger exponent changes no power of a number other than 1.
const LARGEST_EXPONENT = 8589934592.0f;

fn power(x: f32, y: f32) -> f32 {
    if is_zero(y) || bitcast<u32>(x) == ONE_BITS {
        return 1.0;
    }
    if is_nan(x) || is_nan(y) {
        return number_of(NAN_BITS);
    }
    let is_whole = bitcast<u32>(floor(y)) == bitcast<u32>(y);
    let is_odd = is_whole && bitcast<u32>(floor(y * 0.5)) != bitcast<u32>(y * 0.5);
    let is_negative = bitcast<u32>(x) >= SIGN_BIT;
    let base = magnitude_of(x);
    let is_end = is_zero(base) || bitcast<u32>(base) == INFINITY_BITS;
    if is_negative && !is_whole && !is_end {
        return number_of(NAN_BITS);
    }
    var magnitude = 0.0;
    if is_end {
        if is_zero(base) != (bitcast<u32>(y) < SIGN_BIT) {
            magnitude = number_of(INFINITY_BITS);
        }
    } else {
        let above = select(y, LARGEST_EXPONENT, y > LARGEST_EXPONENT);
        let exponent = select(above, -LARGEST_EXPONENT, above < -LARGEST_EXPONENT);
        let log = wide_log(base);
        let product = wide_product(exponent, log.x);
        magnitude = exponential_of(product.x, product.y + exponent * log.y);
    }
    return bitcast<f32>(bitcast<u32>(magnitude) | select(0u, sign_bit(), is_negative && is_odd));
}
