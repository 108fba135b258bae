//! Pairs of numbers, whose sum is meant: twice the digits where a function needs them.

use super::float::Float;

/// The sum as the rounded sum and its error.
pub fn wide_sum<F: Float>(a: F, b: F) -> [F; 2] {
    let sum = a + b;
    let part = sum - a;
    [sum, (a - (sum - part)) + (b - part)]
}

/// The product as the rounded product and its error.
pub fn wide_product<F: Float>(a: F, b: F) -> [F; 2] {
    let halves = |x: F| {
        let shifted = F::SPLITTER * x;
        let high = shifted - (shifted - x);
        [high, x - high]
    };
    let product = a * b;
    let ([a, a_low], [b, b_low]) = (halves(a), halves(b));
    [product, ((a * b - product) + a * b_low + a_low * b) + a_low * b_low]
}

/// The quotient of two pairs as a pair.
pub fn wide_quotient<F: Float>([a, a_low]: [F; 2], [b, b_low]: [F; 2]) -> [F; 2] {
    let quotient = a / b;
    let [product, error] = wide_product(quotient, b);
    let rest = (((a - product) - error) - quotient * b_low) + a_low;
    [quotient, rest / b]
}
