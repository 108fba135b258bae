// A coordinate along the curve (shared/zbits.wgsl) in units of 2^unit: its first 24 bits as a real32, the next 24 as another.
// Bits beyond are left out; what is below 2^-100 units is 0, and what is too large for the unit is brought nearer (`beyond`).
#import real
#import tree
#import zorder

// Points of a leaf, and nodes of a node.
const LEAF = 32u;

// From 2^60 units on coordinates are brought nearer, to less than 2^61.
const BORDER = 60;

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
        words = beyond(u32(place - BORDER), mantissa);
    } else {
        words.x = f32(mantissa.y >> 8u) * power(place - 23);
        if place > -79 {
            words.y = f32(shift_left64(mantissa, 24u).y >> 8u) * power(place - 47);
        }
    }
    return select(words, -words, a.negative);
}

// A coordinate of 2^(60 + octave) units or more, whose leading bit is that of `mantissa`. Each octave, however long, gets 2^49 units. So
// coordinates keep their order, those of different octaves differ, and no two are farther apart than before.
fn beyond(octave: u32, mantissa: vec2<u32>) -> vec2<f32> {
    let high = 0x800000u + (octave << 12u) + ((mantissa.y >> 19u) & 0xfffu);
    return vec2(f32(high) * power(37), f32(shift_left64(mantissa, 13u).y >> 8u) * power(13));
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
