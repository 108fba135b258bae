//! The C drop-in: `cellList` and `cellListf`, declared in `celllist.h` and documented there.

use std::ffi::c_int;

use super::super::celllist::{self, by_value};

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
    unsafe { by_value::search(dim, npoints, x, cutoff, maxnpair, npairs, pair_i, pair_j) }
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
    unsafe { by_value::search(dim, npoints, x, cutoff, maxnpair, npairs, pair_i, pair_j) }
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
    unsafe { by_value::fetch(maxnpair, npairs, pair_i, pair_j) }
}

/// See `celllist.h`.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn cellList_set_tie_rule(rule: c_int) -> c_int {
    celllist::set_rule(rule)
}

/// See `celllist.h`.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn cellList_release() {
    celllist::release();
}
