// Queries that are left to workgroups of their own, once all are listed.
struct Listed {
    // Workgroups for them, one each.
    workgroups: vec3<u32>,
    count: u32,
}

@group(0) @binding(32) var<storage, read> doubts: Listed;
// The place of each along the queries' curve, and how far its neighbors are at most, as bits of a distance squared.
@group(0) @binding(33) var<storage, read> doubtful: array<vec2<u32>>;
