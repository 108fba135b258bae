// What `count` found for a block, kept for `fill`:
//
// 1. the numbers of the candidates, in ascending order;
// 2. a word for each point of the block: its row in the low 8 bits, and above them how many candidates the row passes over; all bits
//    are set where the point has no row;
// 3. a word of bits for each group of 32 candidates and each row. Rows are in ascending order of their numbers. A half row has no
//    words for groups that it passes over as a whole.

// Where the words of each group of 32 candidates start.
var<workgroup> word_starts: array<u32, MOST / 32u + 1u>;
// Candidates that each row passes over.
var<workgroup> passes: array<u32, ROWS>;

// Lays out the words of `rows` rows. All lanes call it; `passes` is there.
fn lay_out_words(lane: u32, candidates: u32, rows: u32) {
    let groups = (candidates + 31u) / 32u;
    if lane <= groups {
        var start = rows * lane;
        if params.full == 0u {
            // Row r has a word for each group from passes[r] / 32 on.
            start = 0u;
            for (var r = 0u; r < rows; r++) {
                start += lane - min(lane, passes[r] / 32u);
            }
        }
        word_starts[lane] = start;
    }
    workgroupBarrier();
}
