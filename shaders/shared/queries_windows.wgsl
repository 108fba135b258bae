// shared/queries.wgsl where points are more than one binding holds. Queries that are no points are searched in parts that one holds.
#import knn
#import zpoints

@group(0) @binding(30) var<storage, read> query_points: array<vec4<u32>>;

fn query_point(at: u32) -> vec4<u32> {
    if asked.selves > 0u {
        return zpoint(at);
    }
    return query_points[at];
}
