// The layout of an index along the z-order curve. Rust twin: `Tree` in src/gpu/ztree.rs.
struct Tree {
    // Points of this index, and the number of the first of them among all that were uploaded.
    points: u32,
    first: u32,
    // Blocks that sorting divides the points into.
    blocks: u32,
    planes: u32,
    // For each plane, the leaves' first: where its nodes begin, and how many they are.
    firsts: array<vec4<u32>, 2>,
    counts: array<vec4<u32>, 2>,
    // Sorted coordinates are in units of 2^unit.
    unit: i32,
    // Nodes of all planes.
    nodes: u32,
    reserved_1: u32,
    reserved_2: u32,
}

@group(0) @binding(26) var<uniform> tree: Tree;

fn plane_first(plane: u32) -> u32 {
    return tree.firsts[plane / 4u][plane % 4u];
}

fn plane_count(plane: u32) -> u32 {
    return tree.counts[plane / 4u][plane % 4u];
}
