// Links nodes whose points are all friends at once, a workgroup each, to those after them that are friends of all these: so the
// leaves of a clump know that they are one group before they look at each other's points.
#import near
#import parents
#import behind
#import batch

@group(0) @binding(28) var<storage, read> nodes: array<vec4<u32>>;

var<private> own: Box;
var<private> limits: Limits;

@compute @workgroup_size(LEAF)
fn link_node(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let node = task(workgroup);
    if node >= tree.nodes {
        return;
    }
    var plane = 0u;
    while plane + 1u < tree.planes && node >= plane_first(plane + 1u) {
        plane++;
    }
    let k = node - plane_first(plane);
    own = node_at(node);
    var is_whole = is_within(own);
    if is_whole && plane + 1u < tree.planes {
        is_whole = !is_within(node_at(plane_first(plane + 1u) + k / LEAF));
    }
    if !is_whole {
        return; // or only a part of one
    }
    behind = (k + 1u) << (5u * plane);
    limits = limits_at(farthest(own));
    walk(lane); // of nodes alone, which are few
}

fn wants(plane: u32, child: u32) -> bool {
    let other = node_at(plane_first(plane) + child);
    if measure_gap(own, other, true) > apart(limits) {
        return false;
    }
    if (child << (5u * plane)) >= behind && is_within(other) {
        if is_within(both(own, other)) {
            unite(own.lowest, other.lowest);
        }
        return false;
    }
    return plane > 0u;
}

fn visit(leaf: u32) {}
