// The length of every row: a lane a point, over the runs around it. The hits are kept for `fill` where there is room.
// Points with too many candidates for a lane are left to `count_long`. CPU twin: src/cpu/pairs.rs.
#import params
#import runs
#import probe
#import masks
#import selected
#import grid_of_workgroups

// Length of each row, by place; the top bit marks a long row.
@group(0) @binding(12) var<storage, read_write> found: array<u32>;
// Length of each row, by the caller's number.
@group(0) @binding(10) var<storage, read_write> lengths: array<u32>;
@group(0) @binding(16) var<storage, read_write> masks: array<u32>;
// Where each group's masks start; the first element is how many words are taken.
@group(0) @binding(17) var<storage, read_write> mask_bases: array<atomic<u32>>;

var<workgroup> most_words: atomic<u32>;
var<workgroup> base_of_group: u32;

@compute @workgroup_size(GROUP)
fn count(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = linear(workgroup, workgroups);
    if group * GROUP >= params.points {
        return;
    }
    let place = group * GROUP + lane;
    let is_point = place < params.points;
    var cell = vec3<u32>();
    var size = vec2<u32>();
    var scope = NO_SCOPE;
    if is_point {
        cell = cell_coords(cells[place]);
        scope = scope_of(place);
    }
    if scope != NO_SCOPE {
        size = size_of(cell);
    }
    let is_crowded = size.x > params.crowded;
    let base = reserve(group, lane, select(size.y, MOST_WORDS + 1u, is_crowded));
    if !is_point {
        return;
    }
    if is_crowded {
        selected.places[params.points - 1u - atomicAdd(&selected.longs, 1u)] = place;
        return;
    }
    let mine = point(place);
    var length = 0u;
    var at = base + lane;
    let around = select(rows_around(cell), 0u, scope == NO_SCOPE);
    for (var k = 0u; k < around; k++) {
        let seen = image(mine, cell, k);
        var run = runs(cell, k);
        while true {
            for (var first = run.x; first < run.y; first += 32u) {
                let near = probe_block(place, scope, seen, first, run.y);
                length += countOneBits(near);
                if base != NO_MASKS {
                    masks[at] = near;
                    at += GROUP;
                }
            }
            if run.z >= run.w {
                break;
            }
            run = vec4(run.zw, 0u, 0u);
        }
    }
    found[place] = length | select(0u, 0x80000000u, length > params.longest);
    lengths[u32(mine.w)] = length;
}

// Candidates around a cell, and words for their hits.
fn size_of(cell: vec3<u32>) -> vec2<u32> {
    var size = vec2<u32>();
    for (var k = 0u; k < rows_around(cell); k++) {
        let run = runs(cell, k);
        size += vec2(run.y - run.x, (run.y - run.x + 31u) / 32u);
        size += vec2(run.w - run.z, (run.w - run.z + 31u) / 32u);
        if size.x > params.crowded {
            break; // enough to know
        }
    }
    return size;
}

// Room for the masks of a workgroup, each lane of which needs `words`.
fn reserve(group: u32, lane: u32, words: u32) -> u32 {
    if lane == 0u {
        atomicStore(&most_words, 0u);
    }
    workgroupBarrier();
    atomicMax(&most_words, words);
    workgroupBarrier();
    if lane == 0u {
        let need = atomicLoad(&most_words);
        var base = NO_MASKS;
        if need <= MOST_WORDS && atomicLoad(&mask_bases[0]) < params.mask_words {
            let taken = atomicAdd(&mask_bases[0], need * GROUP);
            if taken + need * GROUP <= params.mask_words {
                base = taken;
            }
        }
        atomicStore(&mask_bases[group + 1u], base);
        base_of_group = base;
    }
    workgroupBarrier();
    return base_of_group;
}
