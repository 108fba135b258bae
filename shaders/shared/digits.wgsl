// The digits of a number in real32, in units of its smallest subnormal number.
const SUM_DIGITS = 19u;

fn add_digits(sum: u32, term: f32) {
    let bits = bitcast<u32>(term);
    let exponent = (bits >> 23u) & 0xffu;
    let mantissa = (bits & FRACTION) | select(0u, HIDDEN_BIT, exponent > 0u);
    add_word(sum, mantissa, max(exponent, 1u) - 1u, is_negative(term));
}

// Puts a bound where the host finds it.
fn put_bound(at: u32, bound: f32) {
    totals[at] = bitcast<u32>(bound);
}
