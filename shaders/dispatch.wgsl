// The sizes of the dispatches that fill the rows selected.
#import rows

const MOST_WORKGROUPS = 65535u;
// Rows a workgroup of `fill` does: `ROWS` there.
const SHORTS = 8u;

@group(0) @binding(14) var<storage, read_write> rows: Rows;

@compute @workgroup_size(1)
fn size_dispatches() {
    rows.short_workgroups = lay_out((rows.shorts + SHORTS - 1u) / SHORTS);
    rows.long_workgroups = lay_out(rows.longs);
}

// At most MOST_WORKGROUPS along each axis, also of none.
fn lay_out(workgroups: u32) -> vec3<u32> {
    let across = min(workgroups, MOST_WORKGROUPS);
    return vec3(across, (workgroups + MOST_WORKGROUPS - 1u) / MOST_WORKGROUPS, 1u);
}
