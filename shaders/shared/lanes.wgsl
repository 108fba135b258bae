// The 32 lanes that search together: a workgroup.
#import votes

const TEAM = 32u;

struct Lane {
    @builtin(local_invocation_index) lane: u32,
}

var<private> lane: u32;

// All lanes begin with it.
fn begin_team(mine: Lane) {
    lane = mine.lane;
    begin_votes(lane);
}

// A bit for each lane that says so.
fn vote(says: bool) -> u32 {
    return ballot(says, lane);
}
