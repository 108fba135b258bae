// The groups within each leaf, a lane a point; those of a coarser node whose points are all friends at once.
#import near
#import groups
#import batch

@group(0) @binding(28) var<storage, read_write> nodes: array<vec4<u32>>;
@group(0) @binding(40) var<storage, read_write> parents: array<u32>;

// Doubling what points reach as often makes it all of 32.
const ROUNDS = 5u;

var<workgroup> numbers: array<u32, LEAF>;
// The points that each point reaches, a bit each.
var<workgroup> reached: array<u32, LEAF>;
var<workgroup> links: atomic<u32>;

@compute @workgroup_size(LEAF)
fn link_leaf(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let leaf = task(workgroup);
    if leaf >= plane_count(0u) {
        return;
    }
    if lane == 0u {
        groups.next[leaf] = 0u;
    }
    let first = leaf * LEAF;
    let len = min(tree.points - first, LEAF);
    let is_point = lane < len;
    let number = zpoint(first + min(lane, len - 1u)).w;
    let united = united_planes(leaf);
    if united > 0u {
        let above = united - 1u;
        if is_point {
            parents[number] = nodes[2u * (plane_first(above) + (leaf >> (5u * above)))].w;
        }
        if lane == 0u {
            nodes[2u * leaf + 1u].w = 1u;
        }
        return;
    }
    numbers[lane] = number;
    if lane == 0u {
        atomicStore(&links, 0u);
    }
    var mine = 0u;
    if is_point {
        mine = friends(first, len, lane) | (1u << lane);
    }
    reached[lane] = mine;
    workgroupBarrier();
    atomicMax(&links, mine & (mine - 1u)); // 0 for one bit
    workgroupBarrier();
    if atomicLoad(&links) > 0u {
        for (var round = 0u; round < ROUNDS; round++) {
            mine = beyond(mine);
            workgroupBarrier();
            reached[lane] = mine;
            workgroupBarrier();
        }
    }
    if is_point {
        parents[number] = lowest(mine);
    }
    if lane == 0u {
        nodes[2u * leaf + 1u].w = u32(countOneBits(mine) == len);
    }
}

// The friends of a point among the points of a leaf.
fn friends(first: u32, len: u32, lane: u32) -> u32 {
    let mine = place_at(first + lane);
    let limits = limits_at(farthest(box_of(mine)));
    let least = apart(limits);
    let direct = is_direct(node_at(first / LEAF));
    var near = 0u;
    for (var k = 0u; k < len; k++) {
        near |= u32(measure(mine, place_at(first + k), direct) <= least) << k;
    }
    near &= ~(1u << lane);
    var found = 0u;
    while near != 0u {
        let k = firstTrailingBit(near);
        near &= near - 1u;
        found |= u32(are_friends(mine, place_at(first + k), limits)) << k;
    }
    return found;
}

// All that those reached reach.
fn beyond(mine: u32) -> u32 {
    var all = mine;
    var left = mine;
    while left != 0u {
        all |= reached[firstTrailingBit(left)];
        left &= left - 1u;
    }
    return all;
}

fn lowest(mine: u32) -> u32 {
    var number = 0xffffffffu;
    var left = mine;
    while left != 0u {
        number = min(number, numbers[firstTrailingBit(left)]);
        left &= left - 1u;
    }
    return number;
}
