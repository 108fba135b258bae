// Points that were sorted within their cells are to be sorted by cell: the keys are the cells' numbers.
#import entries
#import tree
#import grid_of_workgroups

@group(0) @binding(25) var<storage, read> runs: array<u32>;

@compute @workgroup_size(256)
fn relabel(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let i = linear(workgroup) * 256u + lane;
    if i < tree.points {
        entries[i].x = runs[entries[i].y];
    }
}
