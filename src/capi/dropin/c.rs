//! The C drop-in: `cellList` and `cellListf`, declared in `celllist.h` and documented there.

use std::ffi::c_int;

use super::super::guard::guard;
use super::super::{celllist, checks};
use crate::error::Result;
use crate::points::Real;
use crate::search::check_32_bit;

/// See `celllist.h`.
///
/// # Safety
/// As `celllist.h` says.
#[unsafe(no_mangle)]
#[allow(non_snake_case, clippy::too_many_arguments)]
pub unsafe extern "C" fn cellList(
    dim: c_int,
    npoints: c_int,
    _maxpercell: c_int,
    x: *const f64,
    cutoff: f64,
    maxnpair: c_int,
    npairs: *mut c_int,
    pair_i: *mut c_int,
    pair_j: *mut c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    guard(|| unsafe { search(dim, npoints, x, cutoff, maxnpair, npairs, pair_i, pair_j) })
}

/// See `celllist.h`.
///
/// # Safety
/// As `celllist.h` says.
#[unsafe(no_mangle)]
#[allow(non_snake_case, clippy::too_many_arguments)]
pub unsafe extern "C" fn cellListf(
    dim: c_int,
    npoints: c_int,
    _maxpercell: c_int,
    x: *const f32,
    cutoff: f32,
    maxnpair: c_int,
    npairs: *mut c_int,
    pair_i: *mut c_int,
    pair_j: *mut c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    guard(|| unsafe { search(dim, npoints, x, cutoff, maxnpair, npairs, pair_i, pair_j) })
}

/// See `celllist.h`.
///
/// # Safety
/// As `celllist.h` says.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub unsafe extern "C" fn cellList_fetch(
    maxnpair: c_int,
    npairs: *mut c_int,
    pair_i: *mut c_int,
    pair_j: *mut c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    guard(|| unsafe { fetch(maxnpair, npairs, pair_i, pair_j) })
}

/// See `celllist.h`.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn cellList_release() {
    celllist::release();
}

/// # Safety
/// As for [`cellList`].
#[allow(clippy::too_many_arguments)]
unsafe fn search<T: Real>(
    dim: c_int,
    npoints: c_int,
    x: *const T,
    cutoff: T,
    maxnpair: c_int,
    npairs: *mut c_int,
    pair_i: *mut c_int,
    pair_j: *mut c_int,
) -> Result<()> {
    // SAFETY: the caller's promise. Outputs are checked before the search, so that a refusal costs nothing.
    unsafe {
        checks::out(npairs, "npairs")?;
        checks::rows(pair_i, "pair_i", maxnpair.into(), "maxnpair")?;
        checks::rows(pair_j, "pair_j", maxnpair.into(), "maxnpair")?;
        check_32_bit(celllist::count(dim, npoints.into(), x, cutoff, 0)?)?;
        fetch(maxnpair, npairs, pair_i, pair_j)
    }
}

/// # Safety
/// As for [`cellList_fetch`].
unsafe fn fetch(maxnpair: c_int, npairs: *mut c_int, pair_i: *mut c_int, pair_j: *mut c_int) -> Result<()> {
    // SAFETY: the caller's promise.
    let (npairs, left, right) = unsafe {
        (
            checks::out(npairs, "npairs")?,
            checks::rows(pair_i, "pair_i", maxnpair.into(), "maxnpair")?,
            checks::rows(pair_j, "pair_j", maxnpair.into(), "maxnpair")?,
        )
    };
    let fetched = celllist::fetch(left, right);
    *npairs = check_32_bit(super::super::pairs::report_need(fetched, npairs)? as i64)?;
    Ok(())
}
