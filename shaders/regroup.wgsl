// Parts the points of a group of leaves, as they were sorted, by radii: those few that make up most of what is searched go to
// the front, those few that make up most of the rest after them, then all others, each in the order they had. So few leaves
// reach far, and those that do are of points that do. A workgroup a group.
#import params
#import entries
#import units
#import grid_of_workgroups
#import sum_words

const WIDTH = 256u;
// Points of a lane.
const POINTS = 4u;
// Radii are told apart by a quarter of an octave, in eight octaves from the largest down.
const BINS = 32u;
const BIN_SHIFT = 21u;

// The least volume within reach of a part, and the most points it has, of what is left.
const VOLUME = 0.85;
const SHARE = 0.25;

// The bits of the largest radius; how many points are in each bin.
var<workgroup> largest: atomic<u32>;
var<workgroup> counts: array<atomic<u32>, BINS>;

@compute @workgroup_size(WIDTH)
fn regroup(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let start = linear(workgroup) * WIDTH * POINTS;
    if lane < BINS {
        atomicStore(&counts[lane], 0u);
    }
    if lane == 0u {
        atomicStore(&largest, 0u);
    }
    workgroupBarrier();
    let first = start + POINTS * lane;
    let points = clamp(i32(params.points) - i32(first), 0, i32(POINTS));
    var mine: array<vec2<u32>, POINTS>;
    var bins: array<u32, POINTS>;
    for (var k = 0; k < points; k++) {
        mine[k] = entries[first + u32(k)];
        bins[k] = bitcast<u32>(radius_units(mine[k].y));
        atomicMax(&largest, bins[k]);
    }
    workgroupBarrier();
    let top = atomicLoad(&largest);
    for (var k = 0; k < points; k++) {
        bins[k] = min((top - bins[k]) >> BIN_SHIFT, BINS - 1u);
        atomicAdd(&counts[bins[k]], 1u);
    }
    workgroupBarrier();
    let front = end_of_part(0u);
    let middle = end_of_part(front);
    // Points in front (low half), and in the middle.
    var parted = 0u;
    for (var k = 0; k < points; k++) {
        parted += select(select(0u, 0x10000u, bins[k] < middle), 1u, bins[k] < front);
    }
    var total = 0u;
    let before = halves(scan_workgroup(lane, parted, &total));
    let all = halves(total);
    var to = start + vec3(before.x, all.x + before.y, all.x + all.y + POINTS * lane - before.x - before.y);
    for (var k = 0; k < points; k++) {
        let part = select(select(2u, 1u, bins[k] < middle), 0u, bins[k] < front);
        entries[to[part]] = mine[k];
        to[part]++;
    }
}

fn halves(a: u32) -> vec2<u32> {
    return vec2(a & 0xffffu, a >> 16u);
}

// The bin from which on points are not in the part that begins with bin `begin`; it is empty if it would take too many.
fn end_of_part(begin: u32) -> u32 {
    var volume = 0.0;
    var points = 0.0;
    for (var k = begin; k < BINS; k++) {
        let count = f32(atomicLoad(&counts[k]));
        points += count;
        volume += count * cube(k);
    }
    var part_volume = 0.0;
    var part_points = 0.0;
    for (var k = begin; k < BINS; k++) {
        let count = f32(atomicLoad(&counts[k]));
        part_points += count;
        part_volume += count * cube(k);
        if part_volume >= VOLUME * volume {
            return select(begin, k + 1u, part_points <= SHARE * points);
        }
    }
    return begin;
}

// The cube of the radii of a bin, as a part of that of the largest.
fn cube(bin: u32) -> f32 {
    return exp2(-0.75 * f32(bin));
}
