// Rows of the k nearest: ids, and bits of distances squared.
#import params
#import form
#import knn

@group(0) @binding(15) var<storage, read_write> ids: array<u32>;
@group(0) @binding(31) var<storage, read_write> squares: array<u32>;

// Writes an element of a row, which is missing where it is too far; `square` is high word first.
fn put(row: u32, rank: u32, number: u32, square: vec2<u32>) {
    let at = (row - asked.row) * asked.k + rank;
    let is_within = square.x < asked.within.x || (square.x == asked.within.x && square.y <= asked.within.y);
    ids[at] = select(0xffffffffu, number, is_within) + params.base;
    let written = select(asked.within.zw, square, is_within);
    if WIDE {
        squares[2u * at] = written.y;
        squares[2u * at + 1u] = written.x;
    } else {
        squares[at] = written.x;
    }
}
