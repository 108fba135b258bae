// The hits that `count` found for a block, kept for `fill` and `sum`:
//
// 1. the numbers of the candidates, in ascending order;
// 2. a word for each point of the block: its row, how many candidates the row passes over, and its length; all bits are set where the
//    point has no row;
// 3. a word of bits for each group of 32 candidates and each row. Rows are in ascending order of their numbers. A half row has no
//    words for groups that it passes over as a whole.

// The starts of the words of each group of 32 candidates.
var<workgroup> word_starts: array<u32, MOST / 32u + 1u>;
// Candidates that each row passes over.
var<workgroup> passes: array<u32, ROWS>;

const LEFT_OUT = 0xffffffffu;

// A row among those of the block, the candidates that it passes over, and its neighbors among the candidates.
fn known_row(row: u32, passed: u32, length: u32) -> u32 {
    return row | (passed << 8u) | (length << 20u);
}

fn row_of(known: u32) -> u32 {
    return known & 0xffu;
}

fn passed_by(known: u32) -> u32 {
    return (known >> 8u) & 0xfffu;
}

fn length_of_row(known: u32) -> u32 {
    return known >> 20u;
}

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

// Bits of a group's candidates below `rank`.
fn below(rank: u32, group: u32) -> u32 {
    let bits = clamp(i32(rank) - i32(32u * group), 0, 32);
    return select((1u << u32(bits & 31)) - 1u, 0xffffffffu, bits == 32);
}
