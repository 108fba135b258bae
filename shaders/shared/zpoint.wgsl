// A coordinate along the curve (shared/zbits.wgsl) in units of 2^unit: its first 24 bits as a real32, the next 24 as another.
// Bits beyond are left out; what is too large for the unit stands at the border, and what is below 2^-100 units at 0.
#import real
#import tree
#import zorder

// Points of a leaf, and nodes of a node.
const LEAF = 32u;

// Coordinates are at most 2^61 units from 0.
const BORDER = 61;

struct Zpoint {
    high: vec3<f32>,
    low: vec3<f32>,
}

// The two words of a coordinate.
fn zcoord(a: Real) -> vec2<f32> {
    let zeros = leading_zeros64(a.mantissa);
    let mantissa = shift_left64(a.mantissa, zeros);
    // The leading bit is 2^place units.
    let place = a.exponent - i32(zeros) + 63 - tree.unit;
    if all(mantissa == vec2(0u)) || place < -100 {
        return vec2(0.0, 0.0);
    }
    var words = vec2(power(place), 0.0);
    if place >= BORDER {
        atomicAdd(&zorder.saturated, 1u);
        words.x = power(BORDER);
    } else {
        words.x = f32(mantissa.y >> 8u) * power(place - 23);
        if place > -79 {
            words.y = f32(shift_left64(mantissa, 24u).y >> 8u) * power(place - 47);
        }
    }
    return select(words, -words, a.negative);
}

// 2^exponent, of a normal number.
fn power(exponent: i32) -> f32 {
    return bitcast<f32>(u32(exponent + 127) << 23u);
}

// The lower of two coordinates, or the upper.
fn corner_of(a: vec2<f32>, b: vec2<f32>, is_upper: bool) -> vec2<f32> {
    let is_below = b.x < a.x || (b.x == a.x && b.y < a.y);
    return select(a, b, is_below != is_upper);
}
