// Rows by radii that are not short: each is sorted by a workgroup of its own.

// Rows of at most this many ids are short.
const SHORT = 256u;

struct Rows {
    count: atomic<u32>,
    numbers: array<u32>,
}

@group(0) @binding(14) var<storage, read_write> rows: Rows;
