// Fills long rows, and all rows where the device has no subgroups: a workgroup a row, whose ids are collected in any order
// and sorted by a bitonic network (Batcher 1968, in the form whose comparisons all point one way, so that any length
// will do), in workgroup memory where they fit. CPU twin: src/cpu/descent.rs.
#import params
#import runs
#import probe
#import chunk
#import rows
#import network
#import grid_of_workgroups

// Ids of a row that workgroup memory has room for.
const TILE = 2048u;

@group(0) @binding(12) var<storage, read> found: array<u32>;
@group(0) @binding(14) var<storage, read> rows: Rows;

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
    sort_row(start, total, lane);
}
