// Rows so long that their ids are not collected and sorted, but found in ascending order among all points.
#import params
#import chunk

// Parts of all numbers that such a row is found in, each by a team of its own: as many as leave a part so many numbers.
const MOST_DIRECT_PARTS = 256u;
const DIRECT_PART = 1024u;

fn direct_parts() -> u32 {
    return clamp(params.points / DIRECT_PART, 1u, MOST_DIRECT_PARTS);
}

// Whether the row of point `i` is one.
fn is_direct(i: u32) -> bool {
    return row_start(i + 1u) - row_start(i) > params.direct;
}
