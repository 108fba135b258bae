// Products and sums in real64 that wait for nothing but each other, to be timed. Rust: src/gpu/real64_rate.rs.
#import arithmetic
#import grid_of_workgroups

const WIDTH = 64u;
const STEPS = 1024u;

@group(0) @binding(51) var<storage, read_write> records: array<vec2<u32>>;

@compute @workgroup_size(WIDTH)
fn real64_rate(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let at = linear(workgroup) * WIDTH + lane;
    if at >= arrayLength(&records) {
        return;
    }
    let first = double(records[at]);
    var a = first;
    var b = -first;
    var c = first + 1.0lf;
    var d = first - 1.0lf;
    for (var step = 0u; step < STEPS; step++) {
        a = a * 0.5lf + first;
        b = b * 0.5lf + first;
        c = c * 0.5lf + first;
        d = d * 0.5lf + first;
    }
    let sum = (a + b) + (c + d);
    records[at] = vec2(low_word(sum), high_word(sum));
}
