// Exclusive sums in two stages: every block is reduced to its sum, and then scanned from the sum of the blocks before it on, which
// its workgroup adds up. Reduce-then-scan (Merrill and Grimshaw 2009, "Parallel scan for stream architectures") needs no progress
// guarantee between workgroups, which WGSL does not give. A third stage that scans the sums would read less, and take longer.
//
// The importing stage says what is summed: `alias Sum`, `add`, `load`, `store`, `length`, and declares `sums`.
#import grid_of_workgroups
#import scan_lanes

const WIDTH = 256u;
const EACH = 8u;
const BLOCK = WIDTH * EACH;

@compute @workgroup_size(WIDTH)
fn reduce(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let block = linear(workgroup);
    if block * BLOCK >= length() {
        return;
    }
    var sum = Sum();
    for (var k = 0u; k < EACH; k++) {
        let i = block * BLOCK + k * WIDTH + lane;
        if i < length() {
            sum = add(sum, load(i));
        }
    }
    var total = Sum();
    scan_workgroup(lane, sum, &total);
    if lane == 0u {
        sums[block] = total;
    }
}

@compute @workgroup_size(WIDTH)
fn apply(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let block = linear(workgroup);
    if block * BLOCK >= length() {
        return;
    }
    let first = block * BLOCK + lane * EACH;
    var values: array<Sum, EACH>;
    var sum = Sum();
    for (var k = 0u; k < EACH; k++) {
        if first + k < length() {
            values[k] = load(first + k);
        }
        sum = add(sum, values[k]);
    }
    var others = Sum();
    for (var i = lane; i < block; i += WIDTH) {
        others = add(others, sums[i]);
    }
    var total = Sum();
    let own = scan_workgroup(lane, sum, &total);
    scan_workgroup(lane, others, &total);
    var before = add(total, own);
    for (var k = 0u; k < EACH; k++) {
        if first + k < length() {
            store(first + k, before);
        }
        before = add(before, values[k]);
    }
}
