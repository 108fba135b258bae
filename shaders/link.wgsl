// Links each leaf to those after it along the curve, by a workgroup: a walk over the planes from the root to the leaves that are
// near one of its points. A node of one group is linked as a whole where it is near as a whole, and left out where it is linked already.
// A walk to more leaves than a device lets an invocation see is continued by the next dispatch.
#import near
#import parents
#import groups
#import behind
#import batch

@group(0) @binding(28) var<storage, read> nodes: array<vec4<u32>>;

// The leaf, and whether it is one group.
var<private> own: Box;
var<private> is_own_one: bool;
var<private> own_first: u32;
var<private> own_len: u32;
var<private> limits: Limits;

var<private> mine: Place;
var<private> is_point: bool;
// The lowest of the point's group, as far as this lane knows.
var<private> root: u32;

@compute @workgroup_size(LEAF)
fn link(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let leaf = task(workgroup);
    if leaf >= plane_count(0u) {
        return;
    }
    let next = hand(groups.next[leaf], lane);
    if next == FINISHED {
        return;
    }
    own = node_at(leaf);
    let united = united_planes(leaf);
    let above = 5u * max(united, 1u) - 5u;
    behind = max(((leaf >> above) + 1u) << above, next);
    is_own_one = own.mark == 1u;
    own_first = leaf * LEAF;
    own_len = min(tree.points - own_first, LEAF);
    is_point = lane < own_len;
    mine = place_at(own_first + min(lane, own_len - 1u));
    limits = limits_at(farthest(own));
    root = mine.number;
    let rest = walk(lane);
    if lane == 0u {
        groups.next[leaf] = rest;
        if rest != FINISHED {
            atomicAdd(&groups.unfinished, 1u);
        }
    }
}

fn wants(plane: u32, child: u32) -> bool {
    let other = node_at(plane_first(plane) + child);
    if measure_gap(own, other, false) > apart(limits) {
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
    if plane == 0u && !is_one {
        return true; // its visit asks each point
    }
    // Of one group, it is wanted by points of others only: a leaf of two clumps would see all leaves of both.
    var their_root = 0xffffffffu;
    if is_one {
        their_root = find(other.lowest);
    }
    let direct = is_direct(both(own, other));
    for (var k = 0u; k < own_len; k++) {
        let place = place_at(own_first + k);
        if measure_gap(box_of(place), other, direct) <= apart(limits) && (!is_one || find(place.number) != their_root) {
            return true;
        }
    }
    return false;
}

// Links a lane's point to its friends in a leaf.
fn visit(leaf: u32) {
    let other = node_at(leaf);
    let least = apart(limits);
    let direct = is_direct(both(own, other));
    if !is_point || measure_gap(box_of(mine), other, direct) > least {
        return;
    }
    let first = leaf * LEAF;
    let len = min(tree.points - first, LEAF);
    var near = 0u;
    for (var k = 0u; k < len; k++) {
        near |= u32(measure(mine, place_at(first + k), direct) <= least) << k;
    }
    if near != 0u {
        root = find(root);
    }
    var last = root;
    while near != 0u {
        let k = firstTrailingBit(near);
        near &= near - 1u;
        let theirs = place_at(first + k);
        let parent = atomicLoad(&parents[theirs.number]);
        let is_linked = parent == root || parent == last;
        if !is_linked && are_friends(mine, theirs, limits) {
            root = unite(root, parent);
            last = parent;
        }
        if other.mark == 1u && (is_linked || last == parent) {
            return; // one of them will do
        }
    }
}
