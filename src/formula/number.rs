//! Numbers of formulas.

use super::functions::Float;
use super::program::Reduction;
use crate::points::Precision;

/// A precision in which formulas are evaluated.
pub trait Number: Precision + Float {
    /// A number that is written in a formula, by its bits in both precisions.
    fn of_bits(single: u32, double: u64) -> Self;
}

impl Number for f32 {
    fn of_bits(single: u32, _: u64) -> f32 {
        f32::from_bits(single)
    }
}

impl Number for f64 {
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
