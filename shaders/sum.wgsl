// Sums over the neighbors of a block's points, from the hits that `count` kept. Four lanes share a row: each evaluates every fourth
// neighbor, and each joins the terms of its own outputs in ascending order. Crowds follow, a window of each at a time. Rust writes the
// pieces `formula` (src/formula/shader.rs). CPU twin: src/cpu/summed.rs.
#import blocks
#import batch
#import hits
#import sorted
#import params
#import arithmetic
#import coord_words
#import difference
#import difference_any
#import summed
#import exchange
#import formula_rows

// Rows that are summed at once.
const TEAM = WIDTH / PARTS;

// The coordinates where they are in real64.
@group(0) @binding(2) var<storage, read> wide_coords: array<vec2<u32>>;
@group(0) @binding(16) var<storage, read> hits: array<u32>;
@group(0) @binding(51) var<storage, read> records: array<vec4<f32>>;
@group(0) @binding(53) var<storage, read> tables: array<f32>;
@group(0) @binding(54) var<storage, read_write> results: array<f32>;

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
        add_row(block, first + lane / PARTS, lane);
    }
    workgroupBarrier();
    if lane == 0u {
        note_entries(atomicLoad(&entries));
    }
}

// The number of the block that a workgroup works on, or of the window of its crowd that is next, or NONE.
fn take_block_or_window(workgroup: u32, lane: u32) -> u32 {
    let number = take_block(workgroup, lane);
    if blocks.by_windows == 0u || number == NONE {
        return number;
    }
    if lane == 0u {
        let crowd = listed[number];
        window_taken = blocks.entries[crowd].after;
        if window_taken != NONE {
            blocks.entries[crowd].after = blocks.entries[window_taken].after;
        }
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

// Joins the neighbors of a block's point to what they are summed to. All lanes call it, those of a row for the same point, also if there
// is no such point.
fn add_row(block: Block, member: u32, lane: u32) {
    let part = lane % PARTS;
    var walk = Walk(0u, 0u, 0u, 0u, 0u, 0u, NONE);
    var i = 0u;
    var has_row = false;
    if member < block.points {
        i = u32(point(block.first + member).w);
        has_row = i - summed.first_row < summed.rows;
    }
    if has_row {
        walk = begin_walk(block, member, i);
        if part == 0u {
            atomicAdd(&entries, walk.count - select(1u, 0u, walk.own == NONE));
        }
        begin_row(i);
        begin_sums(part, i - summed.first_row, block.before == NONE);
    }
    let most_neighbors = most_of(walk.count, lane);
    for (var first = 0u; first < most_neighbors; first += PARTS) {
        if first + part < walk.count {
            evaluate(i, neighbor(&walk, first + part, i));
        }
        let count = max(walk.count, first) - first;
        join_terms(part, count, lane);
    }
    if has_row {
        end_sums(part, i - summed.first_row);
    }
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

// The first value of a row's sums: those of no neighbors, or of the windows before.
fn first_sum(output: u32, row: u32, is_first: bool) -> f32 {
    if output >= OUTPUTS {
        return 0.0;
    }
    if is_first {
        return start_of(output);
    }
    return results[place_of(output, row)];
}

// Joins the terms of the next neighbors.
fn join(output: u32, before: f32, terms: vec4<f32>, count: u32) -> f32 {
    var sum = before;
    for (var k = 0u; k < PARTS; k++) {
        if k < count && output < OUTPUTS {
            sum = joined(output, sum, terms[k]);
        }
    }
    return sum;
}

fn end_sum(output: u32, row: u32, sum: f32) {
    if output < OUTPUTS {
        results[place_of(output, row)] = sum;
    }
}

// Counts neighbors in 64 bits.
fn note_entries(count: u32) {
    let before = atomicAdd(&blocks.entries_low, count);
    if before + count < before {
        atomicAdd(&blocks.entries_high, 1u);
    }
}

// A coordinate's difference to the nearest image, in real32.
fn to_nearest(d: f32, axis: u32) -> f32 {
    let whole = bitcast<f32>(params.length_low[axis]);
    let half = whole * 0.5;
    if is_zero(whole) || (bitcast<u32>(d) & ~SIGN_BIT) <= bitcast<u32>(half) {
        return d;
    }
    return select(d - whole, d + whole, bitcast<u32>(d) > SIGN_BIT);
}

// The bits of the length of an axis of points in real64.
fn length_of_axis(axis: u32) -> vec2<u32> {
    return vec2(params.length_low[axis], params.length_high[axis]);
}

// The value of a table of `steps` + 1 values, the first and last of which are at `first` and `last`. It is that of `Table::at` in
// `src/formula/tables.rs`.
fn table_value(at: u32, x: f32, last: f32, first: f32, scale: f32, steps: f32) -> f32 {
    var place = (x - first) * scale;
    place = select(0.0, place, is_less(0.0, place));
    place = select(steps, place, place < steps && is_less(x, last));
    let below = floor(place);
    let part = place - below;
    let between = !is_zero(part);
    let k = at + u32(below);
    let y = tables[k];
    let z = tables[k + u32(between)]; // not beyond the last
    let step = z - y;
    let is_finite = (bitcast<u32>(step) & INFINITY_BITS) != INFINITY_BITS;
    let value = select(y * (1.0 - part) + z * part, y + part * step, is_finite);
    return select(y, value, between);
}
