// Excluded pairs: the places where the numbers of points and where classes begin; for each point where its row begins, and the end of
// the last; the numbers, ascending in each row; the classes, 16 a word. Rust twin: `set_excluded` in src/gpu/excluded.rs.
@group(0) @binding(55) var<storage, read> excluded: array<u32>;

// The place where the row of a point begins.
fn excluded_row(i: u32) -> u32 {
    return excluded[0] + excluded[2u + i];
}
