// shared/scope.wgsl where points are of several kinds: rows whose kind lists the same kinds have a scope in common.
#import params
#import index
#import scope_parts

// The scope of the row of `place`: what it lists of all that is near.
fn scope_of(place: u32) -> u32 {
    return cells[row_scopes() + place / 4u] >> (8u * (place % 4u)) & 0xffu;
}

// Which places from `first` on are in a scope, a bit for each of 32. Behind the last there is a word more for each scope.
fn scope_from(first: u32, scope: u32) -> u32 {
    let at = scope_bits() + first / 32u * params.scopes + scope;
    let next = cells[at + params.scopes];
    return cells[at] >> (first % 32u) | (next << 1u) << (31u - first % 32u);
}
