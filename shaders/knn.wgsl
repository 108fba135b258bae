// The k nearest of 32 queries that follow each other along the curve, a lane each. Points within reach of the box around all queries
// become candidates; 32 at a time, all lanes measure them. A lane keeps the nearest it has seen and a few more, by distances in real32.
// If the kept candidates surely hold the row, the caller's arithmetic orders it. If not, as many points are as near as the
// last, the row is left to a workgroup of its own (knn_long.wgsl).
#import nearest
#import step
#import exact
#import nearest_rows
#import doubts
#import batch

// Points that a lane keeps.
const KEPT = $kept;

// A point that is kept is one word: the upper bits of its distance squared, cut off after 11 of the fraction, which of the leaves visited
// it is in, and which of the leaf's points. Words order as distances do.
const DISTANCE = 0xffffe000u;
const MOST_LEAVES = 256u;
const NOBODY = 0xffffffffu;

// The leaves visited.
var<workgroup> leaves: array<u32, MOST_LEAVES>;

// Points within reach of the group: words of coordinates, and after them where the point is, as in a word that is kept. The lanes measure
// one half of the array next.
const CANDIDATES = 2u * LANES;
var<workgroup> candidates: array<vec4<u32>, CANDIDATES>;

@group(0) @binding(34) var<storage, read> query_nodes: array<vec4<u32>>;

@compute @workgroup_size(LANES)
fn knn(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let leaf = task(workgroup);
    if leaf * LANES >= asked.queries {
        return;
    }
    let place = leaf * LANES + lane;
    var row = 0xffffffffu;
    var mine: Place;
    if place < asked.queries {
        mine = query_at(place);
        row = mine.number;
    }
    let has_row = row >= asked.row && row < asked.end;
    let mine_box = box_of(mine);
    let group = group_at(leaf);
    let group_band = band(farthest(group));
    let band = band(farthest(mine_box));
    // Points from here on are of no use, to the lane and to all lanes.
    var reach = select(-1.0, FAR, has_row);
    var group_reach = FAR;
    // The nearest so far, in order, and where they are on the curve. All of this is in one function, so that it stays in registers.
#each
    var near_$i = NOBODY;
#end
    begin_votes(lane);
    var start = leaf;
    if asked.selves == 0u {
        start = find_start(group, lane);
    }
    var visited = 0u;
    var steps = 0u;
    // The number of candidates that wait, and the place of the first.
    var waiting = 0u;
    var head = 0u;
    // The lane's own point among the first candidates, which are all of the start's leaf.
    var own = select(0u, 1u << lane, asked.selves == 2u);
    var path: Path;
    begin_path(&path);
    // The start's leaf comes first: so the walk from the root begins with a reach, and passes by most nodes.
    var step = Step(STEP_LEAF, start);
    while true {
        if step.kind == STEP_NODE {
            let child = step.node + (lane ^ start_child(start, path.plane, step.node));
            var is_wanted = child < plane_count(path.plane);
            if is_wanted {
                is_wanted = at_least(measure_gap(group, node_at(plane_first(path.plane) + child), false), group_band) < group_reach;
            }
            enter(&path, ballot(is_wanted, lane));
        } else if step.kind == STEP_LEAF && (step.node != start || visited == 0u) {
            let is_wanted = at_least(measure_gap(mine_box, node_at(step.node), false), band) < reach;
            if ballot(is_wanted, lane) != 0u {
                let place = step.node * LANES + lane;
                let other = place_at(place);
                let is_near = place < tree.points && at_least(measure_gap(group, box_of(other), false), group_band) < group_reach;
                let near = ballot(is_near, lane);
                if is_near {
                    let rank = countOneBits(near & ((1u << lane) - 1u));
                    candidates[(head + waiting + rank) % CANDIDATES] = vec4(bitcast<vec3<u32>>(other.high), (visited << 5u) | lane);
                }
                waiting += countOneBits(near);
                if lane == 0u {
                    leaves[visited] = step.node;
                }
                visited++;
            }
        }
        if waiting >= LANES || step.kind == STEP_END || steps == 0u {
            workgroupBarrier();
            // First a bit for each that is near: then lanes keep different points at the same time.
            var near = 0u;
            for (var k = 0u; k < min(waiting, LANES); k++) {
                let other = candidates[head + k];
                let d = mine.high - coords_of(other);
                var d2 = dot(d, d);
                if WIDE || PERIODIC {
                    d2 = measure(mine, place_at(place_of(other.w)), false);
                }
                near |= select(0u, 1u << k, d2 < reach);
            }
            near &= ~own;
            own = 0u;
            while near != 0u {
                let other = candidates[head + firstTrailingBit(near)];
                near &= near - 1u;
                let d = mine.high - coords_of(other);
                var d2 = dot(d, d);
                if WIDE || PERIODIC {
                    d2 = measure(mine, place_at(place_of(other.w)), false);
                }
                let key = word_of(d2) | other.w;
#each_down
                near_$i = max(near_$j, min(near_$i, key));
#end
                near_0 = min(near_0, key);
            }
            reach = min(reach, min(above(near_$last), at_most(above(near_$kth), band)));
            group_reach = largest(max(reach, 0.0), lane);
            head = (head + LANES) % CANDIDATES;
            waiting -= min(waiting, LANES);
            workgroupBarrier();
        }
        if step.kind == STEP_END || steps >= asked.budget || visited == MOST_LEAVES {
            break;
        }
        steps++;
        step = next_step(&path, start);
    }
    workgroupBarrier();
    if !has_row {
        return;
    }
    // The row, if what was kept is sure to hold it.
    let limit = at_most(above(near_$kth), band);
    let is_known = above(near_$kth) < FAR_SURE && limit < asked.finite && farthest(mine_box) < BORDER_SURE;
    if below(near_$last) <= limit || !is_known || steps >= asked.budget || visited == MOST_LEAVES {
        doubts.queries[atomicAdd(&doubts.count, 1u)] = vec2(place, bitcast<u32>(select(FAR, limit, is_known)));
        return;
    }
    var places: array<u32, KEPT>;
    var count = 0u;
#each
    places[$i] = place_of(near_$i);
    count += u32(below(near_$i) <= limit);
#end
    write_row(row, mine, places, count);
}

fn place_of(word: u32) -> u32 {
    return leaves[(word >> 5u) % MOST_LEAVES] * LANES + word % LANES;
}

fn word_of(d2: f32) -> u32 {
    return (bitcast<u32>(d2) << 1u) & DISTANCE;
}

// Bounds of the distances squared that have a word.
fn below(word: u32) -> f32 {
    return bitcast<f32>(min((word & DISTANCE) >> 1u, 0x7f000000u));
}

fn above(word: u32) -> f32 {
    return min(bitcast<f32>(min(((word & DISTANCE) >> 1u) + 0x1000u, 0x7f000000u)), FAR);
}

fn group_at(leaf: u32) -> Box {
    var box = Box(coords_of(query_nodes[2u * leaf]), vec3(0.0), coords_of(query_nodes[2u * leaf + 1u]), vec3(0.0), 0u, 0u);
    if WIDE {
        box.lower_low = coords_of(query_nodes[2u * (asked.query_nodes + leaf)]);
        box.upper_low = coords_of(query_nodes[2u * (asked.query_nodes + leaf) + 1u]);
    }
    return box;
}

// Writes a row of the points at `places`, `count` of them, in the order that the caller's arithmetic gives. They come nearly in that order,
// so each moves a few ranks at most.
fn write_row(row: u32, mine: Place, places: array<u32, KEPT>, count: u32) {
    var among = places;
    var keys: array<vec3<u32>, KEPT>;
    for (var k = 0u; k < count; k++) {
        let other = zpoint(among[k]);
        let key = vec3(exact_square_of(bitcast<vec3<u32>>(mine.high), asked.first + row, other), other.w);
        var rank = k;
        while rank > 0u && is_before(key.xy, key.z, keys[rank - 1u].xy, keys[rank - 1u].z) {
            keys[rank] = keys[rank - 1u];
            rank--;
        }
        keys[rank] = key;
    }
    for (var rank = 0u; rank < min(count, K); rank++) {
        put(row, rank, keys[rank].z, keys[rank].xy);
    }
}

fn exact_square_of(mine: vec3<u32>, number: u32, other: vec4<u32>) -> vec2<u32> {
    // If the unit is 1, coordinates along the curve are the caller's own, or so small that the square is the same:
    // docs/proofs/real32-bands.md.
    if !WIDE && !PERIODIC && tree.unit == 0 {
        let square = square_of_words(mine, other.xyz);
        if square != NO_SQUARE {
            return vec2(square, 0u);
        }
    }
    return exact_square(number, other.w);
}
