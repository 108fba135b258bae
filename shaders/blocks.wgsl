// Lists the blocks. The cells that a block may span are cut into pieces of ROWS points. Where points are of several kinds, blocks whose
// rows can list nothing around them are left out; sums list them, because their rows have results all the same.
#import blocks
#import runs
#import scope

const WIDTH = 256u;
// Lanes that look around a block, a run each.
const TEAM = 32u;

// The blocks that begin in the workgroup: the place of the first point, the number of points, and 1 if there may be something to list.
var<workgroup> firsts: array<u32, WIDTH>;
var<workgroup> sizes: array<u32, WIDTH>;
var<workgroup> meeting: array<atomic<u32>, WIDTH>;
var<workgroup> mine: atomic<u32>;
var<workgroup> begin: u32;

@compute @workgroup_size(WIDTH)
fn list_blocks(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        atomicStore(&mine, 0u);
    }
    workgroupBarrier();
    let place = linear(workgroup) * WIDTH + lane;
    var points = 0u;
    var k = 0u;
    if place < params.points {
        let cell = cells[place];
        let x = cell % shape.dims.x;
        let left = x / shape.width * shape.width;
        let first = starts[cell - x + left];
        if (place - first) % ROWS == 0u {
            points = min(ROWS, starts[cell - x + min(left + shape.width, shape.dims.x)] - place);
            k = atomicAdd(&mine, 1u);
        }
    }
    if HAS_KINDS && params.every_block == 0u {
        points = keep_meeting(place, points, &k, lane);
    }
    workgroupBarrier();
    if lane == 0u {
        begin = atomicAdd(&blocks.count, atomicLoad(&mine));
    }
    workgroupBarrier();
    if points != 0u && begin + k < params.most_blocks {
        blocks.entries[begin + k] = Block(place, points, 0u, NONE, NONE, NONE, NO_ROOM, 0u);
    }
}

// The points of a lane's block, or 0 if its rows can list nothing; `k` numbers those that can. All lanes call it.
fn keep_meeting(place: u32, points: u32, k: ptr<function, u32>, lane: u32) -> u32 {
    if points != 0u {
        firsts[*k] = place;
        sizes[*k] = points;
        atomicStore(&meeting[*k], 0u);
    }
    workgroupBarrier();
    let all = atomicLoad(&mine);
    for (var block = lane / TEAM; block < all && lane % TEAM < RUNS; block += WIDTH / TEAM) {
        let first = firsts[block];
        let last = first + sizes[block] - 1u;
        let run = run_of(CellsOfBlock(cell_coords(cells[first]), cells[last] % shape.dims.x), lane % TEAM);
        if any_meets(run.x, run.y - run.x, scopes_of_rows(first, last)) {
            atomicStore(&meeting[block], 1u);
        }
    }
    workgroupBarrier();
    if lane == 0u {
        atomicStore(&mine, 0u);
    }
    workgroupBarrier();
    if points == 0u || atomicLoad(&meeting[*k]) == 0u {
        return 0u;
    }
    *k = atomicAdd(&mine, 1u);
    return points;
}
