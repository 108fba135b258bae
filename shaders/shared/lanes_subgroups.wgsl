// shared/lanes.wgsl where subgroups have 32 lanes: a subgroup.
const TEAM = 32u;
const TEAMS = 4u;

struct Lane {
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) team: u32,
}

var<private> lane: u32;
var<private> mine_shown: vec4<f32>;

fn begin_team(mine: Lane) -> u32 {
    lane = mine.lane;
    return mine.team;
}

fn vote(says: bool) -> u32 {
    return subgroupBallot(says).x;
}

fn hand(value: u32) -> u32 {
    return subgroupBroadcastFirst(value);
}

fn show(value: vec4<f32>) {
    mine_shown = value;
}

fn shown_by(other: u32) -> vec4<f32> {
    return subgroupShuffle(mine_shown, other);
}
