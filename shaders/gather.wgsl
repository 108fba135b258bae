// Brings the points into the order of the curve, and makes the leaves.
#import zbits
#import zpoint
#import entries
#import form
#import place_zpoint
#import grid_of_workgroups

const WIDTH = 256u;
const LEAVES = WIDTH / LEAF;

@group(0) @binding(28) var<storage, read_write> nodes: array<vec4<u32>>;

// Coordinates of the workgroup's points, axis after axis, and their second words.
var<workgroup> high: array<f32, 3u * WIDTH>;
var<workgroup> low: array<f32, 3u * WIDTH>;
var<workgroup> numbers: array<u32, WIDTH>;

@compute @workgroup_size(WIDTH)
fn gather(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let base = linear(workgroup) * WIDTH;
    let i = base + lane;
    if i < tree.points {
        let number = entries[i].y;
        var point: Zpoint;
        for (var axis = 0u; axis < params.dim; axis++) {
            let c = zcoord(curve_coord(tree.first + number, axis));
            point.high[axis] = c.x;
            point.low[axis] = c.y;
        }
        place_zpoint(i, vec4(bitcast<vec3<u32>>(point.high), number));
        if WIDE {
            place_zpoint(tree.places + i, vec4(bitcast<vec3<u32>>(point.low), 0u));
        }
        for (var axis = 0u; axis < 3u; axis++) {
            high[axis * WIDTH + lane] = point.high[axis];
            low[axis * WIDTH + lane] = point.low[axis];
        }
        numbers[lane] = number;
    } else if i < tree.places {
        place_zpoint(i, vec4(0u));
        if WIDE {
            place_zpoint(tree.places + i, vec4(0u));
        }
    }
    workgroupBarrier();
    // A lane for each leaf and word of its node.
    let leaf = lane % LEAVES;
    let word = lane / LEAVES;
    let node = base / LEAF + leaf;
    if word < 7u && node < plane_count(0u) {
        make_word(leaf * LEAF, min(tree.points - node * LEAF, LEAF), node, word);
    }
}

// A word of the node of the points from `first` on: the lowest number, lower corners, upper corners.
fn make_word(first: u32, len: u32, node: u32, word: u32) {
    if word == 6u {
        var lowest = numbers[first];
        for (var k = 1u; k < len; k++) {
            lowest = min(lowest, numbers[first + k]);
        }
        nodes[2u * node].w = lowest;
        return;
    }
    let axis = (word % 3u) * WIDTH;
    let is_upper = word >= 3u;
    var corner = vec2(high[axis + first], low[axis + first]);
    for (var k = 1u; k < len; k++) {
        corner = corner_of(corner, vec2(high[axis + first + k], low[axis + first + k]), is_upper);
    }
    nodes[2u * node + word / 3u][word % 3u] = bitcast<u32>(corner.x);
    if WIDE {
        nodes[2u * (tree.nodes + node) + word / 3u][word % 3u] = bitcast<u32>(corner.y);
    }
}
