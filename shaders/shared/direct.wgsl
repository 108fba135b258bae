// Rows so long that their ids are not collected and sorted, but found in ascending order among all points.
#import params
#import chunk

// Parts of all numbers that such a row is found in, each by a team of its own: as many as leave a part so many numbers.
const MOST_DIRECT_PARTS = 256u;
const DIRECT_PART = 1024u;

struct Direct {
    count: atomic<u32>,
    reserved: u32,
    // Of each row its place, and how many ids each part has.
    rows: array<u32>,
}

@group(0) @binding(38) var<storage, read_write> direct: Direct;

// Words of a row.
const ROW = 1u + MOST_DIRECT_PARTS;

fn direct_parts() -> u32 {
    return clamp(params.points / DIRECT_PART, 1u, MOST_DIRECT_PARTS);
}

// Whether the row of point `i` is one.
fn is_direct(i: u32) -> bool {
    return row_length(i) > params.direct;
}
