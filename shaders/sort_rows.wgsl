// Sorts short rows that are where they belong, but in any order, by the ranks of their ids: a workgroup a few rows, one after another.
// CPU twin: src/cpu/sorted.rs.
#import params
#import chunk
#import rows
#import batch

const WIDTH = 32u;
// Rows of a workgroup: `SORT_BLOCK` in src/gpu/radii.rs.
const ROWS = 8u;

@group(0) @binding(15) var<storage, read_write> ids: array<u32>;

// A row's ids, padded with the largest number to whole vectors.
var<workgroup> found: array<vec4<u32>, SHORT / 4u>;

@compute @workgroup_size(WIDTH)
fn sort_rows(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let first = task(workgroup) * ROWS;
    for (var i = first; i < min(first + ROWS, params.points); i++) {
        let start = row_start(i);
        var length = row_length(i);
        if length > SHORT || !is_in_chunk(i) {
            length = 0u;
        }
        let vectors = (length + 3u) / 4u;
        workgroupBarrier();
        for (var k = lane; k < 4u * vectors; k += WIDTH) {
            var id = 0xffffffffu;
            if k < length {
                id = ids[start + k];
            }
            found[k / 4u][k % 4u] = id;
        }
        workgroupBarrier();
        for (var k = lane; k < length; k += WIDTH) {
            let id = found[k / 4u][k % 4u];
            var smaller = vec4<u32>();
            for (var v = 0u; v < vectors; v++) {
                smaller += select(vec4(0u), vec4(1u), found[v] < vec4(id));
            }
            ids[start + smaller.x + smaller.y + smaller.z + smaller.w] = id;
        }
    }
}
