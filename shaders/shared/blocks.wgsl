// A block is up to ROWS points that are side by side in cell order, in a few cells along x. Their rows are found together, among
// the candidates in reach of any of the points. Rust twins: `Blocks` and `Block` in src/gpu/params.rs.
#import params
#import grid_of_workgroups

// Points of a block, at most.
const ROWS = 64u;
// Candidates of a block, at most. A block with more is a crowd and becomes several: windows, each with its own range of numbers.
const MOST = 1024u;
// Words that the hits of a block take, at most.
const MOST_WORDS = MOST + ROWS + ROWS * MOST / 32u;
// No block; no room for the hits; no hits, except in windows.
const NONE = 0xffffffffu;
const NO_ROOM = 0xffffffffu;
const NO_HITS = 0xfffffffeu;

struct Block {
    // The place of its first point, and how many points it has.
    first: u32,
    points: u32,
    // The numbers of its candidates: from `least` on, below `end`.
    least: u32,
    end: u32,
    // The windows with lower and with higher numbers of the same points, or NONE. After a crowd is its first window; before it, the one
    // that a sum took last.
    before: u32,
    after: u32,
    // The place of its hits (shared/hits.wgsl), NO_ROOM or NO_HITS.
    hits: u32,
    candidates: u32,
}

struct Blocks {
    // The number of the first block that is next, and how many are.
    begin: u32,
    next: u32,
    // Blocks that come before all windows; and their number if there were room for all.
    whole: u32,
    wanted: u32,
    // Blocks and windows so far.
    count: atomic<u32>,
    // Crowds: `listed` begins with their numbers.
    crowds: atomic<u32>,
    // Blocks without room for their hits: `listed` ends with their numbers, the first one last.
    unkept: atomic<u32>,
    // Words that hits have taken.
    words: atomic<u32>,
    // Neighbors that were summed over, low and high word.
    entries_low: atomic<u32>,
    entries_high: atomic<u32>,
    // Ranges of blocks that were summed.
    ranges: u32,
    // The most windows that a crowd has; and the round of a sum: 0 over blocks, then over a window of each crowd.
    most_windows: atomic<u32>,
    round: u32,
    // Candidates that were compared with rows, low and high word.
    tests_low: atomic<u32>,
    tests_high: atomic<u32>,
    entries: array<Block>,
}

@group(0) @binding(43) var<storage, read_write> blocks: Blocks;
// Numbers of blocks; after them the length of each row in each window, ROWS for a window.
@group(0) @binding(44) var<storage, read_write> listed: array<u32>;

// The place of the lengths that a window has found.
fn lengths_of_window(number: u32) -> u32 {
    return params.most_blocks + (number - blocks.whole) * ROWS;
}

// Counts tests in 64 bits.
fn note_tests(count: u32) {
    let before = atomicAdd(&blocks.tests_low, count);
    if before + count < before {
        atomicAdd(&blocks.tests_high, 1u);
    }
}

var<workgroup> taken: u32;

// Returns the number of the block that a workgroup works on, or NONE. All lanes call it and get the same value.
fn take_block(workgroup: u32, lane: u32) -> u32 {
    if lane == 0u {
        taken = NONE;
        if workgroup < blocks.next {
            taken = blocks.begin + workgroup;
            if params.again == 1u {
                taken = listed[params.most_blocks - 1u - taken];
            }
        }
    }
    return workgroupUniformLoad(&taken);
}
