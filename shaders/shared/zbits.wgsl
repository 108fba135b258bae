// Coordinates as bits at places (shared/zorder.wgsl).
#import params
#import real
#import coords
#import tree
#import zorder

const PLACES = 2048;

// Coordinate `axis` of point `i` as the curve has it: in real64 along a periodic axis from where that begins, so that its first 48
// bits (shared/zpoint.wgsl) tell the same wherever the box is; in real32, whose 24 bits are all there, as it is.
fn curve_coord(i: u32, axis: u32) -> Real {
    let c = coord(i, axis);
    let lo = vec2(params.lo_low[axis], params.lo_high[axis]);
    if params.words == 1u || all(lo == vec2(0u)) {
        return c;
    }
    return real_subtract(c, real_from_bits64(lo), REAL64);
}

// The place of the highest bit; 0: there is none.
fn highest_place(a: vec2<u32>, exponent: i32) -> u32 {
    if all(a == vec2(0u)) {
        return 0u;
    }
    return u32(exponent + 63 - i32(leading_zeros64(a)) + PLACES);
}

// The highest place at which the magnitudes of two numbers differ; 0: they are the same.
fn differing_place(a: Real, b: Real) -> u32 {
    if a.exponent != b.exponent {
        return max(highest_place(a.mantissa, a.exponent), highest_place(b.mantissa, b.exponent));
    }
    return highest_place(a.mantissa ^ b.mantissa, a.exponent);
}

// Zero has no sign.
fn is_negative(a: Real) -> bool {
    return a.negative && any(a.mantissa != vec2(0u));
}

// The highest place at which two points of the tree differ; 0: they coincide.
fn point_differing_place(i: u32, j: u32) -> u32 {
    var place = 0u;
    for (var axis = 0u; axis < params.dim; axis++) {
        let a = curve_coord(tree.first + i, axis);
        let b = curve_coord(tree.first + j, axis);
        place = max(place, differing_place(a, b));
        if is_negative(a) != is_negative(b) {
            place = max(place, zorder.sign);
        }
    }
    return place;
}

// Bits of a window along an axis.
fn window_bits() -> u32 {
    return 30u / params.dim;
}

// The bits of coordinate `axis` of a point within the window.
fn window_of(i: u32, axis: u32) -> u32 {
    let a = curve_coord(tree.first + i, axis);
    let shift = a.exponent + PLACES - zorder.bottom;
    var bits = shift_left64(a.mantissa, u32(max(shift, 0)));
    if shift < 0 {
        bits = shift_right64(a.mantissa, u32(-shift));
    }
    var window = bits.x & ((1u << window_bits()) - 1u);
    let sign_bit = i32(zorder.sign) - zorder.bottom;
    if is_negative(a) && zorder.sign == zorder.top && sign_bit < i32(window_bits()) {
        window |= 1u << u32(sign_bit);
    }
    return window;
}

// The place on the curve, which is Hilbert's, of the window's cell of a point: the next cell on it is one that is next in space.
// Loops over axes have a constant bound: so compilers unroll them, and the cell stays in registers.
fn window_key(i: u32) -> u32 {
    var cell = vec3<u32>();
    for (var axis = 0u; axis < 3u; axis++) {
        if axis >= params.dim {
            break;
        }
        cell[axis] = window_of(i, axis);
    }
    if params.dim > 1u {
        cell = along_curve(cell);
    }
    var key = 0u;
    for (var axis = 0u; axis < 3u; axis++) {
        if axis >= params.dim {
            break;
        }
        key |= spread_bits(cell[axis]) << (params.dim - 1u - axis);
    }
    return key;
}

// The place of a cell on the curve, its bits dealt out to the axes in turn, those of the first axis first (Skilling 2004,
// "Programming the Hilbert curve").
fn along_curve(at: vec3<u32>) -> vec3<u32> {
    var cell = at;
    for (var bit = 1u << (window_bits() - 1u); bit > 1u; bit >>= 1u) {
        for (var axis = 0u; axis < 3u; axis++) {
            if axis >= params.dim {
                break;
            }
            if (cell[axis] & bit) != 0u {
                cell.x ^= bit - 1u;
            } else {
                let swapped = (cell.x ^ cell[axis]) & (bit - 1u);
                cell.x ^= swapped;
                cell[axis] ^= swapped;
            }
        }
    }
    for (var axis = 1u; axis < 3u; axis++) {
        if axis >= params.dim {
            break;
        }
        cell[axis] ^= cell[axis - 1u];
    }
    var turned = 0u;
    for (var bit = 1u << (window_bits() - 1u); bit > 1u; bit >>= 1u) {
        if (cell[params.dim - 1u] & bit) != 0u {
            turned ^= bit - 1u;
        }
    }
    return cell ^ vec3(turned);
}

// The bits of `a`, as far apart as there are axes.
fn spread_bits(a: u32) -> u32 {
    var bits = a;
    if params.dim == 2u {
        bits = (bits | (bits << 8u)) & 0x00ff00ffu;
        bits = (bits | (bits << 4u)) & 0x0f0f0f0fu;
        bits = (bits | (bits << 2u)) & 0x33333333u;
        bits = (bits | (bits << 1u)) & 0x55555555u;
    }
    if params.dim == 3u {
        bits = (bits | (bits << 16u)) & 0x030000ffu;
        bits = (bits | (bits << 8u)) & 0x0300f00fu;
        bits = (bits | (bits << 4u)) & 0x030c30c3u;
        bits = (bits | (bits << 2u)) & 0x09249249u;
    }
    return bits;
}
