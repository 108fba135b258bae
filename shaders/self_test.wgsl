// The first test of a device: three nested loops, which a driver is known to compile wrongly (wgpu issue 5067). Rust twin:
// `looped` in src/gpu/self_test.rs.

// Points along an edge of a small lattice.
const SIDE = 3;

@group(0) @binding(15) var<storage, read_write> ids: array<i32>;

@compute @workgroup_size(SIDE, SIDE, SIDE)
fn self_test(@builtin(global_invocation_id) id: vec3<u32>) {
    let place = vec3<i32>(id);
    var corners = 0;
    var i: i32;
    var j: i32;
    var k: i32;
    for (k = -1; k < 2; k += 1) {
        for (j = -1; j < 2; j += 1) {
            for (i = -1; i < 2; i += 1) {
                if (i != 0 && j != 0 && k != 0)
                    && place.z + k >= 0 && place.z + k < SIDE
                    && place.y + j >= 0 && place.y + j < SIDE
                    && place.x + i >= 0 && place.x + i < SIDE {
                    corners += 1;
                }
            }
        }
    }
    ids[place.x + SIDE * (place.y + SIDE * place.z)] = corners + 16 * (i + 4 * (j + 4 * k));
}
