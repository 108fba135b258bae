// The k nearest of a query by a workgroup: rows of many neighbors, and those that lanes could not decide. Points that may belong to the
// row are measured by the caller's arithmetic and gathered; when there is no room left they are sorted, and the k first are kept. Nodes are
// pruned by (distance squared, number), as rows are ordered: so points that coincide cost no more than others.
#import nearest
#import step
#import exact
#import nearest_rows
#import doubts_listed
#import batch

// The gathered candidates: distances squared, high and low words, and numbers.
var<workgroup> high: array<u32, ROOM>;
var<workgroup> low: array<u32, ROOM_LOW>;
var<workgroup> numbers: array<u32, ROOM>;
var<workgroup> gathered: atomic<u32>;

var<private> mine: Place;
var<private> mine_box: Box;
var<private> mine_band: f32;
var<private> mine_place: u32;
var<private> mine_number: u32;
// The k-th is at most so far.
var<private> limit: f32;
// The k-th of those kept, if there are so many.
var<private> is_full: bool;
var<private> last: vec2<u32>;
var<private> last_number: u32;

@compute @workgroup_size(LANES)
fn knn_long(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let i = task(workgroup);
    var place = i;
    limit = FAR;
    if asked.all == 0u {
        if i >= doubts.count {
            return;
        }
        place = doubts.queries[i].x;
        limit = bitcast<f32>(doubts.queries[i].y);
    }
    if place >= asked.queries {
        return;
    }
    let row = query_point(place).w;
    if row < asked.row || row >= asked.end {
        return;
    }
    mine = query_at(place);
    mine_box = box_of(mine);
    mine_band = band(farthest(mine_box));
    mine_number = asked.first + row;
    mine_place = select(0xffffffffu, place, asked.selves == 2u);
    is_full = false;
    if lane == 0u {
        atomicStore(&gathered, 0u);
    }
    workgroupBarrier();
    begin_votes(lane);
    let start = find_start(mine_box, lane);
    var path: Path;
    begin_path(&path);
    while true {
        let step = next_step(&path, start);
        if step.kind == STEP_END {
            break;
        }
        if step.kind == STEP_NODE {
            let child = step.node + (lane ^ start_child(start, path.plane, step.node));
            enter(&path, ballot(child < plane_count(path.plane) && wants(plane_first(path.plane) + child), lane));
        } else if wants(step.node) {
            visit(step.node, lane);
        }
    }
    trim(lane);
    let found = min(atomicLoad(&gathered), asked.k);
    for (var rank = lane; rank < asked.k; rank += LANES) {
        if rank < found {
            put(row, rank, numbers[rank], square_at(rank));
        } else {
            put(row, rank, 0xffffffffu, real_order(Real(false, INFINITE, vec2(1u, 0u)), format()));
        }
    }
}

fn wants(node: u32) -> bool {
    let box = node_at(node);
    let gap = measure_gap(mine_box, box, false);
    let least = at_least(gap, mine_band);
    if is_full && is_infinite(last) && least >= asked.infinite {
        return box.lowest < last_number; // of points whose distances overflow, the numbers decide
    }
    if !is_full || at_most(gap, mine_band) < limit {
        return least <= limit;
    }
    if least >= limit {
        return least == limit && box.lowest < last_number;
    }
    // In doubt. Where coordinates are the caller's own, so are the box's corners, and rounding keeps order: docs/proofs/boxes.md.
    if !WIDE && !PERIODIC && tree.unit == 0 {
        let bound = gap_in_words(box);
        return bound == NO_SQUARE || !is_before(last, last_number, vec2(bound, 0u), box.lowest);
    }
    return true;
}

// The distance squared to a box by the caller's arithmetic; NO_SQUARE where that needs more than single words.
fn gap_in_words(box: Box) -> u32 {
    var d2 = Words(0u, 0);
    for (var axis = 0u; axis < params.dim; axis++) {
        let c = mine.high[axis];
        var d = Words(0u, 0);
        if c < box.lower[axis] {
            d = words_difference(bitcast<u32>(box.lower[axis]), bitcast<u32>(c));
        } else if c > box.upper[axis] {
            d = words_difference(bitcast<u32>(c), bitcast<u32>(box.upper[axis]));
        }
        if !are_ordinary(d) {
            return NO_SQUARE;
        }
        d2 = words_sum(d2, words_square(d));
    }
    return words_bits(d2);
}

fn visit(leaf: u32, lane: u32) {
    let place = leaf * LANES + lane;
    if place < tree.points && place != mine_place && at_least(measure(mine, place_at(place), false), mine_band) <= limit {
        let number = zpoint(place).w;
        let square = exact_square(mine_number, number);
        if !is_full || is_before(square, number, last, last_number) {
            store_at(atomicAdd(&gathered, 1u), square, number);
        }
    }
    workgroupBarrier();
    let count = atomicLoad(&gathered);
    workgroupBarrier();
    if count + LANES > ROOM || (!is_full && count >= asked.k) {
        trim(lane);
    }
}

fn square_at(i: u32) -> vec2<u32> {
    var square = vec2(high[i], 0u);
    if WIDE {
        square.y = low[i];
    }
    return square;
}

fn store_at(i: u32, square: vec2<u32>, number: u32) {
    high[i] = square.x;
    if WIDE {
        low[i] = square.y;
    }
    numbers[i] = number;
}

// Sorts what was gathered and keeps the k first.
fn trim(lane: u32) {
    workgroupBarrier();
    let count = atomicLoad(&gathered);
    sort(count, lane);
    if count >= asked.k {
        is_full = true;
        last = square_at(asked.k - 1u);
        last_number = numbers[asked.k - 1u];
        limit = min(limit, in_units(last));
    }
    workgroupBarrier();
    if lane == 0u {
        atomicStore(&gathered, min(count, asked.k));
    }
    workgroupBarrier();
}

fn is_infinite(square: vec2<u32>) -> bool {
    return square.x == select(0x7f800000u, 0x7ff00000u, WIDE);
}

// A distance squared in units, rounded up.
fn in_units(square: vec2<u32>) -> f32 {
    if is_infinite(square) {
        return FAR;
    }
    var a = Real();
    if WIDE {
        a = real_from_bits64(square.yx);
    } else {
        a = real_from_bits32(square.x);
    }
    if all(a.mantissa == vec2(0u)) {
        return 0.0;
    }
    let zeros = leading_zeros64(a.mantissa);
    let mantissa = shift_left64(a.mantissa, zeros).y >> 8u;
    let exponent = a.exponent - i32(zeros) + 40 - 2 * tree.unit;
    if exponent > 100 {
        return FAR;
    }
    return f32(mantissa + 1u) * bitcast<f32>(u32(max(exponent, -126) + 127) << 23u);
}

// A bitonic network (Batcher 1968, in the form whose comparisons all point one way, so that any length will do).
fn sort(total: u32, lane: u32) {
    for (var half = 1u; half < total; half <<= 1u) {
        let pairs = (total + 2u * half - 1u) / (2u * half) * half;
        for (var k = lane; k < pairs; k += LANES) {
            let within = k & (half - 1u);
            let first = (k - within) << 1u;
            order(first + within, first + 2u * half - 1u - within, total);
        }
        workgroupBarrier();
        for (var stride = half >> 1u; stride > 0u; stride >>= 1u) {
            for (var k = lane; k < pairs; k += LANES) {
                let within = k & (stride - 1u);
                let first = ((k - within) << 1u) + within;
                order(first, first + stride, total);
            }
            workgroupBarrier();
        }
    }
}

fn order(i: u32, j: u32, total: u32) {
    if j < total {
        let a = square_at(i);
        let b = square_at(j);
        let m = numbers[i];
        let n = numbers[j];
        if is_before(b, n, a, m) {
            store_at(i, b, n);
            store_at(j, a, m);
        }
    }
}
