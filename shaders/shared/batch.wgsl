// The workgroups of a stage that a submission runs, where all of them would take too long for one: those from `first` on.
// Rust twin: src/gpu/batches.rs.
#import grid_of_workgroups

struct Batch {
    first: u32,
}

@group(0) @binding(50) var<uniform> batch: Batch;

// The number of a workgroup among all of its stage.
fn task(workgroup: Workgroup) -> u32 {
    return batch.first + linear(workgroup);
}
