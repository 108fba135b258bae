// Lays the box of cells over the cloud: over its extent, or all of a periodic axis, where there is room for all its cells,
// else a torus.
// One workgroup; reduces the extents of `extent` first. CPU twin: `choose` in src/grid/shape.rs.
#import params
#import fixed
#import extent_of_lanes
#import cell
#import shape
#import extents

@group(0) @binding(1) var<storage, read_write> shape: Shape;

// Workgroups of `extent` are at most this many.
const WIDTH = 256u;
// A folded axis has at most this many cells (shared/cell.wgsl).
const MOST_FOLDED = 0x80000u;

// The cells of a block should have FULL_BLOCK points together: larger blocks have fewer candidates for each point. A cloud of less than
// MANY points has smaller blocks, so that all of the device is busy. A block has at most MOST_WIDTH cells, so that its coordinates stay
// within 2^30 of each other.
const FULL_BLOCK = 64u;
const SMALL_BLOCK = 32u;
const MANY = 65536u;
const MOST_WIDTH = 256u;
// A block of this many cells keeps coordinates of its candidates within 2^24 of each other. They are exact in f32.
const EXACT_WIDTH = 5u;

@compute @workgroup_size(WIDTH)
fn lay_shape(@builtin(local_invocation_index) lane: u32) {
    var dims = vec3(1u, 1u, 1u);
    var large = vec3(false, false, false);
    var saturates = false;
    var wraps = 0u;
    for (var axis = 0u; axis < params.dim; axis++) {
        let mine = extents[min(lane, params.shares - 1u) * 3u + axis];
        lowest[lane] = mine.xy;
        highest[lane] = mine.zw;
        gather_extent(lane, WIDTH);
        let low = lowest[0];
        let high = highest[0];
        workgroupBarrier();
        // Saturated at 2^62 on either side: high words of 0x40000000 and 0xc0000000.
        saturates |= low.y <= 0x40000000u || high.y >= 0xc0000000u;
        var cells = unfolded_cell(subtract64(high, low), params.multiplier);
        var origin = vec2(low.x, low.y ^ 0x80000000u);
        let whole = whole_cells(axis);
        if whole != 0u && whole <= cells.x + 1u + params.reach {
            wraps |= 1u << axis;
            cells = vec2(whole - 1u, 0u);
            origin = vec2(0u);
        }
        if lane == 0u {
            shape.origin_low[axis] = origin.x;
            shape.origin_high[axis] = origin.y;
        }
        large[axis] = cells.y != 0u || cells.x >= params.most_cells;
        dims[axis] = select(cells.x + 1u, params.most_cells, large[axis]);
    }
    if lane != 0u {
        return;
    }
    var folds = 0u;
    if large.x || large.y || large.z || product(dims) > f32(params.most_cells) {
        folds = fold(&dims, large);
    }
    shape.dims = dims;
    shape.folds = folds;
    shape.cells = dims.x * dims.y * dims.z;
    shape.verify = select(0u, 1u, folds != 0u || saturates);
    shape.wraps = wraps;
    shape.width = width(shape.cells, dims, folds);
    shape.by_integers = select(0u, 1u, shape.verify == 1u || shape.width > EXACT_WIDTH);
    for (var axis = 0u; axis < params.dim; axis++) {
        shape.multiplier[axis] = params.multiplier;
        if (wraps >> axis & 1u) == 1u {
            let whole = whole_cells(axis);
            shape.multiplier[axis] = least_multiplier(period(axis), whole - whole % dims[axis]);
        }
    }
}

// Whole cells along a periodic axis: at least one, however far a longer axis makes cells reach; 0 along an open one.
fn whole_cells(axis: u32) -> u32 {
    if all(period(axis) == vec2(0u)) {
        return 0u;
    }
    return max(unfolded_cell(period(axis), params.multiplier).x, 1u);
}

// The cells of a block. Where a row of cells wraps around, a block must not meet itself.
fn width(cells: u32, dims: vec3<u32>, folds: u32) -> u32 {
    let most = select(MOST_WIDTH, min(MOST_WIDTH, dims.x - 2u), (folds & 1u) == 1u);
    let points = select(SMALL_BLOCK, FULL_BLOCK, params.points >= MANY);
    return clamp(cells / max(params.points / points, 1u), 1u, most);
}

// The least multiplier that makes so many cells of a period: exactly so many, as one more makes at most one cell more.
fn least_multiplier(period: vec2<u32>, cells: u32) -> u32 {
    var below = 0u;
    var least = params.multiplier;
    while least - below > 1u {
        let middle = below + (least - below) / 2u;
        if unfolded_cell(period, middle).x < cells {
            below = middle;
        } else {
            least = middle;
        }
    }
    return least;
}

// The number of cells; rounded up a little, for it decides whether they fit.
fn product(dims: vec3<u32>) -> f32 {
    return f32(dims.x) * f32(dims.y) * f32(dims.z) * 1.000001;
}

// Shares the room out among the axes: one with few cells keeps them, the others get equal, coprime shares.
fn fold(dims: ptr<function, vec3<u32>>, large: vec3<bool>) -> u32 {
    var folds = (1u << params.dim) - 1u;
    for (var round = 0u; round < 2u; round++) {
        let side = share(*dims, folds);
        for (var axis = 0u; axis < params.dim; axis++) {
            if (*dims)[axis] <= side && !large[axis] {
                folds &= ~(1u << axis);
            }
        }
    }
    // Odd and the two numbers below it: pairwise coprime.
    var side = (share(*dims, folds) - 1u) | 1u;
    for (var axis = 0u; axis < params.dim; axis++) {
        if (folds >> axis & 1u) == 1u {
            (*dims)[axis] = side;
            side -= 1u;
        }
    }
    return folds;
}

// The side of a cube (square, line) of the axes that fold, beside those that do not.
fn share(dims: vec3<u32>, folds: u32) -> u32 {
    var room = f32(params.most_cells) * 0.999;
    for (var axis = 0u; axis < 3u; axis++) {
        if (folds >> axis & 1u) == 0u {
            room /= f32(dims[axis]);
        }
    }
    var side = room;
    switch countOneBits(folds) {
        case 2u: { side = sqrt(room); }
        case 3u: { side = pow(room, 1.0 / 3.0) * 0.999; }
        default: {}
    }
    return min(u32(side), MOST_FOLDED) - 1u;
}
