// Where scopes stand, which `scope` writes behind the cells: first the scope of each place's row, four a word; then which
// points a scope has, for 32 places a word of each scope. Rust twin: `cells_words` in src/gpu/scopes.rs.
#import params

// The scope of a row that lists nothing.
const NO_SCOPE = 0xffu;

fn row_scopes() -> u32 {
    return params.points;
}

fn scope_bits() -> u32 {
    return params.points + (params.points + 3u) / 4u;
}
