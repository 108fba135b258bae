// Makes the records of a range of points before sums: fields, and what depends on the neighbor alone. Rust writes the piece `formula`
// (src/formula/shader.rs).
#import grid_of_workgroups
#import arithmetic
#import summed

const WIDTH = 256u;

// One after the other, each with all components of the range's points.
@group(0) @binding(51) var<storage, read_write> records: array<vec4<Number>>;
@group(0) @binding(54) var<storage, read> fields: array<u32>;

@compute @workgroup_size(WIDTH)
fn columns(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let k = linear(workgroup) * WIDTH + lane;
    if k >= summed.points {
        return;
    }
    let j = summed.first_point + k;
    #import formula_target
}
