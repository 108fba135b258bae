// shared/lanes.wgsl where subgroups have 32 lanes: a workgroup is one of them.
const TEAM = 32u;

struct Lane {
    @builtin(subgroup_invocation_id) lane: u32,
}

var<private> lane: u32;

fn begin_team(mine: Lane) {
    lane = mine.lane;
}

fn vote(says: bool) -> u32 {
    return subgroupBallot(says).x;
}

fn hand(value: u32) -> u32 {
    return subgroupBroadcastFirst(value);
}
