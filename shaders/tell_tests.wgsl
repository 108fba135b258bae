// Puts the last offset and the tests of a count by radii where the host finds them: after the low words of offsets.
#import params
#import kept

@group(0) @binding(10) var<storage, read_write> lengths: array<u32>;
@group(0) @binding(11) var<storage, read> offsets: array<vec2<u32>>;
@group(0) @binding(17) var<storage, read> last_blocks: array<u32>;

@compute @workgroup_size(1)
fn tell_tests() {
    let total = offsets[params.points];
    lengths[params.points] = total.x;
    lengths[params.points + 1u] = total.y;
    lengths[params.points + 2u] = last_blocks[TESTS_LOW];
    lengths[params.points + 3u] = last_blocks[TESTS_HIGH];
}
