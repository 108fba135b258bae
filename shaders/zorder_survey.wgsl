// Finds crowded cells, of more points than a leaf, whose points differ: at which place, to part them by.
//
// Points of a cell are compared with the next and with the one a leaf on: if they all agree, the whole cell does.
#import zbits
#import entries
#import grid_of_workgroups

const LEAF = 32u;

var<workgroup> crowd: atomic<u32>;

@compute @workgroup_size(256)
fn survey(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        atomicStore(&crowd, 0u);
    }
    workgroupBarrier();
    let i = linear(workgroup) * 256u + lane;
    if i + LEAF < tree.points {
        let mine = entries[i];
        let far = entries[i + LEAF];
        if mine.x == far.x {
            let place = point_differing_place(mine.y, far.y);
            if i32(place) < zorder.sorted {
                atomicMax(&crowd, max(place, point_differing_place(mine.y, entries[i + 1u].y)));
            }
        }
    }
    workgroupBarrier();
    if lane == 0u && atomicLoad(&crowd) > 0u {
        atomicMax(&zorder.crowd, atomicLoad(&crowd));
    }
}
