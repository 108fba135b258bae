// Fills short rows, a subgroup a row: hits, as `count` kept them or found again, gather in workgroup memory, and every id
// goes to its rank among the row's ids, which is its place. Workgroup memory is what limits how many rows a processor has
// in flight, so there is little of it. CPU twin: src/cpu/descent.rs.
#import params
#import runs
#import probe
#import chunk
#import masks
#import rows
#import rank
#import grid_of_workgroups

// Rows that a workgroup fills: `SHORTS` in dispatch.wgsl.
const ROWS = 8u;

@group(0) @binding(14) var<storage, read> rows: Rows;
@group(0) @binding(16) var<storage, read> masks: array<u32>;
@group(0) @binding(17) var<storage, read> mask_bases: array<u32>;

// The first candidate of each word of a row's masks, for each subgroup.
var<workgroup> firsts: array<u32, MOST_WORDS * SUBGROUPS>;

@compute @workgroup_size(LANES)
fn fill(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    // Counted, not asked for: a subgroup may have fewer lanes than its size says.
    let lanes = count_lanes(subgroupBallot(true));
    let pool = subgroup * (LONGEST / 4u);
    let base = linear(workgroup, workgroups) * ROWS;
    var cell = 0xffffffffu;
    var words = 0u;
    for (var first = 0u; first < ROWS; first += subgroups) {
        let row = base + first + subgroup;
        let is_row = first + subgroup < ROWS && row < rows.shorts;
        var place = 0u;
        var mask_base = NO_MASKS;
        if is_row {
            place = rows.places[row];
            mask_base = mask_bases[place / GROUP + 1u];
            if mask_base != NO_MASKS && cells[place] != cell {
                cell = cells[place];
                words = list_firsts(cell, subgroup, lanes, lane);
            }
        }
        workgroupBarrier();
        var length = 0u;
        if mask_base != NO_MASKS {
            length = decode(place, mask_base, words, subgroup, lanes, lane);
        } else if is_row {
            length = find(place, pool, lanes, lane);
        }
        pad_pool(pool, length, lane);
        workgroupBarrier();
        if is_row {
            rank(pool, length, row_start(u32(point(place).w)), lanes, lane);
        }
    }
}

// Lists the first candidate of each word of the masks of a cell's points, in the order of `count`; returns how many.
fn list_firsts(number: u32, subgroup: u32, lanes: u32, lane: u32) -> u32 {
    let cell = cell_coords(number);
    let around = rows_around(cell);
    var words = 0u;
    for (var first_row = 0u; first_row < around; first_row += lanes) {
        var run = vec4<u32>();
        if first_row + lane < around {
            run = runs(cell, first_row + lane);
        }
        let mine = (run.y - run.x + 31u) / 32u + (run.w - run.z + 31u) / 32u;
        var at = subgroup * MOST_WORDS + words + subgroupExclusiveAdd(mine);
        words += subgroupAdd(mine);
        for (var first = run.x; first < run.y; first += 32u) {
            firsts[at] = first;
            at++;
        }
        for (var first = run.z; first < run.w; first += 32u) {
            firsts[at] = first;
            at++;
        }
    }
    return words;
}

// Gathers the ids that the masks of the row of `place` tell; returns how many.
fn decode(place: u32, mask_base: u32, words: u32, subgroup: u32, lanes: u32, lane: u32) -> u32 {
    let pool = subgroup * (LONGEST / 4u);
    var length = 0u;
    for (var first = 0u; first < words; first += lanes) {
        var near = 0u;
        var candidate = 0u;
        if first + lane < words {
            near = masks[mask_base + (first + lane) * GROUP + place % GROUP];
            candidate = firsts[subgroup * MOST_WORDS + first + lane];
        }
        var at = length + subgroupExclusiveAdd(countOneBits(near));
        length += subgroupAdd(countOneBits(near));
        while near != 0u {
            hits[pool + at / 4u][at % 4u] = u32(point(candidate + firstTrailingBit(near)).w) + params.base;
            near &= near - 1u;
            at++;
        }
    }
    return length;
}

// Gathers the ids that the row of `place` lists; returns how many.
fn find(place: u32, pool: u32, lanes: u32, lane: u32) -> u32 {
    let mine = point(place);
    let cell = cell_coords(cells[place]);
    let scope = scope_of(place);
    let around = rows_around(cell);
    var length = 0u;
    for (var first_row = 0u; first_row < around; first_row += lanes) {
        // Every lane looks up a run, then all go through one after another.
        var my_run = vec4<u32>();
        var my_image = mine;
        if first_row + lane < around {
            my_run = runs(cell, first_row + lane);
            my_image = image(mine, cell, first_row + lane);
        }
        for (var r = 0u; r < min(lanes, around - first_row); r++) {
            var run = subgroupShuffle(my_run, r);
            var seen = mine;
            if HAS_IMAGES {
                seen = subgroupShuffle(my_image, r);
            }
            while true {
                for (var first = run.x; first < run.y; first += lanes) {
                    let near = first + lane < run.y && probe(place, scope, seen, first + lane);
                    let found = subgroupBallot(near);
                    if near {
                        let at = length + count_lanes(found & below(lane));
                        hits[pool + at / 4u][at % 4u] = u32(point(first + lane).w) + params.base;
                    }
                    length += count_lanes(found);
                }
                if run.z >= run.w {
                    break;
                }
                run = vec4(run.zw, 0u, 0u);
            }
        }
    }
    return length;
}

// Number of lanes in a ballot.
fn count_lanes(ballot: vec4<u32>) -> u32 {
    if LANES <= 32u {
        return countOneBits(ballot.x);
    }
    let counts = countOneBits(ballot);
    return counts.x + counts.y + counts.z + counts.w;
}

// The ballot of all lanes below `lane`.
fn below(lane: u32) -> vec4<u32> {
    if LANES <= 32u {
        return vec4((1u << lane) - 1u, 0u, 0u, 0u);
    }
    let bits = clamp(vec4<i32>(i32(lane)) - vec4(0, 32, 64, 96), vec4(0), vec4(32));
    return select((vec4(1u) << vec4<u32>(bits & vec4(31))) - vec4(1u), vec4(0xffffffffu), bits == vec4(32));
}
