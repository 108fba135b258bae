// Rows of the k nearest: ids, and bits of distances squared.
#import params
#import form
#import knn

@group(0) @binding(15) var<storage, read_write> ids: array<u32>;
@group(0) @binding(31) var<storage, read_write> squares: array<u32>;

// Writes an element of a row; `square` is high word first.
fn put(row: u32, rank: u32, number: u32, square: vec2<u32>) {
    let at = (row - asked.row) * asked.k + rank;
    ids[at] = number + params.base;
    if WIDE {
        squares[2u * at] = square.y;
        squares[2u * at + 1u] = square.x;
    } else {
        squares[at] = square.x;
    }
}
