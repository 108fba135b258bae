// Sorts long rows that stand where they belong, but in any order, and all rows where the device has no subgroups: a workgroup
// a row. Workgroup memory is what limits how many are in flight, so the longest are left to sort_longest.wgsl.
// CPU twin: src/cpu/sorted.rs.
#import params
#import chunk
#import rows
#import buckets
#import batch

const TILE = 1024u;

@group(0) @binding(14) var<storage, read> rows: Rows;

@compute @workgroup_size(WIDTH)
fn sort_long(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = task(workgroup, workgroups);
    if row >= rows.longs {
        return;
    }
    let i = rows.places[params.points - 1u - row];
    let start = row_start(i);
    let total = row_start(i + 1u) - start;
    if total <= TILE {
        sort_in_buckets(start, total, lane);
    }
}
