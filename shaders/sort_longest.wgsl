// Sorts those long rows that sort_long.wgsl leaves: a workgroup a row. CPU twin: src/cpu/sorted.rs.
#import params
#import chunk
#import rows
#import buckets
#import batch

const TILE = 2048u;
// Rows of up to so many ids are sorted already: `TILE` in sort_long.wgsl.
const SORTED = 1024u;

@group(0) @binding(14) var<storage, read> rows: Rows;

@compute @workgroup_size(WIDTH)
fn sort_longest(
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
    if total <= SORTED {
        return;
    }
    if total <= TILE {
        sort_in_buckets(start, total, lane);
    } else {
        sort(start, total, lane);
    }
}
