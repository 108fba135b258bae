// A walk over the planes by a workgroup of 32 lanes, from the root to the leaves that are wanted, those near the start along the
// curve first: children are taken in the order of their numbers xor the start's.
//
// The importing stage says what is wanted: `wants` of a node, `begin_step` before 32 of them are asked, by all lanes, `still_wants` before one is
// entered; and what is done
// with a leaf: `visit`, false to end the walk. For `find_start` it has `gap_to`.
#import tree

const LANES = 32u;
const MOST_PLANES = 8u;

// Which children are wanted, in three turns: one is cleared while another may still be read.
var<workgroup> wanted: array<atomic<u32>, 3>;
var<workgroup> nearest_child: array<atomic<u32>, 3>;
var<private> turn: u32;

// Before the first use, by all lanes.
fn begin_walk(lane: u32) {
    turn = 0u;
    if lane < 3u {
        atomicStore(&wanted[lane], 0u);
        atomicStore(&nearest_child[lane], 0xffffffffu);
    }
    workgroupBarrier();
}

fn next_turn(lane: u32) {
    turn = (turn + 1u) % 3u;
    if lane == 0u {
        atomicStore(&wanted[(turn + 1u) % 3u], 0u);
        atomicStore(&nearest_child[(turn + 1u) % 3u], 0xffffffffu);
    }
}

// The child of the start's path among those from `first` on; 0 where the path goes elsewhere.
fn start_child(start: u32, plane: u32, first: u32) -> u32 {
    let own = start >> (5u * plane);
    return select(0u, own % LANES, own / LANES * LANES == first);
}

// Which of the 32 nodes of `plane` from `first` on are wanted, a bit each.
fn expand(plane: u32, first: u32, start: u32, lane: u32) -> u32 {
    next_turn(lane);
    begin_step(lane);
    let child = first + (lane ^ start_child(start, plane, first));
    if child < plane_count(plane) && wants(plane_first(plane) + child) {
        atomicOr(&wanted[turn], 1u << lane);
    }
    workgroupBarrier();
    return atomicLoad(&wanted[turn]);
}

// A leaf that is near: the nearest child of the nearest.
fn find_start(lane: u32) -> u32 {
    var first = 0u;
    for (var up = 0u; up < tree.planes; up++) {
        let plane = tree.planes - 1u - up;
        next_turn(lane);
        if first + lane < plane_count(plane) {
            let gap = bitcast<u32>(gap_to(plane_first(plane) + first + lane));
            atomicMin(&nearest_child[turn], (gap & ~31u) | lane);
        }
        workgroupBarrier();
        let child = first + atomicLoad(&nearest_child[turn]) % LANES;
        if plane == 0u {
            return child;
        }
        first = child * LANES;
    }
    return 0u;
}

fn walk(start: u32, lane: u32) {
    var plane = tree.planes - 1u;
    var firsts: array<u32, MOST_PLANES>;
    var masks: array<u32, MOST_PLANES>;
    firsts[plane] = 0u;
    masks[plane] = expand(plane, 0u, start, lane);
    while plane < tree.planes {
        let mask = masks[plane];
        if mask == 0u {
            plane++;
            continue;
        }
        masks[plane] = mask & (mask - 1u);
        let child = firsts[plane] + (firstTrailingBit(mask) ^ start_child(start, plane, firsts[plane]));
        if !still_wants(plane_first(plane) + child) {
            continue;
        }
        if plane == 0u {
            if !visit(child, lane) {
                return;
            }
        } else {
            plane--;
            firsts[plane] = child * LANES;
            masks[plane] = expand(plane, child * LANES, start, lane);
        }
    }
}
