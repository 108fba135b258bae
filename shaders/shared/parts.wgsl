// Divides work that is too much for one workgroup: in parts, each of which has one of its own.
#import params
#import node

// Groups of leaves that a part looks at one after another, as many as are left when all parts have looked at so many.
const SLICE = 4u;

// Parts of what a team leaves to others.
fn far_parts() -> u32 {
    let slices = (plane_start(2u) - plane_start(1u) + SLICE - 1u) / SLICE;
    let teams = plane_start(1u) * params.splits;
    return clamp(slices, 1u, min(256u, 0x7fffffffu / max(teams, 1u)));
}
