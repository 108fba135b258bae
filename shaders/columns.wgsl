// Makes the records of points before sums: coordinates, fields, and what depends on the neighbor alone. The fields wait where hits
// will be. Rust writes the piece `formula` (src/formula/shader.rs).
#import params
#import batch
#import arithmetic
#import coord_words
#import summed

const WIDTH = 256u;

// From the point of the first workgroup on.
@group(0) @binding(16) var<storage, read> fields: array<f32>;
@group(0) @binding(51) var<storage, read_write> records: array<vec4<f32>>;

@compute @workgroup_size(WIDTH)
fn columns(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let j = task(workgroup, workgroups) * WIDTH + lane;
    if j >= params.points {
        return;
    }
    let at = (j - batch.first * WIDTH) * FIELDS;
    #import formula_target
}
