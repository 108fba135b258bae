//! The tie rule, and the bound on distances squared of a cutoff.

use crate::error::{Error, Result, Status, number};
use crate::real::Real;

/// Whether two points exactly one cutoff apart are a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieRule {
    /// They are a pair: `d2 <= cutoff * cutoff`.
    #[default]
    Inclusive,
    /// They are not: `d2 < cutoff * cutoff`.
    Exclusive,
}

impl TieRule {
    /// The name in `NEARGRID_TIE`.
    pub fn name(self) -> &'static str {
        match self {
            TieRule::Inclusive => "inclusive",
            TieRule::Exclusive => "exclusive",
        }
    }
}

/// A target at most `lower` away (squared) is in reach, one more than `upper` away is not; between the two it is
/// doubtful.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<T> {
    pub lower: T,
    pub upper: T,
}

/// The bound of a search in the caller's precision: a pair is two points with `d2 <= bound`.
///
/// `cutoff` is rounded to `T` and squared with one rounding, as the caller's own loop would. The exclusive rule is the
/// inclusive one against the next smaller number, so that no backend needs two comparisons.
pub fn bound<T: Real>(cutoff: f64, rule: TieRule) -> Result<T> {
    let rounded = T::from_f64(cutoff);
    let square = rounded.mul(rounded);
    let range = T::CUTOFF2_MIN..=T::CUTOFF2_MAX;
    if !(rounded.to_f64() > 0.0 && range.contains(&square.to_f64())) {
        let allowed = format_args!(
            "finite, greater than 0, and its square from {:.3e} to {:.3e} in {}",
            T::CUTOFF2_MIN,
            T::CUTOFF2_MAX,
            T::NAME
        );
        return Err(Error::not_allowed(Status::BadCutoff, "cutoff", number(cutoff), allowed));
    }
    Ok(match rule {
        TieRule::Inclusive => square,
        TieRule::Exclusive => square.next_down(),
    })
}

/// The part of a cutoff's check that needs no precision.
pub fn check_cutoff(cutoff: f64) -> Result<f64> {
    if cutoff.is_finite() && cutoff > 0.0 {
        return Ok(cutoff);
    }
    Err(Error::not_allowed(
        Status::BadCutoff,
        "cutoff",
        number(cutoff),
        "finite and greater than 0",
    ))
}
