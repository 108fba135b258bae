//! Functions of formulas, made of rounded `+ - * /`, comparisons, `floor` and integer operations on bits only. No step is
//! fused and no library of the system takes part, so that any device that rounds these operations gives the same bits.
//! Results are within 2 units in the last place. In: a number of either precision. Out: a number of the same precision.
//!
//! Coefficients that are no simple fractions are those of the polynomial through Chebyshev's points of a range, computed
//! with 60 digits and rounded.

mod erf;
mod exponential;
mod float;
mod trigonometric;
mod wide;

pub use erf::{erf, erfc};
pub use exponential::{exp, log, pow, tanh};
pub use float::Float;
pub use trigonometric::{atan2, cos, sin, tan};
