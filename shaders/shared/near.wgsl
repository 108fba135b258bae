// Decides which points along the curve are friends: by measured distances where these are sure, else by the caller's arithmetic.
//
// The importing stage has the nodes. docs/proofs/real32-bands.md says what a measured distance errs by.
#import boxes
#import linking
#import exact

const LEAF = 32u;

// The relative error of squares of distances: real32 in any rounding, the caller's arithmetic, and that of the limits themselves.
const SHARE = 0x1p-17f;
// Squares below may be flushed to 0.
const LEAST_SURE = 0x1p-55f;
const LEAST_FAR = 0x1p-110f;

// Squares of distances: up to the first surely friends, above the second surely not; the same where a period is taken off.
struct Limits {
    sure: f32,
    far: f32,
    around_sure: f32,
    around_far: f32,
}

fn period_high() -> vec3<f32> {
    return linking.period_high;
}

fn period_low() -> vec3<f32> {
    return linking.period_low;
}

// For points of which one is at most `away` from 0.
fn limits_at(away: f32) -> Limits {
    let slack = linking.slack + linking.share * away;
    let around = slack + linking.around;
    return Limits(sure_at(slack, away), far_at(slack), sure_at(around, away), far_at(around));
}

fn sure_at(slack: f32, away: f32) -> f32 {
    let radius = linking.radius - slack;
    if radius < LEAST_SURE || away > linking.border {
        return -1.0;
    }
    return radius * radius * (1.0 - SHARE);
}

fn far_at(slack: f32) -> f32 {
    let radius = linking.radius + slack;
    return max(radius * radius * (1.0 + SHARE), LEAST_FAR);
}

// Above this boxes and points are surely no friends, however they are seen.
fn apart(limits: Limits) -> f32 {
    return select(limits.far, limits.around_far, PERIODIC);
}

// Whether points of a box are so near along all axes that no period is taken off.
fn is_direct(box: Box) -> bool {
    return !PERIODIC || all((4.0 * (box.upper - box.lower) < linking.period_high) | (linking.period_high == vec3(0.0)));
}

// The box of two.
fn both(a: Box, b: Box) -> Box {
    var box = a;
    for (var axis = 0u; axis < 3u; axis++) {
        let below = b.lower[axis] < a.lower[axis]
            || (b.lower[axis] == a.lower[axis] && b.lower_low[axis] < a.lower_low[axis]);
        let above = b.upper[axis] > a.upper[axis]
            || (b.upper[axis] == a.upper[axis] && b.upper_low[axis] > a.upper_low[axis]);
        box.lower[axis] = select(a.lower[axis], b.lower[axis], below);
        box.lower_low[axis] = select(a.lower_low[axis], b.lower_low[axis], below);
        box.upper[axis] = select(a.upper[axis], b.upper[axis], above);
        box.upper_low[axis] = select(a.upper_low[axis], b.upper_low[axis], above);
    }
    return box;
}

// Whether all points of a box are surely friends of each other.
fn is_within(box: Box) -> bool {
    var d = box.upper - box.lower;
    if WIDE {
        d += box.upper_low - box.lower_low;
    }
    return dot(d, d) <= limits_at(farthest(box)).sure;
}

// Whether two points are friends, `limits` being those of one of them.
fn are_friends(a: Place, b: Place, limits: Limits) -> bool {
    let d2 = measure(a, b, false);
    var sure = limits.sure;
    var far = limits.far;
    // Within a quarter the caller takes no period off.
    if PERIODIC && any((4.0 * abs(a.high - b.high) > linking.period_high) & (linking.period_high > vec3(0.0))) {
        sure = limits.around_sure;
        far = limits.around_far;
    }
    if d2 <= sure {
        return true;
    }
    return d2 <= far && is_pair(a.number, b.number);
}

// By the caller's arithmetic.
fn is_pair(i: u32, j: u32) -> bool {
    let square = exact_square(tree.first + i, tree.first + j);
    let bound = select(vec2(params.bound.x, 0u), params.bound.yx, WIDE);
    return !is_before(bound, 0u, square, 0u);
}

// Planes, the leaves' first, whose node above a leaf is surely one group.
fn united_planes(leaf: u32) -> u32 {
    var planes = 0u;
    while planes < tree.planes && is_within(node_at(plane_first(planes) + (leaf >> (5u * planes)))) {
        planes++;
    }
    return planes;
}
