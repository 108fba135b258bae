// Rows sorted by a subgroup each: every id of a pool in workgroup memory goes to its rank among them, which is its place.

// Lanes of a workgroup: as many as the device's largest subgroup has.
override LANES: u32 = 32u;
// Subgroups it may fall into: LANES over the lanes of the device's smallest.
override SUBGROUPS: u32 = 4u;
// Ids of the longest short row: `LONGEST` in src/gpu/params.rs.
const LONGEST = 256u;

@group(0) @binding(15) var<storage, read_write> ids: array<u32>;

// A row's ids for each subgroup, padded with the largest number to whole vectors.
var<workgroup> hits: array<vec4<u32>, LONGEST / 4u * SUBGROUPS>;

// Fills up the pool of `length` ids with numbers larger than all.
fn pad_pool(pool: u32, length: u32, lane: u32) {
    if lane < 4u && length % 4u != 0u && length % 4u + lane < 4u {
        hits[pool + length / 4u][length % 4u + lane] = 0xffffffffu;
    }
}

// Writes each id of the pool to where it stands among all of them.
fn rank(pool: u32, length: u32, start: u32, lanes: u32, lane: u32) {
    let vectors = (length + 3u) / 4u;
    for (var k = lane; k < length; k += lanes) {
        let id = hits[pool + k / 4u][k % 4u];
        var smaller = vec4<u32>();
        for (var v = 0u; v < vectors; v++) {
            smaller += select(vec4(0u), vec4(1u), hits[pool + v] < vec4(id));
        }
        ids[start + smaller.x + smaller.y + smaller.z + smaller.w] = id;
    }
}
