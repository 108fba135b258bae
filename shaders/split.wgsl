// Splits crowds into windows. A workgroup makes a histogram of a block's candidates by number, and cuts it into ranges that `count`
// has room for. A bin that alone exceeds this is counted again in finer bins.
#import candidates
#import batch

const WIDTH = 256u;
const BINS = 2048u;
const BITS = 11u;

var<workgroup> bins: array<atomic<u32>, BINS>;
// Candidates in the bins of each lane.
var<workgroup> bin_sums: array<u32, WIDTH>;
var<workgroup> next_least: u32;
var<workgroup> next_shift: u32;
var<workgroup> before: u32;
// The number of the crowd.
var<private> crowd: u32;
// Windows of the block so far.
var<workgroup> windows: u32;

@compute @workgroup_size(WIDTH)
fn split(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let taken = take_block(task(workgroup), lane);
    if taken == NONE {
        return;
    }
    crowd = listed[taken];
    let around = look_around(blocks.entries[crowd], lane);
    var coarse = 0u;
    while params.points >> coarse >= BINS {
        coarse++;
    }
    var least = 0u;
    var shift = coarse;
    if lane == 0u {
        before = NONE;
        windows = 0u;
    }
    while least < params.points {
        for (var bin = lane; bin < BINS; bin += WIDTH) {
            atomicStore(&bins[bin], 0u);
        }
        workgroupBarrier();
        var run = 0u;
        for (var c = lane; c < around.gathered; c += WIDTH) {
            let found = candidate(c, run);
            run = found.run;
            let other = point(found.place);
            let number = u32(other.w);
            if number >= least && (number - least) >> shift < BINS && is_wanted(found, other, around) {
                atomicAdd(&bins[(number - least) >> shift], 1u);
            }
        }
        workgroupBarrier();
        var sum = 0u;
        for (var k = 0u; k < BINS / WIDTH; k++) {
            sum += atomicLoad(&bins[lane * (BINS / WIDTH) + k]);
        }
        bin_sums[lane] = sum;
        workgroupBarrier();
        if lane == 0u {
            cut(around.block, least, shift, coarse);
        }
        least = workgroupUniformLoad(&next_least);
        shift = workgroupUniformLoad(&next_shift);
    }
}

// Makes windows of the bins, and says where to go on.
fn cut(block: Block, least: u32, shift: u32, coarse: u32) {
    var from_bin = 0u;
    var sum = 0u;
    for (var bin = 0u; bin < BINS; bin++) {
        // As many bins as a lane has summed go in whole, if they do.
        if bin % (BINS / WIDTH) == 0u && sum + bin_sums[bin / (BINS / WIDTH)] <= MOST {
            sum += bin_sums[bin / (BINS / WIDTH)];
            bin += BINS / WIDTH - 1u;
            continue;
        }
        let here = atomicLoad(&bins[bin]);
        if sum + here > MOST {
            add_window(block, least + (from_bin << shift), least + (bin << shift), sum);
            from_bin = bin;
            sum = 0u;
            if here > MOST {
                next_least = least + (bin << shift);
                next_shift = max(shift, BITS) - BITS;
                return;
            }
        }
        sum += here;
    }
    let end = least + (BINS << shift);
    add_window(block, least + (from_bin << shift), end, sum);
    next_least = end;
    next_shift = coarse;
}

fn add_window(block: Block, least: u32, end: u32, candidates: u32) {
    if candidates == 0u {
        return;
    }
    let number = atomicAdd(&blocks.count, 1u);
    windows += 1u;
    atomicMax(&blocks.most_windows, windows);
    if number < params.most_blocks && number - blocks.whole < params.most_windows {
        blocks.entries[number] = Block(block.first, block.points, least, end, before, NONE, NO_ROOM, 0u);
        if before != NONE {
            blocks.entries[before].after = number;
        } else {
            blocks.entries[crowd].after = number;
        }
        before = number;
    }
}
