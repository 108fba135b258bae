//! The drop-in for Fortran without modules: external procedures `celllist` (real64) and `scelllist` (real32), whose nine
//! arguments come by reference. There is no status argument, so `npairs` reports failures: minus the status, or the size needed
//! if `maxnpair` is too small.

use super::super::celllist::by_reference;

/// All pairs of `npoints` points `x(dim, npoints)` within `cutoff`, 1-based, inclusive, in real64.
///
/// # Safety
/// All pointers are as a Fortran call of `celllist` passes them: 32-bit integers, real64, arrays of the sizes named.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn celllist_(
    dim: *const i32,
    npoints: *const i32,
    _maxpercell: *const i32,
    x: *const f64,
    cutoff: *const f64,
    maxnpair: *const i32,
    npairs: *mut i32,
    pair_i: *mut i32,
    pair_j: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe { by_reference::search(dim, npoints, x, cutoff, maxnpair, npairs, pair_i, pair_j) }
}

/// As `celllist_`, in real32.
///
/// # Safety
/// As for `celllist_`, with real32.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn scelllist_(
    dim: *const i32,
    npoints: *const i32,
    _maxpercell: *const i32,
    x: *const f32,
    cutoff: *const f32,
    maxnpair: *const i32,
    npairs: *mut i32,
    pair_i: *mut i32,
    pair_j: *mut i32,
) {
    // SAFETY: the caller's promise.
    unsafe { by_reference::search(dim, npoints, x, cutoff, maxnpair, npairs, pair_i, pair_j) }
}
