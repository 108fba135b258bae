// IEEE 754 binary32 and binary64 in integers only, for pairs that must be decided bit for bit as a scalar loop on a CPU
// decides them: round to nearest even, gradual underflow, overflow to infinity. A device may lack f64, fuse a product
// with a sum or flush subnormals; none of that reaches integers.
//
// Method: every operation makes its result as 64 bits of which the lowest is "jammed", set if anything below it was lost,
// and rounds that once. Alignment and jamming are those of J. Hauser's Berkeley SoftFloat.
//
// 64-bit numbers are vec2<u32>: (low, high).

// value = (-1)^negative * mantissa * 2^exponent, in the one form in which its format stores it: the mantissa has
// `digits` bits, or fewer and the exponent is `least` (subnormals and zero). Infinity is INFINITE with mantissa 1;
// there is no NaN: infinity minus infinity and zero times infinity have no meaning here.
struct Real {
    negative: bool,
    exponent: i32,
    mantissa: vec2<u32>,
}

// Bits of the mantissa, and exponents of the last one: of subnormals and of the largest finite number.
struct Format {
    digits: u32,
    least: i32,
    most: i32,
}

const REAL32 = Format(24u, -149, 104);
const REAL64 = Format(53u, -1074, 971);

// So far above every `most` that an infinite operand gives a result that overflows to infinity again.
const INFINITE = 1i << 28u;

// Zeros below mantissas that are added: enough to round after one bit has cancelled, and 53 + 10 leave a bit for a carry.
const GUARD = 10u;

// Finite numbers only.
fn real_from_bits32(bits: u32) -> Real {
    let biased = (bits >> 23u) & 0xffu;
    let hidden = min(biased, 1u) << 23u;
    return Real((bits >> 31u) != 0u, i32(max(biased, 1u)) - 150, vec2(hidden | (bits & 0x7fffffu), 0u));
}

// Finite numbers only.
fn real_from_bits64(bits: vec2<u32>) -> Real {
    let biased = (bits.y >> 20u) & 0x7ffu;
    let hidden = min(biased, 1u) << 20u;
    return Real((bits.y >> 31u) != 0u, i32(max(biased, 1u)) - 1075, vec2(bits.x, hidden | (bits.y & 0xfffffu)));
}

fn real_subtract(a: Real, b: Real, format: Format) -> Real {
    return real_add(a, Real(!b.negative, b.exponent, b.mantissa), format);
}

fn real_add(a: Real, b: Real, format: Format) -> Real {
    var large = a;
    var small = b;
    if real_at_most(a, b) {
        large = b;
        small = a;
    }
    let kept = shift_left64(large.mantissa, GUARD);
    let aligned = shift_right_jam64(shift_left64(small.mantissa, GUARD), u32(large.exponent - small.exponent));
    let same_sign = a.negative == b.negative;
    let sum = select(subtract64(kept, aligned), add64(kept, aligned), same_sign);
    // x - x is +0, but -0 - 0 is -0.
    let negative = large.negative && (same_sign || any(sum != vec2(0u)));
    return real_round(negative, large.exponent - i32(GUARD), sum, format);
}

fn real_multiply(a: Real, b: Real, format: Format) -> Real {
    // Leading bits at the top, also those of subnormals: the upper half of the product then has 63 or 64 bits.
    let a_zeros = leading_zeros64(a.mantissa);
    let b_zeros = leading_zeros64(b.mantissa);
    let product = multiply_jam64(shift_left64(a.mantissa, a_zeros), shift_left64(b.mantissa, b_zeros));
    let exponent = a.exponent + b.exponent + 64 - i32(a_zeros + b_zeros);
    return real_round(a.negative != b.negative, exponent, product, format);
}

// The sum of squares of differences along axes up to this one: `before`, that of the axes before, and the square of `d`.
fn real_add_square(before: Real, d: Real, axis: u32, format: Format) -> Real {
    let square = real_multiply(d, d, format);
    if axis == 0u {
        return square;
    }
    return real_add(before, square, format);
}

// |a| <= |b|, for two numbers of one format; infinity is allowed.
fn real_at_most(a: Real, b: Real) -> bool {
    if a.exponent != b.exponent {
        return a.exponent < b.exponent;
    }
    if a.mantissa.y != b.mantissa.y {
        return a.mantissa.y < b.mantissa.y;
    }
    return a.mantissa.x <= b.mantissa.x;
}

// floor(a * 2^shift) in two's complement, saturated to [-(2^62), 2^62]: differences of two never overflow.
fn real_fixed(a: Real, shift: i32) -> vec2<u32> {
    let exponent = a.exponent + shift;
    if any(a.mantissa != vec2(0u)) && exponent > i32(leading_zeros64(a.mantissa)) - 2 {
        return vec2(0u, select(0x40000000u, 0xc0000000u, a.negative));
    }
    return real_floor(a, shift);
}

// floor(a * 2^shift) in two's complement, modulo 2^64.
fn real_floor(a: Real, shift: i32) -> vec2<u32> {
    if all(a.mantissa == vec2(0u)) {
        return vec2(0u);
    }
    let exponent = a.exponent + shift;
    // floor(-m / 2^n) = ~((m - 1) >> n)
    let scaled = shift_left64(a.mantissa, u32(max(exponent, 0)));
    let lowered = subtract64(scaled, vec2(u32(a.negative), 0u));
    let floored = shift_right64(lowered, u32(max(-exponent, 0)));
    return select(floored, ~floored, a.negative);
}

// Rounds mantissa * 2^exponent; a jammed mantissa needs two bits more than the format.
fn real_round(negative: bool, exponent: i32, mantissa: vec2<u32>, format: Format) -> Real {
    if all(mantissa == vec2(0u)) {
        return Real(negative, format.least, mantissa);
    }
    let zeros = leading_zeros64(mantissa);
    let lowest = exponent - i32(zeros);
    var unit = max(lowest + 64 - i32(format.digits), format.least);
    // In quarters of the unit, whose last bits are half a unit and the jam: up if above half, or half and odd.
    let quarters = shift_right_jam64(shift_left64(mantissa, zeros), u32(unit - lowest) - 2u);
    let odd = (quarters.x >> 2u) & 1u;
    let up = u32((quarters.x & 3u) + odd > 2u);
    var rounded = add64(shift_right64(quarters, 2u), vec2(up, 0u));
    if any(shift_right64(rounded, format.digits) != vec2(0u)) {
        rounded = shift_right64(rounded, 1u);
        unit += 1;
    }
    if unit > format.most {
        return Real(negative, INFINITE, vec2(1u, 0u));
    }
    return Real(negative, unit, rounded);
}

// The upper 64 bits of the 128 of a product, the lower ones jammed.
fn multiply_jam64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let lowest = multiply_wide(a.x, b.x);
    let cross = multiply_wide(a.x, b.y);
    let other = multiply_wide(a.y, b.x);
    // Never carries out: (2^32 - 1)^2 + 2 * (2^32 - 1) < 2^64.
    let middle = add64(add64(cross, vec2(lowest.y, 0u)), vec2(other.x, 0u));
    let upper = add64(add64(multiply_wide(a.y, b.y), vec2(other.y, 0u)), vec2(middle.y, 0u));
    return upper | vec2(u32((lowest.x | middle.x) != 0u), 0u);
}

// All 64 bits of a product.
fn multiply_wide(a: u32, b: u32) -> vec2<u32> {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    // The same columns as above, in halves of words.
    let cross = a_high * b_low + ((a_low * b_low) >> 16u);
    let middle = a_low * b_high + (cross & 0xffffu);
    return vec2(a * b, a_high * b_high + (cross >> 16u) + (middle >> 16u));
}

fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + u32(low < a.x));
}

fn subtract64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}

// Zero from 64 bits on. WGSL takes the lower five bits of an amount only, hence the cases, and two steps for 32 - bits.
fn shift_left64(a: vec2<u32>, bits: u32) -> vec2<u32> {
    if bits >= 64u {
        return vec2(0u);
    }
    if bits >= 32u {
        return vec2(0u, a.x << (bits - 32u));
    }
    return vec2(a.x << bits, (a.y << bits) | ((a.x >> 1u) >> (31u - bits)));
}

fn shift_right64(a: vec2<u32>, bits: u32) -> vec2<u32> {
    if bits >= 64u {
        return vec2(0u);
    }
    if bits >= 32u {
        return vec2(a.y >> (bits - 32u), 0u);
    }
    return vec2((a.x >> bits) | ((a.y << 1u) << (31u - bits)), a.y >> bits);
}

// The lowest bit is also set if a set bit is shifted out.
fn shift_right_jam64(a: vec2<u32>, bits: u32) -> vec2<u32> {
    let shifted = shift_right64(a, bits);
    let lost = any(shift_left64(shifted, bits) != a);
    return shifted | vec2(u32(lost), 0u);
}

// 64 for zero.
fn leading_zeros64(a: vec2<u32>) -> u32 {
    return select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u);
}
