// Makes the records of points before sums: coordinates, fields, and what depends on the neighbor alone. Rust writes the piece `formula`
// (src/formula/shader.rs).
#import params
#import grid_of_workgroups
#import arithmetic
#import coord_words
#import summed

const WIDTH = 256u;

// One after the other, each with all components of all points.
@group(0) @binding(16) var<storage, read> fields: array<f32>;
@group(0) @binding(51) var<storage, read_write> records: array<vec4<f32>>;

@compute @workgroup_size(WIDTH)
fn columns(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let j = linear(workgroup, workgroups) * WIDTH + lane;
    if j >= params.points {
        return;
    }
    #import formula_target
}
