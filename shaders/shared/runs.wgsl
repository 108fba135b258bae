// The cells that can be in reach of a block: rows of cells along x around its own, each a run of places, or two where the row wraps around
// a torus. CPU twin: src/grid/visit.rs.
#import params
#import around
#import index

// Each row has two runs.
const RUNS = 2u * AROUND;

// The cells of a block: the one of its first point, and the x of the last.
struct CellsOfBlock {
    first: vec3<u32>,
    last_x: u32,
}

// Run `k` around the cells of a block: its first place and its end.
fn run_of(own: CellsOfBlock, k: u32) -> vec2<u32> {
    let row_around = k % AROUND;
    if row_around >= rows_around() {
        return vec2<u32>();
    }
    let y = beside(own.first.y, row_around % 3u, 1u);
    let z = beside(own.first.z, row_around / 3u, 2u);
    if y >= shape.dims.y || z >= shape.dims.z {
        return vec2<u32>();
    }
    let row = (z * shape.dims.y + y) * shape.dims.x;
    let last = shape.dims.x - 1u;
    let low = max(own.first.x, 1u) - 1u;
    let high = min(own.last_x + 1u, last);
    if k < AROUND {
        return vec2(starts[row + low], starts[row + high + 1u]);
    }
    // The rest of the row lies at its other end.
    let rest = own.last_x - own.first.x + 2u - (high - low);
    if (shape.folds & 1u) == 0u || rest == 0u {
        return vec2<u32>();
    }
    if low == 0u {
        return vec2(starts[row + last + 1u - rest], starts[row + last + 1u]);
    }
    return vec2(starts[row], starts[row + rest]);
}

// The cell `step - 1` beyond `cell` along an axis; at or above the dimension: there is none.
fn beside(cell: u32, step: u32, axis: u32) -> u32 {
    if axis >= params.dim {
        return 0u;
    }
    let dim = shape.dims[axis];
    if (shape.folds >> axis & 1u) == 1u {
        return (cell + dim + step - 1u) % dim;
    }
    return cell + step - 1u; // below 0 wraps to a large number
}
