// Rows of cells along x around a block, its own with them.
#import params

// In three dimensions.
const AROUND = 9u;

fn rows_around() -> u32 {
    return select(select(9u, 3u, params.dim == 2u), 1u, params.dim == 1u);
}
