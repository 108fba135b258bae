// A row sorted by a workgroup that has workgroup memory for it: ids go to buckets of even width between the least and the
// greatest, and in a bucket each goes to its rank. Few are in one where ids are spread evenly; it is right wherever they are.
#import sum_words

// The importing stage has the `ids`, and says how many lanes a workgroup has, `WIDTH`.
const BUCKETS = 2u * WIDTH;
// Ids that there is workgroup memory for.
override TILE: u32 = 1024u;

var<workgroup> tile: array<u32, TILE>;

var<workgroup> least: atomic<u32>;
var<workgroup> greatest: atomic<u32>;
// The number of ids of a bucket; then the place of the next of it.
var<workgroup> counts: array<atomic<u32>, BUCKETS>;

// Sorts the row's `total` ids, as many as the tile has room for, which are where they belong but in any order.
fn sort_in_buckets(start: u32, total: u32, lane: u32) {
    if lane == 0u {
        atomicStore(&least, 0xffffffffu);
        atomicStore(&greatest, 0u);
    }
    for (var k = lane; k < BUCKETS; k += WIDTH) {
        atomicStore(&counts[k], 0u);
    }
    workgroupBarrier();
    var mine = vec2(0xffffffffu, 0u);
    for (var k = lane; k < total; k += WIDTH) {
        mine = vec2(min(mine.x, ids[start + k]), max(mine.y, ids[start + k]));
    }
    atomicMin(&least, mine.x);
    atomicMax(&greatest, mine.y);
    workgroupBarrier();
    let first = atomicLoad(&least);
    let scale = (f32(BUCKETS) - 0.5) / f32(atomicLoad(&greatest) - first + 1u);
    for (var k = lane; k < total; k += WIDTH) {
        atomicAdd(&counts[bucket(ids[start + k] - first, scale)], 1u);
    }
    workgroupBarrier();
    let two = vec2(atomicLoad(&counts[2u * lane]), atomicLoad(&counts[2u * lane + 1u]));
    var all = 0u;
    let before = scan_workgroup(lane, two.x + two.y, &all);
    atomicStore(&counts[2u * lane], before);
    atomicStore(&counts[2u * lane + 1u], before + two.x);
    workgroupBarrier();
    for (var k = lane; k < total; k += WIDTH) {
        let id = ids[start + k];
        tile[atomicAdd(&counts[bucket(id - first, scale)], 1u)] = id;
    }
    workgroupBarrier();
    for (var k = lane; k < total; k += WIDTH) {
        let id = tile[k];
        let own = bucket(id - first, scale);
        // The place of the next is now the end.
        var place = 0u;
        if own > 0u {
            place = atomicLoad(&counts[own - 1u]);
        }
        let end = atomicLoad(&counts[own]);
        var rank = place;
        for (; place < end; place++) {
            rank += u32(tile[place] < id);
        }
        ids[start + rank] = id;
    }
}

fn bucket(above_least: u32, scale: f32) -> u32 {
    return min(u32(f32(above_least) * scale), BUCKETS - 1u);
}
