// Which points are near a point, by radii: a team of 32 lanes a point goes down the planes of boxes, each lane looks at a box,
// and in the end at a point of a leaf.
//
// Every pair has an owner, who alone finds it: where a rule has one radius for a pair, the point whose radius it is. So a
// search never goes farther than its own point's radius says, whatever radii others have. The stage says what becomes of
// what is found: `take` is called by all lanes, with a leaf and whether each lane has found the leaf's point of its number,
// `other`, and `defer` where a point reaches so many groups of leaves that the rest is left to others, from a group on.
//
// Distances are those from a leaf's corner, in real32: docs/adr/0012 says why what is in doubt is enough.
#import params
#import real
#import sorted
#import order
#import nodes
#import decide
#import separation
#import lanes

// Groups of leaves that a team looks at for a point, at most.
const GROUPS = 32u;

// Parts that what is left to others is divided into, at most.
const PARTS = 64u;

// Half the width of the band of doubt, relative, and how much of what a distance is made of it may err by.
const WIDER = 1.0 + 1.0 / 65536.0;
const NARROWER = 1.0 - 1.0 / 65536.0;
const HAZE = 1.0 / 1048576.0;

// The point whose neighbors are sought.
struct Seeker {
    place: u32,
    number: u32,
    at: Triple,
    // Its radius, rounded up.
    radius: f32,
    // The most that a distance errs by, as far as it is due to this point.
    haze: f32,
    is_vague: bool,
}

var<private> seeker: Seeker;
// Nodes still to be looked into, of each plane.
var<private> pending: array<u32, 8>;

// Whom the point of `place` is sought for.
fn set_seeker(place: u32) {
    let leaf = node(place / EACH);
    let mine = bitcast<vec4<f32>>(point(place));
    let high = vec3<u32>(mine.xyz * (1.0 / 4294967296.0));
    let low = vec3<u32>(mine.xyz - vec3<f32>(high) * 4294967296.0);
    seeker.place = place;
    seeker.number = number_of(place);
    seeker.at = triple_add(leaf.corner, Triple(low, high));
    seeker.radius = mine.w;
    seeker.haze = params.slack + HAZE * (leaf.size.x + leaf.size.y + leaf.size.z);
    seeker.is_vague = leaf.is_vague != 0u;
}

// What the seeker's pairs with nodes or points of these radii reach at most; negative: it owns none.
fn reach(most: f32, least: f32) -> f32 {
    switch params.rule {
        case MAX: {
            return select(-1.0, seeker.radius, least <= seeker.radius);
        }
        case MIN: {
            return select(-1.0, seeker.radius, most >= seeker.radius);
        }
        case MEAN: {
            let other = min(most, seeker.radius);
            return select(-1.0, rounded_up(0.5 * (seeker.radius + other)), least <= seeker.radius);
        }
        default: {
            return seeker.radius;
        }
    }
}

// Whether the seeker owns its pair with the point of a place.
fn owns(place: u32, other: f32) -> bool {
    if params.rule <= SCATTER || other == seeker.radius {
        return params.rule <= SCATTER || seeker.place < place;
    }
    return (other > seeker.radius) == (params.rule == MIN);
}

// Looks at 32 nodes of a plane, from the `first` of it on: which may have partners.
fn look(plane: u32, first: u32) -> u32 {
    let start = plane_start(plane);
    let k = first + lane;
    var is_near = false;
    if k < plane_start(plane + 1u) - start {
        let box = node(start + k);
        let corner = nearest_corner(triple_subtract(box.corner, seeker.at), box.size);
        let offset = triple_real(corner);
        let span = abs(offset) + box.size;
        let haze = seeker.haze + HAZE * (span.x + span.y + span.z);
        let reach = reach(box.most, box.least);
        let gap = max(max(offset, -(offset + box.size)), vec3(0.0));
        let outer = reach + haze;
        is_near = reach >= 0.0 && dot(gap, gap) <= outer * outer * WIDER;
        if plane == 0u {
            show(vec4(offset, select(haze, -haze, box.is_vague != 0u)));
        }
    } else if plane == 0u {
        show(vec4(0.0));
    }
    return vote(is_near);
}

// Looks at the points of those leaves that `bits` says, of 32 from `first` on.
fn visit(first: u32, bits: u32) {
    var left = bits;
    while left != 0u {
        let k = firstTrailingBit(left);
        left &= left - 1u;
        let seen = shown_by(k);
        let place = EACH * (first + k) + lane;
        var hit = false;
        var other = 0u;
        if place < params.points && place != seeker.place {
            let local = bitcast<vec4<f32>>(point(place));
            if owns(place, local.w) {
                let d = nearest(seen.xyz + local.xyz);
                let d2 = dot(d, d);
                let haze = abs(seen.w);
                let c = reach(local.w, local.w);
                let outer = c + haze;
                if d2 <= outer * outer * WIDER {
                    other = number_of(place);
                    let inner = max(c - haze, 0.0);
                    let is_sure = d2 < inner * inner * NARROWER && seen.w >= 0.0 && !seeker.is_vague;
                    hit = is_sure || is_pair(seeker.number, other);
                }
            }
        }
        take(first + k, hit, other);
    }
}

// Looks at all that is near the seeker, but for what is left to others.
fn walk() {
    var plane = params.top;
    var group = 0u;
    var groups = 0u;
    loop {
        let bits = look(plane, EACH * group);
        pending[plane] = bits;
        if plane == 0u {
            visit(EACH * group, bits);
            pending[plane] = 0u;
            groups++;
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
        if plane == 0u && groups == GROUPS {
            defer(group);
            break;
        }
    }
}

// One of several parts of what was left to others, from a group of leaves on. Parts are fewer where there is little to
// divide, so that those who come for nothing are few.
fn walk_part(group: u32, part: u32) {
    let groups = plane_start(2u) - plane_start(1u);
    let parts = clamp((groups - group) / (2u * EACH), 1u, PARTS);
    if part >= parts {
        return;
    }
    for (var first = group + EACH * part; first < groups; first += EACH * parts) {
        var bits = look(1u, first);
        while bits != 0u {
            let leaves = EACH * (first + firstTrailingBit(bits));
            bits &= bits - 1u;
            visit(leaves, look(0u, leaves));
        }
    }
}
