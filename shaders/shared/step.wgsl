// A walk over the planes by a workgroup of 32 lanes, from the root to the leaves that are wanted, those near the start along the
// curve first: children are taken in the order of their numbers xor the start's. All lanes take the same steps.
#import tree
#import nearest
#import votes

const LANES = 32u;
const MOST_PLANES = 8u;

const STEP_END = 0u;
// The 32 nodes from here on are to be looked at: `enter` is told which are wanted, in the order of start_child.
const STEP_NODE = 1u;
// A leaf is to be visited.
const STEP_LEAF = 2u;

struct Step {
    kind: u32,
    node: u32,
}

// The state of a walk: in each plane from the present one up, a bit for each of 32 nodes that are still to be entered.
struct Path {
    plane: u32,
    is_entering: bool,
    firsts: array<u32, MOST_PLANES>,
    masks: array<u32, MOST_PLANES>,
}

fn begin_path(path: ptr<function, Path>) {
    (*path).plane = tree.planes - 1u;
    (*path).firsts[(*path).plane] = 0u;
    (*path).is_entering = true;
}

fn enter(path: ptr<function, Path>, wanted: u32) {
    (*path).masks[(*path).plane] = wanted;
    (*path).is_entering = false;
}

fn next_step(path: ptr<function, Path>, start: u32) -> Step {
    if (*path).is_entering {
        return Step(STEP_NODE, (*path).firsts[(*path).plane]);
    }
    var plane = (*path).plane;
    while plane < tree.planes && (*path).masks[plane] == 0u {
        plane++;
    }
    (*path).plane = plane;
    if plane == tree.planes {
        return Step(STEP_END, 0u);
    }
    let mask = (*path).masks[plane];
    (*path).masks[plane] = mask & (mask - 1u);
    let child = (*path).firsts[plane] + (firstTrailingBit(mask) ^ start_child(start, plane, (*path).firsts[plane]));
    if plane == 0u {
        return Step(STEP_LEAF, child);
    }
    (*path).plane = plane - 1u;
    (*path).firsts[plane - 1u] = child * LANES;
    (*path).is_entering = true;
    return Step(STEP_NODE, child * LANES);
}

// The child of the start's path among those from `first` on; 0 where the path goes elsewhere.
fn start_child(start: u32, plane: u32, first: u32) -> u32 {
    let own = start >> (5u * plane);
    return select(0u, own % LANES, own / LANES * LANES == first);
}

// A leaf that is near: each time the child whose farthest corner is the nearest, of equal ones the first. A large box around few
// points is near to many places, but its corners are not. Where axes are periodic this may miss the nearest, which costs time only.
fn find_start(box: Box, lane: u32) -> u32 {
    var first = 0u;
    for (var up = 0u; up < tree.planes; up++) {
        let plane = tree.planes - 1u - up;
        var nearest = 0xffffffffu;
        if first + lane < plane_count(plane) {
            let node = node_at(plane_first(plane) + first + lane);
            let far = max(node.upper - box.lower, box.upper - node.lower);
            nearest = (bitcast<u32>(dot(far, far)) & ~31u) | lane;
        }
        let child = first + least_word(nearest, lane) % LANES;
        if plane == 0u {
            return child;
        }
        first = child * LANES;
    }
    return 0u;
}
