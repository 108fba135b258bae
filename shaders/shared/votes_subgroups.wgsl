// Votes of the 32 lanes of a workgroup, where they are a subgroup.

fn begin_votes(lane: u32) {}

// A bit for each lane that says yes.
fn ballot(yes: bool, lane: u32) -> u32 {
    return subgroupBallot(yes).x;
}

// The largest of numbers that are not negative.
fn largest(value: f32, lane: u32) -> f32 {
    return subgroupMax(value);
}

fn least_word(value: u32, lane: u32) -> u32 {
    return subgroupMin(value);
}

// The value of lane 0.
fn hand(value: u32, lane: u32) -> u32 {
    return subgroupBroadcastFirst(value);
}
