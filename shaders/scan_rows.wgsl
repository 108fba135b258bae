// Lengths of rows become offsets of 64 bits, low word first: there may be more than 2^32 pairs. Each length is replaced by the low word
// of its row's offset, which is all that the host needs.
// CPU twin: `scan` in src/list.rs.
#import params
#import scan

alias Sum = vec2<u32>;

@group(0) @binding(9) var<storage, read_write> sums: array<vec2<u32>>;
@group(0) @binding(10) var<storage, read_write> lengths: array<u32>;
@group(0) @binding(11) var<storage, read_write> offsets: array<vec2<u32>>;

fn length() -> u32 {
    return params.points + 1u;
}

fn add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn load(i: u32) -> vec2<u32> {
    if i == params.points {
        return vec2<u32>();
    }
    return vec2(lengths[i], 0u);
}

fn store(i: u32, sum: vec2<u32>) {
    offsets[i] = sum;
    if i < params.points {
        lengths[i] = sum.x;
    }
}
