// Where points are of one kind, all rows have the same scope, and all points are in it.
#import scope_parts

const HAS_KINDS = false;

// The scope of the row of `place`: what it lists of all that is near.
fn scope_of(place: u32) -> u32 {
    return 0u;
}

// The scopes that the point at `place` is in, a bit each.
fn scopes_at(place: u32) -> vec2<u32> {
    return vec2(1u, 0u);
}

// Whether the point at `place` is in any of the scopes.
fn meets(place: u32, scopes: vec2<u32>) -> bool {
    return true;
}
