//! A radius for each point and for each query.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::queries::{are_queries, neargrid_of};
use super::status::neargrid_status;
use super::strides;
use crate::arguments::check_count;
use crate::radii::RadiusRule;
use crate::search::Precision;

/// The cutoff of two points with radii: one of NEARGRID_RADIUS_*.
#[allow(non_camel_case_types)]
pub type neargrid_radius = i32;

/// The cutoff of a pair is the radius of the point, or query, whose row it is in. For full rows and queries only.
pub const NEARGRID_RADIUS_GATHER: neargrid_radius = 0;
/// The cutoff of a pair is the radius of the listed point. For full rows and queries only.
pub const NEARGRID_RADIUS_SCATTER: neargrid_radius = 1;
/// The cutoff of a pair is the larger of the two radii.
pub const NEARGRID_RADIUS_MAX: neargrid_radius = 2;
/// The cutoff of a pair is the smaller of the two radii.
pub const NEARGRID_RADIUS_MIN: neargrid_radius = 3;
/// The cutoff of a pair is half the sum of the two radii: 0.5 * (r_i + r_j), with each operation rounded in the precision of
/// the points.
pub const NEARGRID_RADIUS_MEAN: neargrid_radius = 4;

const RULES: [(i32, &str, RadiusRule); 5] = [
    (NEARGRID_RADIUS_GATHER, "gather", RadiusRule::Gather),
    (NEARGRID_RADIUS_SCATTER, "scatter", RadiusRule::Scatter),
    (NEARGRID_RADIUS_MAX, "max", RadiusRule::Max),
    (NEARGRID_RADIUS_MIN, "min", RadiusRule::Min),
    (NEARGRID_RADIUS_MEAN, "mean", RadiusRule::Mean),
];

/// Sets a radius for each point or each query, in real64, and the rule that gives the cutoff c of a pair from its two radii. Two
/// points are a pair if d2 <= c * c, or d2 < c * c with the exclusive tie rule. While points have radii, the cutoff is not used
/// and need not be set. The handle keeps a copy, which remains when points or queries are set again. A few large radii do
/// not slow down the search around the other points.
///
/// If points have radii, the rows of queries need them as well, except with NEARGRID_RADIUS_SCATTER, which uses only the radii of
/// the points. If points have no radii, the rule is NEARGRID_RADIUS_GATHER: a query lists the points within its own radius, and
/// rows of points have the cutoff.
///
/// - `of`: NEARGRID_OF_POINTS or NEARGRID_OF_QUERIES.
/// - `n`: number of points or queries, checked by the query, which also checks that the precision is that of the points.
/// - `radii`: `n` radii in the unit of the coordinates: each 0, or finite and positive with a square in the range of a
///   cutoff's square. The radius 0 finds coincident points only. In a periodic box no pair may have a cutoff of more than half
///   the length of a periodic axis. NULL, with 0 for `n`, removes the radii.
/// - `stride`: distance from one radius to the next in bytes, as for neargrid_search_set_points_f64.
/// - `rule`: NEARGRID_RADIUS_GATHER, NEARGRID_RADIUS_SCATTER, NEARGRID_RADIUS_MAX, NEARGRID_RADIUS_MIN or
///   NEARGRID_RADIUS_MEAN. The first two are not symmetric, so that they are allowed for full rows and queries only. Only
///   NEARGRID_OF_POINTS sets the rule; it is not read for NEARGRID_OF_QUERIES, nor where radii are removed.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`n`), BAD_RADIUS (the text names the first point), BAD_VALUE (`of`, `stride`, `rule`),
/// OUT_OF_MEMORY. On failure the previous radii remain. A query may return BAD_COUNT, BAD_VALUE (wrong precision; half rows with
/// gather or scatter), BAD_DOMAIN, NOT_SUPPORTED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_radii_f64(
    search: *mut neargrid_search,
    of: neargrid_of,
    n: i64,
    radii: *const f64,
    stride: i64,
    rule: neargrid_radius,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { set_radii(search, of, (n, radii, stride), rule) }
}

/// As neargrid_search_set_radii_f64, in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_radii_f32(
    search: *mut neargrid_search,
    of: neargrid_of,
    n: i64,
    radii: *const f32,
    stride: i64,
    rule: neargrid_radius,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { set_radii(search, of, (n, radii, stride), rule) }
}

/// # Safety
/// As for [`neargrid_search_set_radii_f64`].
unsafe fn set_radii<T: Precision>(
    search: *mut neargrid_search,
    of: neargrid_of,
    (n, radii, stride): (i64, *const T, i64),
    rule: neargrid_radius,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        let (of_queries, n) = (are_queries(of)?, check_count("n", n)?);
        if n == 0 && radii.is_null() {
            search.remove_radii(of_queries);
            return Ok(());
        }
        // SAFETY: the caller's promise.
        let radii = unsafe { strides::strided(radii, n, (stride, "stride"), "radii")? };
        match of_queries {
            true => search.set_query_radii(&radii),
            false => search.set_radii(&radii, checks::choice(rule, "rule", &RULES)?),
        }
    })
}
