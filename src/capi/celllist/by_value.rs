//! The work of the C drop-in: arguments by value, and a status as the result.

use std::ffi::c_int;

use super::super::checks;
use super::super::guard::guard;
use super::super::pairs::{apart, report_need};
use super::super::status::neargrid_status;
use crate::error::Result;
use crate::search::{Precision, check_32_bit};

/// # Safety
/// As `celllist.h` says of `cellList`.
#[allow(clippy::too_many_arguments)]
pub unsafe fn search<T: Precision>(
    dim: c_int,
    npoints: c_int,
    x: *const T,
    cutoff: T,
    maxnpair: c_int,
    npairs: *mut c_int,
    pair_i: *mut c_int,
    pair_j: *mut c_int,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise. Outputs are checked before the search, so that a refusal costs nothing.
        unsafe {
            checks::out(npairs, "npairs")?;
            checks::rows(pair_i, "pair_i", maxnpair.into(), "maxnpair")?;
            checks::rows(pair_j, "pair_j", maxnpair.into(), "maxnpair")?;
            check_32_bit(super::count(dim, npoints.into(), x, cutoff, super::RULE.get(), 0)?)?;
            write(maxnpair, npairs, pair_i, pair_j)
        }
    })
}

/// # Safety
/// As `celllist.h` says of `cellList_fetch`.
pub unsafe fn fetch(maxnpair: c_int, npairs: *mut c_int, pair_i: *mut c_int, pair_j: *mut c_int) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { write(maxnpair, npairs, pair_i, pair_j) })
}

/// # Safety
/// As for [`fetch`].
unsafe fn write(maxnpair: c_int, npairs: *mut c_int, pair_i: *mut c_int, pair_j: *mut c_int) -> Result<()> {
    // SAFETY: the caller's promise.
    let (npairs, left, right) = unsafe {
        (
            checks::out(npairs, "npairs")?,
            checks::rows(pair_i, "pair_i", maxnpair.into(), "maxnpair")?,
            checks::rows(pair_j, "pair_j", maxnpair.into(), "maxnpair")?,
        )
    };
    let fetched = super::fetch(left, right, &apart(npairs.address(), [pair_i, pair_j]));
    npairs.set(check_32_bit(report_need(fetched, &npairs)? as i64)?);
    Ok(())
}
