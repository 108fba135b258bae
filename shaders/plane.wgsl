// A plane of nodes, each of 32 nodes of the finer plane.
#import zpoint
#import form
#import tree
#import zorder
#import grid_of_workgroups

@group(0) @binding(28) var<storage, read_write> nodes: array<vec4<u32>>;

// A lane for each word of a node: lowest number, lower corners, upper corners, and an idle one.
@compute @workgroup_size(256)
fn plane(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let plane = zorder.plane + 1u;
    let i = (linear(workgroup) * 256u + lane) / 8u;
    let word = lane % 8u;
    if plane >= tree.planes || word == 7u || i >= plane_count(plane) {
        return;
    }
    let node = plane_first(plane) + i;
    let first = plane_first(plane - 1u) + i * LEAF;
    let len = min(plane_count(plane - 1u) - i * LEAF, LEAF);
    if word == 6u {
        var lowest = nodes[2u * first].w;
        for (var k = 1u; k < len; k++) {
            lowest = min(lowest, nodes[2u * (first + k)].w);
        }
        nodes[2u * node].w = lowest;
        return;
    }
    let is_upper = word >= 3u;
    var corner = corner_at(first, word);
    for (var k = 1u; k < len; k++) {
        corner = corner_of(corner, corner_at(first + k, word), is_upper);
    }
    nodes[2u * node + word / 3u][word % 3u] = bitcast<u32>(corner.x);
    if WIDE {
        nodes[2u * (tree.nodes + node) + word / 3u][word % 3u] = bitcast<u32>(corner.y);
    }
}

fn corner_at(node: u32, word: u32) -> vec2<f32> {
    var corner = vec2(bitcast<f32>(nodes[2u * node + word / 3u][word % 3u]), 0.0);
    if WIDE {
        corner.y = bitcast<f32>(nodes[2u * (tree.nodes + node) + word / 3u][word % 3u]);
    }
    return corner;
}

@compute @workgroup_size(1)
fn next_plane() {
    zorder.plane++;
}
