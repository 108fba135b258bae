// Votes of the 32 lanes of a workgroup.

// In three turns: a word is cleared while another may still be read.
var<workgroup> words: array<atomic<u32>, 3>;
var<private> turn: u32;
var<workgroup> handed: u32;

// Before the first vote, by all lanes.
fn begin_votes(lane: u32) {
    turn = 0u;
    if lane < 3u {
        atomicStore(&words[lane], 0u);
    }
    workgroupBarrier();
}

fn next_turn(lane: u32) {
    turn = (turn + 1u) % 3u;
    if lane == 0u {
        atomicStore(&words[(turn + 1u) % 3u], 0u);
    }
}

// A bit for each lane that says yes.
fn ballot(yes: bool, lane: u32) -> u32 {
    next_turn(lane);
    if yes {
        atomicOr(&words[turn], 1u << lane);
    }
    workgroupBarrier();
    return atomicLoad(&words[turn]);
}

// The largest of numbers that are not negative.
fn largest(value: f32, lane: u32) -> f32 {
    next_turn(lane);
    atomicMax(&words[turn], bitcast<u32>(value));
    workgroupBarrier();
    return bitcast<f32>(atomicLoad(&words[turn]));
}

fn least_word(value: u32, lane: u32) -> u32 {
    next_turn(lane);
    atomicMax(&words[turn], ~value);
    workgroupBarrier();
    return ~atomicLoad(&words[turn]);
}

// The value of lane 0.
fn hand(value: u32, lane: u32) -> u32 {
    if lane == 0u {
        handed = value;
    }
    return workgroupUniformLoad(&handed);
}
