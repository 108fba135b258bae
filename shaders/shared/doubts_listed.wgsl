// Queries that are left to workgroups of their own (shared/doubts.wgsl), once all are listed.
struct Listed {
    workgroups: vec3<u32>,
    count: u32,
    queries: array<vec2<u32>>,
}

@group(0) @binding(32) var<storage, read> doubts: Listed;
