// Distances squared by the caller's own arithmetic, every operation rounded, in integers. CPU twin: `distance2_in` in src/oracle.rs.
#import params
#import real
#import coords
#import form
#import real_words
#import nearest_image

// That of points `i` and `j` of those uploaded, as bits that order as the numbers do: high word, low word.
fn exact_square(i: u32, j: u32) -> vec2<u32> {
    if !WIDE && !PERIODIC {
        let square = square_in_words(i, j);
        if square != NO_SQUARE {
            return vec2(square, 0u);
        }
    }
    let format = format();
    var d2 = Real();
    for (var axis = 0u; axis < params.dim; axis++) {
        var d = real_subtract(coord(i, axis), coord(j, axis), format);
        if PERIODIC {
            d = to_nearest_image(d, axis, format);
        }
        d2 = real_add_square(d2, d, axis, format);
    }
    return real_order(d2, format);
}

const NO_SQUARE = 0xffffffffu;

// The same in real32, by single words; NO_SQUARE where numbers are too large or too small for that.
fn square_in_words(i: u32, j: u32) -> u32 {
    var a = vec3<u32>();
    var b = vec3<u32>();
    for (var axis = 0u; axis < params.dim; axis++) {
        a[axis] = coord_word(i * params.dim + axis);
        b[axis] = coord_word(j * params.dim + axis);
    }
    return square_of_words(a, b);
}

// The same of coordinates.
fn square_of_words(a: vec3<u32>, b: vec3<u32>) -> u32 {
    var d2 = Words(0u, 0);
    for (var axis = 0u; axis < params.dim; axis++) {
        let d = words_difference(a[axis], b[axis]);
        if !are_ordinary(d) {
            return NO_SQUARE;
        }
        d2 = words_sum(d2, words_square(d));
    }
    return words_bits(d2);
}

// The bits of a number that is not negative.
fn real_order(a: Real, format: Format) -> vec2<u32> {
    let is_infinite = a.exponent == INFINITE;
    if WIDE {
        let biased = u32(a.exponent - format.least + 1) & select(0u, 0x7ffu, (a.mantissa.y >> 20u) != 0u);
        return select(vec2((biased << 20u) | (a.mantissa.y & 0xfffffu), a.mantissa.x), vec2(0x7ff00000u, 0u), is_infinite);
    }
    let biased = u32(a.exponent - format.least + 1) & select(0u, 0xffu, (a.mantissa.x >> 23u) != 0u);
    return select(vec2((biased << 23u) | (a.mantissa.x & 0x7fffffu), 0u), vec2(0x7f800000u, 0u), is_infinite);
}

fn is_before(a: vec2<u32>, i: u32, b: vec2<u32>, j: u32) -> bool {
    if a.x != b.x {
        return a.x < b.x;
    }
    if a.y != b.y {
        return a.y < b.y;
    }
    return i < j;
}
