// A difference of coordinates in real64, to the nearest image and rounded to real32, of any two finite numbers.
#import arithmetic
#import real
#import nearest_image

// `a`, `b` and `whole`, the length of the axis or 0 if it is not periodic, are bits.
fn difference_of_any(a: vec2<u32>, b: vec2<u32>, whole: vec2<u32>) -> f32 {
    if all(a == b) {
        return 0.0; // frequent on lattices
    }
    let open = real_subtract(real_from_bits64(a), real_from_bits64(b), REAL64);
    return rounded_to_single(to_image(open, real_from_bits64(whole), REAL64));
}

// A number in real64, rounded to real32.
fn rounded_to_single(wide: Real) -> f32 {
    let single = real_round(wide.negative, wide.exponent, wide.mantissa, REAL32);
    var bits = single.mantissa.x & FRACTION;
    if (single.mantissa.x & HIDDEN_BIT) != 0u {
        bits |= u32(single.exponent + 150) << 23u;
    }
    if single.exponent == INFINITE {
        bits = INFINITY_BITS;
    }
    return number_of(bits | select(0u, SIGN_BIT, single.negative));
}
