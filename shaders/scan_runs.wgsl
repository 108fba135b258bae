// Numbers the cells of the window along the curve, and tells each point its cell's.
#import zbits
#import entries
#import scan
#import sum_words

@group(0) @binding(9) var<storage, read_write> sums: array<u32>;
@group(0) @binding(25) var<storage, read_write> runs: array<u32>;

fn length() -> u32 {
    return tree.points;
}

// 1: the point at place `i` is the first of its cell.
fn load(i: u32) -> u32 {
    if i == 0u {
        return 0u;
    }
    return u32(i32(point_differing_place(entries[i - 1u].y, entries[i].y)) >= zorder.sorted);
}

fn store(i: u32, sum: u32) {
    runs[entries[i].y] = sum + load(i);
}
