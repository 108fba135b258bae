// The length of every row, by radii: who finds a pair counts it for each row that lists it. CPU twin: src/cpu/varied.rs.
#import params
#import seek
#import listed
#import far
#import kept
#import grid_of_workgroups

struct Found {
    count: atomic<u32>,
    rows: array<vec2<u32>>,
}

@group(0) @binding(10) var<storage, read_write> lengths: array<atomic<u32>>;
@group(0) @binding(37) var<storage, read_write> deferred: Found;
@group(0) @binding(37) var<storage, read> far: Far;

@group(0) @binding(16) var<storage, read_write> blocks: array<vec2<u32>>;
// How much of the blocks is taken; the last block of each place.
@group(0) @binding(17) var<storage, read_write> last_blocks: array<atomic<u32>>;

// What lanes have found for the seeker's own row.
var<private> own: u32;
// The block that is being made: an entry in each lane, and how many.
var<private> entry: vec2<u32>;
var<private> entries: u32;
var<private> last_block: u32;
var<private> keeps: bool;

@compute @workgroup_size(TEAM * TEAMS)
fn count_near(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    mine: Lane,
) {
    let team = begin_team(mine);
    let place = linear(workgroup, workgroups) * TEAMS + team;
    if place >= params.points {
        return;
    }
    set_seeker(place);
    last_block = NO_BLOCK;
    if is_owner() {
        own = 0u;
        entries = 0u;
        keeps = true;
        walk();
        count_own();
        put_block();
    }
    if lane == 0u {
        atomicStore(&last_blocks[1u + place], last_block);
    }
}

@compute @workgroup_size(TEAM * TEAMS)
fn count_far(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    mine: Lane,
) {
    let team = begin_team(mine);
    let first = linear(workgroup, workgroups) * TEAMS + team;
    for (var k = first; k < far.count * PARTS; k += workgroups.x * TEAMS) {
        let row = far.rows[k / PARTS];
        set_seeker(row.x);
        own = 0u;
        keeps = false;
        walk_part(row.y, k % PARTS);
        count_own();
    }
}

// Whether the seeker may own pairs that are listed.
fn is_owner() -> bool {
    return (params.rule != SCATTER && has_row(seeker.number)) || (params.rule != GATHER && is_listed(seeker.number));
}

fn take(leaf: u32, hit: bool, other: u32) {
    if keeps {
        keep(leaf, vote(hit));
    }
    if hit {
        if params.rule != SCATTER && lists(seeker.number, other) {
            own++;
        }
        if params.rule != GATHER && lists(other, seeker.number) {
            atomicAdd(&lengths[other], 1u);
        }
    }
}

// Appends to the block what was found in a leaf.
fn keep(leaf: u32, bits: u32) {
    if bits == 0u {
        return;
    }
    if entries == EACH {
        put_block();
    }
    if lane == entries {
        entry = vec2(leaf, bits);
    }
    entries++;
}

// Puts the block where it stays.
fn put_block() {
    if entries == 0u || last_block == NO_ROOM {
        return;
    }
    var base = params.mask_words;
    if lane == 0u && atomicLoad(&last_blocks[0]) < params.mask_words {
        base = atomicAdd(&last_blocks[0], 1u + entries);
    }
    base = hand(base);
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

fn count_own() {
    if own > 0u {
        atomicAdd(&lengths[seeker.number], own);
    }
}

fn defer(group: u32) {
    if lane == 0u {
        deferred.rows[atomicAdd(&deferred.count, 1u)] = vec2(seeker.place, group);
    }
}
