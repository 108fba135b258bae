// A question for a sum. Rust twin: `Summed` in src/gpu/sum.rs.
#import formula

struct Summed {
    // The first point that has a row, and how many have.
    first_row: u32,
    rows: u32,
    // 1: a point is a neighbor of itself.
    with_self: u32,
    // The sign bit of a number: shared/arithmetic.wgsl says why it is not a constant.
    sign_bit: u32,
    // The points whose fields there are while records are made: the first, and how many.
    first_point: u32,
    points: u32,
    // Those of a chunk, by radii.
    first_listed: u32,
    listed: u32,
    // The place of their ids, relative to which the chunk has them.
    start: u32,
    // Neighbors of each row that were summed over before.
    done: u32,
    // Workgroups that share the points, for statements of each point.
    shares: u32,
    // Data that is the same for all pairs.
    uniforms: array<vec4<Number>, UNIFORMS>,
    // Of those that pairs divide by, what `divide_by` takes.
    divisors: array<vec4<Number>, DIVISORS>,
}

@group(0) @binding(52) var<uniform> summed: Summed;

fn sign_bit() -> u32 {
    return summed.sign_bit;
}
