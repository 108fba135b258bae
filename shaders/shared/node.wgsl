// The boxes around points in z-order: a leaf for every 32 of them, a node of the next plane for every 32 leaves, and so on,
// until a plane has 32 nodes at most. All in fixed point, as shared/fixed.wgsl has it.
#import params
#import triple

// Points of a leaf, nodes of a node.
const EACH = 32u;

struct Node {
    // The lowest corner.
    corner: Triple,
    // Sides, rounded up.
    size: vec3<f32>,
    // The largest and the smallest radius, both rounded up.
    most: f32,
    least: f32,
    // Not 0: some coordinate is saturated.
    is_vague: u32,
}

// A node as it is kept, in three vectors.
fn node_of(a: vec4<u32>, b: vec4<u32>, c: vec4<u32>) -> Node {
    return Node(Triple(a.xyz, b.xyz), bitcast<vec3<f32>>(c.xyz), bitcast<f32>(a.w), bitcast<f32>(b.w), c.w);
}

// The first node of a plane; leaves are plane 0.
fn plane_start(plane: u32) -> u32 {
    return select(params.planes_high, params.planes_low, plane < 4u)[plane & 3u];
}

// An integer that is not negative, in real32, but for a part of less than 2^-22.
fn real_of(a: vec2<u32>) -> f32 {
    return f32(a.y) * 4294967296.0 + f32(a.x);
}

// Not less than what `value` is about.
fn rounded_up(value: f32) -> f32 {
    return value * (1.0 + 1.0 / 1048576.0);
}
