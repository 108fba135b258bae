// The rows of a block that have a candidate as a neighbor.
#import candidates
#import pair

// Rows in the order of their numbers: coordinates relative to the first point, and the place.
var<workgroup> rows: array<vec4<u32>, ROWS>;

fn distance2(row: u32, at: vec3<f32>) -> f32 {
    let d = bitcast<vec3<f32>>(rows[row].xyz) - at;
    return d.x * d.x + d.y * d.y + d.z * d.z;
}

fn distance2_by_integers(row: u32, at: vec3<i32>) -> f32 {
    let d = vec3<f32>(bitcast<vec3<i32>>(rows[row].xyz) - at);
    return d.x * d.x + d.y * d.y + d.z * d.z;
}

// Those of the rows from `from_row` on, of those `listed`, that have the candidate at `at` within the cutoff of both types, a bit each, and those of which this
// is sure.
fn within_types(at: vec3<i32>, from_row: u32, listed: u32) -> vec2<u32> {
    let exact_at = vec3<f32>(at);
    var within = vec2<u32>();
    var rest = listed;
    while rest != 0u {
        let k = firstTrailingBit(rest);
        rest &= rest - 1u;
        var d2 = distance2(from_row + k, exact_at);
        if shape.by_integers == 1u {
            d2 = distance2_by_integers(from_row + k, at);
        }
        let bounds = bounds_with(from_row + k);
        within |= select(vec2(0u), vec2(1u << k), vec2(d2) <= vec2(bounds.upper, bounds.lower));
    }
    return within;
}

// The rows from `from_row` on, below `end`, that have a candidate as a neighbor: a bit each.
fn near_rows(around: Around, other: vec4<i32>, scopes: vec2<u32>, from_row: u32, end: u32) -> u32 {
    var near = 0u;
    var sure = 0u;
    let at = other.xyz - around.origin;
    let exact_at = vec3<f32>(at);
    for (var k = 0u; from_row + k < end; k += 4u) {
        var d2 = vec4<f32>();
        if shape.by_integers == 1u {
            for (var r = 0u; r < 4u; r++) {
                d2[r] = distance2_by_integers(from_row + k + r, at);
            }
        } else {
            d2 = vec4(
                distance2(from_row + k, exact_at),
                distance2(from_row + k + 1u, exact_at),
                distance2(from_row + k + 2u, exact_at),
                distance2(from_row + k + 3u, exact_at));
        }
        let near_four = select(vec4(0u), vec4(1u, 2u, 4u, 8u), d2 <= vec4(params.upper));
        let sure_four = select(vec4(0u), vec4(1u, 2u, 4u, 8u), d2 <= vec4(params.lower));
        near |= (near_four.x | near_four.y | near_four.z | near_four.w) << k;
        sure |= (sure_four.x | sure_four.y | sure_four.z | sure_four.w) << k;
    }
    // Rows were tested by fours.
    near &= 0xffffffffu >> (32u - min(max(end, from_row + 1u) - from_row, 32u));
    near = listing_rows(scopes, from_row, near);
    if types_with_cutoffs() != 0u {
        let within = within_types(at, from_row, near);
        near = within.x;
        sure = within.y;
    }
    var doubtful = near & select(~sure, 0xffffffffu, shape.verify == 1u);
    while doubtful != 0u {
        let k = firstTrailingBit(doubtful);
        doubtful &= doubtful - 1u;
        let mine = point(rows[from_row + k].w);
        if mine.w == other.w || (params.full == 0u && mine.w > other.w) {
            continue; // never listed
        }
        if !is_neighbor(mine, other, (sure >> k & 1u) == 1u, bounds_with(from_row + k).exact) {
            near &= ~(1u << k);
        }
    }
    return near;
}
