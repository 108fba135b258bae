// Rows so long that their ids are not collected and sorted, but found in ascending order among all points.
#import params
#import chunk

// Parts of all numbers that such a row is found in.
const DIRECT_PARTS = 256u;

// Whether the row of point `i` is one.
fn is_direct(i: u32) -> bool {
    return row_start(i + 1u) - row_start(i) > params.direct;
}
