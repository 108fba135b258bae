// shared/runs.wgsl where axes are periodic: the box has a seam along them, as along folded axes, and every run lies on one
// side of it. A row of cells along x that crosses the seam therefore has two runs or, where cells are few, three.
#import params
#import around
#import index

// Each row has a run on the block's side of the seam along x, and one beyond its lower and its upper end.
const RUNS = 3u * AROUND;

struct CellsOfBlock {
    first: vec3<u32>,
    last_x: u32,
}

fn run_of(own: CellsOfBlock, k: u32) -> vec2<u32> {
    let crossed = seams(own, k);
    if k % AROUND >= rows_around() || crossed.x == NOT_CROSSED {
        return vec2<u32>();
    }
    let dims = vec3<i32>(shape.dims);
    // The block as those beyond the seams number its cells; y and z then of the row.
    var here = vec3<i32>(own.first) - crossed * dims;
    here += vec3(0, step_of(k, 1u), step_of(k, 2u));
    if any(here.yz < vec2(0)) || any(here.yz >= dims.yz) {
        return vec2<u32>();
    }
    let row = (here.z * dims.y + here.y) * dims.x;
    let low = max(here.x - 1, 0);
    let high = min(i32(own.last_x) - crossed.x * dims.x + 1, dims.x - 1);
    return vec2(starts[row + low], starts[row + high + 1]);
}

// Along x: the block is not at that end.
const NOT_CROSSED = 2;

// The seams between a block and its run `k`: along each axis -1 for the lower end, 1 for the upper, 0 for none.
fn seams(own: CellsOfBlock, k: u32) -> vec3<i32> {
    var along_x = 0;
    switch k / AROUND {
        case 1u: { along_x = select(NOT_CROSSED, -1, has_seam(0u) && own.first.x == 0u); }
        case 2u: { along_x = select(NOT_CROSSED, 1, has_seam(0u) && own.last_x + 1u == shape.dims.x); }
        default: {}
    }
    return vec3(along_x, seam(own.first.y, k, 1u), seam(own.first.z, k, 2u));
}

fn has_seam(axis: u32) -> bool {
    return ((shape.folds | shape.wraps) >> axis & 1u) == 1u;
}

fn seam(cell: u32, k: u32, axis: u32) -> i32 {
    let beyond = i32(cell) + step_of(k, axis);
    if !has_seam(axis) {
        return 0;
    }
    return select(0, 1, beyond >= i32(shape.dims[axis])) - select(0, 1, beyond < 0);
}

// The number of cells from run `k` to the block along y or z.
fn step_of(k: u32, axis: u32) -> i32 {
    if axis >= params.dim {
        return 0;
    }
    return i32(select(k % AROUND / 3u, k % 3u, axis == 1u)) - 1;
}
