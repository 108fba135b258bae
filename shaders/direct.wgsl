// Finds the rows that have a good part of all points, in the order of ids: a team of lanes for each part of all numbers decides
// each point by the caller's arithmetic. First how many ids each part has, then the ids.
#import params
#import lanes
#import order
#import listed
#import decide
#import direct
#import batch

@group(0) @binding(15) var<storage, read_write> ids: array<u32>;

@compute @workgroup_size(TEAM)
fn count_direct(workgroup: Workgroup, mine: Lane) {
    begin_team(mine);
    let task = task(workgroup);
    let row = ROW * (task / direct_parts());
    let part = task % direct_parts();
    if task >= atomicLoad(&direct.count) * direct_parts() {
        return;
    }
    let i = number_of(direct.rows[row]);
    var count = 0u;
    for (var j = part_start(part); j < part_start(part + 1u); j += TEAM) {
        count += countOneBits(vote(is_entry(i, j + lane, part)));
    }
    if lane == 0u {
        direct.rows[row + 1u + part] = count;
    }
}

@compute @workgroup_size(TEAM)
fn fill_direct(workgroup: Workgroup, mine: Lane) {
    begin_team(mine);
    let task = task(workgroup);
    let row = ROW * (task / direct_parts());
    let part = task % direct_parts();
    if task >= atomicLoad(&direct.count) * direct_parts() {
        return;
    }
    let i = number_of(direct.rows[row]);
    var next = row_start(i);
    for (var before = 0u; before < part; before++) {
        next += direct.rows[row + 1u + before];
    }
    for (var j = part_start(part); j < part_start(part + 1u); j += TEAM) {
        let found = vote(is_entry(i, j + lane, part));
        if (found >> lane & 1u) == 1u {
            ids[next + countOneBits(found & ((1u << lane) - 1u))] = j + lane + params.base;
        }
        next += countOneBits(found);
    }
}

// The first number of a part.
fn part_start(part: u32) -> u32 {
    return min(part * ((params.points + direct_parts() - 1u) / direct_parts()), params.points);
}

// Whether the row of point `i` lists point `j` of a part.
fn is_entry(i: u32, j: u32, part: u32) -> bool {
    if j >= part_start(part + 1u) || j == i || !lists(i, j) {
        return false;
    }
    if params.rule == SCATTER {
        return is_pair(j, i);
    }
    return is_pair(i, j);
}
