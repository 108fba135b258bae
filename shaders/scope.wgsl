// Brings what rows list into cell order (shared/scope_parts.wgsl). No row has a length yet: rows of blocks that are left out keep none.
#import params
#import classes
#import scope_parts
#import sorted
#import grid_of_workgroups

const WIDTH = 256u;

@group(0) @binding(8) var<storage, read_write> cells: array<u32>;
@group(0) @binding(10) var<storage, read_write> lengths: array<u32>;

// The scopes that each 32 places of the workgroup are in, and those of their rows.
var<workgroup> found: array<atomic<u32>, WIDTH / 2u>;

@compute @workgroup_size(WIDTH)
fn scope(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let all = linear(workgroup) * WIDTH + lane;
    if all < CLASSES {
        for (var k = 0u; k < 4u; k++) {
            cells[scopes_of_classes() + 4u * all + k] = classes.scopes[all][k];
        }
    }
    let types = classes.scopes[0].w;
    for (var k = all; all < WIDTH && k < 4u * types * types; k += WIDTH) {
        cells[bounds_of_types() + k] = classes.of_points[(params.points + 3u) / 4u + k];
    }
    if lane < WIDTH / 2u {
        atomicStore(&found[lane], 0u);
    }
    workgroupBarrier();
    let at = lane / 8u * 4u;
    var four = 0u;
    for (var k = 0u; k < 4u && 4u * all + k < params.points; k++) {
        let i = u32(point(4u * all + k).w);
        let class_number = classes.of_points[i / 4u] >> (8u * (i % 4u)) & 0x7fu;
        four |= class_number << (8u * k);
        let scopes = classes.scopes[class_number];
        atomicOr(&found[at], scopes.x);
        atomicOr(&found[at + 1u], scopes.y);
        if scopes.z != NO_SCOPE {
            atomicOr(&found[at + 2u + scopes.z / 32u], 1u << (scopes.z % 32u));
        }
        lengths[4u * all + k] = 0u;
    }
    workgroupBarrier();
    if 4u * all < params.points {
        cells[params.points + all] = four;
    }
    if all / 8u * 32u < params.points && lane % 8u < 4u {
        cells[scopes_of_places() + all / 8u * 4u + lane % 8u] = atomicLoad(&found[at + lane % 8u]);
    }
}
