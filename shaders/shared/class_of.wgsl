// The class of a pair, which a formula reads. CPU twin: `class_of` in src/formula/evaluate/steps.rs.
#import excluded

fn class_of(i: u32, j: u32) -> Number {
    let end = excluded_row(i + 1u);
    var low = excluded_row(i);
    var high = end;
    while low < high {
        let middle = (low + high) / 2u;
        if excluded[middle] < j {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    if low == end || excluded[low] != j {
        return Number(0.0);
    }
    let at = low - excluded[0];
    return Number(excluded[excluded[1] + at / 16u] >> (2u * (at % 16u)) & 3u);
}
