// The data that `scope` writes after the cells: the class of each place, four a word; for each class the scopes it is in, a bit each in two
// words, the scope of its rows, and for the first class the number of types of which pairs have cutoffs of their own; for each 32 places all
// scopes that their points are in, and all that their rows have; and for each pair of such types its bounds in fixed point, and the exact
// one in two words. Rust twin: `cells_words` in src/gpu/scopes.rs.
#import params

// The scope of a row that lists nothing.
const NO_SCOPE = 0xffu;
const CLASSES = 128u;

fn scopes_of_classes() -> u32 {
    return params.points + (params.points + 3u) / 4u;
}

fn scopes_of_places() -> u32 {
    return scopes_of_classes() + 4u * CLASSES;
}

fn bounds_of_types() -> u32 {
    return scopes_of_places() + 4u * ((params.points + 31u) / 32u);
}

// The bounds on distances squared of two points: `lower` and `upper` in fixed point, as in shared/params.wgsl, and the exact one.
struct PairBounds {
    lower: f32,
    upper: f32,
    exact: vec2<u32>,
}
