// shared/runs.wgsl where axes are periodic: the box has a seam along them, as along folded axes, and every run lies on one
// side of it. A row of cells along x that crosses the seam therefore counts as two or, where cells are few, as three.
#import params
#import index

// Rows of cells around a cell: first those on its own side of the seam along x, then those beyond its lower and upper end.
fn rows_around(cell: vec3<u32>) -> u32 {
    return columns() * (1u + u32(is_low(cell)) + u32(is_high(cell)));
}

// Rows of cells around a cell on one side of the seam along x.
fn columns() -> u32 {
    let side = 2u * params.reach + 1u;
    return select(select(side * side, side, params.dim == 2u), 1u, params.dim == 1u);
}

fn is_low(cell: vec3<u32>) -> bool {
    return has_seam(0u) && cell.x < params.reach;
}

fn is_high(cell: vec3<u32>) -> bool {
    return has_seam(0u) && cell.x + params.reach >= shape.dims.x;
}

fn has_seam(axis: u32) -> bool {
    return ((shape.folds | shape.wraps) >> axis & 1u) == 1u;
}

// Whether all around a cell lies on its own side of all seams, inside the box: of most cells.
fn is_inner(cell: vec3<u32>) -> bool {
    let reach = select(vec3(0u), vec3(params.reach), vec3(0u, 1u, 2u) < vec3(params.dim));
    return all(cell >= reach) && all(cell + reach < shape.dims);
}

// The run of row `k` around `cell`: first and end place; the rest is 0.
fn runs(cell: vec3<u32>, k: u32) -> vec4<u32> {
    if is_inner(cell) {
        let side = 2u * params.reach + 1u;
        let y = select(cell.y, cell.y + k % side - params.reach, params.dim > 1u);
        let z = select(cell.z, cell.z + k / side - params.reach, params.dim > 2u);
        let middle = (z * shape.dims.y + y) * shape.dims.x + cell.x;
        return vec4(starts[middle - params.reach], starts[middle + params.reach + 1u], 0u, 0u);
    }
    let seams = seams(cell, k);
    let reach = i32(params.reach);
    let dims = vec3<i32>(shape.dims);
    // The cell as those beyond the seams number it; y and z then of the row.
    var here = vec3<i32>(cell) - seams * dims;
    here += vec3(0, step_of(k, 1u), step_of(k, 2u));
    if any(here.yz < vec2(0)) || any(here.yz >= dims.yz) {
        return vec4<u32>();
    }
    let row = (here.z * dims.y + here.y) * dims.x;
    let low = max(here.x - reach, 0);
    let high = min(here.x + reach, dims.x - 1);
    return vec4(starts[row + low], starts[row + high + 1], 0u, 0u);
}

// The seams between `cell` and its row `k`: along each axis -1 for the lower end, 1 for the upper, 0 for none.
fn seams(cell: vec3<u32>, k: u32) -> vec3<i32> {
    let side = k / columns();
    var along_x = min(i32(side), 1);
    if side == 1u && is_low(cell) {
        along_x = -1;
    }
    return vec3(along_x, seam(cell.y, k, 1u), seam(cell.z, k, 2u));
}

fn seam(cell: u32, k: u32, axis: u32) -> i32 {
    let beyond = i32(cell) + step_of(k, axis);
    if !has_seam(axis) {
        return 0;
    }
    return select(0, 1, beyond >= i32(shape.dims[axis])) - select(0, 1, beyond < 0);
}

// How many cells row `k` lies from the cell along y or z.
fn step_of(k: u32, axis: u32) -> i32 {
    let side = 2u * params.reach + 1u;
    if axis >= params.dim {
        return 0;
    }
    let column = k % columns();
    return i32(select(column / side, column % side, axis == 1u)) - i32(params.reach);
}
