// The caller's coordinates as uploaded: point after point, each coordinate in one word (real32) or two (real64).
#import params
#import real

@group(0) @binding(2) var<storage, read> coords: array<u32>;

fn format() -> Format {
    if params.words == 1u {
        return REAL32;
    }
    return REAL64;
}

// Coordinate `axis` of point `i`, the caller's number.
fn coord(i: u32, axis: u32) -> Real {
    let at = (i * params.dim + axis) * params.words;
    if params.words == 1u {
        return real_from_bits32(coords[at]);
    }
    return real_from_bits64(vec2(coords[at], coords[at + 1u]));
}
