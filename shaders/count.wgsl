// Finds the rows of a block; a workgroup has a block. It gathers the block's candidates and sorts them by number once. Then each lane
// tests one candidate against all rows. Transposed, the answers become words of bits, one for a row and 32 candidates. Since
// candidates are in order, `fill` only reads the bits. CPU twin: src/cpu/pairs.rs.
#import candidates
#import batch
#import hits
#import near_rows
#import transpose
#import bucket_starts
#import leave_out

const WIDTH = 256u;
const TEAMS = WIDTH / 32u;
// Candidates of a lane.
const EACH = MOST / WIDTH;
// Buckets that candidates are sorted into. Samples of their numbers separate them.
const BUCKETS = 64u;

@group(0) @binding(10) var<storage, read_write> lengths: array<atomic<u32>>;
@group(0) @binding(16) var<storage, read_write> hits: array<u32>;

var<workgroup> gathered_count: atomic<u32>;
// First the candidates in any order, then their numbers by bucket, finally the candidates in the order of their numbers.
var<workgroup> pool: array<u32, MOST>;
// Numbers to be put in order: of samples, then of rows.
var<workgroup> numbers: array<vec4<u32>, BUCKETS / 4u>;
var<workgroup> samples: array<u32, BUCKETS>;
var<workgroup> bucket_sizes: array<atomic<u32>, BUCKETS>;
var<workgroup> bucket_starts: array<u32, BUCKETS + 1u>;
// Candidates with lower numbers than the row's own, in the low half; with lower ones or its own, in the high half.
var<workgroup> row_ranks: array<u32, ROWS>;
var<workgroup> row_lengths: array<atomic<u32>, ROWS>;
var<workgroup> row_count: atomic<u32>;
// The row of the block's point that a lane stands for, or LEFT_OUT.
var<private> my_row: u32;
var<workgroup> candidates: u32;
var<workgroup> row_total: u32;
var<workgroup> kept_at: u32;

@compute @workgroup_size(WIDTH)
fn count(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let number = take_block(task(workgroup), lane);
    if number == NONE {
        return;
    }
    let block = blocks.entries[number];
    let around = look_around(block, lane);
    gather(around, lane);
    if candidates == 0u || candidates > MOST {
        leave(number, block, lane);
        return;
    }
    sort(around, lane);
    lay_out_words(lane, candidates, row_total);
    keep(number, lane);
    test(around, lane);
    workgroupBarrier();
    leave_out(around, lane);
    keep_row(block, lane);
    if params.again == 0u {
        write_lengths(number, block, lane);
    }
}

// Lists the candidates in the pool and counts them, even if it has no room for all.
fn gather(around: Around, lane: u32) {
    if lane == 0u {
        atomicStore(&gathered_count, 0u);
        atomicStore(&row_count, 0u);
    }
    workgroupBarrier();
    var run = 0u;
    for (var c = lane; c < around.gathered; c += WIDTH) {
        let found = candidate(c, run);
        run = found.run;
        if is_wanted(found, point(found.place), around) {
            let k = atomicAdd(&gathered_count, 1u);
            if k < MOST {
                pool[k] = word_of(found, c);
            }
        }
    }
    workgroupBarrier();
    if lane == 0u {
        candidates = atomicLoad(&gathered_count);
    }
    workgroupBarrier();
}

// Nothing near, or a crowd, whose windows are counted later.
fn leave(number: u32, block: Block, lane: u32) {
    if lane == 0u {
        blocks.entries[number].hits = NO_HITS;
        blocks.entries[number].candidates = candidates;
        if candidates > MOST {
            listed[atomicAdd(&blocks.crowds, 1u)] = number;
        }
    }
    if number < blocks.whole && lane < block.points {
        atomicStore(&lengths[u32(point(block.first + lane).w)], 0u);
    }
}

// Sorts the pool and the block's rows by number, and finds the rows' own ranks among the candidates.
fn sort(around: Around, lane: u32) {
    take_samples(lane);
    var taken: array<u32, EACH>;
    var number: array<u32, EACH>;
    var slot: array<u32, EACH>;
    for (var e = 0u; e < EACH; e++) {
        slot[e] = LEFT_OUT;
        if lane + e * WIDTH < candidates {
            taken[e] = pool[lane + e * WIDTH];
            number[e] = u32(point(candidate_of(taken[e]).place).w);
            let bucket = bucket_of(number[e]);
            slot[e] = (bucket << 16u) | atomicAdd(&bucket_sizes[bucket], 1u);
        }
    }
    workgroupBarrier();
    start_buckets(lane);
    workgroupBarrier();
    for (var e = 0u; e < EACH; e++) {
        if slot[e] != LEFT_OUT {
            pool[bucket_starts[slot[e] >> 16u] + (slot[e] & 0xffffu)] = number[e];
        }
    }
    workgroupBarrier();
    for (var e = 0u; e < EACH; e++) {
        if slot[e] != LEFT_OUT {
            // Images of a point have one number: the one that came first is first.
            let bucket = slot[e] >> 16u;
            let own = bucket_starts[bucket] + (slot[e] & 0xffffu);
            var rank = bucket_starts[bucket];
            let end = bucket_starts[bucket + 1u];
            for (var k = rank; k < end; k++) {
                rank += select(0u, 1u, pool[k] < number[e] || (HAS_IMAGES && pool[k] == number[e] && k < own));
            }
            slot[e] = rank;
        }
    }
    rank_rows(around, lane);
    workgroupBarrier();
    for (var e = 0u; e < EACH; e++) {
        if slot[e] != LEFT_OUT {
            pool[slot[e]] = taken[e];
        }
    }
    if lane == 0u {
        row_total = atomicLoad(&row_count);
    }
    workgroupBarrier();
}

// Samples of the numbers, in order; and no bucket has any yet.
fn take_samples(lane: u32) {
    if lane < BUCKETS {
        var sample = 0u;
        if candidates > 0u {
            let word = pool[(2u * lane + 1u) * candidates / (2u * BUCKETS)];
            sample = u32(point(candidate_of(word).place).w);
        }
        numbers[lane / 4u][lane % 4u] = sample;
        atomicStore(&bucket_sizes[lane], 0u);
    }
    workgroupBarrier();
    if lane < BUCKETS {
        let sample = numbers[lane / 4u][lane % 4u];
        var lower = vec4<u32>();
        for (var k = 0u; k < BUCKETS / 4u; k++) {
            let is_before = vec4(4u * k) + vec4(0u, 1u, 2u, 3u) < vec4(lane);
            lower += select(vec4(0u), vec4(1u), (numbers[k] < vec4(sample)) | ((numbers[k] == vec4(sample)) & is_before));
        }
        samples[lower.x + lower.y + lower.z + lower.w] = sample;
    }
    workgroupBarrier();
}

// The bucket of a number: how many samples are lower, of all but the last.
fn bucket_of(number: u32) -> u32 {
    var bucket = 0u;
    for (var step = BUCKETS / 2u; step > 0u; step /= 2u) {
        bucket += select(0u, step, samples[bucket + step - 1u] < number);
    }
    return bucket;
}

// Puts the rows in order, while the pool has numbers by bucket.
fn rank_rows(around: Around, lane: u32) {
    let place = around.block.first + lane;
    var has_row = false;
    var mine = vec4<i32>();
    if lane < around.block.points {
        mine = point(place);
        has_row = scope_of(place) != NO_SCOPE;
    }
    if lane < ROWS {
        numbers[lane / 4u][lane % 4u] = select(LEFT_OUT, u32(mine.w), has_row);
    }
    workgroupBarrier();
    my_row = LEFT_OUT;
    if !has_row {
        return;
    }
    let number = u32(mine.w);
    var lower_rows = vec4<u32>();
    for (var k = 0u; k < (around.block.points + 3u) / 4u; k++) {
        lower_rows += select(vec4(0u), vec4(1u), numbers[k] < vec4(number));
    }
    let row = lower_rows.x + lower_rows.y + lower_rows.z + lower_rows.w;
    my_row = row;
    let bucket = bucket_of(number);
    var lower = bucket_starts[bucket];
    var higher = lower;
    for (var k = lower; k < bucket_starts[bucket + 1u]; k++) {
        lower += select(0u, 1u, pool[k] < number);
        higher += select(0u, 1u, pool[k] <= number);
    }
    let at = mine.xyz - around.origin;
    rows[row] = vec4(select(bitcast<vec3<u32>>(vec3<f32>(at)), bitcast<vec3<u32>>(at), shape.by_integers == 1u), place);
    note_row(row, place);
    row_ranks[row] = lower | (higher << 16u);
    passes[row] = select(higher, 0u, params.full == 1u);
    atomicStore(&row_lengths[row], 0u);
    atomicAdd(&row_count, 1u);
}

// Takes room for the hits, if there is some.
fn keep(number: u32, lane: u32) {
    if lane == 0u {
        let need = candidates + blocks.entries[number].points + word_starts[(candidates + 31u) / 32u];
        let room = select(params.mask_words, params.mask_words + params.spare_words, params.again == 1u);
        kept_at = NO_ROOM;
        if atomicLoad(&blocks.words) < room {
            let at = atomicAdd(&blocks.words, need);
            if at + need <= room {
                kept_at = at;
            }
        }
        if kept_at == NO_ROOM && params.again != 1u {
            listed[params.most_blocks - 1u - atomicAdd(&blocks.unkept, 1u)] = number;
        }
        blocks.entries[number].hits = kept_at;
        blocks.entries[number].candidates = candidates;
        note_tests(32u * word_starts[(candidates + 31u) / 32u]);
    }
    workgroupBarrier();
}

// Keeps what there is to know of the row of the block's point that the lane stands for.
fn keep_row(block: Block, lane: u32) {
    if kept_at == NO_ROOM || lane >= block.points {
        return;
    }
    var known = LEFT_OUT;
    if my_row != LEFT_OUT {
        known = known_row(my_row, passes[my_row], atomicLoad(&row_lengths[my_row]));
    }
    hits[kept_at + candidates + lane] = known;
}

// Tests all candidates against all rows that may list them.
fn test(around: Around, lane: u32) {
    let team = lane / 32u;
    let bit = lane % 32u;
    let at = kept_at;
    let groups = (candidates + 31u) / 32u;
    for (var first = 0u; first < groups; first += TEAMS) {
        let group = first + team;
        let is_candidate = 32u * group + bit < candidates;
        var other = vec4<i32>();
        var scopes = vec2<u32>();
        // Rows that have a word for this group.
        var listing = 0u;
        if group < groups {
            listing = word_starts[group + 1u] - word_starts[group];
        }
        if is_candidate {
            let found = candidate_of(pool[32u * group + bit]);
            other = image(point(found.place), found.run);
            scopes = scopes_at(found.place);
            note_candidate(found.place);
            if at != NO_ROOM {
                hits[at + 32u * group + bit] = u32(other.w);
            }
        }
        for (var from_row = 0u; from_row < row_total; from_row += 32u) {
            let end = min(listing, from_row + 32u);
            var near = 0u;
            if is_candidate {
                near = near_rows(around, other, scopes, from_row, end);
            }
            var word = transpose(near, lane);
            let row = from_row + bit;
            if row < end {
                word &= ~passed(row, group);
                if at != NO_ROOM {
                    hits[at + candidates + around.block.points + word_starts[group] + row] = word;
                }
                atomicAdd(&row_lengths[row], countOneBits(word));
            }
        }
    }
}

// Bits of a group's candidates that a row never lists: those that it passes over, and its own point.
fn passed(row: u32, group: u32) -> u32 {
    let ranks = row_ranks[row];
    return below(ranks >> 16u, group) & ~select(0u, below(ranks & 0xffffu, group), params.full == 1u);
}

fn write_lengths(number: u32, block: Block, lane: u32) {
    if lane >= block.points {
        return;
    }
    let i = u32(point(block.first + lane).w);
    if my_row == LEFT_OUT {
        if number < blocks.whole {
            atomicStore(&lengths[i], 0u);
        }
        return;
    }
    let length = atomicLoad(&row_lengths[my_row]);
    if number < blocks.whole {
        atomicStore(&lengths[i], length);
    } else {
        atomicAdd(&lengths[i], length);
        listed[lengths_of_window(number) + my_row] = length;
    }
}
