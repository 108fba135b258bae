// Counts the rows of a block and keeps their hits for `fill`, which only reads bits because candidates are in order. A workgroup has a
// block.
#import batch
#import block_search

@group(0) @binding(10) var<storage, read_write> lengths: array<atomic<u32>>;
@group(0) @binding(16) var<storage, read_write> hits: array<u32>;

var<workgroup> row_lengths: array<atomic<u32>, ROWS>;
var<workgroup> kept_at: u32;
// Where the hits of the block are kept, or NO_ROOM.
var<private> at: u32;
// Where the words of its rows begin.
var<private> words_at: u32;

@compute @workgroup_size(WIDTH)
fn count(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = take_block(task(workgroup, workgroups), lane);
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
    if params.again == 0u {
        write_lengths(number, block, lane);
    }
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

// Takes room for the hits, if there is some.
fn keep(number: u32, lane: u32) {
    if lane < ROWS {
        atomicStore(&row_lengths[lane], 0u);
    }
    if lane == 0u {
        let need = candidates + blocks.entries[number].points + word_starts[(candidates + 31u) / 32u];
        let room = params.mask_words + select(0u, params.spare_words, params.again == 1u);
        kept_at = NO_ROOM;
        if atomicLoad(&blocks.words) < room {
            let first = atomicAdd(&blocks.words, need);
            if first + need <= room {
                kept_at = first;
            }
        }
        if kept_at == NO_ROOM && params.again == 0u {
            listed[params.most_blocks - 1u - atomicAdd(&blocks.unkept, 1u)] = number;
        }
        blocks.entries[number].hits = kept_at;
        blocks.entries[number].candidates = candidates;
    }
    at = workgroupUniformLoad(&kept_at);
    words_at = at + candidates + blocks.entries[number].points;
    if at != NO_ROOM && lane < blocks.entries[number].points {
        hits[at + candidates + lane] = select(LEFT_OUT, my_row | (passes[my_row] << 8u), my_row != LEFT_OUT);
    }
}

// Keeps the number of candidate `k`.
fn take_candidate(k: u32, number: u32) {
    if at != NO_ROOM {
        hits[at + k] = number;
    }
}

// Keeps and counts the hits of a row among a group of candidates.
fn take_word(row: u32, group: u32, word: u32) {
    if at != NO_ROOM {
        hits[words_at + word_starts[group] + row] = word;
    }
    atomicAdd(&row_lengths[row], countOneBits(word));
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
