// The cell of every point, and how many of the cell's points came before it, in no particular order.
// CPU twin: the counting pass of `sort_dense` in src/grid/build.rs.
#import params
#import cell
#import point_cell
#import shape
#import grid_of_workgroups

@group(0) @binding(1) var<storage, read> shape: Shape;
@group(0) @binding(4) var<storage, read_write> keys: array<vec2<u32>>;
// Points per cell; the next stage makes them starts.
@group(0) @binding(5) var<storage, read_write> starts: array<atomic<u32>>;

@compute @workgroup_size(256)
fn key(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let i = linear(workgroup) * 256u + lane;
    if i >= params.points {
        return;
    }
    var cell = 0u;
    for (var a = 0u; a < params.dim; a++) {
        let axis = params.dim - 1u - a;
        let dim = shape.dims[axis];
        cell = cell * dim + folded_cell(point_cell(i, axis), dim, (shape.folds >> axis & 1u) == 1u);
    }
    keys[i] = vec2(cell, atomicAdd(&starts[cell], 1u));
}
