// shared/difference.wgsl where devices have f64. All numbers that decide a normal result are normal, so it is the same whether a
// device flushes subnormal ones or not. Other results come from integers.
#import arithmetic
#import difference_any

fn difference_of(a: vec2<u32>, b: vec2<u32>, whole: vec2<u32>) -> f32 {
    var wide = double(a) - double(b);
    // Half of the length has an exponent that is less by 1.
    if any(whole != vec2(0u)) && abs(wide) > double(vec2(whole.x, whole.y - 0x100000u)) {
        wide += double(vec2(whole.x, whole.y | select(SIGN_BIT, 0u, wide < 0.0lf)));
    }
    let single = f32(wide);
    // Above the least normal number and below half of the largest power of 2.
    if (bitcast<u32>(single) & ~SIGN_BIT) - (HIDDEN_BIT + 1u) < 253u * HIDDEN_BIT {
        return single;
    }
    return small_or_large(a, b, whole);
}

fn small_or_large(a: vec2<u32>, b: vec2<u32>, whole: vec2<u32>) -> f32 {
    if all(a == b) {
        return 0.0; // frequent on lattices
    }
    return difference_of_any(a, b, whole);
}

fn double(words: vec2<u32>) -> f64 {
    return bitcast<f64>((u64(words.y) << 32u) | u64(words.x));
}
