// shared/difference.wgsl where axes are periodic: to the nearest image.
#import params
#import real
#import coords

fn difference(i: u32, j: u32, axis: u32, format: Format) -> Real {
    let d = real_subtract(coord(i, axis), coord(j, axis), format);
    if all(period(axis) == vec2(0u)) {
        return d;
    }
    var whole = length_of(axis);
    if real_at_most(d, Real(false, whole.exponent - 1, whole.mantissa)) {
        return d;
    }
    whole.negative = !d.negative;
    return real_add(d, whole, format);
}

// Length of a periodic axis, the caller's number.
fn length_of(axis: u32) -> Real {
    if params.words == 1u {
        return real_from_bits32(params.length_low[axis]);
    }
    return real_from_bits64(vec2(params.length_low[axis], params.length_high[axis]));
}
