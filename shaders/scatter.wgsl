// Brings the points into cell order. Within a cell their order may differ from run to run; no result depends on it.
// CPU twin: the sorting pass of `sort_dense`, and `gather`, in src/grid/build.rs.
#import params
#import fixed
#import place_point
#import grid_of_workgroups

@group(0) @binding(4) var<storage, read> keys: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> starts: array<u32>;
@group(0) @binding(8) var<storage, read_write> cells: array<u32>;

@compute @workgroup_size(256)
fn scatter(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let i = linear(workgroup) * 256u + lane;
    if i >= params.points {
        return;
    }
    var low = vec3(0u, 0u, 0u);
    for (var axis = 0u; axis < params.dim; axis++) {
        low[axis] = fixed_coord(i, axis).x;
    }
    let place = starts[keys[i].x] + keys[i].y;
    place_point(place, vec4(vec3<i32>(low), i32(i)));
    cells[place] = keys[i].x;
}
