// The length of every row, by radii: who finds a pair counts it for each row that lists it. CPU twin: src/cpu/varied.rs.
#import params
#import seek
#import listed
#import far
#import kept
#import batch

struct Found {
    workgroups: vec3<u32>,
    count: atomic<u32>,
    direct_workgroups: vec3<u32>,
    reserved: u32,
    long_workgroups: vec3<u32>,
    reserved_2: u32,
    teams: array<vec2<u32>>,
}

@group(0) @binding(10) var<storage, read_write> lengths: array<atomic<u32>>;
@group(0) @binding(37) var<storage, read_write> deferred: Found;
@group(0) @binding(37) var<storage, read> far: Far;

@group(0) @binding(16) var<storage, read_write> blocks: array<vec2<u32>>;
// The part of the blocks that is taken, and the tests; then the last block of each team.
@group(0) @binding(17) var<storage, read_write> last_blocks: array<atomic<u32>>;

// The neighbors found for the lane's own row.
var<private> own: u32;
// The neighbors found in the leaf that is looked at for the row of the lane's point there.
var<private> others: u32;
// The block that is being made: an entry in each lane, and how many.
var<private> entry: vec2<u32>;
var<private> entries: u32;
var<private> last_block: u32;
var<private> keeps: bool;

@compute @workgroup_size(TEAM)
fn count_near(workgroup: Workgroup, mine: Lane) {
    begin_team(mine);
    let team = task(workgroup);
    if team >= plane_start(1u) * params.splits {
        return;
    }
    begin(team);
    keeps = true;
    last_block = NO_BLOCK;
    entries = 0u;
    walk();
    count_own();
    put_block();
    if lane == 0u {
        atomicStore(&last_blocks[LAST_BLOCKS + team], last_block);
    }
}

@compute @workgroup_size(TEAM)
fn count_far(workgroup: Workgroup, mine: Lane) {
    begin_team(mine);
    keeps = false;
    let k = task(workgroup);
    let parts = far_parts();
    if k >= far.count * parts {
        return;
    }
    let left = far.teams[k / parts];
    begin(left.x);
    walk_part(left.y, k % parts, parts);
    count_own();
}

// Begins with the rows of a team's leaf, but for those that own no pair that is listed.
fn begin(team: u32) {
    set_seeker(team);
    var is_owner = false;
    if is_there {
        let i = numbers[lane];
        is_owner = (params.rule != SCATTER && has_row(i)) || (params.rule != GATHER && is_listed(i));
    }
    wanted = vote(is_owner);
    own = 0u;
    others = 0u;
}

fn take(row: u32, leaf: u32, hit: bool, other: u32) {
    let bits = vote(hit);
    if bits == 0u {
        return;
    }
    if keeps {
        keep(vec2((row << 27u) | leaf, bits));
    }
    let number = numbers[row];
    if params.rule != SCATTER {
        let count = countOneBits(vote(hit && lists(number, other)));
        own += select(0u, count, lane == row);
    }
    if hit && params.rule != GATHER && lists(other, number) {
        others++;
    }
}

fn leave(other: u32) {
    if others > 0u {
        atomicAdd(&lengths[other], others);
        others = 0u;
    }
}

// Appends to the block.
fn keep(found: vec2<u32>) {
    if entries == EACH {
        put_block();
    }
    if lane == entries {
        entry = found;
    }
    entries++;
}

// Puts the block where it stays.
fn put_block() {
    if entries == 0u || last_block == NO_ROOM {
        return;
    }
    var base = params.mask_words;
    if lane == 0u && atomicLoad(&last_blocks[TAKEN]) < params.mask_words {
        base = atomicAdd(&last_blocks[TAKEN], 1u + entries);
    }
    base = hand(base, lane);
    if base + 1u + entries <= params.mask_words {
        if lane == 0u {
            blocks[base] = vec2(last_block, entries);
        }
        if lane < entries {
            blocks[base + 1u + lane] = entry;
        }
        last_block = base;
    } else {
        last_block = NO_ROOM;
    }
    entries = 0u;
}

// The last step of a team.
fn count_own() {
    if lane == 0u {
        let before = atomicAdd(&last_blocks[TESTS_LOW], tests);
        if before + tests < before {
            atomicAdd(&last_blocks[TESTS_HIGH], 1u);
        }
    }
    if own > 0u {
        atomicAdd(&lengths[numbers[lane]], own);
    }
}

fn defer(group: u32) {
    if lane == 0u {
        deferred.teams[atomicAdd(&deferred.count, 1u)] = vec2(seeker.team, group);
    }
}
