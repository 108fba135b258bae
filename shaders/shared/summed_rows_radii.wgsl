// The rows of a chunk by radii, from their ids: points that are near each other one after the other.
#import radius

@group(0) @binding(11) var<storage, read> offsets: array<vec2<u32>>;
@group(0) @binding(15) var<storage, read> ids: array<u32>;
// The number of the point at each place of the curve.
@group(0) @binding(36) var<storage, read> order: array<u32>;

// The row has not the point itself as a neighbor.
const NONE = 0xffffffffu;
// Neighbors of a row that are summed over at once: shaders/README.md bounds loops. Rust twin: `MOST` in src/gpu/sum/rows.rs.
const MOST_AT_ONCE = 2048u;

@compute @workgroup_size(WIDTH)
fn sum(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let place = task(workgroup) * TEAM + lane / PARTS;
    var walk = Walk(0u, 0u, NONE);
    var i = 0u;
    var has_row = false;
    if place < params.points {
        i = order[place];
        has_row = i - summed.first_listed < summed.listed;
    }
    if has_row {
        walk = begin_walk(i);
        has_row = summed.done == 0u || walk.count > summed.done;
        walk.count = min(max(walk.count, summed.done) - summed.done, MOST_AT_ONCE);
    }
    add_row(i, has_row, summed.done == 0u, &walk, lane);
}

// The state of a lane's walk over the neighbors of its row.
struct Walk {
    // The place of its ids.
    start: u32,
    // Neighbors of the row that are summed over now, and which of all is the point itself, or NONE.
    count: u32,
    own: u32,
}

fn begin_walk(i: u32) -> Walk {
    let offset = offsets[i].x;
    var walk = Walk(offset - summed.start, offsets[i + 1u].x - offset, NONE);
    if summed.with_self == 1u {
        walk.own = neighbors_below(walk, i);
        walk.count += 1u;
    }
    return walk;
}

// The number of neighbors of the row with numbers below `i`.
fn neighbors_below(walk: Walk, i: u32) -> u32 {
    var neighbors = 0u;
    for (var step = 1u << 31u; step > 0u; step /= 2u) {
        let more = neighbors + step;
        if more <= walk.count && ids[walk.start + more - 1u] - params.base < i {
            neighbors = more;
        }
    }
    return neighbors;
}

// Neighbor `number` of those that are summed over now.
fn neighbor(walk: ptr<function, Walk>, number: u32, i: u32) -> u32 {
    let k = summed.done + number;
    if k == (*walk).own {
        return i;
    }
    return ids[(*walk).start + k - select(0u, 1u, k > (*walk).own)] - params.base;
}

// The mean of two radii in real64, rounded to real32.
fn mean_radius(i: u32, j: u32) -> f32 {
    return rounded_to_single(cutoff(i, j, REAL64));
}
