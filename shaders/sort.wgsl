// A stable radix sort, eight bits a pass from the lowest on: each block of entries counts its digits, the counts of all are
// scanned digit by digit (scan_digits.wgsl), each block moves its entries. Passes alternate between two buffers, and there is an even
// number of them. No workgroup waits for another, and no subgroups are needed.
#import entries
#import tree
#import zorder
#import grid_of_workgroups

const WIDTH = 256u;
const DIGITS = 256u;
// Rows of entries that a block has, a lane each: `SORT_BLOCK` in src/gpu/ztree.rs.
const ROWS = 16u;
// Words with a bit for each lane.
const WORDS = WIDTH / 32u;

@group(0) @binding(23) var<storage, read_write> other_entries: array<vec2<u32>>;
@group(0) @binding(24) var<storage, read_write> digits: array<u32>;

var<workgroup> counts: array<atomic<u32>, DIGITS>;
// For each digit, which lanes of the row have it: word after word.
var<workgroup> lanes: array<atomic<u32>, DIGITS * WORDS>;
// The place of the next entry of each digit.
var<workgroup> nexts: array<u32, DIGITS>;

fn entry(i: u32) -> vec2<u32> {
    if (zorder.shift & 8u) == 0u {
        return entries[i];
    }
    return other_entries[i];
}

fn digit(key: u32) -> u32 {
    return (key >> zorder.shift) & (DIGITS - 1u);
}

@compute @workgroup_size(WIDTH)
fn count_digits(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let block = linear(workgroup);
    if block >= tree.blocks {
        return;
    }
    atomicStore(&counts[lane], 0u);
    workgroupBarrier();
    for (var row = 0u; row < ROWS; row++) {
        let i = (block * ROWS + row) * WIDTH + lane;
        if i < tree.points {
            atomicAdd(&counts[digit(entry(i).x)], 1u);
        }
    }
    workgroupBarrier();
    digits[lane * tree.blocks + block] = atomicLoad(&counts[lane]);
}

@compute @workgroup_size(WIDTH)
fn scatter_digits(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let block = linear(workgroup);
    if block >= tree.blocks {
        return;
    }
    nexts[lane] = digits[lane * tree.blocks + block];
    for (var word = 0u; word < WORDS; word++) {
        atomicStore(&lanes[word * DIGITS + lane], 0u);
    }
    workgroupBarrier();
    for (var row = 0u; row < ROWS; row++) {
        let i = (block * ROWS + row) * WIDTH + lane;
        let is_entry = i < tree.points;
        var mine = vec2<u32>();
        if is_entry {
            mine = entry(i);
            atomicOr(&lanes[lane / 32u * DIGITS + digit(mine.x)], 1u << (lane % 32u));
        }
        workgroupBarrier();
        if is_entry {
            move_entry(mine, lane);
        }
        workgroupBarrier();
        var count = 0u;
        for (var word = 0u; word < WORDS; word++) {
            count += countOneBits(atomicExchange(&lanes[word * DIGITS + lane], 0u));
        }
        nexts[lane] += count;
        workgroupBarrier();
    }
}

// Moves the entry of a lane after those of the lanes before with the same digit.
fn move_entry(mine: vec2<u32>, lane: u32) {
    let d = digit(mine.x);
    var to = nexts[d];
    for (var word = 0u; word < lane / 32u; word++) {
        to += countOneBits(atomicLoad(&lanes[word * DIGITS + d]));
    }
    to += countOneBits(atomicLoad(&lanes[lane / 32u * DIGITS + d]) & ((1u << (lane % 32u)) - 1u));
    if (zorder.shift & 8u) == 0u {
        other_entries[to] = mine;
    } else {
        entries[to] = mine;
    }
}

@compute @workgroup_size(1)
fn next_digit() {
    zorder.shift = (zorder.shift + 8u) % 32u;
}
