// The non-empty rows of a chunk: short ones and long ones apart, without the rows that are found in order.
#import params
#import chunk
#import direct
#import selected
#import grid_of_workgroups
#import sum_words

const WIDTH = 256u;

var<workgroup> first_short: u32;
var<workgroup> first_long: u32;

@compute @workgroup_size(WIDTH)
fn select_rows(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let i = linear(workgroup) * WIDTH + lane;
    var kind = 0u; // 1: short, 0x10000: long
    if i < params.points {
        let length = row_start(i + 1u) - row_start(i);
        if length != 0u && is_in_chunk(i) && !is_direct(i) {
            kind = select(1u, 0x10000u, length > params.longest);
        }
    }
    // Numbers of short (low half) and long rows (high half) of lanes before.
    var total = 0u;
    let before = scan_workgroup(lane, kind, &total);
    if lane == 0u {
        first_short = atomicAdd(&selected.shorts, total & 0xffffu);
        first_long = atomicAdd(&selected.longs, total >> 16u);
    }
    workgroupBarrier();
    if kind == 1u {
        selected.places[first_short + (before & 0xffffu)] = i;
    } else if kind != 0u {
        selected.places[params.points - 1u - first_long - (before >> 16u)] = i;
    }
}
