// Operations on triples of numbers and of numbers in real64, for the test of a device's arithmetic. Rust twin: src/gpu/arithmetic.rs.
#import arithmetic
#import trigonometric
#import wide_exponential
#import error_function
#import difference
#import difference_any
#import grid_of_workgroups

const WIDTH = 64u;
// Words that are given, and results of them.
const GIVEN = 9u;
const RESULTS = 25u;

@group(0) @binding(51) var<storage, read_write> records: array<f32>;

// The first number is -0.
fn sign_bit() -> u32 {
    return bitcast<u32>(records[0]);
}

@compute @workgroup_size(WIDTH)
fn arithmetic(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let at = 1u + (linear(workgroup) * WIDTH + lane) * (GIVEN + RESULTS);
    if at + GIVEN + RESULTS > arrayLength(&records) {
        return;
    }
    let a = records[at];
    let b = records[at + 1u];
    let c = records[at + 2u];
    let to = at + GIVEN;
    records[to] = a + b;
    records[to + 1u] = a - b;
    records[to + 2u] = a * b;
    records[to + 3u] = a * b + c;
    records[to + 4u] = a + b * c - a * c;
    records[to + 5u] = divide(a, b);
    records[to + 6u] = square_root(a);
    records[to + 7u] = floor(a);
    records[to + 8u] = exponential(a);
    records[to + 9u] = logarithm(a);
    records[to + 10u] = power(a, b);
    records[to + 11u] = select(b, a, is_less(a, b));
    records[to + 12u] = select(0.0, 1.0, is_equal(a, b)) + 2.0 * sign_of(a);
    records[to + 13u] = magnitude_of(b);
    records[to + 14u] = negated(c);
    records[to + 15u] = divide_by(a, divisor_of(b));
    records[to + 16u] = sine(a);
    records[to + 17u] = cosine(a);
    records[to + 18u] = tangent(a);
    records[to + 19u] = hyperbolic_tangent(a);
    records[to + 20u] = angle_of(a, b);
    records[to + 21u] = error_function(a);
    records[to + 22u] = complementary_error(a);
    records[to + 23u] = settled(wide(at + 3u), wide(at + 5u), vec2(0u));
    records[to + 24u] = settled(wide(at + 3u), wide(at + 5u), wide(at + 7u));
}

fn settled(a: vec2<u32>, b: vec2<u32>, whole: vec2<u32>) -> f32 {
    let difference = difference_of(a, b, whole);
    if is_settled(difference) {
        return difference;
    }
    return difference_of_any(a, b, whole);
}

// The bits of a number in real64.
fn wide(at: u32) -> vec2<u32> {
    return vec2(bitcast<u32>(records[at]), bitcast<u32>(records[at + 1u]));
}
