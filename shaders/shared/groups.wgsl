// The state of the search for groups. Rust twin: `Found` in src/gpu/fof.rs.
struct Groups {
    count: atomic<u32>,
    // Leaves whose walk is not over.
    unfinished: atomic<u32>,
    // The leaf from which on the walk of each leaf continues, or FINISHED.
    next: array<u32>,
}

@group(0) @binding(41) var<storage, read_write> groups: Groups;

const FINISHED = 0xffffffffu;
