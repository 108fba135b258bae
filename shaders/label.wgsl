// The label of every point, the lowest number of its group, and how many groups there are.
#import tree
#import parents
#import groups
#import grid_of_workgroups

// Not where the parents are: who climbs there may set back what another found.
@group(0) @binding(42) var<storage, read_write> labels: array<u32>;

var<workgroup> count: atomic<u32>;

@compute @workgroup_size(256)
fn label(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        atomicStore(&count, 0u);
    }
    workgroupBarrier();
    let i = linear(workgroup) * 256u + lane;
    if i < tree.points {
        let root = find(i);
        labels[i] = root;
        if root == i {
            atomicAdd(&count, 1u);
        }
    }
    workgroupBarrier();
    if lane == 0u {
        atomicAdd(&groups.count, atomicLoad(&count));
    }
}
