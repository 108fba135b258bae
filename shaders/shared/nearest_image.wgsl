// Differences along periodic axes by the caller's arithmetic.
#import params
#import real

// Length of a periodic axis, the caller's number.
fn length_of(axis: u32) -> Real {
    if params.words == 1u {
        return real_from_bits32(params.length_low[axis]);
    }
    return real_from_bits64(vec2(params.length_low[axis], params.length_high[axis]));
}

// A difference of two coordinates becomes that to the nearest image.
fn to_nearest_image(d: Real, axis: u32, format: Format) -> Real {
    return to_image(d, length_of(axis), format);
}

// The same by the length of the axis.
fn to_image(d: Real, length: Real, format: Format) -> Real {
    var whole = length;
    if all(whole.mantissa == vec2(0u)) || real_at_most(d, Real(false, whole.exponent - 1, whole.mantissa)) {
        return d;
    }
    whole.negative = !d.negative;
    return real_add(d, whole, format);
}
