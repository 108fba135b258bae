// The k nearest of 32 queries that follow each other along the curve, a lane each. A lane keeps the nearest it has seen and a few
// more, by distances in real32; where what it kept is sure to hold the row, the caller's arithmetic orders it. Where it is not, as many
// points are as near as the last, the row is left to a workgroup of its own (knn_long.wgsl).
#import nearest
#import walk
#import exact
#import nearest_rows
#import doubts
#import grid_of_workgroups

// Points that a lane keeps.
const KEPT = $kept;

@group(0) @binding(34) var<storage, read> query_nodes: array<vec4<u32>>;

// How far the lanes look at most, as bits.
var<workgroup> reaches: array<atomic<u32>, 3>;

var<private> mine: Place;
var<private> mine_box: Box;
var<private> mine_band: f32;
var<private> mine_place: u32;
var<private> group: Box;
var<private> group_band: f32;
var<private> group_reach: f32;
// Points from here on are of no use.
var<private> reach: f32;
var<private> steps: u32;

// The nearest so far, in order, and where they are on the curve.
#each
var<private> near_$i: f32;
var<private> place_$i: u32;
#end

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
    mine_place = 0xffffffffu;
    if place < asked.queries {
        mine = query_at(place);
        row = query_points[place].w;
        if asked.selves == 2u {
            mine_place = place;
        }
    }
    let has_row = row >= asked.row && row < asked.end;
    mine_box = Box(mine.high, mine.low, mine.high, mine.low, 0u);
    mine_band = band(farthest(mine.high));
    group = group_at(leaf);
    group_band = band(max(farthest(group.lower), farthest(group.upper)));
    reach = select(-1.0, FAR, has_row);
    steps = 0u;
#each
    near_$i = FAR;
    place_$i = 0xffffffffu;
#end
    if lane < 3u {
        atomicStore(&reaches[lane], 0u);
    }
    begin_walk(lane);
    var start = leaf;
    if asked.selves == 0u {
        start = find_start(lane);
    }
    walk(start, lane);
    if has_row {
        finish(place, row);
    }
}

fn group_at(leaf: u32) -> Box {
    var box = Box(coords_of(query_nodes[2u * leaf]), vec3(0.0), coords_of(query_nodes[2u * leaf + 1u]), vec3(0.0), 0u);
    if WIDE {
        box.lower_low = coords_of(query_nodes[2u * (asked.query_nodes + leaf)]);
        box.upper_low = coords_of(query_nodes[2u * (asked.query_nodes + leaf) + 1u]);
    }
    return box;
}

fn begin_step(lane: u32) {
    steps++;
    if lane == 0u {
        atomicStore(&reaches[(turn + 1u) % 3u], 0u);
    }
    atomicMax(&reaches[turn], bitcast<u32>(max(reach, 0.0)));
    workgroupBarrier();
    group_reach = bitcast<f32>(atomicLoad(&reaches[turn]));
}

fn wants(node: u32) -> bool {
    return at_least(gap_to(node), group_band) < group_reach;
}

fn still_wants(node: u32) -> bool {
    return true; // each lane asks for itself
}

fn gap_to(node: u32) -> f32 {
    return measure_gap(group, node_at(node));
}

fn visit(leaf: u32, lane: u32) -> bool {
    steps++;
    if at_least(measure_gap(mine_box, node_at(leaf)), mine_band) < reach {
        // First a bit for each that is near: then lanes keep different points at the same time.
        let first = leaf * LANES;
        var near = 0u;
        for (var k = 0u; k < LANES; k++) {
            let d2 = measure(mine, min(first + k, tree.points - 1u));
            near |= select(0u, 1u << k, d2 < reach);
        }
        if tree.points - first < LANES {
            near &= (1u << (tree.points - first)) - 1u;
        }
        if mine_place - first < LANES {
            near &= ~(1u << (mine_place - first));
        }
        while near != 0u {
            let place = first + firstTrailingBit(near);
            near &= near - 1u;
            let d2 = measure(mine, place);
            if d2 < reach {
                keep(d2, place);
            }
        }
    }
    return steps < asked.budget;
}

fn keep(d2: f32, place: u32) {
#each_down
    place_$i = select(select(place_$i, place, d2 < near_$i), place_$j, d2 < near_$j);
    near_$i = max(near_$j, min(near_$i, d2));
#end
    place_0 = select(place_0, place, d2 < near_0);
    near_0 = min(near_0, d2);
    reach = min(near_$last, at_most(near_$kth, mine_band));
}

// Writes the row, or leaves it to others.
fn finish(place: u32, row: u32) {
    let limit = at_most(near_$kth, mine_band);
    let is_known = near_$kth < FAR_SURE && farthest(mine.high) < BORDER_SURE;
    if near_$last <= limit || !is_known || steps >= asked.budget {
        doubtful[atomicAdd(&doubts.count, 1u)] = vec2(place, bitcast<u32>(select(FAR, limit, is_known)));
        return;
    }
    var places: array<u32, KEPT>;
    var count = 0u;
#each
    places[$i] = place_$i;
    count += u32(near_$i <= limit);
#end
    var keys: array<vec3<u32>, KEPT>;
    for (var k = 0u; k < count; k++) {
        let number = zpoints[places[k]].w;
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
