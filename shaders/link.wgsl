// Links each leaf to those behind it along the curve, by a workgroup: a walk over the planes from the root to the leaves that are
// near one of its points. A node of one group is linked as a whole where it is near as a whole, and left out where it is linked already.
#import near
#import parents
#import grid_of_workgroups

const MOST_PLANES = 8u;
// Steps of one loop: some devices end loops that take longer.
const STEPS = 32768u;

@group(0) @binding(28) var<storage, read> nodes: array<vec4<u32>>;

// Which nodes are wanted, in three turns: one is cleared while another may still be read.
var<workgroup> wanted: array<atomic<u32>, 3>;
var<private> turn: u32;

// The leaf, whether it is one group, and the first leaf that is not linked to it yet.
var<private> own: Box;
var<private> is_own_one: bool;
var<private> behind: u32;
var<private> own_first: u32;
var<private> own_len: u32;
var<private> limits: Limits;

var<private> mine: Place;
var<private> is_point: bool;
// The lowest of the point's group, as far as this lane knows.
var<private> root: u32;

@compute @workgroup_size(LEAF)
fn link(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let leaf = linear(workgroup, workgroups);
    if leaf >= plane_count(0u) {
        return;
    }
    own = node_at(leaf);
    let united = united_planes(leaf);
    let above = 5u * max(united, 1u) - 5u;
    behind = ((leaf >> above) + 1u) << above;
    is_own_one = own.mark == 1u;
    own_first = leaf * LEAF;
    own_len = min(tree.points - own_first, LEAF);
    is_point = lane < own_len;
    mine = place_at(own_first + min(lane, own_len - 1u));
    limits = limits_at(farthest(own));
    root = mine.number;
    turn = 0u;
    if lane < 3u {
        atomicStore(&wanted[lane], 0u);
    }
    workgroupBarrier();
    walk(lane);
}

fn walk(lane: u32) {
    var plane = tree.planes - 1u;
    var firsts: array<u32, MOST_PLANES>;
    var masks: array<u32, MOST_PLANES>;
    firsts[plane] = 0u;
    masks[plane] = expand(plane, 0u, lane);
    while plane < tree.planes {
        for (var step = 0u; step < STEPS && plane < tree.planes; step++) {
            let mask = masks[plane];
            if mask == 0u {
                plane++;
                continue;
            }
            masks[plane] = mask & (mask - 1u);
            let child = firsts[plane] + firstTrailingBit(mask);
            if plane == 0u {
                visit(child);
            } else {
                plane--;
                firsts[plane] = child * LEAF;
                masks[plane] = expand(plane, child * LEAF, lane);
            }
        }
    }
}

// Which of the 32 nodes of `plane` from `first` on are wanted, a bit each.
fn expand(plane: u32, first: u32, lane: u32) -> u32 {
    turn = (turn + 1u) % 3u;
    if lane == 0u {
        atomicStore(&wanted[(turn + 1u) % 3u], 0u);
    }
    let child = first + lane;
    if child < plane_count(plane) && ((child + 1u) << (5u * plane)) > behind && wants(plane, child) {
        atomicOr(&wanted[turn], 1u << lane);
    }
    workgroupBarrier();
    return atomicLoad(&wanted[turn]);
}

fn wants(plane: u32, child: u32) -> bool {
    let other = node_at(plane_first(plane) + child);
    if measure_gap(own, other) > apart(limits) {
        return false;
    }
    let is_one = select(is_within(other), other.mark == 1u, plane == 0u);
    if is_own_one && is_one && (child << (5u * plane)) >= behind {
        if find(own.lowest) == find(other.lowest) {
            return false;
        }
        if is_within(both(own, other)) {
            unite(own.lowest, other.lowest);
            return false;
        }
    }
    for (var k = 0u; k < own_len; k++) {
        if measure_gap(box_of(place_at(own_first + k)), other) <= apart(limits) {
            return true;
        }
    }
    return false;
}

// The box of two.
fn both(a: Box, b: Box) -> Box {
    var box = a;
    for (var axis = 0u; axis < 3u; axis++) {
        let below = b.lower[axis] < a.lower[axis]
            || (b.lower[axis] == a.lower[axis] && b.lower_low[axis] < a.lower_low[axis]);
        let above = b.upper[axis] > a.upper[axis]
            || (b.upper[axis] == a.upper[axis] && b.upper_low[axis] > a.upper_low[axis]);
        box.lower[axis] = select(a.lower[axis], b.lower[axis], below);
        box.lower_low[axis] = select(a.lower_low[axis], b.lower_low[axis], below);
        box.upper[axis] = select(a.upper[axis], b.upper[axis], above);
        box.upper_low[axis] = select(a.upper_low[axis], b.upper_low[axis], above);
    }
    return box;
}

// Links a lane's point to its friends in a leaf.
fn visit(leaf: u32) {
    let other = node_at(leaf);
    let least = apart(limits);
    if !is_point || measure_gap(box_of(mine), other) > least {
        return;
    }
    let first = leaf * LEAF;
    let len = min(tree.points - first, LEAF);
    var near = 0u;
    for (var k = 0u; k < len; k++) {
        near |= u32(measure(mine, place_at(first + k)) <= least) << k;
    }
    var last = 0xffffffffu;
    while near != 0u {
        let k = firstTrailingBit(near);
        near &= near - 1u;
        let theirs = place_at(first + k);
        if !are_friends(mine, theirs, limits) {
            continue;
        }
        let parent = atomicLoad(&parents[theirs.number]);
        if parent != last {
            root = unite(root, parent);
            last = parent;
        }
        if other.mark == 1u {
            return; // one of them will do
        }
    }
}
