// The ids of the rows of a chunk, by radii, in any order: what a point found itself when rows were counted, or finds again, from
// the front of its row on, and what others find from the back on, as it comes. CPU twin: src/cpu/varied.rs.
#import params
#import seek
#import listed
#import far
#import kept
#import chunk
#import direct
#import grid_of_workgroups

@group(0) @binding(37) var<storage, read> far: Far;
@group(0) @binding(15) var<storage, read_write> ids: array<u32>;
@group(0) @binding(16) var<storage, read> blocks: array<vec2<u32>>;
@group(0) @binding(17) var<storage, read> last_blocks: array<u32>;
// How many ids stand at the back of each row.
@group(0) @binding(12) var<storage, read_write> pushed: array<atomic<u32>>;

// Whether the seeker's own row is in the chunk, and where its next id goes.
var<private> is_mine_wanted: bool;
var<private> next: u32;
// The search is one of several for the seeker.
var<private> is_part: bool;

@compute @workgroup_size(TEAM * TEAMS)
fn fill_near(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    mine: Lane,
) {
    let team = begin_team(mine);
    let place = linear(workgroup, workgroups) * TEAMS + team;
    if place >= params.points {
        return;
    }
    is_part = false;
    let block = last_blocks[1u + place];
    if block == NO_BLOCK {
        return;
    }
    if block == NO_ROOM {
        set_seeker(place);
    } else {
        seeker.number = number_of(place);
    }
    set_row();
    if !is_owner() {
        return;
    }
    if block == NO_ROOM {
        walk();
    } else {
        decode(block);
    }
}

// Takes what was kept, from the last block on.
fn decode(last: u32) {
    var block = last;
    while block != NO_BLOCK {
        let head = blocks[block];
        for (var k = 1u; k <= head.y; k++) {
            let entry = blocks[block + k];
            let hit = (entry.y >> lane & 1u) == 1u;
            var other = 0u;
            if hit {
                other = number_of(EACH * entry.x + lane);
            }
            take(entry.x, hit, other);
        }
        block = head.x;
    }
}

@compute @workgroup_size(TEAM * TEAMS)
fn fill_far(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    mine: Lane,
) {
    let team = begin_team(mine);
    let first = linear(workgroup, workgroups) * TEAMS + team;
    is_part = true;
    for (var k = first; k < far.count * PARTS; k += workgroups.x * TEAMS) {
        let row = far.rows[k / PARTS];
        set_seeker(row.x);
        set_row();
        walk_part(row.y, k % PARTS);
    }
}

// Whether the seeker may own pairs that the chunk lists.
fn is_owner() -> bool {
    return is_mine_wanted || (params.rule != GATHER && is_listed(seeker.number));
}

// Finds out about the seeker's own row.
fn set_row() {
    is_mine_wanted = params.rule != SCATTER && has_row(seeker.number) && is_in_chunk(seeker.number)
        && !is_direct(seeker.number);
    next = row_start(seeker.number);
}

fn take(leaf: u32, hit: bool, other: u32) {
    if is_mine_wanted {
        let is_mine = hit && lists(seeker.number, other);
        let all = vote(is_mine);
        let before = countOneBits(all & ((1u << lane) - 1u));
        if is_part {
            next = back_of(all);
        }
        if is_mine {
            ids[next + before] = other + params.base;
        }
        next += countOneBits(all);
    }
    if hit && params.rule != GATHER && lists(other, seeker.number) && is_in_chunk(other) && !is_direct(other) {
        let at = row_start(other + 1u) - 1u - atomicAdd(&pushed[other], 1u);
        ids[at] = seeker.number + params.base;
    }
}

// Room for as many ids at the back of the seeker's row as there are bits.
fn back_of(bits: u32) -> u32 {
    let count = countOneBits(bits);
    if count == 0u {
        return 0u;
    }
    var before = 0u;
    if lane == 0u {
        before = atomicAdd(&pushed[seeker.number], count);
    }
    return row_start(seeker.number + 1u) - hand(before) - count;
}

fn defer(group: u32) {
}
