// The box of cells, x fastest. Rust twin: `Shape` in src/gpu/params.rs; the CPU's is src/grid/shape.rs.
//
// If the cloud's extent has more cells than there is room for, the box is a torus: cell numbers are taken modulo its
// dimensions, which are coprime where they are not the extent's own, so that neither a line nor a plane folds onto
// itself. Points of different cells then share one, and `verify` is set.
//
// A periodic axis wraps in another way: its cells begin at 0 and divide its length evenly into a multiple of the axis's
// dimension, so that what follows the last cell is the first, folded or not. One whose points leave a gap that no pair
// spans is as good as open.
struct Shape {
    // Lowest fixed-point coordinate per axis, as low and high words.
    origin_low: vec3<u32>,
    // Number of cells.
    cells: u32,
    origin_high: vec3<u32>,
    // 1: a near pair of low words may be far apart: compare the high words too.
    verify: u32,
    // Cells per axis.
    dims: vec3<u32>,
    // Bit a is set where axis a is folded.
    folds: u32,
    // The factors that make cells of coordinates, per axis (shared/cell.wgsl).
    multiplier: vec3<u32>,
    // Bit a is set where axis a is periodic and has points on both sides of the boundary.
    wraps: u32,
    // Cells along x that a block of points may span (shared/blocks.wgsl).
    width: u32,
    // 1: coordinates relative to a block are not exact in f32, but differences near the cutoff are.
    by_integers: u32,
}
