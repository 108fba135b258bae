// Values that statements make for each point, and terms of numbers that all points make together: of a range of points, each workgroup
// its share. Rust writes the piece `formula_point` (src/gpu/sum/program/each_point.rs), with the bindings of fields. CPU twin: src/formula/evaluate/points.rs.
#import grid_of_workgroups
#import params
#import arithmetic
#import summed
#import tables
#import totals
#import wrapped
#import formula_point

@compute @workgroup_size(WIDTH)
fn each_point(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    begin_totals(lane);
    let share = linear(workgroup);
    for (var k = share * WIDTH + lane; k < summed.points; k += summed.shares * WIDTH) {
        evaluate_point(k, summed.first_point + k < summed.rows);
    }
    end_totals(summed.start + share, lane);
}
