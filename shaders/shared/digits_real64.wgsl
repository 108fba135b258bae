// shared/digits.wgsl in real64.
const SUM_DIGITS = 133u;

fn add_digits(sum: u32, term: f64) {
    let high = high_word(term);
    let exponent = (high >> 20u) & 0x7ffu;
    let bit = max(exponent, 1u) - 1u;
    add_word(sum, low_word(term), bit, is_negative(term));
    add_word(sum, (high & 0xfffffu) | select(0u, 0x100000u, exponent > 0u), bit + 32u, is_negative(term));
}

fn put_bound(at: u32, bound: f64) {
    totals[at] = low_word(bound);
    totals[at + 1u] = high_word(bound);
}
