// A dispatch has at most 65,535 workgroups per dimension: more are laid out in two.
fn linear(workgroup: vec3<u32>, workgroups: vec3<u32>) -> u32 {
    return workgroup.y * workgroups.x + workgroup.x;
}
