// The places where buckets of numbers begin. The importing stage has `BUCKETS` of them, `bucket_sizes` and `bucket_starts`.

// All lanes call it, and a barrier follows.
fn start_buckets(lane: u32) {
    if lane <= BUCKETS {
        var start = 0u;
        for (var k = 0u; k < lane; k++) {
            start += atomicLoad(&bucket_sizes[k]);
        }
        bucket_starts[lane] = start;
    }
}
