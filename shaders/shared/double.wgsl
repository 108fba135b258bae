// A number in real64 by its words, the low one first.
fn double(words: vec2<u32>) -> f64 {
    return bitcast<f64>((u64(words.y) << 32u) | u64(words.x));
}
