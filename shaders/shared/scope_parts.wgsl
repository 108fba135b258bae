// The data that `scope` writes after the cells: the class of each place, four a word; for each class the scopes it is in, a bit each in two
// words, and the scope of its rows; for each 32 places all scopes that their points are in, and all that their rows have. Rust twin: `cells_words` in
// src/gpu/scopes.rs.
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
