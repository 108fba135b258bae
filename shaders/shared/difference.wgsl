// A difference of coordinates in real64, to the nearest image and rounded to real32, where devices lack f64. Most are exact in
// real64, and are rounded once. `a`, `b` and `whole`, the length of the axis or 0 if it is not periodic, are bits.
#import difference_any

// The difference, or NaN where it is not known to be exact.
fn difference_of(a: vec2<u32>, b: vec2<u32>, whole: vec2<u32>) -> f32 {
    let x = real_from_bits64(a);
    let y = real_from_bits64(b);
    let apart = x.exponent - y.exponent;
    // In units of the finer of both: less than 2^63. A difference of magnitudes is negative where its highest bit is set, and a
    // sum with that bit is not below 2^53.
    let left = shift_left_few(x.mantissa, u32(clamp(apart, 0, 10)));
    let right = shift_left_few(y.mantissa, u32(clamp(-apart, 0, 10)));
    let same_sign = x.negative == y.negative;
    let sum = select(add64(left, right), subtract64(left, right), same_sign);
    let is_below = same_sign && (sum.y & SIGN_BIT) != 0u;
    let magnitude = select(sum, subtract64(vec2(0u), sum), is_below);
    // The highest bit, and its exponent.
    let zeros = leading_zeros64(magnitude);
    let digits = shift_left64(magnitude, zeros);
    let exponent = min(x.exponent, y.exponent) + 63 - i32(zeros);
    // Below 2^53 units it is a number of real64; the result is to be normal, or x - x.
    let is_zero = zeros == 64u;
    let is_exact = abs(apart) <= 10 && magnitude.y < 0x200000u && abs(exponent) <= 126 && (same_sign || !is_zero);
    let is_known = is_exact && !is_above_half(digits, exponent, whole);
    let rest = (digits.y << 24u) | u32(digits.x != 0u);
    let kept = digits.y >> 8u;
    let up = u32(rest + (kept & 1u) > SIGN_BIT);
    // The first of the 24 bits adds 1 to the exponent.
    let bits = ((u32(exponent + 126) << 23u) + kept + up) | select(0u, SIGN_BIT, x.negative != is_below);
    return number_of(select(NAN_BITS, select(bits, 0u, is_zero), is_known));
}

fn is_settled(difference: f32) -> bool {
    return bitcast<u32>(difference) != NAN_BITS;
}

// Whether a number, whose first bit is the highest of `digits`, is above half of a length.
fn is_above_half(digits: vec2<u32>, exponent: i32, whole: vec2<u32>) -> bool {
    if all(whole == vec2(0u)) {
        return false;
    }
    let half = shift_left_few(real_from_bits64(whole).mantissa, 11u);
    let of_half = i32(whole.y >> 20u) - 1024;
    let is_more = digits.y > half.y || (digits.y == half.y && digits.x > half.x);
    return exponent > of_half || (exponent == of_half && is_more);
}

// Of less than 32 bits.
fn shift_left_few(a: vec2<u32>, bits: u32) -> vec2<u32> {
    return vec2(a.x << bits, (a.y << bits) | ((a.x >> 1u) >> (31u - bits)));
}
