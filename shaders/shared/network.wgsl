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
        for (var k = lane; k < pairs; k += WIDTH) {
            let within = k & (half - 1u);
            let first = (k - within) << 1u;
            order(start, first + within, first + 2u * half - 1u - within, total);
        }
        wait_for_all();
        for (var stride = half >> 1u; stride > 0u; stride >>= 1u) {
            for (var k = lane; k < pairs; k += WIDTH) {
                let within = k & (stride - 1u);
                let low = ((k - within) << 1u) + within;
                order(start, low, low + stride, total);
            }
            wait_for_all();
        }
    }
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
