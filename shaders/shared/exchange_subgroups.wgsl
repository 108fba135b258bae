// shared/exchange.wgsl where subgroups have 32 lanes, which exchange without a barrier: halves, then quarters.
const WIDTH = 128u;
const PARTS = 4u;

fn exchange(numbers: vec4<Number>, lane: u32) -> vec4<Number> {
    let is_odd = (lane & 1u) != 0u;
    let is_high = (lane & 2u) != 0u;
    let beside = subgroupShuffleXor(select(numbers.yw, numbers.xz, is_odd), 1u);
    let even = select(numbers.xz, beside, is_odd);
    let odd = select(beside, numbers.yw, is_odd);
    // Of each two lanes: the numbers of places 0 and 2 in the even lane, 1 and 3 in the odd one.
    let low = vec2(even.x, odd.x);
    let high = vec2(even.y, odd.y);
    let across = subgroupShuffleXor(select(high, low, is_high), 2u);
    let first = select(low, across, is_high);
    let second = select(across, high, is_high);
    return vec4(first, second);
}

fn most_of(count: u32, lane: u32) -> u32 {
    return subgroupMax(count);
}
