// The keys to sort by: where the window's cells of the points are on the curve.
#import zbits
#import entries
#import grid_of_workgroups

@compute @workgroup_size(256)
fn zorder_key(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let i = linear(workgroup) * 256u + lane;
    if i >= tree.points {
        return;
    }
    var number = i;
    if zorder.windows > 1u {
        number = entries[i].y;
    }
    entries[i] = vec2(window_key(number) >> zorder.drops, number);
}
