// The length of the rows that `count` left: a workgroup a point. They are long rows, whatever their length: their
// candidates are too many for a lane to fill them too.
#import params
#import runs
#import probe
#import rows
#import grid_of_workgroups

const WIDTH = 128u;

@group(0) @binding(14) var<storage, read> rows: Rows;
@group(0) @binding(12) var<storage, read_write> found: array<u32>;
@group(0) @binding(10) var<storage, read_write> lengths: array<u32>;

var<workgroup> length: atomic<u32>;

@compute @workgroup_size(WIDTH)
fn count_long(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = linear(workgroup, workgroups);
    if row >= rows.longs {
        return;
    }
    if lane == 0u {
        atomicStore(&length, 0u);
    }
    workgroupBarrier();
    let place = rows.places[params.points - 1u - row];
    let mine = point(place);
    let cell = cell_coords(cells[place]);
    let scope = scope_of(place);
    var mine_found = 0u;
    for (var k = 0u; k < rows_around(cell); k++) {
        let seen = image(mine, cell, k);
        var run = runs(cell, k);
        while true {
            for (var first = run.x + 32u * lane; first < run.y; first += 32u * WIDTH) {
                mine_found += countOneBits(probe_block(place, scope, seen, first, run.y));
            }
            if run.z >= run.w {
                break;
            }
            run = vec4(run.zw, 0u, 0u);
        }
    }
    atomicAdd(&length, mine_found);
    workgroupBarrier();
    if lane == 0u {
        let total = atomicLoad(&length);
        found[place] = total | select(0u, 0x80000000u, total > 0u);
        lengths[u32(mine.w)] = total;
    }
}
