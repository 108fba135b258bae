// The caller's radii, and the cutoff of two points by them. CPU twin: src/radii.rs.
#import params
#import real
#import coords

// By the caller's number, each in as many words as a coordinate.
@group(0) @binding(35) var<storage, read> radii: array<u32>;

// Rules, by the numbers of `RadiusRule` in src/radii.rs.
const GATHER = 0u;
const SCATTER = 1u;
const MAX = 2u;
const MIN = 3u;
const MEAN = 4u;

// The radius of point `i`, the caller's number.
fn radius(i: u32) -> Real {
    if params.words == 1u {
        return real_from_bits32(radii[i]);
    }
    return real_from_bits64(vec2(radii[2u * i], radii[2u * i + 1u]));
}

// The cutoff of points `i` and `j`, of which `i` is the owner, by the caller's arithmetic.
fn cutoff(i: u32, j: u32, format: Format) -> Real {
    let mine = radius(i);
    if params.rule <= SCATTER {
        return mine;
    }
    let other = radius(j);
    if params.rule == MEAN {
        // 1 is 2^(digits - 1) times 2^(1 - digits), and a half has an exponent less.
        let half = Real(false, -i32(format.digits), shift_left64(vec2(1u, 0u), format.digits - 1u));
        return real_multiply(half, real_add(mine, other, format), format);
    }
    if real_at_most(mine, other) == (params.rule == MAX) {
        return other;
    }
    return mine;
}
