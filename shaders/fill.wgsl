// Fills the rows of a block from the hits that `count` kept; a workgroup has a block, and a team of 32 lanes writes a row.
#import blocks
#import batch
#import hits
#import chunk
#import sorted
#import write_row

const WIDTH = 128u;
const TEAMS = WIDTH / 32u;

@group(0) @binding(15) var<storage, read_write> ids: array<u32>;
@group(0) @binding(16) var<storage, read> hits: array<u32>;

// The places of the ids of each row; LEFT_OUT: not in this chunk.
var<workgroup> row_places: array<u32, ROWS>;
var<workgroup> row_count: atomic<u32>;
var<workgroup> kept_at: u32;

@compute @workgroup_size(WIDTH)
fn fill(workgroup: Workgroup, @builtin(local_invocation_index) lane: u32) {
    let number = take_block(task(workgroup), lane);
    if number == NONE {
        return;
    }
    let block = blocks.entries[number];
    if lane == 0u {
        atomicStore(&row_count, 0u);
        kept_at = block.hits;
    }
    let at = workgroupUniformLoad(&kept_at);
    if at >= NO_HITS || (params.again == 1u) != (at >= params.mask_words) {
        return; // not kept, or kept for a batch
    }
    place_rows(number, block, lane);
    let row_total = atomicLoad(&row_count);
    lay_out_words(lane, block.candidates, row_total);
    for (var row = lane / 32u; row < row_total; row += TEAMS) {
        if row_places[row] != LEFT_OUT {
            write_row(at, block, row, row_places[row], lane % 32u);
        }
    }
}

// Finds where the ids of each row go, and how many candidates it passes over.
fn place_rows(number: u32, block: Block, lane: u32) {
    var known = LEFT_OUT;
    if lane < block.points {
        known = hits[block.hits + block.candidates + lane];
    }
    if known != LEFT_OUT {
        let row = row_of(known);
        let i = u32(point(block.first + lane).w);
        var place = LEFT_OUT;
        if is_in_chunk(i) {
            place = row_start(i);
            // After what windows with lower numbers have found.
            for (var window = block.before; window != NONE; window = blocks.entries[window].before) {
                place += listed[lengths_of_window(window) + row];
            }
        }
        row_places[row] = place;
        passes[row] = passed_by(known);
        atomicAdd(&row_count, 1u);
    }
    workgroupBarrier();
}
