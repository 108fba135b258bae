// The number of an invocation's workgroup in its dispatch.
struct Workgroup {
    @builtin(workgroup_id) id: vec3<u32>,
}

// A dispatch has at most so many workgroups along an axis: more are laid out in rows of so many. Twin: `ROW` in src/gpu/dispatch.rs. How
// many there are is not asked of the device: Direct3D tells it by a constant, which is 0 where the device itself has written it.
const ROW_OF_WORKGROUPS = 65535u;

fn linear(workgroup: Workgroup) -> u32 {
    return workgroup.id.y * ROW_OF_WORKGROUPS + workgroup.id.x;
}
