// The ids of the rows of a chunk, by radii, in any order: what points found themselves when rows were counted, or find again,
// from the front of their rows on, and what others find from the back on, as it comes. CPU twin: src/cpu/varied.rs.
#import params
#import seek
#import listed
#import far
#import kept
#import chunk
#import direct
#import batch

@group(0) @binding(37) var<storage, read> far: Far;
@group(0) @binding(15) var<storage, read_write> ids: array<u32>;
@group(0) @binding(16) var<storage, read> blocks: array<vec2<u32>>;
@group(0) @binding(17) var<storage, read> last_blocks: array<u32>;
// After where the next id goes at the back of the row of each place, and what is there where no id goes.
@group(0) @binding(12) var<storage, read_write> ends: array<atomic<u32>>;

// Far beyond all ids, also after as many ids as there are points were meant for the row.
const CLOSED = 0xffffffffu;

// The place of the next id at the front of the row of each point of the seeker's, and a bit for each whose row is open.
var<workgroup> fronts: array<atomic<u32>, TEAM>;
var<private> open: u32;
// The search is one of several for the seeker.
var<private> is_part: bool;

// Finds the backs of the rows. A lane a place.
@compute @workgroup_size(256)
fn find_ends(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let place = linear(workgroup) * 256u + lane;
    if place < params.points {
        let i = number_of(place);
        atomicStore(&ends[place], select(CLOSED, row_start(i + 1u), is_open(i)));
    }
}

@compute @workgroup_size(TEAM)
fn fill_near(workgroup: Workgroup, mine: Lane) {
    begin_team(mine);
    let leaf = task(workgroup);
    if leaf >= plane_start(1u) {
        return;
    }
    let teams = leaf * params.splits;
    begin(teams);
    for (var part = 0u; part < params.splits; part++) {
        let block = last_blocks[LAST_BLOCKS + teams + part];
        if block == NO_ROOM {
            share_out(part);
            walk();
        } else {
            decode(block);
        }
    }
}

// Takes what was kept, from the last block on, a lane an entry.
fn decode(last: u32) {
    var block = last;
    while block != NO_BLOCK {
        let head = blocks[block];
        if lane < head.y {
            let entry = blocks[block + 1u + lane];
            let leaf = entry.x & 0x7ffffffu;
            var left = entry.y;
            while left != 0u {
                let k = firstTrailingBit(left);
                left &= left - 1u;
                put(entry.x >> 27u, EACH * leaf + k);
            }
        }
        block = head.x;
    }
}

@compute @workgroup_size(TEAM)
fn fill_far(workgroup: Workgroup, mine: Lane) {
    begin_team(mine);
    is_part = true;
    let k = task(workgroup);
    let parts = far_parts();
    if k >= far.count * parts {
        return;
    }
    let left = far.teams[k / parts];
    begin(left.x);
    walk_part(left.y, k % parts, parts);
}

// Begins with the rows of a team's leaf, but for those that own no pair that the chunk lists.
fn begin(team: u32) {
    set_seeker(team);
    var is_mine = false;
    var is_owner = false;
    if is_there {
        let i = numbers[lane];
        is_mine = params.rule != SCATTER && has_row(i) && is_open(i);
        is_owner = is_mine || (params.rule != GATHER && is_listed(i));
        atomicStore(&fronts[lane], row_start(i));
    }
    open = vote(is_mine);
    wanted = vote(is_owner);
    workgroupBarrier();
}

// Whether ids go to row `i`.
fn is_open(i: u32) -> bool {
    return is_in_chunk(i) && !is_direct(i);
}

// Puts a pair of the seeker's with the point of a place where it is listed.
fn put(row: u32, place: u32) {
    let number = numbers[row];
    let other = number_of(place);
    if ((open >> row) & 1u) == 1u && lists(number, other) {
        if is_part {
            put_back(EACH * seeker.leaf + row, other);
        } else {
            store(atomicAdd(&fronts[row], 1u), other);
        }
    }
    if params.rule != GATHER && lists(other, number) {
        put_back(place, number);
    }
}

// Puts an id at the back of the row of a place.
fn put_back(place: u32, id: u32) {
    store(atomicSub(&ends[place], 1u) - 1u, id);
}

// The pair was decided once before, when rows were counted: a device that decides otherwise now gets a wrong row, and writes nowhere else.
fn store(at: u32, id: u32) {
    if at < arrayLength(&ids) {
        ids[at] = id + params.base;
    }
}

fn take(row: u32, leaf: u32, hit: bool, other: u32) {
    if hit {
        put(row, EACH * leaf + lane);
    }
}

fn leave(other: u32) {
}

fn defer(group: u32) {
}
