//! The catalogue of groups over all ranks: each group is on one rank, with sums over its members on all ranks.

use super::checks::{self, Place, enter, neargrid_mpi_search, out, slice};
use super::guard::guard;
use super::status::neargrid_status;
use crate::comm::site::Site;
use crate::error::{Error, Result, status};
use crate::groups::Wanted;
use crate::points::Real;
use crate::search::Search;

/// Builds the catalogue of groups that have at least `min_size` points over all ranks. neargrid_mpi_groups_view_sizes and
/// neargrid_mpi_groups_view_sums return it. Each point has mass 1 and no velocity. Each group is in the catalogue of one
/// rank: the owner of the point that its label names. Collective.
///
/// - `min_size`: 1 or more, the same on all ranks.
/// - `ngroups`: receives the number of groups in this rank's catalogue.
///
/// Returns the statuses of neargrid_mpi_fof_view, and also BAD_COUNT (`min_size`).
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

/// As neargrid_mpi_groups_find, with masses and velocities in real64, which must be the precision of the points. Masses are
/// given on all ranks that have points or on none, and so are velocities. Collective.
///
/// - `min_size`: 1 or more, the same on all ranks.
/// - `n`: number of this rank's points.
/// - `masses`: `n` masses, finite and greater than 0, or NULL for a mass of 1 each.
/// - `vx`, `vy`, `vz`: addresses of the velocity of the first point, or `vx` NULL for no velocities. `vy` is not read in 1D,
///   and `vz` only in 3D.
/// - `stride`: distance from one velocity to the next in bytes.
/// - `ngroups`: receives the number of groups in this rank's catalogue.
///
/// Returns the statuses of neargrid_mpi_groups_find, and also BAD_COUNT (`n`), BAD_VALUE (a mass, `stride`, or the points set
/// are real32), NON_FINITE (a velocity), DISAGREEMENT (masses or velocities on some ranks only).
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

/// Returns the groups found last that are in this rank's catalogue, as a view. They are ordered by size, the largest first,
/// and groups of equal size by label. The members of a group are the points with its label (neargrid_mpi_fof_view). Not
/// collective.
///
/// - `ngroups`: receives the number of groups.
/// - `labels`: receives a pointer to `ngroups` labels, which are global ids.
/// - `sizes`: receives a pointer to `ngroups` numbers of points over all ranks.
///
/// The arrays are owned by the handle, and valid until groups are found again, or points or settings change.
///
/// Returns OK, NULL_POINTER, BAD_STATE (no groups found for the current points and settings).
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

/// Returns sums over the members, on all ranks, of the groups in this rank's catalogue, as a view in the order of
/// neargrid_mpi_groups_view_sizes. The sums have the same bits as those of neargrid_groups_view_sums, for any distribution of
/// the points over ranks. Not collective.
///
/// - `ngroups`: receives the number of groups.
/// - `dim`: receives the dimension of the points.
/// - `masses`: receives a pointer to `ngroups` total masses.
/// - `centers`: receives a pointer to `ngroups` times `dim` coordinates of the centers of mass.
/// - `velocities`: receives a pointer to `ngroups` times `dim` mean velocities weighted by mass, or NULL if no velocities
///   were given.
/// - `radii`: receives a pointer to `ngroups` root mean square distances from the center, weighted by mass.
/// - `wide`: receives a pointer to `ngroups` flags: 1 for a group that extends over half the box or more along a periodic
///   axis, otherwise 0. Center and radius of such a group depend on its label.
///
/// The arrays are owned by the handle and valid as long as the sizes.
///
/// Returns the statuses of neargrid_mpi_groups_view_sizes.
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
