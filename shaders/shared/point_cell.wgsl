// The cell of a point along an axis, before folding. The stage binds `shape`.
#import params
#import real
#import fixed
#import cell
#import shape

fn point_cell(i: u32, axis: u32) -> vec2<u32> {
    let origin = vec2(shape.origin_low[axis], shape.origin_high[axis]);
    let cell = unfolded_cell(subtract64(fixed_coord(i, axis), origin), shape.multiplier[axis]);
    if (shape.wraps >> axis & 1u) == 1u {
        // A point that rounding puts on the end of the axis belongs to the cell before.
        return vec2(min(cell.x, cells_of_period(axis) - 1u), 0u);
    }
    return cell;
}

// Cells along a periodic axis before folding: a multiple of its dimension, and one where the span, beside a far longer axis, is more
// than the axis.
fn cells_of_period(axis: u32) -> u32 {
    return max(unfolded_cell(period(axis), shape.multiplier[axis]).x, 1u);
}
