//! The work of the Fortran drop-in: arguments by reference, and `npairs` instead of a status.

use super::super::checks;
use super::super::guard::guard;
use super::super::pairs::{apart, report_need};
use crate::error::{Error, Result, Status};
use crate::search::{Precision, check_32_bit};

/// # Safety
/// As for `celllist_`.
#[allow(clippy::too_many_arguments)]
pub unsafe fn search<T: Precision>(
    dim: *const i32,
    npoints: *const i32,
    x: *const T,
    cutoff: *const T,
    maxnpair: *const i32,
    npairs: *mut i32,
    pair_i: *mut i32,
    pair_j: *mut i32,
) {
    let status = guard(|| {
        // SAFETY: the caller's promise. Outputs are checked before the search, so that a refusal costs nothing.
        unsafe {
            let npairs = checks::out(npairs, "npairs")?;
            let (dim, npoints) = (value(dim, "dim")?, value(npoints, "npoints")?);
            let (cutoff, maxnpair) = (value(cutoff, "cutoff")?, value(maxnpair, "maxnpair")?.into());
            let left = checks::rows(pair_i, "pair_i", maxnpair, "maxnpair")?;
            let right = checks::rows(pair_j, "pair_j", maxnpair, "maxnpair")?;
            check_32_bit(super::count(dim, npoints.into(), x, cutoff, None, 1)?)?;
            let fetched = super::fetch(left, right, &apart(npairs.address(), [pair_i, pair_j]));
            npairs.set(check_32_bit(report_need(fetched, &npairs)? as i64)?);
            Ok(())
        }
    });
    if status != Status::Ok as i32 && status != Status::Capacity as i32 {
        // SAFETY: the caller's promise; NULL is left alone.
        if let Ok(npairs) = unsafe { checks::out(npairs, "npairs") } {
            npairs.set(-status);
        }
    }
}

/// The value of an argument by reference.
///
/// # Safety
/// `pointer` is NULL or readable.
unsafe fn value<T: Copy>(pointer: *const T, argument: &'static str) -> Result<T> {
    if pointer.is_null() {
        return Err(Error::NullPointer {
            argument,
            expected: "its value",
        });
    }
    // SAFETY: not NULL, and the caller's promise.
    Ok(unsafe { pointer.read_unaligned() })
}
