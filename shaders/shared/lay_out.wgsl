// The dispatch of a number of workgroups, also of none.
#import grid_of_workgroups

fn lay_out(workgroups: u32) -> vec3<u32> {
    let rows = (workgroups + ROW_OF_WORKGROUPS - 1u) / ROW_OF_WORKGROUPS;
    return vec3(min(workgroups, ROW_OF_WORKGROUPS), rows, 1u);
}
