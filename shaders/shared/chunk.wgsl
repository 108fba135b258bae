// The part of the rows that is filled at once. Rust twin: `Chunk` in src/gpu/params.rs.
struct Chunk {
    // Rows by the caller's number: from `first` up to but not `end`.
    first: u32,
    end: u32,
    // Where the first row's ids start, low and high word; ids are written relative to it.
    start: vec2<u32>,
}

@group(0) @binding(13) var<uniform> chunk: Chunk;
@group(0) @binding(11) var<storage, read> offsets: array<vec2<u32>>;

// Where row `i` starts in the chunk's ids.
fn row_start(i: u32) -> u32 {
    return offsets[i].x - chunk.start.x;
}
