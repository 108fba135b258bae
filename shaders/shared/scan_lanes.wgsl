// Sums over the lanes of a workgroup, `WIDTH` of them. The importing stage says what is summed: `alias Sum` and `add`.
var<workgroup> partial: array<Sum, WIDTH>;

// Sum of a workgroup's values below `lane`; `total` is that of all. All lanes must call it.
fn scan_workgroup(lane: u32, value: Sum, total: ptr<function, Sum>) -> Sum {
    partial[lane] = value;
    var sum = value;
    for (var distance = 1u; distance < WIDTH; distance *= 2u) {
        workgroupBarrier();
        var below = Sum();
        if lane >= distance {
            below = partial[lane - distance];
        }
        workgroupBarrier();
        sum = add(sum, below);
        partial[lane] = sum;
    }
    workgroupBarrier();
    *total = partial[WIDTH - 1u];
    var before = Sum();
    if lane > 0u {
        before = partial[lane - 1u];
    }
    workgroupBarrier();
    return before;
}
