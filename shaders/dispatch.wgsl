// The sizes of the dispatches that fill the rows selected.
#import rows
#import lay_out

// Rows a workgroup of `fill` does: `ROWS` there.
const SHORTS = 8u;

@group(0) @binding(14) var<storage, read_write> rows: Rows;

@compute @workgroup_size(1)
fn size_dispatches() {
    rows.short_workgroups = lay_out((rows.shorts + SHORTS - 1u) / SHORTS);
    rows.long_workgroups = lay_out(rows.longs);
}
