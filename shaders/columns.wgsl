// Completes the records of points before sums: coordinates in front, and what depends on the neighbor alone behind the fields. Rust
// writes the piece `formula` (src/formula/shader.rs).
#import params
#import grid_of_workgroups
#import arithmetic
#import coord_words
#import summed

const WIDTH = 256u;

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
