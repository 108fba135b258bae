// The sizes of the dispatches over blocks, and what the host learns about them.
#import blocks
#import lay_out

// Of the next dispatch: a workgroup a block. Then of `fill` before the host knows how many ids there are.
@group(0) @binding(45) var<storage, read_write> workgroups: array<vec3<u32>, 2>;
@group(0) @binding(10) var<storage, read_write> lengths: array<u32>;
@group(0) @binding(11) var<storage, read> offsets: array<vec2<u32>>;

// All blocks that are listed.
@compute @workgroup_size(1)
fn size_blocks() {
    size_blocks_listed();
    begin(0u, blocks.whole);
}

// The same for sums: ranges of blocks follow.
@compute @workgroup_size(1)
fn size_ranges() {
    size_blocks_listed();
    begin(0u, 0u);
}

// The next blocks, as many as have room for their hits if they have somewhat more than those before, who are done with theirs.
@compute @workgroup_size(1)
fn next_range() {
    let first = blocks.begin + blocks.next;
    var each = MOST_WORDS;
    if blocks.next > 0u {
        let before = atomicLoad(&blocks.words) / blocks.next;
        each = min(before + before / 8u + 1u, MOST_WORDS);
    }
    begin(first, min(blocks.whole - first, params.mask_words / each));
    atomicStore(&blocks.words, 0u);
    blocks.ranges += select(0u, 1u, first < blocks.whole);
}

// Crowds.
@compute @workgroup_size(1)
fn size_crowds() {
    begin(0u, atomicLoad(&blocks.crowds));
}

// The windows of crowds.
@compute @workgroup_size(1)
fn size_windows() {
    begin(blocks.whole, windows());
}

// All blocks and windows; none ahead where something has no room. After the low words of offsets, the host finds the last offset, the
// tests so far, how many blocks and windows there are, also if there was no room for them, at least a window a crowd, how many have no
// room for their hits, and then the crowds and the most windows that one has.
@compute @workgroup_size(1)
fn size_all() {
    let total = offsets[params.points];
    let wanted = vec2(blocks.wanted, max(atomicLoad(&blocks.count) - blocks.wanted, atomicLoad(&blocks.crowds)));
    tell(0u, total);
    tell(1u, vec2(atomicLoad(&blocks.tests_low), atomicLoad(&blocks.tests_high)));
    tell(2u, wanted);
    tell(3u, vec2(atomicLoad(&blocks.unkept), atomicLoad(&blocks.crowds)));
    tell(4u, vec2(atomicLoad(&blocks.most_windows), 0u));
    let fits = total.y == 0u && total.x <= params.room && wanted.y <= params.most_windows && wanted.x + wanted.y <= params.most_blocks;
    begin(0u, blocks.whole + windows());
    workgroups[1] = select(vec3(0u, 1u, 1u), workgroups[0], fits);
}

fn tell(k: u32, words: vec2<u32>) {
    lengths[params.points + 2u * k] = words.x;
    lengths[params.points + 2u * k + 1u] = words.y;
}

fn size_blocks_listed() {
    blocks.wanted = atomicLoad(&blocks.count);
    blocks.whole = min(blocks.wanted, params.most_blocks);
}

// Windows that there was room for.
fn windows() -> u32 {
    return min(min(atomicLoad(&blocks.count), params.most_blocks) - blocks.whole, params.most_windows);
}

fn begin(first: u32, next: u32) {
    blocks.begin = first;
    blocks.next = next;
    workgroups[0] = lay_out(next);
}
