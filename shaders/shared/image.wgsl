// A point has one image, itself, where no axis is periodic.
#import real
#import coords
#import fixed
#import runs

const HAS_IMAGES = false;

// Notes which images run `k` holds.
fn note_image(own: CellsOfBlock, k: u32) {}

// `other`, a candidate of run `k`, about as the block sees it, and just so.
fn moved(other: vec4<i32>, k: u32) -> vec4<i32> {
    return other;
}

fn image(other: vec4<i32>, k: u32) -> vec4<i32> {
    return other;
}

// The difference of two points along an axis, by the caller's arithmetic.
fn difference(mine: vec4<i32>, other: vec4<i32>, axis: u32, format: Format) -> Real {
    return real_subtract(coord(u32(mine.w), axis), coord(u32(other.w), axis), format);
}

// Whether the fixed-point coordinates `a` and `b`, whose low words are near, are near.
fn is_near(other: vec4<i32>, a: vec2<u32>, b: vec2<u32>, axis: u32) -> bool {
    return is_small(subtract64(a, b));
}
