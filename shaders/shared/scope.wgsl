// Where points are of one kind, all rows have the same scope, and all points are in it.
#import scope_parts

// The scope of the row of `place`: what it lists of all that is near.
fn scope_of(place: u32) -> u32 {
    return 0u;
}

// Which places from `first` on are in a scope, a bit for each of 32.
fn scope_from(first: u32, scope: u32) -> u32 {
    return 0xffffffffu;
}
