// The classes that rows list. Rust twin: `Scopes` in src/gpu/scopes.rs.
struct Classes {
    // For each class: the scopes it is in, a bit each (x, y), and the scope of its rows (z); for the first class
    // the number of types of which pairs have cutoffs of their own (w).
    scopes: array<vec4<u32>, 128>,
    // The class of each point by the caller's number, four a word; then the bounds of each pair of such types.
    of_points: array<u32>,
}

@group(0) @binding(7) var<storage, read> classes: Classes;
