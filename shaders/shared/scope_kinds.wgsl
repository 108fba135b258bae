// shared/scope.wgsl where points are of several kinds: rows whose kind lists the same kinds have a scope in common.
#import params
#import index
#import scope_parts

const HAS_KINDS = true;

// Groups of 32 places that are looked at before it is said that some point is in a scope.
const MOST_GROUPS = 64u;

// Whether any of some points from `first` on may be in any of the scopes: none is if none of their groups of 32 places has one.
fn any_meets(first: u32, points: u32, scopes: vec2<u32>) -> bool {
    if points == 0u || points / 32u > MOST_GROUPS {
        return points > 0u;
    }
    for (var group = first / 32u; group <= (first + points - 1u) / 32u; group++) {
        let at = scopes_of_places() + 4u * group;
        if any((vec2(cells[at], cells[at + 1u]) & scopes) != vec2(0u)) {
            return true;
        }
    }
    return false;
}

// The scopes that rows of places from `first` to `last` may have: those of their groups of 32 places.
fn scopes_of_rows(first: u32, last: u32) -> vec2<u32> {
    var scopes = vec2<u32>();
    for (var group = first / 32u; group <= last / 32u; group++) {
        let at = scopes_of_places() + 4u * group + 2u;
        scopes |= vec2(cells[at], cells[at + 1u]);
    }
    return scopes;
}

// The class of the point at `place`.
fn class_number(place: u32) -> u32 {
    return cells[params.points + place / 4u] >> (8u * (place % 4u)) & 0x7fu;
}

// The scopes of that class: those it is in, a bit each in two words, and that of its rows.
fn class_at(place: u32) -> u32 {
    return scopes_of_classes() + 4u * class_number(place);
}

// The scope of the row of `place`: what it lists of all that is near.
fn scope_of(place: u32) -> u32 {
    return cells[class_at(place) + 2u];
}

// The scopes that the point at `place` is in, a bit each.
fn scopes_at(place: u32) -> vec2<u32> {
    let at = class_at(place);
    return vec2(cells[at], cells[at + 1u]);
}

// Bits of a class below its type: `FLAGS` in src/kinds.rs.
const FLAGS = 2u;

var<workgroup> row_scopes: array<u32, 64>;
var<workgroup> row_types: array<u32, 64>;
// The type of the candidate that a lane stands for.
var<private> other_type: u32;

// Notes the scope and the type of a row.
fn note_row(row: u32, place: u32) {
    row_scopes[row] = scope_of(place);
    row_types[row] = class_number(place) >> FLAGS;
}

// Notes the candidate that a lane stands for.
fn note_candidate(place: u32) {
    other_type = class_number(place) >> FLAGS;
}

// Types of which pairs have cutoffs of their own; 0: there are none.
fn types_with_cutoffs() -> u32 {
    return cells[scopes_of_classes() + 3u];
}

// The bounds of a row and the lane's candidate.
fn bounds_with(row: u32) -> PairBounds {
    let types = types_with_cutoffs();
    if types == 0u {
        return PairBounds(params.lower, params.upper, params.bound);
    }
    let at = bounds_of_types() + 4u * (row_types[row] * types + other_type);
    let bounds = bitcast<vec2<f32>>(vec2(cells[at], cells[at + 1u]));
    return PairBounds(bounds.x, bounds.y, vec2(cells[at + 2u], cells[at + 3u]));
}

// Those of the rows from `from_row` on that list a point of the scopes.
fn listing_rows(scopes: vec2<u32>, from_row: u32, rows: u32) -> u32 {
    var listing = 0u;
    var rest = rows;
    while rest != 0u {
        let k = firstTrailingBit(rest);
        rest &= rest - 1u;
        let scope = row_scopes[from_row + k];
        listing |= (scopes[scope / 32u] >> (scope % 32u) & 1u) << k;
    }
    return listing;
}

// Whether the point at `place` is in any of the scopes.
fn meets(place: u32, scopes: vec2<u32>) -> bool {
    return any((scopes_at(place) & scopes) != vec2(0u));
}
