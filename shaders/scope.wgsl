// The class of each point in cell order, behind the cells, four a word; and behind these what rows of each class list.
#import params
#import classes
#import sorted
#import grid_of_workgroups

const WIDTH = 256u;

@group(0) @binding(8) var<storage, read_write> cells: array<u32>;

@compute @workgroup_size(WIDTH)
fn scope(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let all = linear(workgroup, workgroups) * WIDTH + lane;
    if all < 128u {
        let at = params.points + (params.points + 3u) / 4u + 4u * all;
        for (var k = 0u; k < 4u; k++) {
            cells[at + k] = classes.scopes[all][k];
        }
    }
    let first = 4u * (linear(workgroup, workgroups) * WIDTH + lane);
    if first >= params.points {
        return;
    }
    var four = 0u;
    for (var k = 0u; k < min(4u, params.points - first); k++) {
        let i = u32(point(first + k).w);
        four |= (classes.of_points[i / 4u] >> (8u * (i % 4u)) & 0xffu) << (8u * k);
    }
    cells[params.points + first / 4u] = four;
}
