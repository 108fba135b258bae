// A dispatch has at most 65,535 workgroups along each axis, also one of none.
const MOST_WORKGROUPS = 65535u;

fn lay_out(workgroups: u32) -> vec3<u32> {
    let across = min(workgroups, MOST_WORKGROUPS);
    return vec3(across, (workgroups + MOST_WORKGROUPS - 1u) / MOST_WORKGROUPS, 1u);
}
