// A walk over the planes by a workgroup of 32 lanes, from the root to the leaves that are wanted, of those behind a leaf.
//
// The importing stage says which nodes it wants, `wants`, and what to do with a leaf, `visit`, without barriers.
#import tree
#import votes

const MOST_PLANES = 8u;

// The first leaf of interest.
var<private> behind: u32;

fn walk(lane: u32) {
    begin_votes(lane);
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
        if plane == 0u {
            visit(child);
        } else {
            plane--;
            firsts[plane] = child * LEAF;
            masks[plane] = expand(plane, child * LEAF, lane);
        }
    }
}

// Which of the 32 nodes of `plane` from `first` on are wanted, a bit each.
fn expand(plane: u32, first: u32, lane: u32) -> u32 {
    let child = first + lane;
    let is_behind = child < plane_count(plane) && ((child + 1u) << (5u * plane)) > behind;
    return ballot(is_behind && wants(plane, child), lane);
}
