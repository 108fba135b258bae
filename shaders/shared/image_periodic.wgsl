// shared/image.wgsl where axes are periodic: candidates beyond the boundary are seen as images, a period away.
//
// A pair is found from the image that the caller's arithmetic takes, and from no other: docs/proofs/gpu-fixed-point.md proves it.
#import params
#import real
#import fixed
#import nearest_image
#import point_cell
#import runs

const HAS_IMAGES = true;

// The seams between the block and each run.
var<workgroup> run_seams: array<vec3<i32>, RUNS>;

// Notes which images run `k` holds.
fn note_image(own: CellsOfBlock, k: u32) {
    run_seams[k] = seams(own, k) * vec3<i32>((vec3(shape.wraps) >> vec3(0u, 1u, 2u)) & vec3(1u));
}

// `other`, a candidate of run `k`, as the block sees it where no axis is folded.
fn moved(other: vec4<i32>, k: u32) -> vec4<i32> {
    return vec4(other.xyz + run_seams[k] * vec3<i32>(params.period_low), other.w);
}

// `other`, a candidate of run `k`, as the block sees it.
fn image(other: vec4<i32>, k: u32) -> vec4<i32> {
    var crossed = run_seams[k];
    if (shape.folds & shape.wraps) != 0u && any(crossed != vec3(0)) {
        crossed = boundaries(u32(other.w), crossed);
    }
    return vec4(other.xyz + crossed * vec3<i32>(params.period_low), other.w);
}

// Those of the seams that are boundaries for point `j` beyond them: along a folded axis most cells have their next across a seam.
fn boundaries(j: u32, seams: vec3<i32>) -> vec3<i32> {
    var crossed = seams;
    for (var axis = 0u; axis < params.dim; axis++) {
        if (shape.folds & shape.wraps & (1u << axis)) != 0u {
            let cell = point_cell(j, axis).x;
            let dim = shape.dims[axis];
            let is_first = cell < dim;
            let is_last = cell >= cells_of_period(axis) - dim;
            if !select(is_first, is_last, seams[axis] < 0) {
                crossed[axis] = 0;
            }
        }
    }
    return crossed;
}

// The difference of two points along an axis, to the nearest image, by the caller's arithmetic; infinite if that image is
// not `other`: then the pair is found from another.
fn difference(mine: vec4<i32>, other: vec4<i32>, axis: u32, format: Format) -> Real {
    let j = u32(other.w);
    let d = real_subtract(coord(u32(mine.w), axis), coord(j, axis), format);
    let moved = u32(other[axis]) - fixed_coord(j, axis).x;
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

// Whether the fixed-point coordinates `a` and `b`, seen as in `other`, whose low words are near, are near.
fn is_near(other: vec4<i32>, a: vec2<u32>, b: vec2<u32>, axis: u32) -> bool {
    let d = subtract64(a, b);
    let moved = u32(other[axis]) - b.x;
    let whole = period(axis);
    return (moved == 0u && is_small(d))
        || (moved == whole.x && is_small(subtract64(d, whole)))
        || (moved == 0u - whole.x && is_small(add64(d, whole)));
}
