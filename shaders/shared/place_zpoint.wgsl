// What shared/zpoints.wgsl reads, to be written.
@group(0) @binding(27) var<storage, read_write> zpoints: array<vec4<u32>>;

fn place_zpoint(at: u32, words: vec4<u32>) {
    zpoints[at] = words;
}
