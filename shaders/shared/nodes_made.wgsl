// The nodes, to be written, and to be read as they are made.
#import node

@group(0) @binding(28) var<storage, read_write> nodes: array<vec4<u32>>;

fn node(k: u32) -> Node {
    return node_of(nodes[3u * k], nodes[3u * k + 1u], nodes[3u * k + 2u]);
}

fn put_node(k: u32, a: Node) {
    nodes[3u * k] = vec4(a.corner.low, bitcast<u32>(a.most));
    nodes[3u * k + 1u] = vec4(a.corner.high, bitcast<u32>(a.least));
    nodes[3u * k + 2u] = vec4(bitcast<vec3<u32>>(a.size), a.is_vague);
}
