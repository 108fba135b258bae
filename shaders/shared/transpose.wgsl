// Transposes 32 x 32 bits that the lanes of a team hold.
var<workgroup> tile: array<vec4<u32>, 64>;

// Word `lane % 32` of the team's transposed bits. All lanes of the workgroup call it.
fn transpose(bits: u32, lane: u32) -> u32 {
    tile[lane / 4u][lane % 4u] = bits;
    workgroupBarrier();
    var word = 0u;
    for (var k = 0u; k < 8u; k++) {
        let four = (tile[lane / 32u * 8u + k] >> vec4(lane % 32u) & vec4(1u)) << vec4(0u, 1u, 2u, 3u);
        word |= (four.x | four.y | four.z | four.w) << (4u * k);
    }
    workgroupBarrier();
    return word;
}
