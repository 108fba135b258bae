// The extent of the cloud in fixed point: each workgroup reduces its share of the points to one lowest and highest
// coordinate per axis. CPU twin: `extent` in src/grid/build.rs.
#import params
#import fixed
#import extents

const WIDTH = 256u;

var<workgroup> lowest: array<vec2<u32>, WIDTH>;
var<workgroup> highest: array<vec2<u32>, WIDTH>;

@compute @workgroup_size(WIDTH)
fn extent(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    for (var axis = 0u; axis < params.dim; axis++) {
        var low = vec2(0xffffffffu, 0xffffffffu);
        var high = vec2(0u, 0u);
        for (var i = workgroup.x * WIDTH + lane; i < params.points; i += workgroups.x * WIDTH) {
            let value = biased(fixed_coord(i, axis));
            low = least(low, value);
            high = most(high, value);
        }
        lowest[lane] = low;
        highest[lane] = high;
        for (var half = WIDTH / 2u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if lane < half {
                lowest[lane] = least(lowest[lane], lowest[lane + half]);
                highest[lane] = most(highest[lane], highest[lane + half]);
            }
        }
        if lane == 0u {
            extents[workgroup.x * 3u + axis] = vec4(lowest[0], highest[0]);
        }
        workgroupBarrier();
    }
}

fn least(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(a, b, is_below(b, a));
}

fn most(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, is_below(b, a));
}
