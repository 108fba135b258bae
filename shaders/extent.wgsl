// The extent of the cloud in fixed point: each workgroup reduces its share of the points to one lowest and highest
// coordinate per axis. CPU twin: `extent` in src/grid/build.rs.
#import params
#import fixed
#import extent_of_lanes
#import extents
#import grid_of_workgroups

const WIDTH = 256u;

@compute @workgroup_size(WIDTH)
fn extent(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    for (var axis = 0u; axis < params.dim; axis++) {
        var low = vec2(0xffffffffu, 0xffffffffu);
        var high = vec2(0u, 0u);
        for (var i = workgroup.id.x * WIDTH + lane; i < params.points; i += params.shares * WIDTH) {
            let value = biased(fixed_coord(i, axis));
            low = lower(low, value);
            high = higher(high, value);
        }
        lowest[lane] = low;
        highest[lane] = high;
        gather_extent(lane, WIDTH);
        if lane == 0u {
            extents[workgroup.id.x * 3u + axis] = vec4(lowest[0], highest[0]);
        }
        workgroupBarrier();
    }
}
