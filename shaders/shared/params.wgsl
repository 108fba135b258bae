// The host's decisions for this query, the same for every stage. Rust twin: `Params` in src/gpu/params.rs.
struct Params {
    // Number of points.
    points: u32,
    // Axes: 1, 2 or 3.
    dim: u32,
    // 32-bit words of a coordinate: 1 (real32) or 2 (real64).
    words: u32,
    // A coordinate in fixed point is floor(coordinate * 2^shift): the span of a cutoff lies in [2^20, 2^21).
    shift: i32,
    // A pair has d2 <= bound: the bits of the bound in the caller's precision, low word first.
    bound: vec2<u32>,
    // d2 in fixed-point units: up to `lower` surely in reach, above `upper` surely not, between them in doubt.
    lower: f32,
    upper: f32,
    // Cell along an axis: ((fixed - origin) >> 8) * multiplier >> 42; along a periodic one with at most this multiplier.
    multiplier: u32,
    // Cells that the cutoff spans.
    reach: u32,
    // The most cells there is room for.
    most_cells: u32,
    // 1: both sides of each pair; 0: only ids above the row's own.
    full: u32,
    // 0 or 1, added to ids.
    base: u32,
    // 1: blocks whose rows can list nothing are listed too, because sums have results for these rows.
    every_block: u32,
    // Blocks there is room for (shared/blocks.wgsl).
    most_blocks: u32,
    // Workgroups that find the extent.
    shares: u32,
    // Lengths of periodic axes in fixed point, low and high words; those of open axes are 0.
    period_low: vec3<u32>,
    // Words there are for hits found while counting.
    mask_words: u32,
    period_high: vec3<u32>,
    // 1: the blocks whose hits had no room are counted again, a batch at a time.
    again: u32,
    // The same lengths in the caller's precision: their bits, low and high words.
    length_low: vec3<u32>,
    // The rule of the cutoff of two points that have radii (shared/radius.wgsl).
    rule: u32,
    length_high: vec3<u32>,
    // 1: a distance equal to the cutoff is too far, by radii; otherwise it is in `bound`.
    exclusive: u32,
    // The first node of each plane, by radii (shared/node.wgsl); after the last, how many there are.
    planes_low: vec4<u32>,
    planes_high: vec4<u32>,
    // The lower ends of periodic axes, in fixed point modulo 2^64; 0 of open ones.
    origin_low: vec3<u32>,
    // The most that a distance in fixed point differs from the caller's, in units, by radii.
    slack: f32,
    origin_high: vec3<u32>,
    // The plane that has 32 nodes at most.
    top: u32,
    // The same in the caller's precision.
    lo_low: vec3<u32>,
    // A row longer than this is found in order (shared/direct.wgsl).
    direct: u32,
    lo_high: vec3<u32>,
    // Teams that count for a leaf, by radii: 1, 2, 4 or 8, each with its share of the groups of leaves.
    splits: u32,
    // Windows of crowds that there is room for.
    most_windows: u32,
    // Words after `mask_words` for the hits of blocks that are counted again.
    spare_words: u32,
    // Ids that there is room for, where rows are filled before the host knows how many there are (block_sizes.wgsl).
    room: u32,
    // Bits of an id on its way over the bus (pack.wgsl).
    id_bits: u32,
    // The ghosts that belong to the front of each row (lower_ghosts.wgsl): the first, and the point after the last; the same where there
    // are none.
    lower_ghosts: vec2<u32>,
}

@group(0) @binding(0) var<uniform> params: Params;

// Length of a periodic axis in fixed point; 0: the axis is open.
fn period(axis: u32) -> vec2<u32> {
    return vec2(params.period_low[axis], params.period_high[axis]);
}
