// What shared/sorted_windows.wgsl reads, to be written.
override SORTED_WINDOW: u32 = 1u;

@group(0) @binding(6) var<storage, read_write> sorted_0: array<vec4<i32>>;
@group(0) @binding(20) var<storage, read_write> sorted_1: array<vec4<i32>>;

fn place_point(place: u32, value: vec4<i32>) {
    if place < SORTED_WINDOW {
        sorted_0[place] = value;
    } else {
        sorted_1[place - SORTED_WINDOW] = value;
    }
}
