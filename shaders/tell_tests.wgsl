// Puts the tests of a count by radii where the host finds them: after the offsets.
#import params
#import kept

@group(0) @binding(11) var<storage, read_write> offsets: array<vec2<u32>>;
@group(0) @binding(17) var<storage, read> last_blocks: array<u32>;

@compute @workgroup_size(1)
fn tell_tests() {
    offsets[params.points + 1u] = vec2(last_blocks[TESTS_LOW], last_blocks[TESTS_HIGH]);
}
