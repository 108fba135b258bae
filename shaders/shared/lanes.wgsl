// The 32 lanes that search together: a workgroup, where subgroups are not known to be as wide.
const TEAM = 32u;

struct Lane {
    @builtin(local_invocation_index) lane: u32,
}

var<workgroup> votes: array<atomic<u32>, 3>;
var<workgroup> ballot: u32;
var<workgroup> handed: u32;

var<private> lane: u32;
var<private> turn: u32;

// All lanes begin with it.
fn begin_team(mine: Lane) {
    lane = mine.lane;
    turn = 0u;
    if lane < 3u {
        atomicStore(&votes[lane], 0u);
    }
    workgroupBarrier();
}

// A bit for each lane that says so.
fn vote(says: bool) -> u32 {
    if says {
        atomicOr(&votes[turn], 1u << lane);
    }
    workgroupBarrier();
    if lane == 0u {
        ballot = atomicLoad(&votes[turn]);
        atomicStore(&votes[turn], 0u);
    }
    turn = (turn + 1u) % 3u;
    return workgroupUniformLoad(&ballot);
}

// What lane 0 has.
fn hand(value: u32) -> u32 {
    if lane == 0u {
        handed = value;
    }
    return workgroupUniformLoad(&handed);
}
