// Coordinates in fixed point: exact integers, whose differences are exact too, for any origin and extent.
#import params
#import real
#import coords

// Coordinate `axis` of point `i` (the caller's number) as floor(coordinate * 2^shift), low and high word, saturated.
fn fixed_coord(i: u32, axis: u32) -> vec2<u32> {
    return real_fixed(coord(i, axis), params.shift);
}

// An order-preserving map from two's complement to unsigned: the high word's sign flipped.
fn biased(value: vec2<u32>) -> vec2<u32> {
    return vec2(value.x, value.y ^ 0x80000000u);
}

fn is_below(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}
