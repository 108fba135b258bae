// A row sorted by a workgroup with a bitonic network (Batcher 1968, in the form whose comparisons all point one way, so that
// any length will do), in workgroup memory where it fits: the stage says how many ids that has room for, `TILE`.
const WIDTH = 128u;

@group(0) @binding(15) var<storage, read_write> ids: array<u32>;

var<workgroup> tile: array<u32, TILE>;

// Sorts the row's ids, which `put_id` has put, and brings them where they belong.
fn sort_row(start: u32, total: u32, lane: u32) {
    sort(start, total, lane);
    if total <= TILE {
        for (var k = lane; k < total; k += WIDTH) {
            ids[start + k] = tile[k];
        }
    }
}

fn wait_for_all() {
    workgroupBarrier();
    storageBarrier();
}

fn id_at(start: u32, k: u32, total: u32) -> u32 {
    if total <= TILE {
        return tile[k];
    }
    return ids[start + k];
}

fn put_id(start: u32, k: u32, total: u32, id: u32) {
    if total <= TILE {
        tile[k] = id;
    } else {
        ids[start + k] = id;
    }
}

// Sorts the row's `total` ids. What lies beyond counts as infinitely large, so comparisons with it change nothing.
fn sort(start: u32, total: u32, lane: u32) {
    for (var half = 1u; half < total; half <<= 1u) {
        let pairs = (total + 2u * half - 1u) / (2u * half) * half;
        for (var k = lane; k < pairs; k += EIGHT * WIDTH) {
            for_eight(start, k, half, total, true);
        }
        wait_for_all();
        for (var stride = half >> 1u; stride > 0u; stride >>= 1u) {
            for (var k = lane; k < pairs; k += EIGHT * WIDTH) {
                for_eight(start, k, stride, total, false);
            }
            wait_for_all();
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
        let a = id_at(start, low, total);
        let b = id_at(start, high, total);
        if b < a {
            put_id(start, low, total, b);
            put_id(start, high, total, a);
        }
    }
}
