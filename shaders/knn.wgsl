// The k nearest of 32 queries that follow each other along the curve, a lane each. A lane keeps the nearest it has seen and a few
// more, by distances in real32; where what it kept is sure to hold the row, the caller's arithmetic orders it. Where it is not, as many
// points are as near as the last, the row is left to a workgroup of its own (knn_long.wgsl).
#import nearest
#import step
#import exact
#import nearest_rows
#import doubts
#import grid_of_workgroups

// Points that a lane keeps.
const KEPT = $kept;

// A point that is kept is one word: the upper bits of its distance squared, cut off after 11 of the fraction, which of the leaves visited
// it is in, and which of the leaf's points. Words order as distances do.
const DISTANCE = 0xffffe000u;
const MOST_LEAVES = 256u;
const NOBODY = 0xffffffffu;

// The leaves visited.
var<workgroup> leaves: array<u32, MOST_LEAVES>;

@group(0) @binding(34) var<storage, read> query_nodes: array<vec4<u32>>;

@compute @workgroup_size(LANES)
fn knn(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let leaf = linear(workgroup, workgroups);
    if leaf * LANES >= asked.queries {
        return;
    }
    let place = leaf * LANES + lane;
    var row = 0xffffffffu;
    var own_place = 0xffffffffu;
    var mine: Place;
    if place < asked.queries {
        mine = query_at(place);
        row = query_points[place].w;
        if asked.selves == 2u {
            own_place = place;
        }
    }
    let has_row = row >= asked.row && row < asked.end;
    let band = band(farthest(mine.high));
    let group = group_at(leaf);
    let group_band = band_of(group);
    // Points from here on are of no use.
    var reach = select(-1.0, FAR, has_row);
    // The nearest so far, in order, and where they are on the curve. All of this is in one function, so that it stays in registers.
#each
    var near_$i = NOBODY;
#end
    var visited = 0u;
    begin_votes(lane);
    var start = leaf;
    if asked.selves == 0u {
        start = find_start(group, lane);
    }
    var steps = 0u;
    var path: Path;
    begin_path(&path);
    while steps < asked.budget && visited < MOST_LEAVES {
        let step = next_step(&path, start);
        if step.kind == STEP_END {
            break;
        }
        steps++;
        if step.kind == STEP_NODE {
            let group_reach = largest(max(reach, 0.0), lane);
            let child = step.node + (lane ^ start_child(start, path.plane, step.node));
            var is_wanted = child < plane_count(path.plane);
            if is_wanted {
                is_wanted = at_least(measure_gap(group, node_at(plane_first(path.plane) + child)), group_band) < group_reach;
            }
            enter(&path, ballot(is_wanted, lane));
            continue;
        }
        if lane == 0u {
            leaves[visited] = step.node;
        }
        let leaf_key = visited << 5u;
        visited++;
        let mine_box = Box(mine.high, mine.low, mine.high, mine.low, 0u);
        if at_least(measure_gap(mine_box, node_at(step.node)), band) < reach {
            // First a bit for each that is near: then lanes keep different points at the same time.
            let first = step.node * LANES;
            var near = 0u;
            for (var k = 0u; k < LANES; k++) {
                let d = mine.high - bitcast<vec3<f32>>(zpoints[first + k].xyz);
                var d2 = dot(d, d);
                if WIDE || PERIODIC {
                    d2 = measure(mine, first + k);
                }
                near |= select(0u, 1u << k, d2 < reach);
            }
            if tree.points - first < LANES {
                near &= (1u << (tree.points - first)) - 1u;
            }
            if own_place - first < LANES {
                near &= ~(1u << (own_place - first));
            }
            while near != 0u {
                let other = first + firstTrailingBit(near);
                near &= near - 1u;
                let d = mine.high - bitcast<vec3<f32>>(zpoints[other].xyz);
                var d2 = dot(d, d);
                if WIDE || PERIODIC {
                    d2 = measure(mine, other);
                }
                let key = word_of(d2) | leaf_key | (other - first);
#each_down
                near_$i = max(near_$j, min(near_$i, key));
#end
                near_0 = min(near_0, key);
                reach = min(reach, min(above(near_$last), at_most(above(near_$kth), band)));
            }
        }
    }
    workgroupBarrier();
    if !has_row {
        return;
    }
    // The row, if what was kept is sure to hold it.
    let limit = at_most(above(near_$kth), band);
    let is_known = above(near_$kth) < FAR_SURE && limit < asked.finite && farthest(mine.high) < BORDER_SURE;
    if below(near_$last) <= limit || !is_known || steps >= asked.budget || visited == MOST_LEAVES {
        doubtful[atomicAdd(&doubts.count, 1u)] = vec2(place, bitcast<u32>(select(FAR, limit, is_known)));
        return;
    }
    var places: array<u32, KEPT>;
    var count = 0u;
#each
    places[$i] = leaves[(near_$i >> 5u) % MOST_LEAVES] * LANES + near_$i % LANES;
    count += u32(below(near_$i) <= limit);
#end
    write_row(row, places, count);
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

fn band_of(box: Box) -> f32 {
    return band(max(farthest(box.lower), farthest(box.upper)));
}

fn group_at(leaf: u32) -> Box {
    var box = Box(coords_of(query_nodes[2u * leaf]), vec3(0.0), coords_of(query_nodes[2u * leaf + 1u]), vec3(0.0), 0u);
    if WIDE {
        box.lower_low = coords_of(query_nodes[2u * (asked.query_nodes + leaf)]);
        box.upper_low = coords_of(query_nodes[2u * (asked.query_nodes + leaf) + 1u]);
    }
    return box;
}

// Writes a row of the points at `places`, `count` of them, in the order that the caller's arithmetic gives.
fn write_row(row: u32, places: array<u32, KEPT>, count: u32) {
    var among = places;
    var keys: array<vec3<u32>, KEPT>;
    for (var k = 0u; k < count; k++) {
        let number = zpoints[among[k]].w;
        keys[k] = vec3(exact_square(asked.first + row, number), number);
    }
    for (var k = 0u; k < count; k++) {
        var rank = 0u;
        for (var other = 0u; other < count; other++) {
            rank += u32(is_before(keys[other].xy, keys[other].z, keys[k].xy, keys[k].z));
        }
        if rank < K {
            put(row, rank, keys[k].z, keys[k].xy);
        }
    }
}
