//! A cutoff for each pair of types.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::error::{Error, Status};
use crate::kinds::MAX_TYPES;

/// Sets a cutoff for each pair of types (neargrid_search_set_types), in place of the cutoff of neargrid_search_set_cutoff. Two
/// points are neighbors if the mask of the types allows it, and if they are within the cutoff of their types. The handle keeps a
/// copy, which remains when points or types are set again.
///
/// - `ntypes`: number of types, 1 to 32; a query checks that it is that of neargrid_search_set_types. 0 removes the table, so that
///   the one cutoff holds again.
/// - `cutoffs`: `ntypes` x `ntypes` cutoffs, symmetric, in the unit of the coordinates. 0: points of these types are not neighbors.
///   The others are finite and greater than 0, and at least one is. May be NULL if `ntypes` is 0. For real32 points each is rounded
///   to real32. The query checks the range of their squares, which depends on the precision of the points.
///
/// A search takes at most about as long as one with the largest cutoff of types that two points have. Where few points reach much farther
/// than all others, the CPU takes far less. Periodic axes must be at least twice as long as the largest of these cutoffs. In a formula, `c`
/// is the cutoff of the types of i and j. With a skin, a list holds the pairs within the cutoff of their types plus the skin.
///
/// The table is for pairs, half rows and full rows. Queries have no type: their rows, groups and the k nearest neighbors do not
/// depend on it, and rows of queries and groups need the cutoff of neargrid_search_set_cutoff. Radii of points are
/// refused together with it.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`ntypes`), BAD_CUTOFF (a cutoff; all are 0), BAD_VALUE (the table is not symmetric),
/// OUT_OF_MEMORY. On failure the previous table remains.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_type_cutoffs(
    search: *mut neargrid_search,
    ntypes: i32,
    cutoffs: *const f64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        let Some(ntypes) = usize::try_from(ntypes).ok().filter(|&ntypes| ntypes <= MAX_TYPES) else {
            let allowed = format_args!("0 to {MAX_TYPES}");
            return Err(Error::not_allowed(Status::BadCount, "ntypes", ntypes, allowed));
        };
        // SAFETY: the caller's promise.
        let cutoffs = unsafe { checks::slice(cutoffs, ntypes * ntypes, "cutoffs")? };
        search.set_type_cutoffs(cutoffs)
    })
}
