// All rows have the same scope, and all points are in it, where points are of one kind.
#import scope_parts

const HAS_KINDS = false;

// Whether any of some points from `first` on may be in any of the scopes.
fn any_meets(first: u32, points: u32, scopes: vec2<u32>) -> bool {
    return true;
}

// The scopes that rows of places from `first` to `last` may have.
fn scopes_of_rows(first: u32, last: u32) -> vec2<u32> {
    return vec2(1u, 0u);
}

// The scope of the row of `place`: what it lists of all that is near.
fn scope_of(place: u32) -> u32 {
    return 0u;
}

// The scopes that the point at `place` is in, a bit each.
fn scopes_at(place: u32) -> vec2<u32> {
    return vec2(1u, 0u);
}

// Notes the scope of a row.
fn note_row(row: u32, place: u32) {}

// Notes the candidate that a lane stands for.
fn note_candidate(place: u32) {}

// Types of which pairs have cutoffs of their own; 0: there are none.
fn types_with_cutoffs() -> u32 {
    return 0u;
}

// The bounds of a row and the lane's candidate.
fn bounds_with(row: u32) -> PairBounds {
    return PairBounds(params.lower, params.upper, params.bound);
}

// Those of the rows from `from_row` on that list a point of the scopes.
fn listing_rows(scopes: vec2<u32>, from_row: u32, rows: u32) -> u32 {
    return rows;
}

// Whether the point at `place` is in any of the scopes.
fn meets(place: u32, scopes: vec2<u32>) -> bool {
    return true;
}
