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
#import formula_rows

// Rows that are summed at once.
const TEAM = WIDTH / PARTS;

// The coordinates where they are in real64.
@group(0) @binding(2) var<storage, read> wide_coords: array<vec2<u32>>;
@group(0) @binding(51) var<storage, read> records: array<vec4<f32>>;
@group(0) @binding(53) var<storage, read> tables: array<f32>;
@group(0) @binding(54) var<storage, read_write> results: array<f32>;

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

// The step of a table's argument, and the part of it that is before the argument, for a table of `steps` + 1 values, the first and last
// of which are at `first` and `last`. It is that of `Table::place` in `src/formula/tables.rs`.
fn table_place(x: f32, last: f32, first: f32, scale: f32, steps: f32) -> vec2<f32> {
    var place = (x - first) * scale;
    place = select(0.0, place, is_less(0.0, place));
    place = select(steps, place, place < steps && is_less(x, last));
    let below = floor(place);
    return vec2(below, place - below);
}

// The value of a linear table: that of `Table::linear`.
fn table_value(at: u32, x: f32, last: f32, first: f32, scale: f32, steps: f32) -> f32 {
    let place = table_place(x, last, first, scale, steps);
    let part = place.y;
    let between = !is_zero(part);
    let k = at + u32(place.x);
    let y = tables[k];
    let z = tables[k + u32(between)]; // not beyond the last
    let step = z - y;
    let is_finite = (bitcast<u32>(step) & INFINITY_BITS) != INFINITY_BITS;
    let value = select(y * (1.0 - part) + z * part, y + part * step, is_finite);
    return select(y, value, between);
}

// The value of a cubic table, whose values are the first numbers of polynomials: that of `Table::cubic`.
fn spline_value(at: u32, x: f32, last: f32, first: f32, scale: f32, steps: f32) -> f32 {
    let place = table_place(x, last, first, scale, steps);
    let part = place.y;
    let k = at + 4u * u32(place.x);
    let y = tables[k];
    let value = y + part * (tables[k + 1u] + part * (tables[k + 2u] + part * tables[k + 3u]));
    return select(value, y, is_zero(part));
}
