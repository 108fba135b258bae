// Arithmetic of real32 in single words, for numbers of ordinary size: what shared/real.wgsl does of any, some times as fast.
// Signs are left out: of differences only squares are taken.

// mantissa * 2^exponent; the mantissa has 24 bits, or is 0.
struct Words {
    mantissa: u32,
    exponent: i32,
}

// Whether the square of a difference, and sums of such, are neither subnormal nor infinite.
fn are_ordinary(a: Words) -> bool {
    return a.mantissa == 0u || abs(a.exponent + 23) < 60;
}

// Rounds a number that has 31 bits at most, and of what is below them whether there is something, as the lowest bit.
fn words_round(mantissa: u32, exponent: i32) -> Words {
    if mantissa == 0u {
        return Words(0u, 0);
    }
    let zeros = countLeadingZeros(mantissa);
    let whole = mantissa << zeros;
    let rest = whole & 0xffu;
    var rounded = whole >> 8u;
    rounded += u32(rest + (rounded & 1u) > 0x80u);
    // Carried over all bits: a power of 2, which one bit less has as well.
    let carry = rounded >> 24u;
    return Words(rounded >> carry, exponent - i32(zeros) + 8 + i32(carry));
}

// The larger exponent first; 6 bits below its last are enough to round after one bit has cancelled.
fn words_add(large: Words, small: Words, subtract: bool) -> Words {
    let shift = u32(min(large.exponent - small.exponent, 31));
    let shifted = (small.mantissa << 6u) >> shift;
    let aligned = shifted | u32((shifted << shift) != (small.mantissa << 6u));
    let kept = large.mantissa << 6u;
    let sum = select(kept + aligned, select(kept - aligned, aligned - kept, aligned > kept), subtract);
    return words_round(sum, large.exponent - 6);
}

// |a - b| of bits.
fn words_difference(a: u32, b: u32) -> Words {
    let first = words_of(a);
    let second = words_of(b);
    let subtract = ((a ^ b) >> 31u) == 0u;
    if first.exponent < second.exponent {
        return words_add(second, first, subtract);
    }
    return words_add(first, second, subtract);
}

fn words_sum(a: Words, b: Words) -> Words {
    if a.mantissa == 0u {
        return b;
    }
    if b.mantissa == 0u {
        return a;
    }
    if a.exponent < b.exponent {
        return words_add(b, a, false);
    }
    return words_add(a, b, false);
}

fn words_square(a: Words) -> Words {
    // Halves of 12 bits: a * a = (high * high << 24) + (middle << 12) + lowest.
    let high = a.mantissa >> 12u;
    let low = a.mantissa & 0xfffu;
    let lowest = low * low;
    let middle = 2u * high * low + (lowest >> 12u);
    let upper = ((high * high) << 8u) + (middle >> 4u);
    let lost = (middle & 15u) | (lowest & 0xfffu);
    return words_round(upper | u32(lost != 0u), 2 * a.exponent + 16);
}

// Subnormal numbers have the exponent of the least others.
fn words_of(bits: u32) -> Words {
    let biased = (bits >> 23u) & 0xffu;
    return Words((min(biased, 1u) << 23u) | (bits & 0x7fffffu), i32(max(biased, 1u)) - 150);
}

fn words_bits(a: Words) -> u32 {
    return select((u32(a.exponent + 150) << 23u) | (a.mantissa & 0x7fffffu), 0u, a.mantissa == 0u);
}
