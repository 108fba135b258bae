// Coordinates in fixed point: exact integers, whose differences are exact too, for any origin and extent.
#import params
#import real
#import coords

// Coordinate `axis` of point `i` (the caller's number) as floor(coordinate * 2^shift), low and high word, saturated. Along a
// periodic axis it counts from where that begins, which is a difference modulo 2^64: neither end of it need fit.
fn fixed_coord(i: u32, axis: u32) -> vec2<u32> {
    let c = coord(i, axis);
    if all(period(axis) == vec2(0u)) {
        return real_fixed(c, params.shift);
    }
    return subtract64(real_floor(c, params.shift), vec2(params.origin_low[axis], params.origin_high[axis]));
}

// An order-preserving map from two's complement to unsigned: the high word's sign flipped.
fn biased(value: vec2<u32>) -> vec2<u32> {
    return vec2(value.x, value.y ^ 0x80000000u);
}

fn is_below(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// Whether a number of 64 bits is one of 32 that is negative or not.
fn is_small(a: vec2<u32>) -> bool {
    return i32(a.y) == i32(a.x) >> 31u;
}
