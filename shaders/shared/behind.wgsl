// A walk over the planes by a workgroup of 32 lanes, from the root to the leaves that are wanted, of those after a leaf.
//
// The importing stage says which nodes it wants, `wants`, and what to do with a leaf, `visit`, without barriers.
#import tree
#import votes

const MOST_PLANES = 8u;

// Iterations that a leaf's visit takes, and that 32 nodes take, at most; and those of a walk (shaders/README.md).
const LEAF_COST = 448u;
const NODES_COST = 40u;
const MOST_COST = 50000u;
// The walk is over.
const NO_REST = 0xffffffffu;

// The first leaf of interest.
var<private> behind: u32;

// Returns the leaf from which on a walk that is too long is to be continued, or NO_REST.
fn walk(lane: u32) -> u32 {
    begin_votes(lane);
    var cost = 0u;
    var plane = tree.planes - 1u;
    var firsts: array<u32, MOST_PLANES>;
    var masks: array<u32, MOST_PLANES>;
    firsts[plane] = 0u;
    masks[plane] = expand(plane, 0u, lane);
    while plane < tree.planes {
        let mask = masks[plane];
        if mask == 0u {
            plane++;
            continue;
        }
        masks[plane] = mask & (mask - 1u);
        let child = firsts[plane] + firstTrailingBit(mask);
        if cost > MOST_COST {
            return child << (5u * plane);
        }
        if plane == 0u {
            visit(child);
            cost += LEAF_COST;
        } else {
            plane--;
            firsts[plane] = child * LEAF;
            masks[plane] = expand(plane, child * LEAF, lane);
            cost += NODES_COST;
        }
    }
    return NO_REST;
}

// The wanted ones of the 32 nodes of `plane` from `first` on, a bit each.
fn expand(plane: u32, first: u32, lane: u32) -> u32 {
    let child = first + lane;
    let is_behind = child < plane_count(plane) && ((child + 1u) << (5u * plane)) > behind;
    return ballot(is_behind && wants(plane, child), lane);
}
