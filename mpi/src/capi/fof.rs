//! Friends-of-friends over all ranks: a label per point.

use super::checks::{array, disjoint, enter, neargrid_mpi_search, out, span};
use super::guard::guard;
use super::status::neargrid_status;
use crate::error::{Error, status};

/// Finds friends-of-friends groups over all ranks and returns the labels of this rank's points as a view. Groups are defined
/// as in neargrid_fof_copy, and may extend over any number of ranks. The label of a group is the smallest global id of its
/// points. A repeated call does not repeat the search. Collective.
///
/// - `n`: receives the number of this rank's points.
/// - `labels`: receives a pointer to an array of `n` global ids, owned by the handle and valid until points or settings
///   change.
/// - `ngroups`: receives the number of groups over all ranks, including groups of a single point. Each group is counted on
///   the rank whose point is its label.
///
/// Returns the statuses of neargrid_mpi_pairs_view.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_fof_view(
    search: *mut neargrid_mpi_search,
    n: *mut i64,
    labels: *mut *const i64,
    ngroups: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        // SAFETY: the caller's promise.
        let outs = unsafe { (out(n, "n"), out(labels, "labels"), out(ngroups, "ngroups")) };
        let (asked, outs) = match outs.0.and_then(|n| Ok((n, outs.1?, outs.2?))) {
            Ok(outs) => (Ok(()), Some(outs)),
            Err(error) => (Err(error), None),
        };
        let found = search.fof(asked)?;
        if let Some((n, labels, ngroups)) = outs {
            n.set(found.labels.len() as i64);
            labels.set(found.labels.as_ptr());
            ngroups.set(found.groups);
        }
        Ok(())
    })
}

/// Copies the labels of this rank's points into the caller's array, with the contents of neargrid_mpi_fof_view. Collective.
///
/// - `n`: number of this rank's points.
/// - `labels`: receives `n` global ids. May be NULL if `n` is 0.
/// - `ngroups`: receives the number of groups over all ranks.
///
/// Returns the statuses of neargrid_mpi_fof_view, and also BAD_COUNT (`n`). On failure `labels` is not changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_fof_copy(
    search: *mut neargrid_mpi_search,
    n: i64,
    labels: *mut i64,
    ngroups: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        let points = search.owned();
        let outs = match n == points as i64 {
            true => disjoint(&[span(ngroups, 1, "ngroups"), span(labels, points, "labels")])
                // SAFETY: the caller's promise, and apart.
                .and_then(|()| unsafe { Ok((array(labels, points, "labels")?, out(ngroups, "ngroups")?)) }),
            false => {
                let allowed = format!("{points}, the number of this rank's points");
                Err(Error::not_allowed(status::BAD_COUNT, "n", n, &allowed))
            }
        };
        let (asked, outs) = match outs {
            Ok(outs) => (Ok(()), Some(outs)),
            Err(error) => (Err(error), None),
        };
        let found = search.fof(asked)?;
        if let Some((mut labels, ngroups)) = outs {
            labels.write(0, found.labels);
            ngroups.set(found.groups);
        }
        Ok(())
    })
}
