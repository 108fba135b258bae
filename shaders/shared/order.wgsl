// The caller's number of each point, in z-order: places that are near in it are near in space.
@group(0) @binding(22) var<storage, read> order: array<u32>;

fn number_of(place: u32) -> u32 {
    return order[place];
}
