// The last word on which points are neighbors: exactly those that the caller's own arithmetic says.
//
// Differences of fixed-point coordinates near the cutoff are exact integers below 2^24, hence exact in f32; their squares'
// sum errs by far less than the band between `lower` and `upper`, whether the compiler fuses or not. Pairs inside the band are decided by
// the caller's arithmetic done in integers (shared/real.wgsl). docs/proofs/gpu-fixed-point.md has the proof. CPU twins:
// src/grid/quantized.rs, `is_pair` in src/cpu/query.rs.
#import params
#import real
#import coords
#import fixed
#import image
#import shape

// The last word on a pair whose low words are near. `other` is a candidate as the block sees it, and `bound` the exact one.
fn is_neighbor(mine: vec4<i32>, other: vec4<i32>, is_sure: bool, bound: vec2<u32>) -> bool {
    if shape.verify == 1u {
        for (var axis = 0u; axis < params.dim; axis++) {
            let a = fixed_coord(u32(mine.w), axis);
            let b = fixed_coord(u32(other.w), axis);
            if !is_near(other, a, b, axis) {
                return false; // of another cell, far away
            }
            if max(abs(i32(a.y)), abs(i32(b.y))) >= 0x40000000 {
                return is_pair(mine, other, bound); // saturated: nothing is known
            }
        }
        if is_sure {
            return true;
        }
    }
    return is_pair(mine, other, bound);
}

// Decides by the caller's arithmetic, as the oracle does.
fn is_pair(mine: vec4<i32>, other: vec4<i32>, bound: vec2<u32>) -> bool {
    let format = format();
    var d2 = Real();
    for (var axis = 0u; axis < params.dim; axis++) {
        d2 = real_add_square(d2, difference(mine, other, axis, format), axis, format);
    }
    if params.words == 1u {
        return real_at_most(d2, real_from_bits32(bound.x));
    }
    return real_at_most(d2, real_from_bits64(bound));
}
