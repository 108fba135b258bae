// The extent of what the lanes of a workgroup have, `WIDTH` of them: biased coordinates.
#import fixed

var<workgroup> lowest: array<vec2<u32>, WIDTH>;
var<workgroup> highest: array<vec2<u32>, WIDTH>;

// Reduces each run of `lanes` lanes, a power of two, to the first lane of the run.
fn gather_extent(lane: u32, lanes: u32) {
    for (var half = lanes / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane % lanes < half {
            lowest[lane] = lower(lowest[lane], lowest[lane + half]);
            highest[lane] = higher(highest[lane], highest[lane + half]);
        }
    }
    workgroupBarrier();
}

fn lower(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(a, b, is_below(b, a));
}

fn higher(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, is_below(b, a));
}
