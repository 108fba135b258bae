//! The catalogue of groups over all ranks: each on one rank, with sums over its members on all.

use super::checks::{self, Place, enter, neargrid_mpi_search, out, slice};
use super::guard::guard;
use super::status::neargrid_status;
use crate::comm::site::Site;
use crate::error::{Error, Result, status};
use crate::groups::Wanted;
use crate::points::Real;
use crate::search::Search;

/// Finds the groups of neargrid_mpi_fof_view that have at least so many points over all ranks, to be looked at by
/// neargrid_mpi_groups_view_sizes and neargrid_mpi_groups_view_sums, where each point's mass is 1 and there are no velocities.
/// Each group is in the catalogue of one rank, that which owns the point that its label names. Collective.
///
/// `min_size`: 1 or more, the same on all ranks. `ngroups`: receives the number of such groups in this rank's catalogue.
/// Status: as neargrid_mpi_fof_view, and BAD_COUNT (min_size).
///
/// # Safety
/// `search` is NULL or a valid handle; `ngroups` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_groups_find(
    search: *mut neargrid_mpi_search,
    min_size: i64,
    ngroups: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        // SAFETY: the caller's promise.
        let ngroups = unsafe { out(ngroups, "ngroups") };
        match search.check_precision::<f32>() {
            Ok(()) => run(&mut search, plain::<f32>(min_size), ngroups),
            Err(_) => run(&mut search, plain::<f64>(min_size), ngroups),
        }
    })
}

fn plain<T>(min_size: i64) -> Result<Wanted<T>> {
    Ok(Wanted {
        min_size,
        masses: None,
        velocities: None,
    })
}

fn run<T: Real>(search: &mut Search<Site>, wanted: Result<Wanted<T>>, ngroups: Result<Place<i64>>) -> Result<()> {
    let (wanted, ngroups) = match (wanted, ngroups) {
        (Ok(wanted), Ok(ngroups)) => (Ok(wanted), Some(ngroups)),
        (Err(error), _) | (_, Err(error)) => (Err(error), None),
    };
    let found = search.groups(wanted)?.labels.len() as i64;
    if let Some(ngroups) = ngroups {
        ngroups.set(found);
    }
    Ok(())
}

/// As neargrid_mpi_groups_find, with masses and velocities in real64, that of the points set.
///
/// `n`: number of this rank's points. `masses`: n masses, finite and greater than 0, or NULL: each point's is 1. `vx`, `vy`, `vz`:
/// the first point's velocity, or vx NULL: none; vy is not read for dim 1, vz not below dim 3. `stride`: bytes from one velocity
/// to the next. All are read during the call only. All ranks that have points give masses, or none; and velocities likewise.
/// Status: as neargrid_mpi_groups_find, and BAD_COUNT (n), BAD_VALUE (a mass, the stride, or the points set are real32), NON_FINITE
/// (a velocity), DISAGREEMENT (given on some ranks only).
///
/// # Safety
/// `search` is NULL or a valid handle; `masses` is NULL or readable for `n` elements, the velocities
/// NULL or readable as `stride` says; `ngroups` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_groups_find_f64(
    search: *mut neargrid_mpi_search,
    min_size: i64,
    n: i64,
    masses: *const f64,
    vx: *const f64,
    vy: *const f64,
    vz: *const f64,
    stride: i64,
    ngroups: *mut i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { find(search, min_size, n, masses, ([vx, vy, vz], stride), ngroups) }
}

/// As neargrid_mpi_groups_find_f64, in real32.
///
/// # Safety
/// As for neargrid_mpi_groups_find_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_groups_find_f32(
    search: *mut neargrid_mpi_search,
    min_size: i64,
    n: i64,
    masses: *const f32,
    vx: *const f32,
    vy: *const f32,
    vz: *const f32,
    stride: i64,
    ngroups: *mut i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { find(search, min_size, n, masses, ([vx, vy, vz], stride), ngroups) }
}

/// # Safety
/// As for [`neargrid_mpi_groups_find_f64`].
unsafe fn find<T: Real>(
    search: *mut neargrid_mpi_search,
    min_size: i64,
    n: i64,
    masses: *const T,
    (bases, stride): ([*const T; 3], i64),
    ngroups: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        // SAFETY: the caller's promise.
        let ngroups = unsafe { out(ngroups, "ngroups") };
        let points = search.owned();
        let given = || -> Result<Wanted<T>> {
            if n != points as i64 {
                let allowed = format!("{points}, the number of this rank's points");
                return Err(Error::not_allowed(status::BAD_COUNT, "n", n, &allowed));
            }
            let mut wanted = plain(min_size)?;
            if !masses.is_null() {
                // SAFETY: the caller's promise.
                let masses = unsafe { slice(masses, points, "masses") }?;
                let mut own = crate::error::room(points, "the masses")?;
                own.extend_from_slice(masses);
                wanted.masses = Some(own);
            }
            if !bases[0].is_null() {
                // SAFETY: the caller's promise.
                let own = unsafe { checks::coords((search.dim(), n), bases, stride) }?;
                wanted.velocities = Some(own);
            }
            Ok(wanted)
        };
        let wanted = given();
        run(&mut search, wanted, ngroups)
    })
}

/// Gives this rank's part of the groups found last: the largest first, of equally large ones that with the smaller label. Not
/// collective.
///
/// `ngroups`: receives the number of groups. `labels`, `sizes`: receive arrays of ngroups elements: smallest global ids, and numbers
/// of points over all ranks. Members are the points with that label (neargrid_mpi_fof_view). They belong to the handle and are valid
/// until groups are found anew, or points or settings change.
/// Status: OK, NULL_POINTER, BAD_STATE (no groups found for the points and settings of now).
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_groups_view_sizes(
    search: *mut neargrid_mpi_search,
    ngroups: *mut i64,
    labels: *mut *const i64,
    sizes: *mut *const i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let search = unsafe { enter(search) }?;
        let groups = search.held_groups()?;
        // SAFETY: the caller's promise.
        let (ngroups, labels, sizes) =
            unsafe { (out(ngroups, "ngroups")?, out(labels, "labels")?, out(sizes, "sizes")?) };
        labels.set(groups.labels.as_ptr());
        sizes.set(groups.sizes.as_ptr());
        ngroups.set(groups.labels.len() as i64);
        Ok(())
    })
}

/// Gives sums over the members, on all ranks, of this rank's part of the groups found last, in the order of
/// neargrid_mpi_groups_view_sizes: the same bits as neargrid_groups_view_sums, however points are spread over ranks. Not collective.
///
/// `ngroups`: receives the number of groups, `dim` that of axes. `masses`: receives an array of ngroups sums of masses.
/// `centers`: ngroups times dim elements, the centers of mass. `velocities`: likewise, the mean velocities weighted by mass, or
/// NULL where no velocities were given. `radii`: ngroups roots of the mean distance squared from the center, weighted by
/// mass. `wide`: ngroups flags, 0 or 1: as wide as half the box along a periodic axis, or wider, so that center and radius depend
/// on the label. They are valid as long as the sizes.
/// Status: as neargrid_mpi_groups_view_sizes.
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_groups_view_sums(
    search: *mut neargrid_mpi_search,
    ngroups: *mut i64,
    dim: *mut i32,
    masses: *mut *const f64,
    centers: *mut *const f64,
    velocities: *mut *const f64,
    radii: *mut *const f64,
    wide: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let search = unsafe { enter(search) }?;
        let groups = search.held_groups()?;
        // SAFETY: the caller's promise.
        let (ngroups, dim, masses, centers, velocities, radii, wide) = unsafe {
            (
                out(ngroups, "ngroups")?,
                out(dim, "dim")?,
                out(masses, "masses")?,
                out(centers, "centers")?,
                out(velocities, "velocities")?,
                out(radii, "radii")?,
                out(wide, "wide")?,
            )
        };
        masses.set(groups.masses.as_ptr());
        centers.set(groups.centers.as_ptr());
        velocities.set(groups.velocities.map_or(std::ptr::null(), <[f64]>::as_ptr));
        radii.set(groups.radii.as_ptr());
        wide.set(groups.wide.as_ptr());
        ngroups.set(groups.labels.len() as i64);
        dim.set(groups.dim as i32);
        Ok(())
    })
}
