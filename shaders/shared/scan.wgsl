// Exclusive sums in three stages: every block is reduced to its sum, the sums are scanned by one workgroup, every block
// is scanned from its sum on. Reduce-then-scan (Merrill and Grimshaw 2009, "Parallel scan for stream architectures"):
// needs no progress guarantee between workgroups, which WGSL does not give.
//
// The importing stage says what is summed: `alias Sum`, `add`, `load`, `store`, `length`, and declares `sums`.
#import grid_of_workgroups
#import scan_lanes

const WIDTH = 256u;
const EACH = 4u;
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
fn scan_sums(@builtin(local_invocation_index) lane: u32) {
    let blocks = (length() + BLOCK - 1u) / BLOCK;
    var before = Sum();
    for (var first = 0u; first < blocks; first += WIDTH) {
        var value = Sum();
        if first + lane < blocks {
            value = sums[first + lane];
        }
        var total = Sum();
        let sum = scan_workgroup(lane, value, &total);
        if first + lane < blocks {
            sums[first + lane] = add(before, sum);
        }
        before = add(before, total);
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
    var total = Sum();
    var before = add(sums[block], scan_workgroup(lane, sum, &total));
    for (var k = 0u; k < EACH; k++) {
        if first + k < length() {
            store(first + k, before);
        }
        before = add(before, values[k]);
    }
}
