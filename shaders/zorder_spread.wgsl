// Finds the size of coordinates, and the places at which the bits of points differ: against the first point, which tells the same as
// against each other.
#import zbits
#import grid_of_workgroups

const WIDTH = 256u;
// Points that a lane looks at.
const EACH = 16u;

var<workgroup> magnitude: atomic<u32>;
var<workgroup> differs: atomic<u32>;
var<workgroup> signs: atomic<u32>;

@compute @workgroup_size(WIDTH)
fn spread(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        atomicStore(&magnitude, 0u);
        atomicStore(&differs, 0u);
        atomicStore(&signs, 0u);
    }
    workgroupBarrier();
    var large = 0u;
    var different = 0u;
    var negative = 0u;
    for (var axis = 0u; axis < params.dim; axis++) {
        let first = curve_coord(tree.first, axis);
        for (var k = 0u; k < EACH; k++) {
            let i = (linear(workgroup) * EACH + k) * WIDTH + lane;
            if i < tree.points {
                let a = curve_coord(tree.first + i, axis);
                large = max(large, highest_place(a.mantissa, a.exponent));
                different = max(different, differing_place(a, first));
                negative |= u32(is_negative(a) != is_negative(first));
            }
        }
    }
    atomicMax(&magnitude, large);
    atomicMax(&differs, different);
    atomicMax(&signs, negative);
    workgroupBarrier();
    if lane == 0u {
        atomicMax(&zorder.magnitude, atomicLoad(&magnitude));
        atomicMax(&zorder.differs, atomicLoad(&differs));
        atomicMax(&zorder.signs, atomicLoad(&signs));
    }
}
