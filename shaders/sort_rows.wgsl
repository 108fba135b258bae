// Sorts short rows that stand where they belong, but in any order: a subgroup a row. CPU twin: src/cpu/sorted.rs.
#import chunk
#import rows
#import rank
#import batch

// Rows that a workgroup sorts: `SHORTS` in dispatch.wgsl.
const ROWS = 8u;

@group(0) @binding(14) var<storage, read> rows: Rows;

@compute @workgroup_size(LANES)
fn sort_rows(
    workgroup: Workgroup,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    // Counted, not asked for: a subgroup may have fewer lanes than its size says.
    let lanes = subgroupAdd(1u);
    let pool = subgroup * (LONGEST / 4u);
    let base = task(workgroup) * ROWS;
    for (var first = 0u; first < ROWS; first += subgroups) {
        let row = base + first + subgroup;
        var start = 0u;
        var length = 0u;
        if first + subgroup < ROWS && row < rows.shorts {
            let i = rows.places[row];
            start = row_start(i);
            length = row_start(i + 1u) - start;
        }
        workgroupBarrier();
        for (var k = lane; k < length; k += lanes) {
            hits[pool + k / 4u][k % 4u] = ids[start + k];
        }
        pad_pool(pool, length, lane);
        workgroupBarrier();
        rank(pool, length, start, lanes, lane);
    }
}
