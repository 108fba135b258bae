// Fills long rows, and all rows where the device has no subgroups: a workgroup a row, whose ids are collected in any order
// and sorted by a bitonic network (Batcher 1968, in the form whose comparisons all point one way, so that any length
// will do), in workgroup memory where they fit. CPU twin: src/cpu/descent.rs.
#import params
#import runs
#import probe
#import chunk
#import rows
#import grid_of_workgroups

const WIDTH = 128u;
const TILE = 2048u;

@group(0) @binding(12) var<storage, read> found: array<u32>;
@group(0) @binding(14) var<storage, read> rows: Rows;
@group(0) @binding(15) var<storage, read_write> ids: array<u32>;

var<workgroup> tile: array<u32, TILE>;
var<workgroup> length: atomic<u32>;

@compute @workgroup_size(WIDTH)
fn fill_long(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = linear(workgroup, workgroups);
    if row >= rows.longs {
        return;
    }
    let place = rows.places[params.points - 1u - row];
    let mine = point(place);
    let start = row_start(u32(mine.w));
    let total = found[place] & 0x7fffffffu; // the top bit marks a long row
    let cell = cell_coords(cells[place]);
    let scope = scope_of(place);
    if lane == 0u {
        atomicStore(&length, 0u);
    }
    workgroupBarrier();
    for (var r = 0u; r < rows_around(cell); r++) {
        let seen = image(mine, cell, r);
        var run = runs(cell, r);
        while true {
            for (var first = run.x + 32u * lane; first < run.y; first += 32u * WIDTH) {
                var near = probe_block(place, scope, seen, first, run.y);
                var k = atomicAdd(&length, countOneBits(near));
                while near != 0u {
                    put_id(start, k, total, u32(point(first + firstTrailingBit(near)).w) + params.base);
                    near &= near - 1u;
                    k++;
                }
            }
            if run.z >= run.w {
                break;
            }
            run = vec4(run.zw, 0u, 0u);
        }
    }
    wait_for_all();
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
