//! Friends-of-friends: a label per point.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::error::{Error, Result, Status};
use crate::kinds::MAX_TYPES;

/// Refuses what is not the number of points.
pub(super) fn check_points(n: i64, points: usize) -> Result<()> {
    if n == points as i64 {
        return Ok(());
    }
    let allowed = format_args!("{points}, the number of points");
    Err(Error::not_allowed(Status::BadCount, "n", n, allowed))
}

/// Writes which group of friends of friends each point is in. Two points are friends if they are a pair within the cutoff,
/// which is the linking length, by the tie rule of the handle; a group is what chains of friends connect. The label of a
/// group is its point with the smallest number, or where points have global ids the one with the smallest of these; labels
/// are numbers of points in the index base, the same for any number of threads.
///
/// Every point is in a group, ghosts as well, whatever types interact; but see neargrid_search_set_primary_types. Queries are
/// no points. Skin and radii are not used: a handle with a radius per point refuses. Groups of primary types
/// are searched on the CPU, for now: with the backend NEARGRID_BACKEND_GPU they are refused.
///
/// `n`: number of points set. `labels`: n elements; may be NULL where n is 0. `ngroups`: receives the number of groups, points
/// alone among them.
/// Status: OK, NULL_POINTER, BAD_COUNT (n; types or ids set for another number of points, or types of which
/// others are primary), BAD_STATE (no points or no cutoff set, or no types where some are primary), BAD_CUTOFF, BAD_DOMAIN (a
/// periodic axis shorter than two cutoffs), BAD_VALUE (a device that is not there), BAD_ENVIRONMENT (a wrong NEARGRID_DEVICE or
/// NEARGRID_GPU_MASK), NOT_SUPPORTED (radii, or primary types with backend gpu), OUT_OF_MEMORY, NO_DEVICE, DEVICE_LOST, THREADS.
///
/// # Safety
/// `search` is NULL or a valid handle; `labels` is NULL or writable for `n` elements, `ngroups` NULL
/// or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_fof_copy(
    search: *mut neargrid_search,
    n: i64,
    labels: *mut i32,
    ngroups: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, ngroups) = unsafe { (handle::enter(search)?, checks::out(ngroups, "ngroups")?) };
        check_points(n, search.check_fof()?)?;
        // SAFETY: the caller's promise.
        let labels = unsafe { checks::rows(labels, "labels", n, "n")? };
        ngroups.set(search.fof_into_rows(labels)? as i64);
        Ok(())
    })
}

/// Gives the labels in memory of the library, as by neargrid_fof_copy. Asked for again, they are not searched again.
///
/// `n`: receives the number of points. `labels`: receives an array of n elements, which belongs to the handle and is valid
/// until the next call on it that is not a question (info, counter, timing, distances, displacements, order, views of
/// groups). `ngroups`: receives the number of groups.
/// Status: as neargrid_fof_copy, and MEMORY_LIMIT.
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
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
                handle::enter(search)?,
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

/// Sets which types of points (neargrid_search_set_types) link into groups, as dark matter does. Points of the other types, as
/// gas and stars, connect nothing: each attaches to the group of the nearest point that links, if that is within the cutoff by
/// the tie rule, and of equally near ones to that of the smaller number or global id; where none is, it is a group of its
/// own. Other queries do not know of it. No types (ntypes = 0) undo it: points of all types link.
///
/// `ntypes`: 0 to 32; another number than that of the types is refused by the search for groups. `primary`: ntypes flags (0
/// or 1); not read where ntypes is 0.
/// Status: OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (a flag). On failure nothing changes.
///
/// # Safety
/// `search` is NULL or a valid handle; `primary` is NULL or readable for `ntypes` elements.
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
