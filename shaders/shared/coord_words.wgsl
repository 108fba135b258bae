// The caller's coordinates as uploaded: point after point, each coordinate in one word (real32) or two (real64).
@group(0) @binding(2) var<storage, read> coords: array<u32>;

fn coord_word(at: u32) -> u32 {
    return coords[at];
}
