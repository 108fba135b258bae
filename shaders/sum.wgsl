// Sums over the neighbors of a block's points, from the hits that `count` kept. Turn by turn, a lane a row looks up the next neighbors of
// its row; the lanes of a row evaluate them; and they join the terms in ascending order, each for its own outputs. Crowds follow, a
// window of each at a time. Rust writes the pieces `formula` (src/formula/shader.rs). CPU twin: src/cpu/summed.rs.
#import blocks
#import batch
#import hits
#import sorted
#import arithmetic
#import separation
#import summed
#import formula_ahead
#import formula_rows

const WIDTH = 256u;
// Lanes of a row.
const PARTS = WIDTH / ROWS;
// Places of the next neighbors of a row: one more than it has, so that rows meet different banks of memory.
const STRIDE = AHEAD + 1u;
const PLANE = ROWS * STRIDE + 1u;
const LEFT_OUT = 0xffffffffu;

@group(0) @binding(16) var<storage, read> hits: array<u32>;
@group(0) @binding(51) var<storage, read> records: array<vec4<f32>>;
@group(0) @binding(53) var<storage, read> tables: array<f32>;
@group(0) @binding(54) var<storage, read_write> results: array<f32>;

var<workgroup> row_count: atomic<u32>;
// The next neighbors of each of the block's points, how many they are, and their terms, a plane for each output.
var<workgroup> next: array<u32, ROWS * STRIDE>;
var<workgroup> next_count: array<u32, ROWS>;
var<workgroup> terms: array<f32, OUTPUTS * PLANE>;
// The most neighbors of a row, and those of all rows.
var<workgroup> longest: atomic<u32>;
var<workgroup> entries: atomic<u32>;
var<workgroup> turns: u32;
var<workgroup> window_taken: u32;

@compute @workgroup_size(WIDTH)
fn sum(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = take_block_or_window(task(workgroup, workgroups), lane);
    if number == NONE {
        return;
    }
    let block = blocks.entries[number];
    if block.hits == NO_ROOM || (block.hits == NO_HITS && block.candidates > MOST) {
        return; // summed when it is counted again, or window by window
    }
    if lane == 0u {
        atomicStore(&row_count, 0u);
        atomicStore(&longest, 0u);
        atomicStore(&entries, 0u);
    }
    workgroupBarrier();
    let known = lay_out_rows(block, lane);
    var walk = Walk(0u, 0u, 0u, 0u, 0u, 0u, NONE);
    if lane < block.points {
        walk = begin_walk(block, known, u32(point(block.first + lane).w));
    }
    workgroupBarrier();
    if lane == 0u {
        turns = (atomicLoad(&longest) + AHEAD - 1u) / AHEAD;
        note_entries(atomicLoad(&entries));
    }
    add_rows(block, &walk, lane, workgroupUniformLoad(&turns));
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

// Lays out the words of a block, if it has hits. Returns what it says of the lane's row.
fn lay_out_rows(block: Block, lane: u32) -> u32 {
    if block.hits >= NO_HITS {
        return LEFT_OUT;
    }
    var known = LEFT_OUT;
    if lane < block.points {
        known = hits[block.hits + block.candidates + lane];
    }
    if known != LEFT_OUT {
        passes[known & 0xffu] = known >> 8u;
        atomicAdd(&row_count, 1u);
    }
    workgroupBarrier();
    lay_out_words(lane, block.candidates, atomicLoad(&row_count));
    return known;
}

// Joins the neighbors of a block's rows, which take so many turns, to what they are summed to.
fn add_rows(block: Block, walk: ptr<function, Walk>, lane: u32, all_turns: u32) {
    let member = lane / PARTS;
    let part = lane % PARTS;
    var i = 0u;
    var has_row = false;
    if member < block.points {
        i = u32(point(block.first + member).w);
        has_row = i - summed.first_row < summed.rows;
    }
    if has_row {
        begin_row(i);
        begin_sums(part, i - summed.first_row, block.before == NONE);
    }
    for (var turn = 0u; turn < all_turns; turn++) {
        if lane < ROWS {
            find_next(walk, lane);
        }
        workgroupBarrier();
        let count = next_count[member];
        for (var k = part; k < count; k += PARTS) {
            evaluate(i, next[member * STRIDE + k], member * STRIDE + k);
        }
        workgroupBarrier();
        if count > 0u {
            join_terms(part, member * STRIDE, count);
        }
    }
    if has_row {
        end_sums(part, i - summed.first_row);
    }
}

// Where a row stands among its hits.
struct Walk {
    // Hits of a group of candidates that are not yet found, and where the group begins.
    word: u32,
    candidate: u32,
    // The next group, and how many there are.
    group: u32,
    groups: u32,
    // Where the candidates and the words of the row begin.
    candidates_at: u32,
    words_at: u32,
    // The point itself, if it is a neighbor that is yet to come; otherwise NONE.
    own: u32,
}

// Begins to walk over the hits of point `i`, for which the lane stands.
fn begin_walk(block: Block, known: u32, i: u32) -> Walk {
    var walk = Walk(0u, 0u, 0u, 0u, 0u, 0u, NONE);
    if i - summed.first_row >= summed.rows {
        return walk;
    }
    var count = 0u;
    if known != LEFT_OUT {
        walk.candidates_at = block.hits;
        walk.group = (known >> 8u) / 32u;
        walk.groups = (block.candidates + 31u) / 32u;
        walk.words_at = block.hits + block.candidates + block.points + (known & 0xffu);
        for (var group = walk.group; group < walk.groups; group++) {
            count += countOneBits(hits[walk.words_at + word_starts[group]]);
        }
        atomicAdd(&entries, count);
    }
    // The point itself is in the first window that ends above its number, or else in the last.
    let is_before_end = block.after == NONE || i < block.end;
    if summed.with_self == 1u && is_before_end && (block.before == NONE || i >= blocks.entries[block.before].end) {
        walk.own = i;
        count += 1u;
    }
    atomicMax(&longest, count);
    return walk;
}

// Finds the next neighbors of the point for which the lane stands, in ascending order.
fn find_next(walk: ptr<function, Walk>, lane: u32) {
    var count = 0u;
    while count < AHEAD {
        while (*walk).word == 0u && (*walk).group < (*walk).groups {
            (*walk).word = hits[(*walk).words_at + word_starts[(*walk).group]];
            (*walk).candidate = (*walk).candidates_at + 32u * (*walk).group;
            (*walk).group += 1u;
        }
        var j = (*walk).own;
        if (*walk).word != 0u {
            j = hits[(*walk).candidate + firstTrailingBit((*walk).word)];
        }
        if j == NONE {
            break;
        }
        if (*walk).own <= j {
            j = (*walk).own;
            (*walk).own = NONE;
        } else {
            (*walk).word &= (*walk).word - 1u;
        }
        next[lane * STRIDE + count] = j;
        count += 1u;
    }
    next_count[lane] = count;
}

// What a row's numbers begin with: those of no neighbors, or of the windows before.
fn first_sum(output: u32, row: u32, is_first: bool) -> f32 {
    if output >= OUTPUTS {
        return 0.0;
    }
    if is_first {
        return start_of(output);
    }
    return results[place_of(output, row)];
}

// Joins the terms of the next neighbors, which stand at `at`.
fn join(output: u32, before: f32, at: u32, count: u32) -> f32 {
    if output >= OUTPUTS {
        return before;
    }
    var sum = before;
    for (var k = 0u; k < AHEAD; k++) {
        if k < count {
            sum = joined(output, sum, terms[output * PLANE + at + k]);
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

// A difference of coordinates in real64, rounded to real32.
fn rounded_difference(i: u32, j: u32, axis: u32) -> f32 {
    let wide = difference(i, j, axis, REAL64);
    let single = real_round(wide.negative, wide.exponent, wide.mantissa, REAL32);
    var bits = single.mantissa.x & FRACTION;
    if (single.mantissa.x & HIDDEN_BIT) != 0u {
        bits |= u32(single.exponent + 150) << 23u;
    }
    if single.exponent == INFINITE {
        bits = INFINITY_BITS;
    }
    return bitcast<f32>(bits | select(0u, SIGN_BIT, single.negative));
}

// The value of a table of `steps` + 1 values, the first of which is that at `first`.
fn table_value(at: u32, x: f32, first: f32, scale: f32, steps: f32) -> f32 {
    var place = (x - first) * scale;
    place = select(0.0, place, is_less(0.0, place));
    place = select(steps, place, place < steps);
    var below = floor(place);
    below = select(steps - 1.0, below, below < steps);
    let k = at + u32(below);
    let y = tables[k];
    return y + (place - below) * (tables[k + 1u] - y);
}
