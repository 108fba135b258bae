// Where no axis is periodic, a point has one image: itself.
#import real
#import coords

const HAS_IMAGES = false;

// `mine`, of `cell`, as the candidates of row `k` around it see it.
fn image(mine: vec4<i32>, cell: vec3<u32>, k: u32) -> vec4<i32> {
    return mine;
}

// The difference of two points along an axis, by the caller's arithmetic.
fn difference(mine: vec4<i32>, other: vec4<i32>, axis: u32, format: Format) -> Real {
    return real_subtract(coord(u32(mine.w), axis), coord(u32(other.w), axis), format);
}

// Whether the fixed-point coordinates `a` and `b`, whose low words are near, are near.
fn is_near(mine: vec4<i32>, a: vec2<u32>, b: vec2<u32>, axis: u32) -> bool {
    return is_small(subtract64(a, b));
}
