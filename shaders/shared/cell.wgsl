// The cell of a fixed-point coordinate. Two points within the cutoff along an axis are at most `reach` cells apart:
// src/gpu/params.rs proves it for the multiplier it chooses, and for every smaller one.
#import params
#import real

// Cell along an axis before folding: `offset` is the fixed-point coordinate minus the origin.
fn unfolded_cell(offset: vec2<u32>, multiplier: u32) -> vec2<u32> {
    let low = multiply_wide((offset.x >> 8u) | (offset.y << 24u), multiplier);
    let high = multiply_wide(offset.y >> 8u, multiplier);
    let middle = low.y + high.x;
    let top = high.y + select(0u, 1u, middle < low.y);
    return vec2((middle >> 10u) | (top << 22u), top >> 10u);
}

// The same modulo the axis's dimension. A folded one is at most 2^19, and cells are below 3 * 2^43, so nothing overflows.
fn folded_cell(cell: vec2<u32>, dim: u32, folds: bool) -> u32 {
    if !folds {
        return cell.x;
    }
    let word = (0xffffffffu % dim + 1u) % dim;
    return (cell.y * word % dim + cell.x % dim) % dim;
}
