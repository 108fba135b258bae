//! A radius for each point and for each query.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::arguments::check_count;
use crate::error::Result;
use crate::radii::RadiusRule;
use crate::search::{Precision, Search};

/// The cutoff of a pair is the radius of the point, or query, whose row it is in. For full rows and queries only.
pub const NEARGRID_RADIUS_GATHER: i32 = 0;
/// The cutoff of a pair is the radius of the listed point. For full rows and queries only.
pub const NEARGRID_RADIUS_SCATTER: i32 = 1;
/// The cutoff of a pair is the larger of the two radii.
pub const NEARGRID_RADIUS_MAX: i32 = 2;
/// The cutoff of a pair is the smaller of the two radii.
pub const NEARGRID_RADIUS_MIN: i32 = 3;
/// The cutoff of a pair is half the sum of the two radii: 0.5 * (r_i + r_j), with each operation rounded in the precision of
/// the points.
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
        set(&mut search, checks::slice(radii, check_count("n", n)?, argument)?)
    })
}

/// Sets a radius for each point, in real64, and the rule that gives the cutoff c of a pair from its two radii. Two points are
/// a pair if d2 <= c * c, or d2 < c * c with the exclusive tie rule. While radii are set, cutoff and skin are not used and
/// need not be set. The handle keeps a copy, which remains when points are set again. A few large radii do not slow down the
/// search around the other points.
///
/// - `n`: number of points, checked by the query, which also checks that the precision is that of the points.
/// - `radii`: `n` radii in the unit of the coordinates: each 0, or finite and positive with a square in the range of a
///   cutoff's square. The radius 0 finds coincident points only. In a periodic box no pair may have a cutoff of more than half
///   the length of a periodic axis.
/// - `rule`: NEARGRID_RADIUS_GATHER, NEARGRID_RADIUS_SCATTER, NEARGRID_RADIUS_MAX, NEARGRID_RADIUS_MIN or
///   NEARGRID_RADIUS_MEAN. The first two are not symmetric, so that they are allowed for full rows and queries only.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`n`), BAD_RADIUS (the text names the first point), BAD_VALUE (`rule`), OUT_OF_MEMORY.
/// On failure the previous radii remain. A query may return BAD_COUNT, BAD_VALUE (wrong precision; half rows with gather or
/// scatter), BAD_DOMAIN, NOT_SUPPORTED.
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

/// Sets a radius for each query, in real64. If points have radii, the rows of queries need them as well, except with
/// NEARGRID_RADIUS_SCATTER, which uses only the radii of the points. If points have no radii, the rule is
/// NEARGRID_RADIUS_GATHER: a query lists the points within its own radius, and rows of points have the cutoff. The radii of
/// queries remain when queries are set again.
///
/// - `n`: number of queries, checked by the query.
/// - `radii`: `n` radii, as for neargrid_search_set_radii_f64.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`n`), BAD_RADIUS, OUT_OF_MEMORY. On failure the previous radii remain.
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
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_query_radii_f32(
    search: *mut neargrid_search,
    n: i64,
    radii: *const f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { with_radii(search, n, radii, "radii", |search, radii| search.set_query_radii(radii)) }
}

/// Removes the radii of points and queries. The cutoff applies again.
///
/// Returns OK, NULL_POINTER.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_clear_radii(search: *mut neargrid_search) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.clear_radii();
        Ok(())
    })
}
