// What can be in reach of a point: rows of cells along x around its own, each a run of places, or two where the row
// wraps around a torus. CPU twin: src/grid/visit.rs.
#import params
#import index

// Rows of cells around a cell, those outside the box included.
fn rows_around(cell: vec3<u32>) -> u32 {
    let side = 2u * params.reach + 1u;
    return select(select(side * side, side, params.dim == 2u), 1u, params.dim == 1u);
}

// The runs of row `k` around `cell`: first and end places of one run (x, y) and, on a torus, of another (z, w).
fn runs(cell: vec3<u32>, k: u32) -> vec4<u32> {
    let side = 2u * params.reach + 1u;
    let y = around(cell.y, k % side, 1u);
    let z = around(cell.z, k / side, 2u);
    if y >= shape.dims.y || z >= shape.dims.z {
        return vec4<u32>();
    }
    let row = (z * shape.dims.y + y) * shape.dims.x;
    let last = shape.dims.x - 1u;
    let low = cell.x - min(cell.x, params.reach);
    let high = min(cell.x + params.reach, last);
    var run = vec4(starts[row + low], starts[row + high + 1u], 0u, 0u);
    if (shape.folds & 1u) == 1u && high - low < 2u * params.reach {
        // What is left of the row lies at its other end.
        let rest = 2u * params.reach - (high - low);
        if low == 0u {
            run = vec4(run.xy, starts[row + last + 1u - rest], starts[row + last + 1u]);
        } else {
            run = vec4(run.xy, starts[row], starts[row + rest]);
        }
    }
    return run;
}

// The cell `step - reach` beyond `cell` along an axis; at or above the dimension: there is none.
fn around(cell: u32, step: u32, axis: u32) -> u32 {
    if axis >= params.dim {
        return 0u;
    }
    let dim = shape.dims[axis];
    if (shape.folds >> axis & 1u) == 1u {
        return (cell + dim + step - params.reach) % dim;
    }
    return cell + step - params.reach; // below 0 wraps to a large number
}
