// The rows of blocks, and of crowds a window of each at a time, from the hits that `count` kept.
#import blocks
#import hits
#import sorted

@group(0) @binding(16) var<storage, read> hits: array<u32>;

var<workgroup> row_count: atomic<u32>;
var<workgroup> entries: atomic<u32>;
var<workgroup> window_taken: u32;

@compute @workgroup_size(WIDTH)
fn sum(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let number = take_block_or_window(task(workgroup), lane);
    if number == NONE {
        return;
    }
    let block = blocks.entries[number];
    if block.hits == NO_ROOM || (block.hits == NO_HITS && block.candidates > MOST) {
        return; // summed when it is counted again, or window by window
    }
    lay_out_rows(block, lane);
    for (var first = 0u; first < block.points; first += TEAM) {
        add_point(block, first + lane / PARTS, lane);
    }
    workgroupBarrier();
    if lane == 0u {
        note_entries(atomicLoad(&entries));
    }
}

// The number of the block that a workgroup works on, or of the window of its crowd that the round is for, or NONE.
fn take_block_or_window(workgroup: u32, lane: u32) -> u32 {
    let number = take_block(workgroup, lane);
    if blocks.round == 0u || number == NONE {
        return number;
    }
    if lane == 0u {
        let crowd = listed[number];
        let last = select(blocks.entries[crowd].before, crowd, blocks.round == 1u);
        window_taken = NONE;
        if last != NONE {
            window_taken = blocks.entries[last].after;
        }
        blocks.entries[crowd].before = window_taken;
    }
    return workgroupUniformLoad(&window_taken);
}

// Lays out the words of a block, if it has hits.
fn lay_out_rows(block: Block, lane: u32) {
    if lane == 0u {
        atomicStore(&row_count, 0u);
        atomicStore(&entries, 0u);
    }
    workgroupBarrier();
    if block.hits >= NO_HITS {
        return;
    }
    if lane < block.points {
        let known = hits[block.hits + block.candidates + lane];
        if known != LEFT_OUT {
            passes[row_of(known)] = passed_by(known);
            atomicAdd(&row_count, 1u);
        }
    }
    workgroupBarrier();
    lay_out_words(lane, block.candidates, atomicLoad(&row_count));
}

// Sums over the neighbors of a block's point. All lanes call it, also if there is no such point.
fn add_point(block: Block, member: u32, lane: u32) {
    var walk = Walk(0u, 0u, 0u, 0u, 0u, 0u, NONE);
    var i = 0u;
    var has_row = false;
    if member < block.points {
        i = u32(point(block.first + member).w);
        has_row = i - summed.first_row < summed.rows;
    }
    if has_row {
        walk = begin_walk(block, member, i);
        if lane % PARTS == 0u {
            atomicAdd(&entries, walk.count - select(1u, 0u, walk.own == NONE));
        }
    }
    add_row(i, has_row, block.before == NONE, &walk, lane);
}

// The state of a lane's walk over the neighbors of its row.
struct Walk {
    // Hits of a group of candidates that were not passed yet, and how many were passed.
    word: u32,
    passed: u32,
    // The next group.
    group: u32,
    // The starts of the candidates and of the words of the row.
    candidates_at: u32,
    words_at: u32,
    // Neighbors of the row, and which of them is the point itself, or NONE.
    count: u32,
    own: u32,
}

// Begins to walk over the hits of a block's point `i`.
fn begin_walk(block: Block, member: u32, i: u32) -> Walk {
    var known = LEFT_OUT;
    if block.hits < NO_HITS {
        known = hits[block.hits + block.candidates + member];
    }
    var walk = Walk(0u, 0u, 0u, block.hits, 0u, 0u, NONE);
    if known != LEFT_OUT {
        walk.group = passed_by(known) / 32u;
        walk.words_at = block.hits + block.candidates + block.points + row_of(known);
        walk.count = length_of_row(known);
    }
    // The point itself is in the first window that ends above its number, or else in the last.
    let is_before_end = block.after == NONE || i < block.end;
    let is_behind_start = block.before == NONE || i >= blocks.entries[block.before].end;
    if summed.with_self == 1u && is_before_end && is_behind_start {
        walk.own = neighbors_below(block, walk, i);
        walk.count += 1u;
    }
    return walk;
}

// The number of neighbors of the row with numbers below `i`.
fn neighbors_below(block: Block, walk: Walk, i: u32) -> u32 {
    if walk.count == 0u {
        return 0u;
    }
    let candidates = candidates_below(block, i);
    var neighbors = 0u;
    for (var group = walk.group; 32u * group < candidates; group++) {
        neighbors += countOneBits(hits[walk.words_at + word_starts[group]] & below(candidates, group));
    }
    return neighbors;
}

// The number of candidates with numbers below `i`.
fn candidates_below(block: Block, i: u32) -> u32 {
    var below = 0u;
    for (var step = MOST / 2u; step > 0u; step /= 2u) {
        if below + step <= block.candidates && hits[block.hits + below + step - 1u] < i {
            below += step;
        }
    }
    if below < block.candidates && hits[block.hits + below] < i {
        below += 1u;
    }
    return below;
}

// Neighbor `k` of the row. Lanes ask for every fourth.
fn neighbor(walk: ptr<function, Walk>, k: u32, i: u32) -> u32 {
    let is_own = k == (*walk).own;
    let taken = select(1u, 0u, is_own);
    var skip = k - select(0u, 1u, k > (*walk).own) - (*walk).passed; // 3 at most
    (*walk).passed += skip + taken;
    var bits = countOneBits((*walk).word);
    while bits < skip + taken {
        skip -= bits;
        (*walk).word = hits[(*walk).words_at + word_starts[(*walk).group]];
        (*walk).group += 1u;
        bits = countOneBits((*walk).word);
    }
    var word = (*walk).word;
    word &= select(0xffffffffu, word - 1u, skip > 0u);
    word &= select(0xffffffffu, word - 1u, skip > 1u);
    word &= select(0xffffffffu, word - 1u, skip > 2u);
    if is_own {
        (*walk).word = word;
        return i;
    }
    (*walk).word = word & (word - 1u);
    return hits[(*walk).candidates_at + 32u * ((*walk).group - 1u) + firstTrailingBit(word)];
}

// Counts neighbors in 64 bits.
fn note_entries(count: u32) {
    let before = atomicAdd(&blocks.entries_low, count);
    if before + count < before {
        atomicAdd(&blocks.entries_high, 1u);
    }
}
