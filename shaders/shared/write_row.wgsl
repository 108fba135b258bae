// Writes the ids of a row of a block from its hits; each lane of a team has a bit of every word. The importing stage has the `hits` and
// the `ids`.

// Lane `bit` of the team writes its part of row `row` of the block whose hits are at `at`: the ids go from `start` on.
fn write_row(at: u32, block: Block, row: u32, start: u32, bit: u32) {
    let groups = (block.candidates + 31u) / 32u;
    let lower = (1u << bit) - 1u;
    var place = start;
    // Four words at once, so that the device waits for memory less often.
    for (var group = passes[row] / 32u; group < groups; group += 4u) {
        var words = vec4<u32>();
        for (var k = 0u; k < 4u; k++) {
            if group + k < groups {
                words[k] = hits[at + block.candidates + block.points + word_starts[group + k] + row];
            }
        }
        for (var k = 0u; k < 4u; k++) {
            if (words[k] >> bit & 1u) == 1u {
                ids[place + countOneBits(words[k] & lower)] = hits[at + 32u * (group + k) + bit] + params.base;
            }
            place += countOneBits(words[k]);
        }
    }
}
