// The scopes of rows, in cell order: for each place the scope of its row, and for each scope which points are in it, a bit
// each. So what rows may not list is dropped 32 candidates at a time, and a block without any that they may is skipped.
#import params
#import sorted
#import scope_parts
#import grid_of_workgroups

const WIDTH = 256u;

// Rust twin: `Scopes` in src/gpu/scopes.rs.
struct Classes {
    // For each class: the scopes it is in, a bit each (x, y), and the scope of its rows (z).
    scopes: array<vec4<u32>, 128>,
    // The class of each point by the caller's number, four a word.
    of_points: array<u32>,
}

@group(0) @binding(7) var<storage, read> classes: Classes;
@group(0) @binding(8) var<storage, read_write> cells: array<u32>;

var<workgroup> places: array<vec4<u32>, WIDTH>;

@compute @workgroup_size(WIDTH)
fn scope(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = linear(workgroup, workgroups) * WIDTH;
    var mine = vec4(0u, 0u, NO_SCOPE, 0u);
    if first + lane < params.points {
        let i = u32(point(first + lane).w);
        mine = classes.scopes[classes.of_points[i / 4u] >> (8u * (i % 4u)) & 0x7fu];
    }
    places[lane] = mine;
    workgroupBarrier();
    let four = 4u * lane;
    if four < WIDTH && first + four < params.points {
        var scopes = 0u;
        for (var k = 0u; k < 4u; k++) {
            scopes |= places[four + k].z << (8u * k);
        }
        cells[row_scopes() + first / 4u + lane] = scopes;
    }
    for (var k = lane; k < WIDTH / 32u * params.scopes; k += WIDTH) {
        let word = k / params.scopes;
        if first + 32u * word < params.points {
            cells[scope_bits() + first / 32u * params.scopes + k] = bits_of(32u * word, k % params.scopes);
        }
    }
}

// Which of 32 points, from `first` of the workgroup's on, are in a scope.
fn bits_of(first: u32, scope: u32) -> u32 {
    var bits = 0u;
    for (var k = 0u; k < 32u; k++) {
        bits |= (places[first + k][scope / 32u] >> (scope % 32u) & 1u) << k;
    }
    return bits;
}
