// Points and boxes along the curve, and squares of distances between them in real32. docs/proofs/real32-bands.md says what these err
// by. The importing stage has the nodes, and says the lengths of periods in two words, 0 of open axes: `period_high`, `period_low`.
#import form
#import tree
#import zpoints

struct Place {
    high: vec3<f32>,
    low: vec3<f32>,
    number: u32,
}

struct Box {
    lower: vec3<f32>,
    lower_low: vec3<f32>,
    upper: vec3<f32>,
    upper_low: vec3<f32>,
    // The lowest number of its points.
    lowest: u32,
    // 1: its points are known to be one group; of leaves only.
    mark: u32,
}

fn coords_of(words: vec4<u32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(words.xyz);
}

fn place_at(place: u32) -> Place {
    let words = zpoint(place);
    var found = Place(coords_of(words), vec3(0.0), words.w);
    if WIDE {
        found.low = coords_of(zpoint(tree.places + place));
    }
    return found;
}

fn node_at(node: u32) -> Box {
    let lower = nodes[2u * node];
    let upper = nodes[2u * node + 1u];
    var box = Box(coords_of(lower), vec3(0.0), coords_of(upper), vec3(0.0), lower.w, upper.w);
    if WIDE {
        box.lower_low = coords_of(nodes[2u * (tree.nodes + node)]);
        box.upper_low = coords_of(nodes[2u * (tree.nodes + node) + 1u]);
    }
    return box;
}

fn box_of(a: Place) -> Box {
    return Box(a.high, a.low, a.high, a.low, a.number, 1u);
}

// The largest distance of points of a box from 0.
fn farthest(box: Box) -> f32 {
    let corner = max(abs(box.lower), abs(box.upper));
    return max(corner.x, max(corner.y, corner.z));
}

// The square of the distance of two points; `is_direct`: no period is taken off.
fn measure(a: Place, b: Place, is_direct: bool) -> f32 {
    var d = a.high - b.high;
    var low = vec3(0.0);
    if WIDE {
        low = a.low - b.low;
        d += low;
    }
    if PERIODIC && !is_direct {
        // In real32 the caller rounds the difference first too. In two words, half a period apart or more, what is near the end is so
        // near to the period that the difference is exact.
        var around = abs(abs(d) - period_high());
        if WIDE {
            let is_positive = d > vec3(0.0);
            let moved = select(a.high + (period_high() - b.high), (a.high - period_high()) - b.high, is_positive);
            around = abs(moved + (low + select(period_low(), -period_low(), is_positive)));
        }
        d = select(abs(d), min(abs(d), around), period_high() > vec3(0.0));
    }
    return dot(d, d);
}

// A square that is at most that of the distance of any points of the boxes.
fn measure_gap(a: Box, b: Box, is_direct: bool) -> f32 {
    var above = b.lower - a.upper;
    var below = a.lower - b.upper;
    if WIDE {
        above += b.lower_low - a.upper_low;
        below += a.lower_low - b.upper_low;
    }
    var gap = max(max(above, below), vec3(0.0));
    if PERIODIC && !is_direct {
        // The farthest of an interval, seen around the period.
        var one = period_high() - (b.upper - a.lower);
        var other = period_high() - (a.upper - b.lower);
        if WIDE {
            one = (period_high() - b.upper) + a.lower;
            other = (period_high() - a.upper) + b.lower;
            one += (period_low() - b.upper_low) + a.lower_low;
            other += (period_low() - a.upper_low) + b.lower_low;
        }
        let around = max(min(one, other), vec3(0.0));
        gap = select(gap, min(gap, around), period_high() > vec3(0.0));
    }
    return dot(gap, gap);
}
