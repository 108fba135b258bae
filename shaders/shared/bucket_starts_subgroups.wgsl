// shared/bucket_starts.wgsl where subgroups have 32 lanes: a lane of the first one has two buckets.

fn start_buckets(lane: u32) {
    if lane < BUCKETS / 2u {
        let even = atomicLoad(&bucket_sizes[2u * lane]);
        let odd = atomicLoad(&bucket_sizes[2u * lane + 1u]);
        let end = subgroupInclusiveAdd(even + odd);
        bucket_starts[2u * lane] = end - even - odd;
        bucket_starts[2u * lane + 1u] = end - odd;
        if lane == BUCKETS / 2u - 1u {
            bucket_starts[BUCKETS] = end;
        }
    }
}
