//! Exact sums in the caller's memory.

use super::checks;
use super::guard::guard;
use super::status::neargrid_status;
use crate::error::{Error, Result, Status, number};
use crate::exact_sum::{ExactSum, WORDS};

/// Number of int64 words in an exact sum.
pub const NEARGRID_SUM_WORDS: i32 = 136;

const _: () = assert!(NEARGRID_SUM_WORDS as usize == WORDS);

/// The sum that a caller has.
///
/// # Safety
/// `pointer` is NULL or readable for NEARGRID_SUM_WORDS elements during the call.
unsafe fn read(pointer: *const i64, argument: &'static str) -> Result<ExactSum> {
    let mut words = [0; WORDS];
    // SAFETY: the caller's promise.
    words.copy_from_slice(unsafe { checks::slice(pointer, WORDS, argument) }?);
    let allowed = "all 0, or the result of a neargrid_sum function";
    ExactSum::from_words(&words)
        .ok_or_else(|| Error::not_allowed(Status::BadValue, argument, "an invalid sum", allowed))
}

/// Gives the sum back.
///
/// # Safety
/// `pointer` is writable for NEARGRID_SUM_WORDS elements.
unsafe fn write(sum: &ExactSum, pointer: *mut i64) {
    let mut words = [0; WORDS];
    sum.to_words(&mut words);
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), pointer, WORDS) };
}

fn check_finite(values: &[f64], what: &'static str) -> Result<()> {
    let Some(&value) = values.iter().find(|value| !value.is_finite()) else {
        return Ok(());
    };
    Err(Error::not_allowed(Status::NonFinite, what, number(value), "finite"))
}

/// Adds numbers to an exact sum. An exact sum is never rounded until neargrid_sum_round reads it, so that the result has the
/// same bits for any order of the terms, and for any division of them among threads or processes. neargrid_groups_view_sums
/// uses the same sums.
///
/// - `words`: the sum, NEARGRID_SUM_WORDS integers in the caller's memory. Set all to 0 for an empty sum.
/// - `n`: number of terms.
/// - `values`: `n` finite numbers. May be NULL if `n` is 0.
///
/// The words may be copied and sent to processes on the same kind of machine; words that are 0 at both ends need not be sent.
/// A sum holds fewer than 2^32 terms. Any thread may call, but only one thread at a time may change a sum.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`n`), BAD_VALUE (the words are not a sum), NON_FINITE. On failure the sum is not
/// changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_sum_add(words: *mut i64, n: i64, values: *const f64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut sum, values) = unsafe {
            let sum = read(words, "words")?;
            (
                sum,
                checks::slice(values, checks::count_of::<f64>(n, "n", 1)?, "values")?,
            )
        };
        check_finite(values, "values")?;
        values.iter().for_each(|&value| sum.add(value));
        // SAFETY: the caller's promise.
        unsafe { write(&sum, words) };
        Ok(())
    })
}

/// Adds the products `x[i]` * `y[i]` to an exact sum. The products are not rounded either.
///
/// - `words`: the sum.
/// - `n`: number of products.
/// - `x`, `y`: `n` finite numbers each. May be NULL if `n` is 0.
///
/// Returns the statuses of neargrid_sum_add.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_sum_add_products(
    words: *mut i64,
    n: i64,
    x: *const f64,
    y: *const f64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut sum, x, y) = unsafe {
            let (sum, len) = (read(words, "words")?, checks::count_of::<f64>(n, "n", 1)?);
            (sum, checks::slice(x, len, "x")?, checks::slice(y, len, "y")?)
        };
        check_finite(x, "x")?;
        check_finite(y, "y")?;
        x.iter().zip(y).for_each(|(&x, &y)| sum.add_product(x, y));
        // SAFETY: the caller's promise.
        unsafe { write(&sum, words) };
        Ok(())
    })
}

/// Adds one exact sum to another.
///
/// - `words`: the sum that is changed.
/// - `other`: the sum that is added to it. It is not changed.
///
/// Returns the statuses of neargrid_sum_add.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_sum_merge(words: *mut i64, other: *const i64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut sum, mut other) = unsafe { (read(words, "words")?, read(other, "other")?) };
        sum.merge(&mut other);
        // SAFETY: the caller's promise.
        unsafe { write(&sum, words) };
        Ok(())
    })
}

/// Rounds an exact sum to the nearest real64, with ties to even. The result is infinite if it overflows.
///
/// - `words`: the sum. It is not changed.
/// - `value`: receives the result.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_sum_round(words: *const i64, value: *mut f64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut sum, value) = unsafe { (read(words, "words")?, checks::out(value, "value")?) };
        value.set(sum.rounded());
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In two parts and any order the same bits; what is no sum or no number is refused and changes nothing.
    #[test]
    fn parts_and_refusals() {
        let terms = [0.1, -1e300, 3.0, 1e300, -7e-300, 0.1, 1e16];
        let (mut whole, mut parts, mut value) = ([0i64; WORDS], [[0i64; WORDS]; 2], 0.0);
        // SAFETY: all pointers are to arrays of the given lengths.
        unsafe {
            assert_eq!(neargrid_sum_add(whole.as_mut_ptr(), 7, terms.as_ptr()), 0);
            for (k, term) in terms.iter().rev().enumerate() {
                let part = parts[k % 2].as_mut_ptr();
                assert_eq!(neargrid_sum_add_products(part, 1, term, &1.0), 0);
            }
            let [first, second] = &mut parts;
            assert_eq!(neargrid_sum_merge(first.as_mut_ptr(), second.as_ptr()), 0);
            assert_eq!(neargrid_sum_round(first.as_ptr(), &mut value), 0);
            assert_eq!(value, 1e16 + 3.2);
            value = 0.0;
            assert_eq!(neargrid_sum_round(whole.as_ptr(), &mut value), 0);
            assert_eq!(value, 1e16 + 3.2);
            let before = whole;
            assert_eq!(
                neargrid_sum_add(whole.as_mut_ptr(), 1, &f64::NAN),
                Status::NonFinite as i32
            );
            assert_eq!(neargrid_sum_add(whole.as_mut_ptr(), -1, &1.0), Status::BadCount as i32);
            assert_eq!(
                neargrid_sum_merge(whole.as_mut_ptr(), [i64::MAX; WORDS].as_ptr()),
                Status::BadValue as i32
            );
            assert_eq!(
                neargrid_sum_add(std::ptr::null_mut(), 1, &1.0),
                Status::NullPointer as i32
            );
            assert_eq!(whole, before);
        }
    }

    /// A negative sum that was rounded, merged and merged again: its words stay a sum's.
    #[test]
    fn negative() {
        let (mut total, mut value) = ([0i64; WORDS], 0.0);
        // SAFETY: as above.
        unsafe {
            for _ in 0..1000 {
                let mut one = [0i64; WORDS];
                assert_eq!(
                    neargrid_sum_add(one.as_mut_ptr(), 2, [-1e-3, 2f64.powi(-40)].as_ptr()),
                    0
                );
                assert_eq!(neargrid_sum_merge(total.as_mut_ptr(), one.as_ptr()), 0);
            }
            assert_eq!(neargrid_sum_round(total.as_ptr(), &mut value), 0);
        }
        assert!((value + 1.0).abs() < 1e-8, "{value}");
    }
}
