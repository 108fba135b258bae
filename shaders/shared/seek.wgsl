// Finds the points near those of a leaf, by radii: a team of 32 lanes goes down the planes of boxes for all of them at once, a
// lane a box; then each lane asks for its own point which leaves are near it; and in the end each has a point of such a leaf,
// which is compared with the points that asked for it, one after another.
//
// Every pair has an owner, who alone finds it: where a rule has one radius for a pair, the point whose radius it is. So a
// search never goes farther than its own points' radii say, whatever radii others have. The stage says what becomes of
// what is found: `take` is called by all lanes, with a row of the leaf, a leaf near it, and whether each lane has found the
// point of its number there, `other`; `leave` when all rows were compared with a leaf; and `defer` where points reach so many
// groups of leaves that the rest is left to others, from a group on.
//
// Distances are those from the leaf's corner, in real32: docs/proofs/real32-bands.md says why what is in doubt is enough.
#import params
#import real
#import sorted
#import order
#import nodes
#import decide
#import separation
#import lanes
#import parts

// Steps that a team takes, about: leaves that it asks about, and points of its own that are near one. They do not depend on which
// points are wanted, so that all stages leave the same to others.
const STEPS = 2048u;

// Half the width of the band of doubt, relative.
const WIDER = 1.0 + 1.0 / 65536.0;
const NARROWER = 1.0 - 1.0 / 65536.0;

// The leaf whose points' neighbors are sought.
struct Seeker {
    team: u32,
    leaf: u32,
    box: Node,
    // The most that a distance errs by, as far as it is due to this leaf.
    haze: f32,
}

var<private> seeker: Seeker;
// The lane's own point of it, if there is one: where it is from the leaf's corner on, and its radius, rounded up.
var<private> mine: vec4<f32>;
var<private> is_there: bool;
// The points that are sought for, a bit each. The stage says so.
var<private> wanted: u32;
// The share of the groups of leaves that the team looks at, a bit for each of 32.
var<private> share: u32;
// Steps that the team has taken.
var<private> steps: u32;
// Points of leaves that the team has compared with its own.
var<private> tests: u32;
// Nodes still to be looked into, of each plane.
var<private> pending: array<u32, 8>;

// The same of all lanes: the numbers too, the radii times how much they count for, and in an order that tells owners.
var<workgroup> rows: array<vec4<f32>, TEAM>;
var<workgroup> ranks: array<u32, TEAM>;
var<workgroup> numbers: array<u32, TEAM>;

// Boxes of a group of leaves: corners as seen from the seeker's, and the most that a distance from there errs by; sides, and
// largest radii; smallest radii.
var<workgroup> corners: array<vec4<f32>, TEAM>;
var<workgroup> sizes: array<vec4<f32>, TEAM>;
var<workgroup> leasts: array<f32, TEAM>;

// Gives the team the share of one of several.
fn share_out(part: u32) {
    share = (0xffffffffu / ((1u << params.splits) - 1u)) << part;
}

// Whom a team searches for, with its share: the points of a leaf.
fn set_seeker(team: u32) {
    let leaf = team / params.splits;
    share_out(team % params.splits);
    let box = node(leaf);
    seeker = Seeker(team, leaf, box, params.slack + HAZE * (box.size.x + box.size.y + box.size.z));
    let place = EACH * leaf + lane;
    is_there = place < params.points;
    workgroupBarrier();
    if is_there {
        mine = bitcast<vec4<f32>>(point(place));
        numbers[lane] = number_of(place);
        ranks[lane] = rank_of(mine.w);
        rows[lane] = vec4(mine.xyz, select(mine.w, MEAN_SHARE * mine.w, params.rule == MEAN));
    }
    workgroupBarrier();
}

// Half, rounded up.
const MEAN_SHARE = 0.5 * (1.0 + 1.0 / 1048576.0);

// Of two points the one with the higher rank owns the pair; among equals the one with the lower place, or both where each row
// has its own radius.
fn rank_of(radius: f32) -> u32 {
    if params.rule <= SCATTER {
        return 0u;
    }
    return select(bitcast<u32>(radius), 0x80000000u - bitcast<u32>(radius), params.rule == MIN);
}

// The farthest reach of pairs that are owned by points of radii from `least` to `most`, with others whose radii are bounded so;
// negative: there are none.
fn reach(most: f32, least: f32, others_most: f32, others_least: f32) -> f32 {
    switch params.rule {
        case MAX: {
            return select(-1.0, most, others_least <= most);
        }
        case MIN: {
            return select(-1.0, min(most, others_most), others_most >= least);
        }
        case MEAN: {
            return select(-1.0, rounded_up(0.5 * (most + min(most, others_most))), others_least <= most);
        }
        default: {
            return most;
        }
    }
}

// Whether two boxes, whose middles are so far apart and which have such half sides together, may have points within reach.
fn are_near(middle: vec3<f32>, half: vec3<f32>, reach: f32, haze: f32) -> bool {
    let gap = max(abs(nearest(middle)) - half, vec3(0.0));
    let outer = reach + haze;
    return reach >= 0.0 && dot(gap, gap) <= outer * outer * WIDER;
}

// Looks at 32 nodes of a plane, from the `first` of it on: which may have partners.
fn look(plane: u32, first: u32) -> u32 {
    let start = plane_start(plane);
    let k = first + lane;
    var is_near = false;
    if plane == 0u {
        workgroupBarrier();
    }
    if k < plane_start(plane + 1u) - start {
        let box = node(start + k);
        let own = seeker.box;
        let offset = triple_real(nearest_corner(triple_subtract(box.corner, own.corner), box.size, own.size));
        let span = abs(offset) + box.size;
        let haze = seeker.haze + HAZE * (span.x + span.y + span.z);
        let reach = reach(own.most, own.least, box.most, box.least);
        is_near = are_near(offset + 0.5 * box.size - 0.5 * own.size, 0.5 * (box.size + own.size), reach, haze);
        if plane == 0u {
            corners[lane] = vec4(offset, select(haze, -haze, (box.is_vague | own.is_vague) != 0u));
            sizes[lane] = vec4(box.size, box.most);
            leasts[lane] = box.least;
        }
    }
    if plane == 0u {
        workgroupBarrier();
    }
    return vote(is_near);
}

// Looks at the points of those leaves that `bits` says, of 32 from `first` on.
fn visit(first: u32, bits: u32) {
    var left = bits;
    while left != 0u {
        let k = firstTrailingBit(left);
        left &= left - 1u;
        let corner = corners[k];
        let size = sizes[k];
        let reach = reach(mine.w, mine.w, size.w, leasts[k]);
        let middle = corner.xyz + 0.5 * size.xyz - mine.xyz;
        let near = vote(is_there && are_near(middle, 0.5 * size.xyz, reach, abs(corner.w)));
        steps += 1u + countOneBits(near);
        if (near & wanted) != 0u {
            compare(first + k, corner, near & wanted);
        }
    }
}

// Compares the points of a leaf with those rows that `near` says.
fn compare(leaf: u32, corner: vec4<f32>, near: u32) {
    let place = EACH * leaf + lane;
    var at = vec3<f32>();
    var share = 0.0;
    var other = 0u;
    // No row owns a pair with a point that is not there.
    var rank = 0xffffffffu;
    var yields = 0u;
    if place < params.points {
        let theirs = bitcast<vec4<f32>>(point(place));
        at = corner.xyz + theirs.xyz;
        share = select(0.0, MEAN_SHARE * theirs.w, params.rule == MEAN);
        other = number_of(place);
        rank = rank_of(theirs.w);
        yields = rows_before(leaf);
    }
    let haze = abs(corner.w);
    tests += EACH * countOneBits(near);
    var left = near;
    while left != 0u {
        let row = firstTrailingBit(left);
        left &= left - 1u;
        let row_at = rows[row];
        let d = nearest(at - row_at.xyz);
        let d2 = dot(d, d);
        let c = row_at.w + share;
        let outer = c + haze;
        var hit = rank < ranks[row] + ((yields >> row) & 1u) && d2 <= outer * outer * WIDER;
        if hit {
            let inner = max(c - haze, 0.0);
            let is_sure = d2 < inner * inner * NARROWER && corner.w >= 0.0;
            hit = is_sure || is_pair(numbers[row], other);
        }
        take(row, leaf, hit, other);
    }
    leave(other);
}

// To which rows the lane's point of a leaf leaves a pair if both have the same rank.
fn rows_before(leaf: u32) -> u32 {
    if leaf == seeker.leaf {
        return select((1u << lane) - 1u, ~(1u << lane), params.rule <= SCATTER);
    }
    return select(0u, 0xffffffffu, params.rule <= SCATTER || seeker.leaf < leaf);
}

// Looks at all that is near the seeker, but for what is left to others.
fn walk() {
    if wanted == 0u {
        return;
    }
    var plane = params.top;
    var group = 0u;
    steps = 0u;
    loop {
        let bits = look(plane, EACH * group);
        pending[plane] = bits;
        if plane == 1u {
            pending[plane] = bits & share;
        } else if plane == 0u {
            visit(EACH * group, bits);
            pending[plane] = 0u;
        }
        while pending[plane] == 0u && plane < params.top {
            plane++;
            group /= EACH;
        }
        let left = pending[plane];
        if left == 0u {
            break;
        }
        pending[plane] = left & (left - 1u);
        plane--;
        group = EACH * group + firstTrailingBit(left);
        if plane == 0u && steps >= STEPS {
            defer(group);
            break;
        }
    }
}

// One of several parts of what was left to others, from a group of leaves on.
fn walk_part(group: u32, part: u32, parts: u32) {
    let groups = plane_start(2u) - plane_start(1u);
    let start = group - group % EACH;
    if wanted == 0u {
        return;
    }
    for (var first = start + SLICE * part; first < groups; first += SLICE * parts) {
        let base = first - first % EACH;
        var bits = look(1u, base) & share & (((1u << SLICE) - 1u) << (first - base));
        if base < group {
            bits &= 0xffffffffu << (group - base);
        }
        while bits != 0u {
            let leaves = EACH * (base + firstTrailingBit(bits));
            bits &= bits - 1u;
            visit(leaves, look(0u, leaves));
        }
    }
}
