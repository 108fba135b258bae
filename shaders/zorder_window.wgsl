// The window of bits to sort by: the highest that part points, or those that part points of crowded cells.
#import params
#import zorder

// Bits of all axes below the first window that many points are sorted by before: two digits.
const FINE = 16u;

@compute @workgroup_size(1)
fn lay_window() {
    if zorder.rounds == 0u {
        begin_at_top();
    } else {
        zorder.top = atomicLoad(&zorder.crowd);
    }
    zorder.bottom = i32(zorder.top) - i32(30u / params.dim) + 1;
    zorder.sorted = zorder.bottom;
    if zorder.drops > 0u {
        zorder.sorted -= i32(FINE / params.dim);
    }
    zorder.drops = 0u;
    atomicStore(&zorder.crowd, 0u);
    zorder.rounds++;
    zorder.windows++;
    zorder.shift = 0u;
}

// The window below the first one, of which the upper digits count.
@compute @workgroup_size(1)
fn lay_fine_window() {
    begin_at_top();
    zorder.bottom = i32(zorder.top) - 2 * i32(30u / params.dim) + 1;
    zorder.drops = 30u / params.dim * params.dim - FINE;
    zorder.windows++;
}

fn begin_at_top() {
    zorder.top = atomicLoad(&zorder.differs);
    if atomicLoad(&zorder.signs) == 1u {
        zorder.sign = atomicLoad(&zorder.magnitude) + 1u;
        zorder.top = zorder.sign;
    }
}
