// Computes what is known of numbers in real64, to be compared with the CPU. Rust: src/gpu/arithmetic.rs.
#import arithmetic
#import exponential_real64
#import difference
#import grid_of_workgroups

const WIDTH = 64u;
// Numbers that are given, and results of them.
const GIVEN = 3u;
const RESULTS = 19u;

@group(0) @binding(51) var<storage, read_write> records: array<vec2<u32>>;

@compute @workgroup_size(WIDTH)
fn arithmetic(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let at = (linear(workgroup) * WIDTH + lane) * (GIVEN + RESULTS);
    if at + GIVEN + RESULTS > arrayLength(&records) {
        return;
    }
    let a = double(records[at]);
    let b = double(records[at + 1u]);
    let c = double(records[at + 2u]);
    let to = at + GIVEN;
    put(to, a + b);
    put(to + 1u, a - b);
    put(to + 2u, a * b);
    put(to + 3u, a * b + c);
    put(to + 4u, a + b * c - a * c);
    put(to + 5u, divide(a, b));
    put(to + 6u, square_root(a));
    put(to + 7u, floor(a));
    put(to + 8u, select(b, a, is_less(a, b)));
    put(to + 9u, select(0.0lf, 1.0lf, is_equal(a, b)) + 2.0lf * sign_of(a));
    put(to + 10u, magnitude_of(b));
    put(to + 11u, negated(c));
    put(to + 12u, double_of(single_of(a)));
    put(to + 13u, difference_of(records[at], records[at + 1u], vec2(0u)));
    put(to + 14u, difference_of(records[at], records[at + 1u], records[at + 2u]));
    put(to + 15u, exponential(a));
    put(to + 16u, logarithm(a));
    put(to + 17u, power(a, b));
    put(to + 18u, power(magnitude_of(a), c));
}

fn put(at: u32, number: f64) {
    records[at] = vec2(low_word(number), high_word(number));
}
