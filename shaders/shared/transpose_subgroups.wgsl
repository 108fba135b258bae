// shared/transpose.wgsl where subgroups have 32 lanes: a team is one of them. Halves are exchanged, then quarters, and so on
// (Warren 2012, "Hacker's Delight", 7-3).
fn transpose(bits: u32, lane: u32) -> u32 {
    var word = exchange(bits, lane, 16u, 0x0000ffffu);
    word = exchange(word, lane, 8u, 0x00ff00ffu);
    word = exchange(word, lane, 4u, 0x0f0f0f0fu);
    word = exchange(word, lane, 2u, 0x33333333u);
    return exchange(word, lane, 1u, 0x55555555u);
}

fn exchange(word: u32, lane: u32, step: u32, low: u32) -> u32 {
    let other = subgroupShuffleXor(word, step);
    return select((word & low) | ((other << step) & ~low), ((other >> step) & low) | (word & ~low), (lane & step) != 0u);
}
