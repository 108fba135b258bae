// What shared/sorted.wgsl reads, to be written.
@group(0) @binding(6) var<storage, read_write> sorted: array<vec4<i32>>;

fn place_point(place: u32, value: vec4<i32>) {
    sorted[place] = value;
}
