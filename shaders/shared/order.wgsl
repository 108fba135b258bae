// The caller's number of each place along the curve that the points are sorted by: places that are near on it are near in space.
@group(0) @binding(36) var<storage, read> order: array<u32>;

fn number_of(place: u32) -> u32 {
    return order[place];
}
