// An exchange among the lanes of a row: four lanes have four numbers each.
const WIDTH = 128u;
const PARTS = 4u;

var<workgroup> given: array<vec4<Number>, WIDTH>;
var<workgroup> most: atomic<u32>;
var<workgroup> most_in_all: u32;

// The number with the lane's own place that each of the four lanes has. All lanes of the workgroup call it.
fn exchange(numbers: vec4<Number>, lane: u32) -> vec4<Number> {
    given[lane] = numbers;
    workgroupBarrier();
    let first = lane / PARTS * PARTS;
    let part = lane % PARTS;
    let taken = vec4(given[first][part], given[first + 1u][part], given[first + 2u][part], given[first + 3u][part]);
    workgroupBarrier();
    return taken;
}

// The most that any of the lanes that exchange together has. All lanes of the workgroup call it.
fn most_of(count: u32, lane: u32) -> u32 {
    if lane == 0u {
        atomicStore(&most, 0u);
    }
    workgroupBarrier();
    atomicMax(&most, count);
    workgroupBarrier();
    if lane == 0u {
        most_in_all = atomicLoad(&most);
    }
    return workgroupUniformLoad(&most_in_all);
}
