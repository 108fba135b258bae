// Sorts rows that are not short, are where they belong, but in any order: a workgroup a row. Workgroup memory is what limits how
// many are in flight, so the stage runs twice: for most rows with little of it, and with more for the longest, which are sorted where
// they are if that does not do either. CPU twin: src/cpu/sorted.rs.
#import chunk
#import rows
#import buckets
#import network
#import batch

const WIDTH = 128u;
// Rows of at most this many ids are sorted already.
override SORTED: u32 = 0u;

@group(0) @binding(15) var<storage, read_write> ids: array<u32>;

@compute @workgroup_size(WIDTH)
fn sort_long(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let row = task(workgroup);
    if row >= atomicLoad(&rows.count) {
        return;
    }
    let i = rows.numbers[row];
    let start = row_start(i);
    let total = row_length(i);
    if total <= SORTED {
        return;
    }
    if total <= TILE {
        sort_in_buckets(start, total, lane);
    } else if SORTED > 0u {
        sort(start, total, lane);
    }
}
