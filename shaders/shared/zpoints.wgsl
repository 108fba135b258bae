// The points along the curve (shared/zpoint.wgsl), and behind them the second words.
@group(0) @binding(27) var<storage, read> zpoints: array<vec4<u32>>;

fn zpoint(at: u32) -> vec4<u32> {
    return zpoints[at];
}
