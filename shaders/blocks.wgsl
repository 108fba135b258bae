// Lists the blocks. The cells that a block may span are cut into pieces of ROWS points.
#import blocks
#import index

const WIDTH = 256u;

var<workgroup> mine: atomic<u32>;
var<workgroup> begin: u32;

@compute @workgroup_size(WIDTH)
fn list_blocks(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        atomicStore(&mine, 0u);
    }
    workgroupBarrier();
    let place = linear(workgroup) * WIDTH + lane;
    var points = 0u;
    var k = 0u;
    if place < params.points {
        let cell = cells[place];
        let x = cell % shape.dims.x;
        let left = x / shape.width * shape.width;
        let first = starts[cell - x + left];
        if (place - first) % ROWS == 0u {
            points = min(ROWS, starts[cell - x + min(left + shape.width, shape.dims.x)] - place);
            k = atomicAdd(&mine, 1u);
        }
    }
    workgroupBarrier();
    if lane == 0u {
        begin = atomicAdd(&blocks.count, atomicLoad(&mine));
    }
    workgroupBarrier();
    if points != 0u && begin + k < params.most_blocks {
        blocks.entries[begin + k] = Block(place, points, 0u, NONE, NONE, NONE, NO_ROOM, 0u);
    }
}
