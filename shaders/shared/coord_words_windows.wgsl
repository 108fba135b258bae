// shared/coord_words.wgsl for more points than one binding holds: seen through three windows.
override COORD_WINDOW: u32 = 1u;

@group(0) @binding(2) var<storage, read> coords_0: array<u32>;
@group(0) @binding(18) var<storage, read> coords_1: array<u32>;
@group(0) @binding(19) var<storage, read> coords_2: array<u32>;

fn coord_word(at: u32) -> u32 {
    if at < COORD_WINDOW {
        return coords_0[at];
    }
    if at - COORD_WINDOW < COORD_WINDOW {
        return coords_1[at - COORD_WINDOW];
    }
    return coords_2[at - 2u * COORD_WINDOW];
}
