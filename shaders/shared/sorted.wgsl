// The points in cell order: low words of their fixed-point coordinates, and the caller's number.
@group(0) @binding(6) var<storage, read> sorted: array<vec4<i32>>;

fn point(place: u32) -> vec4<i32> {
    return sorted[place];
}
