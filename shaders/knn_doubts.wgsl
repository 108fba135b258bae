// The size of the dispatch for queries that are left to workgroups of their own.
#import doubts

const MOST_WORKGROUPS = 65535u;

@compute @workgroup_size(1)
fn size_doubts() {
    let count = atomicLoad(&doubts.count);
    doubts.workgroups = vec3(min(count, MOST_WORKGROUPS), (count + MOST_WORKGROUPS - 1u) / MOST_WORKGROUPS, 1u);
}
