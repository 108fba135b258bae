// A question for the k nearest. Rust twin: `Asked` in src/gpu/knn.rs.
struct Knn {
    // Points that have queries, along their curve, and the number of the first among all that were uploaded.
    queries: u32,
    first: u32,
    k: u32,
    // Rows of this chunk: the first, and the one after the last.
    row: u32,
    end: u32,
    // 1: queries are the points themselves, and none is its own neighbor where this is 2.
    selves: u32,
    // Nodes of the queries' curve.
    query_nodes: u32,
    // Steps of a walk, after which rows are left to workgroups of their own.
    budget: u32,
    // The error of a distance squared beside its own 2^-15, in units: always, and times a coordinate squared.
    band: f32,
    wide_band: f32,
    // 1: workgroups take all queries, not those listed.
    all: u32,
    // Places of all leaves of the queries' curve.
    query_places: u32,
    // Lengths of periodic axes in units, 0 for open ones, in two words.
    period_high: vec3<f32>,
    // Distances squared of less than this, in units, are finite where the caller's arithmetic makes them,
    finite: f32,
    period_low: vec3<f32>,
    // and from this on they are infinite.
    infinite: f32,
    // Bits of the largest distance squared of a neighbor, high word first, and those of infinity, which a missing one has.
    within: vec4<u32>,
}

@group(0) @binding(29) var<uniform> asked: Knn;
