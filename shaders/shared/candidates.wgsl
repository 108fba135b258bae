// The candidates of a block: the points in reach of it that its rows may list. They are numbered run by run.
#import blocks
#import runs
#import image
#import scope
#import shape
#import sorted

// The starts of runs, and the number of candidates before each.
var<workgroup> run_firsts: array<u32, RUNS>;
var<workgroup> run_lengths: array<u32, RUNS>;
var<workgroup> run_starts: array<u32, RUNS + 1u>;
// The box of the block's points, relative to the first of them.
var<workgroup> box_low: array<atomic<i32>, 3>;
var<workgroup> box_high: array<atomic<i32>, 3>;
// The scopes of its rows, and the lowest of their numbers.
var<workgroup> scopes: array<atomic<u32>, 2>;
var<workgroup> lowest_row: atomic<u32>;
var<workgroup> gathered: u32;

// Data of a block that all lanes know.
struct Around {
    block: Block,
    // The first point; coordinates are relative to it.
    origin: vec3<i32>,
    low: vec3<f32>,
    high: vec3<f32>,
    scopes: vec2<u32>,
    // Points in the runs.
    gathered: u32,
}

// Finds the runs around a block and its box. All lanes call it.
fn look_around(block: Block, lane: u32) -> Around {
    let cells_of_block = CellsOfBlock(cell_coords(cells[block.first]), cells[block.first + block.points - 1u] % shape.dims.x);
    if lane < RUNS {
        let run = run_of(cells_of_block, lane);
        run_firsts[lane] = run.x;
        run_lengths[lane] = run.y - run.x;
        note_image(cells_of_block, lane);
    }
    if lane < 3u {
        atomicStore(&box_low[lane], 0x7fffffff);
        atomicStore(&box_high[lane], -0x7fffffff);
    }
    if lane < 2u {
        atomicStore(&scopes[lane], 0u);
    }
    if lane == 0u {
        atomicStore(&lowest_row, NONE);
    }
    workgroupBarrier();
    let origin = point(block.first).xyz;
    if lane < block.points {
        let scope = scope_of(block.first + lane);
        if scope != NO_SCOPE {
            atomicOr(&scopes[scope / 32u], 1u << (scope % 32u));
            let mine = point(block.first + lane);
            atomicMin(&lowest_row, u32(mine.w));
            let at = mine.xyz - origin;
            for (var axis = 0u; axis < 3u; axis++) {
                atomicMin(&box_low[axis], at[axis]);
                atomicMax(&box_high[axis], at[axis]);
            }
        }
    }
    if HAS_KINDS {
        workgroupBarrier();
        let wanted = vec2(atomicLoad(&scopes[0]), atomicLoad(&scopes[1]));
        if lane < RUNS && !any_meets(run_firsts[lane], run_lengths[lane], wanted) {
            run_lengths[lane] = 0u;
        }
        workgroupBarrier();
    }
    start_runs(lane);
    let all = workgroupUniformLoad(&gathered);
    let low = vec3(atomicLoad(&box_low[0]), atomicLoad(&box_low[1]), atomicLoad(&box_low[2]));
    let high = vec3(atomicLoad(&box_high[0]), atomicLoad(&box_high[1]), atomicLoad(&box_high[2]));
    let wanted = vec2(atomicLoad(&scopes[0]), atomicLoad(&scopes[1]));
    var listing = block;
    if params.full == 0u {
        listing.least = max(block.least, atomicLoad(&lowest_row)); // half rows list nothing lower
    }
    return Around(listing, origin, vec3<f32>(low), vec3<f32>(high), wanted, all);
}

// Numbers the points of the runs. A barrier follows.
fn start_runs(lane: u32) {
    if lane <= RUNS {
        var start = 0u;
        for (var k = 0u; k < lane; k++) {
            start += run_lengths[k];
        }
        run_starts[lane] = start;
        if lane == RUNS {
            gathered = start;
        }
    }
}

// A point, and the run in which it is a candidate.
struct Candidate {
    place: u32,
    run: u32,
}

// The `k`-th candidate, in run `from_run` or after it.
fn candidate(k: u32, from_run: u32) -> Candidate {
    var run = from_run;
    while run_starts[run + 1u] <= k {
        run++;
    }
    return Candidate(run_firsts[run] + k - run_starts[run], run);
}

// Places below this leave room for a run in a word.
const FEW_PLACES = 1u << 27u;

// A word that says which candidate it is, the `k`-th.
fn word_of(found: Candidate, k: u32) -> u32 {
    if !HAS_IMAGES {
        return found.place;
    }
    return select(k, found.place | (found.run << 27u), params.points <= FEW_PLACES);
}

fn candidate_of(word: u32) -> Candidate {
    if !HAS_IMAGES {
        return Candidate(word, 0u);
    }
    if params.points <= FEW_PLACES {
        return Candidate(word & (FEW_PLACES - 1u), word >> 27u);
    }
    return candidate(word, 0u);
}

// Whether some row of the block may list `other`, the point of a candidate.
fn is_wanted(found: Candidate, other: vec4<i32>, around: Around) -> bool {
    let number = u32(other.w);
    if number < around.block.least || number >= around.block.end || !meets(found.place, around.scopes) {
        return false;
    }
    // Low words of points of different cells say nothing.
    if shape.verify == 1u {
        return true;
    }
    // Rounded: by much less than what is added to the bound.
    let at = vec3<f32>(moved(other, found.run).xyz - around.origin);
    let gap = max(max(around.low - at, at - around.high), vec3(0.0));
    return gap.x * gap.x + gap.y * gap.y + gap.z * gap.z <= params.upper * 1.001;
}
