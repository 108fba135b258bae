// The caller's coordinates as numbers of the caller's precision.
#import params
#import real
#import coord_words

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
        return real_from_bits32(coord_word(at));
    }
    return real_from_bits64(vec2(coord_word(at), coord_word(at + 1u)));
}
