// The window of bits to sort by: the highest that part points, or those that part points of crowded cells.
#import params
#import zorder

@compute @workgroup_size(1)
fn lay_window() {
    zorder.top = atomicLoad(&zorder.crowd);
    if zorder.rounds == 0u {
        zorder.top = atomicLoad(&zorder.differs);
        if atomicLoad(&zorder.signs) == 1u {
            zorder.sign = atomicLoad(&zorder.magnitude) + 1u;
            zorder.top = zorder.sign;
        }
    }
    zorder.bottom = i32(zorder.top) - i32(30u / params.dim) + 1;
    atomicStore(&zorder.crowd, 0u);
    zorder.rounds++;
    zorder.shift = 0u;
}
