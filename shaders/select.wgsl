// Lists the rows of a chunk that are not short: rows that are found in order, and rows that a workgroup each sorts. A lane takes a
// place.
#import params
#import order
#import chunk
#import direct
#import rows
#import grid_of_workgroups

@compute @workgroup_size(256)
fn select_rows(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let place = linear(workgroup) * 256u + lane;
    if place >= params.points {
        return;
    }
    let i = number_of(place);
    if !is_in_chunk(i) {
        return;
    }
    if is_direct(i) {
        direct.rows[ROW * atomicAdd(&direct.count, 1u)] = place;
    } else if row_length(i) > SHORT {
        rows.numbers[atomicAdd(&rows.count, 1u)] = i;
    }
}
