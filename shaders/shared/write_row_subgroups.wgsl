// shared/write_row.wgsl where subgroups have 32 lanes: each lane of a team, which is one of them, takes a word of the row. Then the team
// writes 32 ids at a time; each lane looks for the lane that has the bit of its id.

fn write_row(at: u32, block: Block, row: u32, start: u32, bit: u32) {
    let first = passes[row] / 32u;
    var word = 0u;
    if 32u * (first + bit) < block.candidates {
        word = hits[at + block.candidates + block.points + word_starts[first + bit] + row];
    }
    let end = subgroupInclusiveAdd(countOneBits(word));
    let total = subgroupShuffle(end, 31u);
    for (var k = 0u; k < total; k += 32u) {
        let rank = k + bit;
        var holder = 0u;
        for (var step = 16u; step > 0u; step /= 2u) {
            holder += select(0u, step, subgroupShuffle(end, holder + step - 1u) <= rank);
        }
        let bits = subgroupShuffle(word, holder);
        let place = place_of_bit(bits, rank - (subgroupShuffle(end, holder) - countOneBits(bits)));
        if rank < total {
            ids[start + rank] = hits[at + 32u * (first + holder) + place] + params.base;
        }
    }
}

// The place of the bit of `bits` that has `rank` others below it.
fn place_of_bit(bits: u32, rank: u32) -> u32 {
    var place = 0u;
    var rest = rank;
    for (var step = 16u; step > 0u; step /= 2u) {
        let below = countOneBits(extractBits(bits, place, step));
        place += select(0u, step, below <= rest);
        rest -= select(0u, below, below <= rest);
    }
    return place;
}
