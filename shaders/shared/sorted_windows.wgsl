// shared/sorted.wgsl for more points than one binding holds: seen through two windows.
override SORTED_WINDOW: u32 = 1u;

@group(0) @binding(6) var<storage, read> sorted_0: array<vec4<i32>>;
@group(0) @binding(20) var<storage, read> sorted_1: array<vec4<i32>>;

fn point(place: u32) -> vec4<i32> {
    if place < SORTED_WINDOW {
        return sorted_0[place];
    }
    return sorted_1[place - SORTED_WINDOW];
}
