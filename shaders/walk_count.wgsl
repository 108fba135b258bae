// The length of every row, by radii: who finds a pair counts it for each row that lists it. CPU twin: src/cpu/varied.rs.
#import params
#import walk
#import listed
#import far
#import grid_of_workgroups

struct Found {
    count: atomic<u32>,
    rows: array<vec2<u32>>,
}

@group(0) @binding(10) var<storage, read_write> lengths: array<atomic<u32>>;
@group(0) @binding(24) var<storage, read_write> deferred: Found;
@group(0) @binding(24) var<storage, read> far: Far;

// What lanes have found for the seeker's own row.
var<private> own: u32;

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
    if !is_owner() {
        return;
    }
    own = 0u;
    walk();
    count_own();
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
        walk_part(row.y, k % PARTS, PARTS);
        count_own();
    }
}

// Whether the seeker may own pairs that are listed.
fn is_owner() -> bool {
    return (params.rule != SCATTER && has_row(seeker.number)) || (params.rule != GATHER && is_listed(seeker.number));
}

fn take(hit: bool, other: u32) {
    if hit {
        if params.rule != SCATTER && lists(seeker.number, other) {
            own++;
        }
        if params.rule != GATHER && lists(other, seeker.number) {
            atomicAdd(&lengths[other], 1u);
        }
    }
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
