//! Sums without rounding: of real numbers and of products of two, rounded once, when they are asked for.
//!
//! in: terms, in any order, by any number of threads; out: the real64 number nearest to their sum, ties to even. The
//! accumulator is a number in fixed point, wide enough for every product of two real64 numbers (Kulisch 1971; with
//! digits of 32 bits in words of 64, so that carries can wait, as in Neal 2015, "Fast exact summation using small and
//! large superaccumulators").

/// Bits of a digit.
const DIGIT: usize = 32;

/// Digits below that of 1: the smallest product is 2^-2148.
const BELOW: usize = 68;

/// Digits in all: products are less than 2^2048, and there are less than 2^32 of them.
const DIGITS: usize = BELOW + 67;

/// Terms that may be added before carries are brought on: each adds less than 2^32 to a word.
const LAZY: u32 = 1 << 30;

/// Words of a sum in the caller's memory: its digits, and the number of terms since the last carry propagation.
pub(crate) const WORDS: usize = DIGITS + 1;

/// A sum that is exact: finite terms only.
#[derive(Clone, Debug)]
pub struct ExactSum {
    digits: [i64; DIGITS],
    /// Digits that are not 0 lie within.
    low: usize,
    high: usize,
    /// Terms added since carries were brought on.
    pending: u32,
}

impl Default for ExactSum {
    fn default() -> ExactSum {
        ExactSum {
            digits: [0; DIGITS],
            low: DIGITS,
            high: 0,
            pending: 0,
        }
    }
}

/// Sign, mantissa and exponent: `x` is plus or minus mantissa * 2^exponent.
#[inline(always)]
fn parts(x: f64) -> (bool, u64, i32) {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    match exponent {
        0 => (bits >> 63 == 1, fraction, -1074),
        _ => (bits >> 63 == 1, fraction | 1 << 52, exponent - 1075),
    }
}

impl ExactSum {
    /// Starts a new sum.
    pub fn clear(&mut self) {
        if self.low < self.high {
            self.digits[self.low..self.high].fill(0);
        }
        (self.low, self.high, self.pending) = (DIGITS, 0, 0);
    }

    /// The sum in `words`, of which all 0 is that of no terms; none where they are no sum.
    pub fn from_words(words: &[i64; WORDS]) -> Option<ExactSum> {
        let (digits, pending) = (&words[..DIGITS], words[DIGITS]);
        let pending = u32::try_from(pending).ok().filter(|&pending| pending < LAZY)?;
        let most = (u64::from(pending) + 2) << DIGIT; // what a digit may have gathered; the last one also has the sign
        let is_digit =
            |(at, digit): (usize, &i64)| digit.unsigned_abs() <= if at + 1 == DIGITS { 1 << 62 } else { most };
        if !digits.iter().enumerate().all(is_digit) {
            return None;
        }
        let mut sum = ExactSum {
            pending,
            ..ExactSum::default()
        };
        sum.digits.copy_from_slice(digits);
        sum.low = digits.iter().position(|&digit| digit != 0).unwrap_or(DIGITS);
        sum.high = digits.iter().rposition(|&digit| digit != 0).map_or(0, |last| last + 1);
        Some(sum)
    }

    /// Writes the sum.
    pub fn to_words(&self, words: &mut [i64; WORDS]) {
        words[..DIGITS].copy_from_slice(&self.digits);
        words[DIGITS] = self.pending.into();
    }

    /// Adds a number.
    #[inline]
    pub fn add(&mut self, x: f64) {
        let (negative, mantissa, exponent) = parts(x);
        self.add_parts(negative, mantissa.into(), exponent);
    }

    /// Adds the product of two numbers, which is not rounded.
    #[inline]
    pub fn add_product(&mut self, x: f64, y: f64) {
        let (a, b) = (parts(x), parts(y));
        self.add_parts(a.0 != b.0, u128::from(a.1) * u128::from(b.1), a.2 + b.2);
    }

    #[inline(always)]
    fn add_parts(&mut self, negative: bool, mantissa: u128, exponent: i32) {
        let at = (exponent + (BELOW * DIGIT) as i32) as usize;
        let (first, shift) = (at / DIGIT, at % DIGIT);
        // 106 bits and 31 more.
        let (shifted, above) = (mantissa << shift, (mantissa >> 64 >> (64 - shift)) as i64);
        let sign = if negative { -1 } else { 1 };
        let digits = &mut self.digits[first..first + 5];
        for (k, digit) in digits[..4].iter_mut().enumerate() {
            *digit += sign * i64::from((shifted >> (k * DIGIT)) as u32);
        }
        digits[4] += sign * above;
        (self.low, self.high) = (self.low.min(first), self.high.max(first + 5));
        self.pending += 1;
        if self.pending == LAZY {
            self.carry();
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &mut ExactSum) {
        other.carry();
        self.carry();
        for (digit, more) in self.digits.iter_mut().zip(&other.digits) {
            *digit += more;
        }
        (self.low, self.high) = (self.low.min(other.low), self.high.max(other.high));
        self.pending = 1;
    }

    /// Propagates carries: then digits are 0 to 2^32 - 1, except for the last, which has the sign.
    fn carry(&mut self) {
        let mut carry = 0;
        for digit in &mut self.digits[self.low.min(DIGITS - 1)..DIGITS - 1] {
            let sum = *digit + carry;
            (*digit, carry) = (sum & 0xffff_ffff, sum >> DIGIT);
        }
        self.digits[DIGITS - 1] += carry;
        (self.high, self.pending) = (DIGITS, 0);
    }

    /// The sum, rounded to nearest.
    pub fn rounded(&mut self) -> f64 {
        self.carry();
        let is_negative = self.digits[DIGITS - 1] < 0;
        if is_negative {
            self.digits.iter_mut().for_each(|digit| *digit = -*digit);
            self.carry();
        }
        let size = self.size();
        if is_negative {
            self.digits.iter_mut().for_each(|digit| *digit = -*digit);
            self.carry();
            return -size;
        }
        size
    }

    /// The sum rounded, which is not negative, and whose carries are brought on.
    fn size(&self) -> f64 {
        let Some(top) = self.digits.iter().rposition(|&digit| digit != 0) else {
            return 0.0;
        };
        let digit = |back: usize| top.checked_sub(back).map_or(0, |at| self.digits[at] as u128);
        let leading = digit(0) << (2 * DIGIT) | digit(1) << DIGIT | digit(2);
        let is_more = self.digits[..top.saturating_sub(2)].iter().any(|&digit| digit != 0);
        let unit = (top as i32 - 2 - BELOW as i32) * DIGIT as i32; // leading * 2^unit, and what is more
        let highest = unit + 127 - leading.leading_zeros() as i32;
        if highest > 1023 {
            return f64::INFINITY;
        }
        let last = (highest - 52).max(-1074); // the exponent of the result's last bit
        let shift = last - unit;
        if shift > 120 {
            return 0.0; // less than half of the smallest number
        }
        let (kept, dropped) = (leading >> shift, leading & ((1 << shift) - 1));
        let half = 1u128 << (shift - 1);
        let is_up = dropped > half || dropped == half && (is_more || kept & 1 == 1);
        (kept + u128::from(is_up)) as f64 * power_of_two(last)
    }
}

/// 2^exponent, -1074 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::from_bits(1 << (exponent + 1074)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn sum(terms: &[f64]) -> f64 {
        let mut sum = ExactSum::default();
        terms.iter().for_each(|&x| sum.add(x));
        sum.rounded()
    }

    /// Numbers whose sum an i128 holds: integers times one power of two, rounded by the compiler's own conversion.
    #[test]
    fn as_integers() {
        let mut random = Random(5);
        for round in 0..20_000 {
            let exponent = [-1074, -1060, -300, 0, 200, 880][round % 6];
            let unit = power_of_two(exponent.max(-1022)) * power_of_two(exponent.min(-1022) + 1022);
            let terms: Vec<i64> = (0..1 + round % 9)
                .map(|_| random.bits() as i64 >> (11 + random.bits() % 53))
                .collect();
            let exact: i128 = terms.iter().map(|&term| i128::from(term)).sum();
            let mut total = ExactSum::default();
            let mut parts = [ExactSum::default(), ExactSum::default()];
            for (k, &term) in terms.iter().enumerate() {
                total.add(term as f64 * unit);
                parts[k % 2].add(term as f64 * unit);
            }
            let [mut first, mut second] = parts;
            first.merge(&mut second);
            let expected = exact as f64 * unit; // at most 57 bits: scaling may round below the smallest normal number only
            if exponent > -1022 || exact.abs() < 1 << 53 {
                assert_eq!(
                    total.rounded().to_bits(),
                    (expected + 0.0).to_bits(),
                    "{terms:?} * 2^{exponent}"
                );
            }
            assert_eq!(first.rounded().to_bits(), total.rounded().to_bits(), "merged");
            assert_eq!(total.rounded().to_bits(), total.rounded().to_bits(), "asked twice");
            total.clear();
            assert_eq!(total.rounded(), 0.0);
        }
    }

    /// Products of 53-bit numbers, of which some cancel, against i128.
    #[test]
    fn products() {
        let mut random = Random(9);
        for round in 0..20_000 {
            let mut exact = 0i128;
            let mut total = ExactSum::default();
            for _ in 0..1 + round % 7 {
                let [a, b] = [0, 1].map(|_| random.bits() as i64 >> (11 + random.bits() % 40));
                exact += i128::from(a) * i128::from(b);
                total.add_product(a as f64 * 0.25, b as f64 * 8.0);
                if round % 3 == 0 {
                    let part = (a as f64) * (b as f64) * -2.0;
                    exact += part as i128 / 2;
                    total.add(part);
                }
            }
            assert_eq!(total.rounded(), exact as f64 * 2.0, "round {round}");
        }
    }

    #[test]
    fn extremes() {
        let tiny = f64::from_bits(1);
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[1e308, 1e308, -1e308, -1e308, tiny]), tiny);
        assert_eq!(sum(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(sum(&[-f64::MAX, -f64::MAX]), f64::NEG_INFINITY);
        assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
        assert_eq!(sum(&[1.0, 2f64.powi(-53)]), 1.0, "a tie goes to the even one");
        assert_eq!(sum(&[1.0, 2f64.powi(-53), tiny]), 1.0 + f64::EPSILON);
        assert_eq!(sum(&[-1.0, -(2f64.powi(-53)), -tiny]), -1.0 - f64::EPSILON);
        assert_eq!(sum(&vec![0.1; 1 << 20]), 0.1 * f64::from(1 << 20));
        let mut product = ExactSum::default();
        product.add_product(tiny, tiny);
        assert_eq!(product.rounded(), 0.0);
        product.add_product(f64::MAX, f64::MAX);
        assert_eq!(product.rounded(), f64::INFINITY);
        product.add_product(-f64::MAX, f64::MAX);
        product.add_product(tiny, -tiny);
        assert_eq!(product.rounded(), 0.0);
        product.add_product(tiny, 0.75);
        assert_eq!(product.rounded(), tiny, "more than half of it");
        product.add_product(tiny, -0.25);
        assert_eq!(product.rounded(), 0.0, "half of it, to the even one");
    }
}
