//! A radius per point, and per query.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::error::Result;
use crate::points::check_len;
use crate::radii::RadiusRule;
use crate::search::{Precision, Search};

/// The cutoff of a pair is the radius of the point whose row it is listed in; full rows and queries only.
pub const NEARGRID_RADIUS_GATHER: i32 = 0;
/// It is the radius of the point that is listed; full rows and queries only.
pub const NEARGRID_RADIUS_SCATTER: i32 = 1;
/// It is the larger of both radii.
pub const NEARGRID_RADIUS_MAX: i32 = 2;
/// It is the smaller of both radii.
pub const NEARGRID_RADIUS_MIN: i32 = 3;
/// It is half of the sum of both radii: 0.5 * (r_i + r_j), each operation rounded in the precision of the points.
pub const NEARGRID_RADIUS_MEAN: i32 = 4;

const RULES: [(i32, &str, RadiusRule); 5] = [
    (NEARGRID_RADIUS_GATHER, "gather", RadiusRule::Gather),
    (NEARGRID_RADIUS_SCATTER, "scatter", RadiusRule::Scatter),
    (NEARGRID_RADIUS_MAX, "max", RadiusRule::Max),
    (NEARGRID_RADIUS_MIN, "min", RadiusRule::Min),
    (NEARGRID_RADIUS_MEAN, "mean", RadiusRule::Mean),
];

/// Calls `set` with the handle and the radii read.
///
/// # Safety
/// As for `handle::enter`; `radii` is NULL or readable for `n` elements.
unsafe fn with_radii<T: Precision>(
    search: *mut neargrid_search,
    n: i64,
    radii: *const T,
    argument: &'static str,
    set: impl FnOnce(&mut Search, &[T]) -> Result<()>,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let mut search = handle::enter(search)?;
        set(&mut search, checks::slice(radii, check_len("n", n)?, argument)?)
    })
}

/// Sets a radius per point, in real64, and the rule that makes a pair's cutoff c of two radii; a pair is then two points with
/// d2 <= c * c, or by the exclusive tie rule d2 < c * c. As long as radii are set, cutoff and skin are not used, and none need
/// be set. Radii are copied, and stay when points are set anew, as types do. The time of a search follows each point's own
/// radius: a few large ones do not slow down the others.
///
/// `n`: number of points; another number than that of the points set is refused by the query, and so are radii of another
/// precision. `radii`: n radii in the unit of the coordinates, each finite and greater than 0, its square in the range of a
/// cutoff's; where axes are periodic, none larger than half a length. `rule`: NEARGRID_RADIUS_GATHER, _SCATTER, _MAX, _MIN or
/// _MEAN; by the first two i may be a neighbor of j and j none of i, so that they are for full rows and queries only.
/// Status: OK, NULL_POINTER, BAD_COUNT (n), BAD_RADIUS (which names the first point refused), BAD_VALUE (rule), OUT_OF_MEMORY. On
/// failure nothing changes. A query may return BAD_COUNT, BAD_VALUE (precision; half rows by gather or scatter), BAD_DOMAIN,
/// NOT_SUPPORTED.
///
/// # Safety
/// `search` is NULL or a valid handle; `radii` is NULL or readable for `n` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_radii_f64(
    search: *mut neargrid_search,
    n: i64,
    radii: *const f64,
    rule: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        with_radii(search, n, radii, "radii", |search, radii| {
            search.set_radii(radii, checks::choice(rule, "rule", &RULES)?)
        })
    }
}

/// As neargrid_search_set_radii_f64, in real32.
///
/// # Safety
/// `search` is NULL or a valid handle; `radii` is NULL or readable for `n` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_radii_f32(
    search: *mut neargrid_search,
    n: i64,
    radii: *const f32,
    rule: i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        with_radii(search, n, radii, "radii", |search, radii| {
            search.set_radii(radii, checks::choice(rule, "rule", &RULES)?)
        })
    }
}

/// Sets a radius per query, in real64. Where points have radii, the rows of queries need them, but for NEARGRID_RADIUS_SCATTER,
/// which asks for those of the points only. They stay when queries are set anew, and are compared with their number by the
/// query; all else as for neargrid_search_set_radii_f64.
///
/// `n`: number of queries. `radii`: n radii.
/// Status: OK, NULL_POINTER, BAD_COUNT (n), BAD_RADIUS, OUT_OF_MEMORY. On failure nothing changes.
///
/// # Safety
/// `search` is NULL or a valid handle; `radii` is NULL or readable for `n` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_query_radii_f64(
    search: *mut neargrid_search,
    n: i64,
    radii: *const f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { with_radii(search, n, radii, "radii", |search, radii| search.set_query_radii(radii)) }
}

/// As neargrid_search_set_query_radii_f64, in real32.
///
/// # Safety
/// `search` is NULL or a valid handle; `radii` is NULL or readable for `n` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_query_radii_f32(
    search: *mut neargrid_search,
    n: i64,
    radii: *const f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { with_radii(search, n, radii, "radii", |search, radii| search.set_query_radii(radii)) }
}

/// Forgets all radii, those of queries too: the cutoff counts again.
/// Status: OK, NULL_POINTER.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_clear_radii(search: *mut neargrid_search) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.clear_radii();
        Ok(())
    })
}
