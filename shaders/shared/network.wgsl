// A row sorted where it is by a workgroup of `WIDTH` lanes, with a bitonic network (Batcher 1968, in the form whose comparisons all
// point one way, so that any length will do). The importing stage has the `ids`.

// Sorts the row's `total` ids. What lies beyond counts as infinitely large, so comparisons with it change nothing.
fn sort(start: u32, total: u32, lane: u32) {
    for (var half = 1u; half < total; half <<= 1u) {
        let pairs = (total + 2u * half - 1u) / (2u * half) * half;
        for (var k = lane; k < pairs; k += EIGHT * WIDTH) {
            for_eight(start, k, half, total, true);
        }
        storageBarrier();
        for (var stride = half >> 1u; stride > 0u; stride >>= 1u) {
            for (var k = lane; k < pairs; k += EIGHT * WIDTH) {
                for_eight(start, k, stride, total, false);
            }
            storageBarrier();
        }
    }
}

// Eight comparisons of a lane, the `k`-th and others, written out: the iterations of loops are counted (shaders/README.md). Those
// beyond the last pair change nothing.
const EIGHT = 8u;

fn for_eight(start: u32, k: u32, half: u32, total: u32, mirrored: bool) {
    order_pair(start, k, half, total, mirrored);
    order_pair(start, k + WIDTH, half, total, mirrored);
    order_pair(start, k + 2u * WIDTH, half, total, mirrored);
    order_pair(start, k + 3u * WIDTH, half, total, mirrored);
    order_pair(start, k + 4u * WIDTH, half, total, mirrored);
    order_pair(start, k + 5u * WIDTH, half, total, mirrored);
    order_pair(start, k + 6u * WIDTH, half, total, mirrored);
    order_pair(start, k + 7u * WIDTH, half, total, mirrored);
}

// Compares what is `half` apart in the network, or mirrored in blocks of two halves.
fn order_pair(start: u32, k: u32, half: u32, total: u32, mirrored: bool) {
    let within = k & (half - 1u);
    let first = (k - within) << 1u;
    order(start, first + within, first + select(within + half, 2u * half - 1u - within, mirrored), total);
}

fn order(start: u32, low: u32, high: u32, total: u32) {
    if high < total {
        let a = ids[start + low];
        let b = ids[start + high];
        if b < a {
            ids[start + low] = b;
            ids[start + high] = a;
        }
    }
}
