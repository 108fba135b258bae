// shared/image.wgsl where axes are periodic: candidates beyond the boundary see an image of the point, a period away.
//
// A pair is found from the image that the caller's arithmetic takes, and from no other: docs/proofs/gpu-fixed-point.md proves it.
#import params
#import real
#import fixed
#import point_cell
#import runs

const HAS_IMAGES = true;

// `mine`, of `cell`, as the candidates of row `k` around it see it.
fn image(mine: vec4<i32>, cell: vec3<u32>, k: u32) -> vec4<i32> {
    if is_inner(cell) {
        return mine;
    }
    var crossed = seams(cell, k) * vec3<i32>((vec3(shape.wraps) >> vec3(0u, 1u, 2u)) & vec3(1u));
    if (shape.folds & shape.wraps) != 0u && any(crossed != vec3(0)) {
        crossed = boundaries(u32(mine.w), crossed);
    }
    return vec4(mine.xyz - crossed * vec3<i32>(params.period_low), mine.w);
}

// Those of the seams that are boundaries for point `i`: along a folded axis most cells have their next across a seam.
fn boundaries(i: u32, seams: vec3<i32>) -> vec3<i32> {
    var crossed = seams;
    for (var axis = 0u; axis < params.dim; axis++) {
        if (shape.folds & shape.wraps & (1u << axis)) != 0u {
            let cell = point_cell(i, axis).x;
            let dim = shape.dims[axis];
            let is_first = cell < dim;
            let is_last = cell >= cells_of_period(axis) - dim;
            if !select(is_last, is_first, seams[axis] < 0) {
                crossed[axis] = 0;
            }
        }
    }
    return crossed;
}

// The difference of two points along an axis, to the nearest image, by the caller's arithmetic; infinite if that image is
// not `mine`: then the pair is found from another.
fn difference(mine: vec4<i32>, other: vec4<i32>, axis: u32, format: Format) -> Real {
    let i = u32(mine.w);
    let d = real_subtract(coord(i, axis), coord(u32(other.w), axis), format);
    let moved = fixed_coord(i, axis).x - u32(mine[axis]);
    if all(period(axis) == vec2(0u)) {
        return d;
    }
    var whole = length_of(axis);
    if real_at_most(d, Real(false, whole.exponent - 1, whole.mantissa)) {
        return far_unless(moved == 0u, d);
    }
    whole.negative = !d.negative;
    let nearest = real_add(d, whole, format);
    return far_unless(moved == select(period(axis).x, 0u - period(axis).x, d.negative), nearest);
}

fn far_unless(is_right: bool, d: Real) -> Real {
    if is_right {
        return d;
    }
    return Real(false, INFINITE, vec2(1u, 0u));
}

// Length of a periodic axis, the caller's number.
fn length_of(axis: u32) -> Real {
    if params.words == 1u {
        return real_from_bits32(params.length_low[axis]);
    }
    return real_from_bits64(vec2(params.length_low[axis], params.length_high[axis]));
}

// Whether the fixed-point coordinates `a`, seen as in `mine`, and `b`, whose low words are near, are near.
fn is_near(mine: vec4<i32>, a: vec2<u32>, b: vec2<u32>, axis: u32) -> bool {
    let d = subtract64(a, b);
    let moved = a.x - u32(mine[axis]);
    let whole = period(axis);
    return (moved == 0u && is_small(d))
        || (moved == whole.x && is_small(subtract64(d, whole)))
        || (moved == 0u - whole.x && is_small(add64(d, whole)));
}
