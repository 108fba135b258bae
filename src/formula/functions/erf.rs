//! erf and erfc.

use super::exponential::wide_exp;
use super::float::{Float, is_nan, polynomial};
use super::wide::{wide_product, wide_quotient, wide_sum};

/// The error function.
pub fn erf<F: Float>(x: F) -> F {
    if x.magnitude() < F::HALF || is_nan(x) {
        return near_erf(x)[0];
    }
    (F::ONE - upper_erfc(x.magnitude())).negated_if(x.is_negative())
}

/// 1 - erf.
pub fn erfc<F: Float>(x: F) -> F {
    if x.magnitude() < F::HALF || is_nan(x) {
        let [value, low] = near_erf(x);
        let [rest, error] = wide_sum(F::ONE, -value);
        return rest + (error - low);
    }
    let upper = upper_erfc(x.magnitude());
    if x.is_negative() { F::of(2.0) - upper } else { upper }
}

/// erf of a number of up to 0.5, as the sum of two.
fn near_erf<F: Float>(x: F) -> [F; 2] {
    wide_sum(x, x * polynomial(F::ERF, x * x))
}

/// erfc of a number of 0.5 or more: (1 + 2x) exp(x^2) erfc(x) lies between 1.1 and 1.3.
fn upper_erfc<F: Float>(x: F) -> F {
    if x > F::ERFC_END {
        return F::default();
    }
    let [square, error] = wide_product(x, x);
    let ([power, power_low], k) = wide_exp([-square, -error]);
    let t = (x - F::of(3.0)) / (x + F::of(3.0));
    let [factor, factor_low] = wide_sum(F::ERFC_FIRST[0], t * polynomial(F::ERFC, t));
    let factor_low = factor_low + F::ERFC_FIRST[1];
    let [product, error] = wide_product(power, factor);
    let low = error + (power * factor_low + power_low * factor);
    let [value, value_low] = wide_quotient([product, low], wide_sum(F::ONE, x + x));
    (value + value_low).scaled(k)
}
