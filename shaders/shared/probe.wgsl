// Which points of a run are neighbors of a point: exactly those that the caller's own arithmetic says.
//
// Differences of fixed-point coordinates near the cutoff are exact integers below 2^24, hence exact in f32; their squares'
// sum errs by far less than the band between `lower` and `upper`, whether the compiler fuses or not. Pairs inside the band are decided by
// the caller's arithmetic done in integers (shared/real.wgsl). docs/proofs/gpu-fixed-point.md has the proof. CPU twins:
// src/grid/fixed.rs, `is_pair` in src/cpu/query.rs.
#import params
#import real
#import coords
#import fixed
#import image
#import scope
#import shape
#import sorted

// d2 in fixed-point units, rounded.
fn distance2(a: vec4<i32>, b: vec4<i32>) -> f32 {
    let d = vec3<f32>(a.xyz - b.xyz);
    return d.x * d.x + d.y * d.y + d.z * d.z;
}

// The row of `mine` lists numbers above this.
fn floor_of_row(mine: vec4<i32>) -> i32 {
    return select(mine.w, -1, params.full == 1u);
}

// Whether the row of `mine`, an image of the point at `place`, lists the point at `other_place`: those in `scope` only.
fn probe(place: u32, scope: u32, mine: vec4<i32>, other_place: u32) -> bool {
    let other = point(other_place);
    let d2 = distance2(mine, other);
    var near = d2 <= params.upper && other.w > floor_of_row(mine) && other_place != place;
    near = near && (scope_from(other_place, scope) & 1u) == 1u;
    if near && (d2 > params.lower || shape.verify == 1u) {
        return settle(mine, other, d2 <= params.lower);
    }
    return near;
}

// `probe` for the places from `first` on up to `end`, 32 at most: a bit for each.
fn probe_block(place: u32, scope: u32, mine: vec4<i32>, first: u32, end: u32) -> u32 {
    let listed = scope_from(first, scope);
    if listed == 0u {
        return 0u;
    }
    let above = floor_of_row(mine);
    let len = min(end - first, 32u);
    var near = 0u;
    var sure = 0u;
    for (var k = 0u; k < len; k++) {
        let other = point(first + k);
        let d2 = distance2(mine, other);
        if d2 <= params.upper && other.w > above {
            near |= 1u << k;
        }
        if d2 <= params.lower {
            sure |= 1u << k;
        }
    }
    near &= listed;
    if place - first < 32u {
        near &= ~(1u << (place - first)); // no point is its own neighbor
    }
    var doubtful = near & ~sure;
    if shape.verify == 1u {
        doubtful = near;
    }
    while doubtful != 0u {
        let k = firstTrailingBit(doubtful);
        doubtful &= doubtful - 1u;
        if !settle(mine, point(first + k), (sure >> k & 1u) == 1u) {
            near &= ~(1u << k);
        }
    }
    return near;
}

// The last word on a pair whose low words are near.
fn settle(mine: vec4<i32>, other: vec4<i32>, is_sure: bool) -> bool {
    if shape.verify == 1u {
        for (var axis = 0u; axis < params.dim; axis++) {
            let a = fixed_coord(u32(mine.w), axis);
            let b = fixed_coord(u32(other.w), axis);
            if !is_near(mine, a, b, axis) {
                return false; // of another cell, far away
            }
            if max(abs(i32(a.y)), abs(i32(b.y))) >= 0x40000000 {
                return is_pair(mine, other); // saturated: nothing is known
            }
        }
        if is_sure {
            return true;
        }
    }
    return is_pair(mine, other);
}

// Whether a number of 64 bits is one of 32 that is negative or not.
fn is_small(a: vec2<u32>) -> bool {
    return i32(a.y) == i32(a.x) >> 31u;
}

// Decides by the caller's arithmetic, as the oracle does.
fn is_pair(mine: vec4<i32>, other: vec4<i32>) -> bool {
    let format = format();
    var d2 = Real();
    for (var axis = 0u; axis < params.dim; axis++) {
        let d = difference(mine, other, axis, format);
        let square = real_multiply(d, d, format);
        if axis == 0u {
            d2 = square;
        } else {
            d2 = real_add(d2, square, format);
        }
    }
    if params.words == 1u {
        return real_at_most(d2, real_from_bits32(params.bound.x));
    }
    return real_at_most(d2, real_from_bits64(params.bound));
}
