// The points along the curve that have queries, as in shared/zpoints.wgsl.
@group(0) @binding(30) var<storage, read> query_points: array<vec4<u32>>;

fn query_point(at: u32) -> vec4<u32> {
    return query_points[at];
}
