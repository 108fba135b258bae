//! Friends-of-friends groups: a label for each point.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::error::{Error, Result, Status};
use crate::kinds::MAX_TYPES;
use crate::search::Search;

/// Labels that are point numbers, which say nothing to other ranks.
pub(super) const ACROSS: &str = "labels that are point numbers across ranks (use neargrid_fof_copy_ids)";

/// Refuses what is not the number of points.
pub(super) fn check_points(n: i64, points: usize) -> Result<()> {
    if n == points as i64 {
        return Ok(());
    }
    let allowed = format_args!("{points}, the number of points");
    Err(Error::not_allowed(Status::BadCount, "n", n, allowed))
}

/// Finds friends-of-friends groups and copies the label of each point into the caller's array. Two points are friends if they
/// are a pair within the cutoff, which is the linking length, by the tie rule of the handle. A group is a set of points
/// connected by chains of friends. The label of a group is its point with the smallest number, or with the smallest global id
/// if ids are set. Labels are point numbers in the index base, and do not depend on the number of threads.
///
/// - `n`: number of points set.
/// - `labels`: receives `n` labels. May be NULL if `n` is 0.
/// - `ngroups`: receives the number of groups, including groups of a single point.
///
/// Every point belongs to a group, including ghosts, and the mask of interacting types does not matter (but see
/// neargrid_search_set_primary_types). Queries are not included. The skin is not used, and a handle with radii refuses the
/// call. Groups with primary types run on the CPU only; NEARGRID_BACKEND_GPU refuses them.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`n`; types or ids set for another number of points; primary types set for another
/// number of types), BAD_STATE (no points or no cutoff set; primary types but no types set), BAD_CUTOFF, BAD_DOMAIN (a
/// periodic axis is shorter than two cutoffs), BAD_VALUE (no such device, results that overlap), BAD_ENVIRONMENT (invalid
/// NEARGRID_DEVICE or NEARGRID_GPU_MASK), NOT_SUPPORTED (radii; primary types with backend GPU), OUT_OF_MEMORY,
/// NO_DEVICE, DEVICE_LOST, THREADS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_fof_copy(
    search: *mut neargrid_search,
    n: i64,
    labels: *mut i32,
    ngroups: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, ngroups) = unsafe { (handle::enter_alone(search, ACROSS)?, checks::out(ngroups, "ngroups")?) };
        let points = search.check_fof()?;
        check_points(n, points)?;
        checks::disjoint(&[
            checks::written(ngroups.address(), 1, "ngroups"),
            checks::written(labels, points, "labels"),
        ])?;
        // SAFETY: the caller's promise.
        let labels = unsafe { checks::rows(labels, "labels", n, "n")? };
        ngroups.set(search.fof_into_rows(labels)? as i64);
        Ok(())
    })
}

/// Returns the labels of friends-of-friends groups as a view, with the contents of neargrid_fof_copy. A repeated call does
/// not repeat the search.
///
/// - `n`: receives the number of points.
/// - `labels`: receives a pointer to an array of `n` elements, owned by the handle.
/// - `ngroups`: receives the number of groups.
///
/// Returns the statuses of neargrid_fof_copy, and also MEMORY_LIMIT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_fof_view(
    search: *mut neargrid_search,
    n: *mut i64,
    labels: *mut *const i32,
    ngroups: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, n, labels, ngroups) = unsafe {
            (
                handle::enter_alone(search, ACROSS)?,
                checks::out(n, "n")?,
                checks::out(labels, "labels")?,
                checks::out(ngroups, "ngroups")?,
            )
        };
        let found = search.fof()?;
        n.set(found.labels.len() as i64);
        labels.set(found.labels.as_ptr());
        ngroups.set(found.groups as i64);
        Ok(())
    })
}

/// As neargrid_fof_copy, with labels that are global ids. The label of a group is the smallest global id of its points. Where no ids are set,
/// it is the smallest point number.
///
/// Across ranks the call is collective. Labels are those of this rank's points, and groups may have points of any rank. Where no ids are set,
/// points are numbered rank by rank, from the index base on.
///
/// - `n`: number of points set, on this rank.
/// - `labels`: receives `n` labels. May be NULL if `n` is 0.
/// - `ngroups`: receives the number of groups, over all ranks.
///
/// Returns the statuses of neargrid_fof_view, and across ranks also COMMUNICATION and DISAGREEMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_fof_copy_ids(
    search: *mut neargrid_search,
    n: i64,
    labels: *mut i64,
    ngroups: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut entered = unsafe { handle::enter(search)? };
        let (search, ranks) = entered.both();
        let outs = |search: &Search| {
            // SAFETY: the caller's promise.
            let ngroups = unsafe { checks::out(ngroups, "ngroups")? };
            search.check_points_held()?;
            let points = search.len(); // without ghosts of other ranks
            check_points(n, points)?;
            checks::disjoint(&[
                checks::written(ngroups.address(), 1, "ngroups"),
                checks::written(labels, points, "labels"),
            ])?;
            // SAFETY: the caller's promise.
            let labels = unsafe { checks::array(labels, points, "labels")? };
            Ok((ngroups, labels))
        };
        let outs = outs(search);
        match ranks {
            Some(ranks) => {
                let ((ngroups, mut labels), friends) = ranks.fof(search, outs)?;
                labels.write_all(0, &friends.labels);
                ngroups.set(friends.groups);
            }
            None => {
                let (ngroups, labels) = outs?;
                ngroups.set(search.fof_ids_into_array(labels)? as i64);
            }
        }
        Ok(())
    })
}

/// Sets which types of points (neargrid_search_set_types) link into groups; for example dark matter, but not gas and stars. A
/// point of another type connects nothing. It joins the group of the nearest linking point within the cutoff, by the tie
/// rule; among equally near ones, of the one with the smaller number or global id. If there is none, it is a group of its
/// own. Only searches for groups use this setting. Across ranks it is the same on all ranks that have points.
///
/// - `ntypes`: number of types, 0 to 32, checked by the search for groups. With 0, the default, points of all types link.
/// - `primary`: `ntypes` flags, 1 for a type that links and 0 for another. Not read if `ntypes` is 0.
///
/// Returns OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (a flag). On failure the previous setting remains.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_primary_types(
    search: *mut neargrid_search,
    ntypes: i32,
    primary: *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        let Some(len) = usize::try_from(ntypes).ok().filter(|&ntypes| ntypes <= MAX_TYPES) else {
            let allowed = format_args!("0 to {MAX_TYPES}");
            return Err(Error::not_allowed(Status::BadCount, "ntypes", ntypes, allowed));
        };
        let mut flags = [false; MAX_TYPES];
        // SAFETY: the caller's promise.
        let given = unsafe { checks::slice(primary, len, "primary")? };
        for (flag, &number) in flags.iter_mut().zip(given) {
            *flag = checks::choice(number, "primary", &[(0, "attaches", false), (1, "links", true)])?;
        }
        search.set_primary_types(&flags[..len])
    })
}
