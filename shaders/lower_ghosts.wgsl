// Brings the ghosts of a row that have smaller ids than its other points from their place, after these, to the front. Ghosts with larger
// ids stay at the end. A workgroup looks at many rows: few have such ghosts, and these are turned one after another, by all lanes.
// CPU twin: `Labels::row` in src/ids/output_map.rs.
#import params
#import chunk
#import grid_of_workgroups

// Rows of a workgroup, a lane each: `LOWER_ROWS` in src/gpu/pairs.rs.
const ROWS = 64u;

// Longer rows stay as they are, for the host: no invocation may take more loops. `LONGEST` in src/gpu/lower_ghosts.rs.
const LONGEST = 2048u;

@group(0) @binding(15) var<storage, read_write> ids: array<u32>;

// A row with lower ghosts: the places of its first id, of the first lower ghost, and after the last one.
struct Turned {
    start: u32,
    lower: u32,
    end: u32,
}

var<workgroup> turned: array<Turned, ROWS>;
var<workgroup> turned_count: atomic<u32>;
var<workgroup> count: u32;
var<workgroup> now: Turned;

@compute @workgroup_size(ROWS)
fn bring_lower(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        atomicStore(&turned_count, 0u);
    }
    workgroupBarrier();
    find(linear(workgroup) * ROWS + lane);
    workgroupBarrier();
    if lane == 0u {
        count = atomicLoad(&turned_count);
    }
    let rows = workgroupUniformLoad(&count);
    for (var k = 0u; k < rows; k++) {
        if lane == 0u {
            now = turned[k];
        }
        let row = workgroupUniformLoad(&now);
        // Two parts change places if each is reversed, and then both together.
        reverse(row.start, row.lower, lane);
        reverse(row.lower, row.end, lane);
        storageBarrier();
        reverse(row.start, row.end, lane);
        storageBarrier();
    }
}

// Notes row `i` if it has such ghosts and they are not at its front.
fn find(i: u32) {
    if i >= params.points || row_length(i) == 0u || row_length(i) > LONGEST || !is_in_chunk(i) {
        return;
    }
    let start = row_start(i);
    let end = start + row_length(i);
    if ids[end - 1u] - params.base < params.lower_ghosts.x {
        return; // no ghosts at its end
    }
    let lower = first_from(start, end, params.lower_ghosts.x);
    let higher = first_from(lower, end, params.lower_ghosts.y);
    if start < lower && lower < higher {
        turned[atomicAdd(&turned_count, 1u)] = Turned(start, lower, higher);
    }
}

// The first of the ids from `begin` to `end`, which ascend, that is not below `point`.
fn first_from(begin: u32, end: u32, point: u32) -> u32 {
    var first = begin;
    var after = end;
    while first < after {
        let middle = first + (after - first) / 2u;
        if ids[middle] - params.base < point {
            first = middle + 1u;
        } else {
            after = middle;
        }
    }
    return first;
}

// Reverses the ids from `begin` to `end`, without waiting for other lanes.
fn reverse(begin: u32, end: u32, lane: u32) {
    for (var k = lane; k < (end - begin) / 2u; k += ROWS) {
        let id = ids[begin + k];
        ids[begin + k] = ids[end - 1u - k];
        ids[end - 1u - k] = id;
    }
}
