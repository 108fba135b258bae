// The nodes, to be read.
#import node

@group(0) @binding(28) var<storage, read> nodes: array<vec4<u32>>;

fn node(k: u32) -> Node {
    return node_of(nodes[3u * k], nodes[3u * k + 1u], nodes[3u * k + 2u]);
}
