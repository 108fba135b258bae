// Turns the number of entries of each block with each digit into the place where they go.
#import tree
#import scan
#import sum_words

@group(0) @binding(9) var<storage, read_write> sums: array<u32>;
@group(0) @binding(24) var<storage, read_write> digits: array<u32>;

fn length() -> u32 {
    return 256u * tree.blocks;
}

fn load(i: u32) -> u32 {
    return digits[i];
}

fn store(i: u32, sum: u32) {
    digits[i] = sum;
}
