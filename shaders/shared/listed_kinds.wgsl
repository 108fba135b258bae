// shared/listed.wgsl where points are of several kinds. After the order are, for each class, the scopes it is in, a bit each
// in two words, and the scope of its rows, and then the class of each point by the caller's number, four a word.
// Rust twin: `Scopes` in src/gpu/scopes.rs.
#import params
#import order
#import scope_parts

// The scopes that point `i` is in (x, y), and that of its row (z).
fn kind_of(i: u32) -> vec3<u32> {
    let word = order[params.points + 4u * CLASSES + i / 4u];
    let at = params.points + 4u * (word >> (8u * (i % 4u)) & 0x7fu);
    return vec3(order[at], order[at + 1u], order[at + 2u]);
}

fn lists(i: u32, j: u32) -> bool {
    let scope = kind_of(i).z;
    if scope == NO_SCOPE || (params.full == 0u && j <= i) {
        return false;
    }
    return (kind_of(j)[scope / 32u] >> (scope % 32u) & 1u) == 1u;
}

fn is_listed(i: u32) -> bool {
    return any(kind_of(i).xy != vec2(0u));
}

fn has_row(i: u32) -> bool {
    return kind_of(i).z != NO_SCOPE;
}
