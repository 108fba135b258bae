// Ids in as few bits as the largest of them takes, so that fewer bytes cross the bus. A lane makes a word. `unpack` in
// src/list/packed.rs is the way back.
#import params

const WIDTH = 256u;

// A piece of the ids.
@group(0) @binding(15) var<storage, read> ids: array<u32>;
@group(0) @binding(49) var<storage, read_write> packed: array<u32>;

@compute @workgroup_size(WIDTH)
fn pack(@builtin(global_invocation_id) lane: vec3<u32>) {
    let end = arrayLength(&ids);
    let begin = 32u * lane.x;
    var k = begin / params.id_bits;
    if k >= end {
        return;
    }
    // The first id may have begun in the word before.
    let before = begin - k * params.id_bits;
    var word = ids[k] >> before;
    for (var bit = params.id_bits - before; bit < 32u; bit += params.id_bits) {
        k++;
        if k < end {
            word |= ids[k] << bit;
        }
    }
    packed[lane.x] = word;
}
