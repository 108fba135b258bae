//! Numbers of formulas.

use super::functions::Float;
use super::program::{Reduction, SumPrecision};
use crate::points::Precision;

/// A precision in which formulas are evaluated.
pub trait Number: Precision + Float {
    /// Its name.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    const PRECISION: SumPrecision;
    /// The exponent of the smallest subnormal number.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))]
    const LEAST_EXPONENT: i32;
    /// A number by its words, the low one first.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))]
    fn of_words(words: &[u32]) -> Self;
    /// A number that is written in a formula, by its bits in both precisions.
    fn of_bits(single: u32, double: u64) -> Self;
}

impl Number for f32 {
    const PRECISION: SumPrecision = SumPrecision::Single;
    const LEAST_EXPONENT: i32 = -149;

    fn of_words(words: &[u32]) -> f32 {
        f32::from_bits(words[0])
    }

    fn of_bits(single: u32, _: u64) -> f32 {
        f32::from_bits(single)
    }
}

impl Number for f64 {
    const PRECISION: SumPrecision = SumPrecision::Double;
    const LEAST_EXPONENT: i32 = -1074;

    fn of_words(words: &[u32]) -> f64 {
        f64::from_bits(u64::from(words[1]) << 32 | u64::from(words[0]))
    }

    fn of_bits(_: u32, double: u64) -> f64 {
        f64::from_bits(double)
    }
}

/// The outputs of a row without neighbors.
pub fn start<F: Number>(reduction: Reduction) -> F {
    match reduction {
        Reduction::Sum => F::default(),
        Reduction::Max => F::NEG_INFINITY,
        Reduction::Min => F::INFINITY,
    }
}
