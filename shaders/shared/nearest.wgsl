// Distances along the curve in real32, and what they tell of those that the caller's arithmetic gives.
//
// A measured distance squared differs from the caller's by less than 2^-15 of itself and the band of the query:
// docs/proofs/real32-bands.md.
#import boxes
#import knn
#import queries

// More than any distance squared.
const FAR = 0x1p126f;
// Beyond this, coordinates may be at the border, where they are not those of the caller.
const FAR_SURE = 0x1p116f;
const BORDER_SURE = 0x1p59f;
const SHARE = 0x1p-15f;

@group(0) @binding(28) var<storage, read> nodes: array<vec4<u32>>;

fn query_at(place: u32) -> Place {
    let words = query_point(place);
    var found = Place(coords_of(words), vec3(0.0), words.w);
    if WIDE {
        found.low = coords_of(query_point(asked.query_places + place));
    }
    return found;
}

fn period_high() -> vec3<f32> {
    return asked.period_high;
}

fn period_low() -> vec3<f32> {
    return asked.period_low;
}

// The largest error of a measured distance squared of a query at most this far from the origin.
fn band(farthest: f32) -> f32 {
    return asked.band + asked.wide_band * farthest * farthest;
}

// The caller's distance squared is not below this, and if it is that of the k-th, not above that.
fn at_least(measured: f32, band: f32) -> f32 {
    return max(measured * (1.0 - SHARE) - band, 0.0);
}

fn at_most(measured: f32, band: f32) -> f32 {
    return measured * (1.0 + 2.0 * SHARE) + 2.0 * band;
}
