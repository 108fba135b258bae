// Queries that are left to workgroups of their own.
struct Doubts {
    // Workgroups for them, one each.
    workgroups: vec3<u32>,
    count: atomic<u32>,
    // The place of each along the queries' curve, and how far its neighbors are at most, as bits of a distance squared.
    queries: array<vec2<u32>>,
}

@group(0) @binding(32) var<storage, read_write> doubts: Doubts;
