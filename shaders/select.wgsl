// The non-empty rows of a chunk, short ones and long ones apart, each about in cell order.
#import params
#import chunk
#import row
#import selected
#import grid_of_workgroups

const WIDTH = 256u;

// Numbers of short (low half) and long rows (high half) of lanes up to each lane.
var<workgroup> sums: array<u32, WIDTH>;
var<workgroup> first_short: u32;
var<workgroup> first_long: u32;

@compute @workgroup_size(WIDTH)
fn select_rows(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = linear(workgroup, workgroups) * WIDTH + lane;
    var kind = 0u; // 1: short, 0x10000: long
    if place < params.points {
        let length = length_of_row(place);
        if length != 0u && is_in_chunk(row_of(place)) {
            kind = select(1u, 0x10000u, length >= 0x80000000u);
        }
    }
    sums[lane] = kind;
    var sum = kind;
    for (var distance = 1u; distance < WIDTH; distance *= 2u) {
        workgroupBarrier();
        var below = 0u;
        if lane >= distance {
            below = sums[lane - distance];
        }
        workgroupBarrier();
        sum += below;
        sums[lane] = sum;
    }
    if lane == WIDTH - 1u {
        first_short = atomicAdd(&selected.shorts, sum & 0xffffu);
        first_long = atomicAdd(&selected.longs, sum >> 16u);
    }
    workgroupBarrier();
    if kind == 1u {
        selected.places[first_short + (sum & 0xffffu) - 1u] = place;
    } else if kind != 0u {
        selected.places[params.points - first_long - (sum >> 16u)] = place;
    }
}
