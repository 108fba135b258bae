// The part of the rows that is filled at once. Rust twin: `Chunk` in src/gpu/params.rs.
struct Chunk {
    // The start of the first row's ids, and the end of the last one's, low and high word; ids are written relative to the first.
    start: vec2<u32>,
    end: vec2<u32>,
}

@group(0) @binding(13) var<uniform> chunk: Chunk;
@group(0) @binding(11) var<storage, read> offsets: array<vec2<u32>>;

// The start of row `i` in the chunk's ids.
fn row_start(i: u32) -> u32 {
    return offsets[i].x - chunk.start.x;
}

fn row_length(i: u32) -> u32 {
    return offsets[i + 1u].x - offsets[i].x;
}

// Whether row `i`, which is not empty, is part of the chunk.
fn is_in_chunk(i: u32) -> bool {
    let start = offsets[i];
    return !is_before(start, chunk.start) && is_before(start, chunk.end);
}

fn is_before(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || a.y == b.y && a.x < b.x;
}
