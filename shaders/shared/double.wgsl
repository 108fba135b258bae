// Numbers in real64, and their way to real32 and back. Devices keep subnormal numbers of real64, but may flush those of real32 on that way:
// these are made of integers.
fn double(words: vec2<u32>) -> f64 {
    return bitcast<f64>((u64(words.y) << 32u) | u64(words.x));
}

// A number rounded to real32.
fn single_of(x: f64) -> f32 {
    let high = u32(bitcast<u64>(x) >> 32u);
    if (high & 0x7fffffffu) >= 0x38100000u {
        return f32(x); // at least 2^-126, or NaN
    }
    // In units of 2^-149; 2^52 is so large that a sum with it is a whole number.
    let magnitude = double(vec2(u32(bitcast<u64>(x) & 0xfffffffflu), high & 0x7fffffffu));
    let large = double(vec2(0u, 0x43300000u));
    let units = (magnitude * double(vec2(0u, 0x49400000u)) + large) - large;
    return bitcast<f32>(u32(units) | (high & 0x80000000u));
}

// A number of real32 as one of real64.
fn double_of(x: f32) -> f64 {
    let bits = bitcast<u32>(x);
    if (bits & 0x7f800000u) != 0u {
        return f64(x);
    }
    // 2^-149, with the sign of the number.
    let unit = double(vec2(0u, 0x36a00000u | (bits & 0x80000000u)));
    return f64(bits & 0x7fffffu) * unit;
}
