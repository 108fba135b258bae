// shared/difference.wgsl where devices have f64. All numbers that decide a normal result are normal, so it is the same whether
// a device flushes subnormal ones or not. Other results come from integers.
#import difference_any
#import double

fn difference_of(a: vec2<u32>, b: vec2<u32>, whole: vec2<u32>) -> f32 {
    var wide = double(a) - double(b);
    if any(whole != vec2(0u)) {
        let sign = u32(bitcast<u64>(wide) >> 32u) & SIGN_BIT;
        let image = wide + double(vec2(whole.x, whole.y | (sign ^ SIGN_BIT)));
        // Half of the length has an exponent that is less by 1.
        wide = select(wide, image, abs(wide) > double(vec2(whole.x, whole.y - 0x100000u)));
    }
    return f32(wide);
}

// Whether it is above the least normal number and below half of the largest power of 2.
fn is_settled(difference: f32) -> bool {
    return (bitcast<u32>(difference) & ~SIGN_BIT) - (HIDDEN_BIT + 1u) < 253u * HIDDEN_BIT;
}
