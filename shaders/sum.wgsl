// Sums over the neighbors of a block's points, from the hits that `count` kept: a workgroup has a block and a lane a row. A lane
// evaluates its neighbors one after the other in ascending order, so that the terms are joined in the order of the row. The windows
// of a crowd follow each other. Rust writes the pieces `formula` (src/formula/shader.rs). CPU twin: src/cpu/summed.rs.
#import blocks
#import batch
#import hits
#import sorted
#import arithmetic
#import separation
#import summed
#import formula_rows

const WIDTH = 64u;
const LEFT_OUT = 0xffffffffu;

@group(0) @binding(16) var<storage, read> hits: array<u32>;
@group(0) @binding(51) var<storage, read> records: array<vec4<f32>>;
@group(0) @binding(53) var<storage, read> tables: array<f32>;
@group(0) @binding(54) var<storage, read_write> results: array<f32>;

var<workgroup> row_count: atomic<u32>;
var<workgroup> entries: atomic<u32>;

@compute @workgroup_size(WIDTH)
fn sum(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = take_block(task(workgroup, workgroups), lane);
    if number == NONE {
        return;
    }
    let block = blocks.entries[number];
    if block.before != NONE || block.hits == NO_ROOM || (block.hits == NO_HITS && block.candidates > MOST) {
        return; // summed with the first window, when it is counted again, or when there are windows
    }
    if lane == 0u {
        atomicStore(&entries, 0u);
    }
    var i = 0u;
    var has_row = false;
    if lane < block.points {
        i = u32(point(block.first + lane).w);
        has_row = i - summed.first_row < summed.rows;
    }
    if has_row {
        begin_row(i);
    }
    var lacks_self = has_row && summed.with_self == 1u;
    for (var window = number; window != NONE; window = blocks.entries[window].after) {
        let known = lay_out_rows(window, lane);
        var next = first_hit(window, known, has_row);
        loop {
            find_hit(&next);
            if next.word == 0u {
                break;
            }
            var j = hits[next.candidate + firstTrailingBit(next.word)];
            if lacks_self && i < j {
                j = i;
                lacks_self = false;
            } else {
                next.word &= next.word - 1u;
            }
            add_pair(i, j);
        }
        if next.found != 0u {
            atomicAdd(&entries, next.found);
        }
    }
    if lacks_self {
        add_pair(i, i);
    }
    if has_row {
        end_row(i - summed.first_row);
    }
    workgroupBarrier();
    if lane == 0u {
        note_entries(atomicLoad(&entries));
    }
}

// Lays out the words of a window, if it has hits. Returns what it says of the lane's row.
fn lay_out_rows(window: u32, lane: u32) -> u32 {
    let block = blocks.entries[window];
    workgroupBarrier(); // no lane reads the layout before any more
    if lane == 0u {
        atomicStore(&row_count, 0u);
    }
    workgroupBarrier();
    var known = LEFT_OUT;
    if block.hits < NO_HITS {
        if lane < block.points {
            known = hits[block.hits + block.candidates + lane];
        }
        if known != LEFT_OUT {
            passes[known & 0xffu] = known >> 8u;
            atomicAdd(&row_count, 1u);
        }
        workgroupBarrier();
        lay_out_words(lane, block.candidates, atomicLoad(&row_count));
    }
    return known;
}

// Where a row stands among its hits.
struct Next {
    // Hits of the group of candidates that are not yet taken, and where the group begins.
    word: u32,
    candidate: u32,
    // The next group, and how many there are.
    group: u32,
    groups: u32,
    // Where the candidates and the words of the row begin.
    candidates_at: u32,
    words_at: u32,
    // Hits so far.
    found: u32,
}

fn first_hit(window: u32, known: u32, has_row: bool) -> Next {
    let block = blocks.entries[window];
    let row = known & 0xffu;
    if known == LEFT_OUT || !has_row {
        return Next(0u, 0u, 0u, 0u, 0u, 0u, 0u);
    }
    let words_at = block.hits + block.candidates + block.points + row;
    return Next(0u, 0u, (known >> 8u) / 32u, (block.candidates + 31u) / 32u, block.hits, words_at, 0u);
}

// Goes on to the next group with hits, if the row has taken all of this one.
fn find_hit(next: ptr<function, Next>) {
    while (*next).word == 0u && (*next).group < (*next).groups {
        (*next).word = hits[(*next).words_at + word_starts[(*next).group]];
        (*next).candidate = (*next).candidates_at + 32u * (*next).group;
        (*next).found += countOneBits((*next).word);
        (*next).group += 1u;
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
