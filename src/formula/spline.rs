//! Cubic splines. In: values at equal steps, in real64. Out: the polynomial of each step. Each operation is rounded once
//! and none is fused, so that every machine makes the same numbers.

use crate::error::Result;
use crate::list::resize_discarding;

/// Numbers of a polynomial, from the constant one up to that of `t^3`, where `t` goes from 0 to 1 along the step.
pub(super) const TERMS: usize = 4;

/// Values that a spline needs.
pub(super) const LEAST: usize = 4;

/// The polynomials of all steps, and the constant one of the last value: the spline through the values whose first and
/// second derivatives are continuous, and whose third one is continuous at the second value and at the last but one
/// ("not a knot").
///
/// With slopes `s` and differences `d[k] = y[k+1] - y[k]` that says `s[k-1] + 4*s[k] + s[k+1] = 3*(d[k-1] + d[k])`, at
/// the beginning `s[0] + 2*s[1] = (5*d[0] + d[1])/2`, and the same from the end. Slopes are eliminated from the first to the
/// last.
pub fn polynomials(values: &[f64], what: &'static str) -> Result<Vec<f64>> {
    let mut all = Vec::new();
    resize_discarding(&mut all, TERMS * values.len(), 0.0, what)?;
    let (polynomials, _) = all.as_chunks_mut::<TERMS>();
    let last = values.len() - 1;
    let step = |k: usize| values[k + 1] - values[k];
    let at_end = |d: f64, next: f64| (5.0 * d + next) / 2.0;
    // After the elimination, `s[k] + factor*s[k+1] = slope`, in the places of t^2 and of t.
    let (mut slope, mut factor) = (at_end(step(0), step(1)), 2.0);
    polynomials[0] = [values[0], slope, factor, 0.0];
    for k in 1..last {
        let pivot = 4.0 - factor;
        slope = (3.0 * (step(k - 1) + step(k)) - slope) / pivot;
        factor = 1.0 / pivot;
        polynomials[k] = [values[k], slope, factor, 0.0];
    }
    slope = (at_end(step(last - 1), step(last - 2)) - 2.0 * slope) / (1.0 - 2.0 * factor);
    polynomials[last] = [values[last], 0.0, 0.0, 0.0];
    for k in (0..last).rev() {
        let [_, own, factor, _] = polynomials[k];
        let (after, own) = (slope, own - factor * slope);
        let (begin, end) = (step(k) - own, after - step(k));
        let cubic = end - begin;
        polynomials[k] = [values[k], own, begin - cubic, cubic];
        slope = own;
    }
    Ok(all)
}
