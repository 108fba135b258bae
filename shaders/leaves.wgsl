// Brings the points, as they were sorted, into their leaves: each as its differences from the corner of its leaf in real32, with its radius, and
// the leaves' boxes and radii. A lane a point; eight leaves a workgroup.
#import params
#import fixed
#import extent_of_lanes
#import radii_of_lanes
#import entries
#import units
#import nodes_made
#import place_point
#import grid_of_workgroups

const WIDTH = 256u;

// The data that shared/order.wgsl reads.
@group(0) @binding(36) var<storage, read_write> order: array<u32>;

@compute @workgroup_size(WIDTH)
fn leaves(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let place = linear(workgroup) * WIDTH + lane;
    let is_point = place < params.points;
    var number = 0u;
    var reach = 0.0;
    if is_point {
        number = entries[place].y;
        order[place] = number;
        reach = radius_units(number);
    }
    var leaf = Node();
    var local = vec3<f32>();
    var is_vague = false;
    for (var axis = 0u; axis < params.dim; axis++) {
        var at = vec2<u32>();
        lowest[lane] = vec2(0xffffffffu);
        highest[lane] = vec2(0u);
        if is_point {
            at = fixed_coord(number, axis);
            is_vague = is_vague || max(i32(at.y), -i32(at.y)) >= 0x40000000;
            if i32(at.y) == -0x40000000 {
                at.x = max(at.x, 1u); // or one border would be 2^63 from the other, which has no sign
            }
            lowest[lane] = biased(at);
            highest[lane] = biased(at);
        }
        gather_extent(lane, EACH);
        let corner = biased(lowest[lane & ~31u]);
        leaf.corner.low[axis] = corner.x;
        leaf.corner.high[axis] = corner.y;
        leaf.size[axis] = rounded_up(real_of(subtract64(biased(highest[lane & ~31u]), corner)));
        local[axis] = real_of(subtract64(at, corner));
        workgroupBarrier();
    }
    largest[lane] = reach;
    smallest[lane] = select(3.0e38, reach, is_point);
    vague[lane] = u32(is_vague);
    gather_radii(lane, EACH);
    if !is_point {
        return;
    }
    place_point(place, bitcast<vec4<i32>>(vec4(local, reach)));
    if lane % EACH == 0u {
        leaf.most = largest[lane];
        leaf.least = smallest[lane];
        leaf.is_vague = vague[lane];
        put_node(place / EACH, leaf);
    }
}
