// Sums over the neighbors of rows: those of a block's points, from the hits that `count` kept, or by radii those of the rows of a chunk.
// Four lanes share a row: each evaluates every fourth neighbor, and each joins the terms of its own outputs in ascending order. Rust
// writes the pieces `formula` (src/gpu/sum/program.rs). CPU twin: src/cpu/summed.rs.
#import batch
#import params
#import arithmetic
#import coord_words
#import difference
#import difference_any
#import summed
#import exchange
#import summed_rows
#import tables
#import formula_rows

// Rows that are summed at once.
const TEAM = WIDTH / PARTS;

// The coordinates where they are in real64.
@group(0) @binding(2) var<storage, read> wide_coords: array<vec2<u32>>;
@group(0) @binding(51) var<storage, read> records: array<vec4<Number>>;
@group(0) @binding(54) var<storage, read_write> results: array<Number>;

// Joins the neighbors of row `i`, over which a walk begins, to what they are summed to. All lanes call it, those of a row for the same one,
// also if there is no such row.
fn add_row(i: u32, has_row: bool, is_first: bool, walk: ptr<function, Walk>, lane: u32) {
    let part = lane % PARTS;
    if has_row {
        begin_row(i);
        begin_sums(part, i - summed.first_row, is_first);
    }
    let most_neighbors = most_of((*walk).count, lane);
    for (var first = 0u; first < most_neighbors; first += PARTS) {
        if first + part < (*walk).count {
            evaluate(i, neighbor(walk, first + part, i));
        }
        let count = max((*walk).count, first) - first;
        join_terms(part, count, lane);
    }
    if has_row {
        end_sums(part, i - summed.first_row);
    }
}

// The first value of a row's sums: those of no neighbors, or of the windows before.
fn first_sum(output: u32, row: u32, is_first: bool) -> Number {
    if output >= OUTPUTS {
        return Number(0.0);
    }
    if is_first {
        return start_of(output);
    }
    return results[place_of(output, row)];
}

// Joins the terms of the next neighbors.
fn join(output: u32, before: Number, terms: vec4<Number>, count: u32) -> Number {
    var sum = before;
    for (var k = 0u; k < PARTS; k++) {
        if k < count && output < OUTPUTS {
            sum = joined(output, sum, terms[k]);
        }
    }
    return sum;
}

fn end_sum(output: u32, row: u32, sum: Number) {
    if output < OUTPUTS {
        results[place_of(output, row)] = sum;
    }
}

// A coordinate's difference to the nearest image, in real32.
fn to_nearest(d: f32, axis: u32) -> f32 {
    let whole = bitcast<f32>(params.length_low[axis]);
    let half = whole * 0.5;
    if (bitcast<u32>(whole) << 1u) == 0u || (bitcast<u32>(d) & ~SIGN_BIT) <= bitcast<u32>(half) {
        return d;
    }
    return select(d - whole, d + whole, bitcast<u32>(d) > SIGN_BIT);
}

// The bits of the length of an axis of points in real64.
fn length_of_axis(axis: u32) -> vec2<u32> {
    return vec2(params.length_low[axis], params.length_high[axis]);
}
