// Distances along the curve in real32, and what they tell of those that the caller's arithmetic gives.
//
// A measured distance squared differs from the caller's by less than 2^-15 of itself and the band of the query:
// docs/proofs/real32-bands.md.
#import form
#import tree
#import knn
#import zpoints
#import queries

// More than any distance squared.
const FAR = 0x1p126f;
// Beyond this, coordinates may stand at the border, where they are not those of the caller.
const FAR_SURE = 0x1p116f;
const BORDER_SURE = 0x1p59f;
const SHARE = 0x1p-15f;

@group(0) @binding(28) var<storage, read> nodes: array<vec4<u32>>;

struct Box {
    lower: vec3<f32>,
    lower_low: vec3<f32>,
    upper: vec3<f32>,
    upper_low: vec3<f32>,
    // The lowest number of its points.
    lowest: u32,
}

struct Place {
    high: vec3<f32>,
    low: vec3<f32>,
}

fn coords_of(words: vec4<u32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(words.xyz);
}

fn node_at(node: u32) -> Box {
    let lower = nodes[2u * node];
    var box = Box(coords_of(lower), vec3(0.0), coords_of(nodes[2u * node + 1u]), vec3(0.0), lower.w);
    if WIDE {
        box.lower_low = coords_of(nodes[2u * (tree.nodes + node)]);
        box.upper_low = coords_of(nodes[2u * (tree.nodes + node) + 1u]);
    }
    return box;
}

fn query_at(place: u32) -> Place {
    var low = vec3(0.0);
    if WIDE {
        low = coords_of(query_point(asked.query_places + place));
    }
    return Place(coords_of(query_point(place)), low);
}

// The distance squared of a point and the one at `place`.
fn measure(a: Place, place: u32) -> f32 {
    let b = coords_of(zpoint(place));
    var d = a.high - b;
    var low = vec3(0.0);
    if WIDE {
        low = a.low - coords_of(zpoint(tree.places + place));
        d += low;
    }
    if PERIODIC {
        // In real32 the caller rounds the difference first too. In two words, half a period apart or more, what is near the end is so
        // near to the period that the difference is exact.
        var around = abs(abs(d) - asked.period_high);
        if WIDE {
            let moved = select(a.high + (asked.period_high - b), (a.high - asked.period_high) - b, d > vec3(0.0));
            around = abs(moved + (low + select(asked.period_low, -asked.period_low, d > vec3(0.0))));
        }
        d = select(abs(d), min(abs(d), around), asked.period_high > vec3(0.0));
    }
    return dot(d, d);
}

// A distance squared that is at most that of any points of the boxes.
fn measure_gap(a: Box, b: Box) -> f32 {
    var above = b.lower - a.upper;
    var below = a.lower - b.upper;
    if WIDE {
        above += b.lower_low - a.upper_low;
        below += a.lower_low - b.upper_low;
    }
    var gap = max(max(above, below), vec3(0.0));
    if PERIODIC {
        // The farthest of an interval, seen around the period.
        var one = asked.period_high - (b.upper - a.lower);
        var other = asked.period_high - (a.upper - b.lower);
        if WIDE {
            one = (asked.period_high - b.upper) + a.lower;
            other = (asked.period_high - a.upper) + b.lower;
            one += (asked.period_low - b.upper_low) + a.lower_low;
            other += (asked.period_low - a.upper_low) + b.lower_low;
        }
        let around = max(min(one, other), vec3(0.0));
        gap = select(gap, min(gap, around), asked.period_high > vec3(0.0));
    }
    return dot(gap, gap);
}

// What a measured distance squared of a query at most this far from the origin may err by.
fn band(farthest: f32) -> f32 {
    return asked.band + asked.wide_band * farthest * farthest;
}

fn farthest(a: vec3<f32>) -> f32 {
    return max(abs(a.x), max(abs(a.y), abs(a.z)));
}

// The caller's distance squared is not below this, and if it is that of the k-th, not above that.
fn at_least(measured: f32, band: f32) -> f32 {
    return max(measured * (1.0 - SHARE) - band, 0.0);
}

fn at_most(measured: f32, band: f32) -> f32 {
    return measured * (1.0 + 2.0 * SHARE) + 2.0 * band;
}
