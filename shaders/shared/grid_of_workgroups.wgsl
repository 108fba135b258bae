// Which of a dispatch's workgroups an invocation is in, and how many there are.
struct Workgroup {
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) all: vec3<u32>,
}

// A dispatch has at most 65,535 workgroups per dimension: more are laid out in two.
fn linear(workgroup: Workgroup) -> u32 {
    return workgroup.id.y * workgroup.all.x + workgroup.id.x;
}
