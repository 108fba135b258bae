// The nodes above the leaves, a workgroup each, all planes at once: every node is made of the leaves below it.
#import params
#import real
#import fixed
#import extent_of_lanes
#import radii_of_lanes
#import nodes_made
#import grid_of_workgroups

const WIDTH = 128u;

@compute @workgroup_size(WIDTH)
fn planes(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let leaves = plane_start(1u);
    let number = leaves + linear(workgroup);
    if number >= plane_start(params.top + 1u) {
        return;
    }
    var plane = 1u;
    while number >= plane_start(plane + 1u) {
        plane++;
    }
    let below = number - plane_start(plane);
    let first = below << (5u * plane);
    let end = min((below + 1u) << (5u * plane), leaves);
    var all = Node();
    all.least = 3.0e38;
    for (var leaf = first + lane; leaf < end; leaf += WIDTH) {
        let one = node(leaf);
        all.most = max(all.most, one.most);
        all.least = min(all.least, one.least);
        all.is_vague |= one.is_vague;
    }
    largest[lane] = all.most;
    smallest[lane] = all.least;
    vague[lane] = all.is_vague;
    for (var axis = 0u; axis < params.dim; axis++) {
        var low = vec2(0xffffffffu);
        var high = vec2(0u);
        for (var leaf = first + lane; leaf < end; leaf += WIDTH) {
            let one = node(leaf);
            let corner = vec2(one.corner.low[axis], one.corner.high[axis]);
            let opposite = biased(add64(corner, whole(one.size[axis])));
            low = lower(low, biased(corner));
            high = higher(high, opposite);
        }
        lowest[lane] = low;
        highest[lane] = high;
        gather_extent(lane, WIDTH);
        let corner = biased(lowest[0]);
        all.corner.low[axis] = corner.x;
        all.corner.high[axis] = corner.y;
        all.size[axis] = rounded_up(real_of(subtract64(biased(highest[0]), corner)));
        workgroupBarrier();
    }
    gather_radii(lane, WIDTH);
    if lane == 0u {
        all.most = largest[0];
        all.least = smallest[0];
        all.is_vague = vague[0];
        put_node(number, all);
    }
}

// A number that is not negative, rounded up.
fn whole(a: f32) -> vec2<u32> {
    if a < 4294967040.0 {
        return vec2(u32(ceil(a)), 0u);
    }
    return vec2(0u, u32(a * (1.0 / 4294967296.0)) + 1u);
}
