// The size of the dispatch for queries that are left to workgroups of their own.
#import doubts
#import lay_out

@compute @workgroup_size(1)
fn size_doubts() {
    doubts.workgroups = lay_out(atomicLoad(&doubts.count));
}
