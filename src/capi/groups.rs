//! The catalogue of groups: who is in them, and sums over their members.

use super::checks;
use super::fof::check_points;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::error::Result;
use crate::groups::Properties;
use crate::search::Precision;

/// Finds the groups of neargrid_fof_copy that have at least so many points, to be looked at by neargrid_groups_view_members and
/// neargrid_groups_view_sums, where each point's mass is 1 and there are no velocities.
///
/// `min_size`: 1 or more. `ngroups`: receives the number of such groups.
/// Status: as neargrid_fof_view, and BAD_COUNT (min_size).
///
/// # Safety
/// `search` is NULL or a valid handle; `ngroups` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_groups_find(
    search: *mut neargrid_search,
    min_size: i64,
    ngroups: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, ngroups) = unsafe { (handle::enter(search)?, checks::out(ngroups, "ngroups")?) };
        let groups = match search.is_single() {
            Some(true) => search.groups::<f32>(min_size, &Properties::default())?,
            _ => search.groups::<f64>(min_size, &Properties::default())?,
        };
        ngroups.set(groups.sizes.len() as i64);
        Ok(())
    })
}

/// As neargrid_groups_find, with masses and velocities in real64, that of the points set.
///
/// `n`: number of points set. `masses`: n masses, finite and greater than 0, or NULL: each point's is 1. `vx`, `vy`, `vz`: the
/// first point's velocity, or vx NULL: none; vy is not read for dim 1, vz not below dim 3. `stride`: bytes from one velocity
/// to the next, as in neargrid_search_set_points_f64. All are read during the call only.
/// Status: as neargrid_groups_find, and BAD_COUNT (n), BAD_VALUE (a mass, the stride, or the points set are real32), NON_FINITE (a
/// velocity).
///
/// # Safety
/// `search` is NULL or a valid handle; `masses` is NULL or readable for `n` elements, the velocities
/// NULL or readable as `stride` says; `ngroups` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_groups_find_f64(
    search: *mut neargrid_search,
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

/// As neargrid_groups_find_f64, in real32.
///
/// # Safety
/// As for neargrid_groups_find_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_groups_find_f32(
    search: *mut neargrid_search,
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

/// Gives the groups found last and who is in them: the largest group first, of equally large ones that with the smaller label,
/// or label of the smaller global id. In index base b, the members of group g are `order[offsets[g] - b]` to
/// `order[offsets[g + 1] - 1 - b]`, by number. `order` holds all points, so that it is one for neargrid_reorder: behind the
/// members of the groups come the points of groups that are too small, by number.
///
/// `ngroups`: receives the number of groups. `labels`, `sizes`: receive arrays of ngroups elements, `offsets` of ngroups + 1,
/// `order` of as many as there are points. They belong to the handle and are valid until the next call on it that is not a
/// question.
/// Status: OK, NULL_POINTER, BAD_STATE (no groups found for the points and settings of now).
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_groups_view_members(
    search: *const neargrid_search,
    ngroups: *mut i64,
    labels: *mut *const i32,
    sizes: *mut *const i64,
    offsets: *mut *const i64,
    order: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let search = unsafe { handle::enter(search)? };
        let groups = search.groups_held()?;
        // SAFETY: the caller's promise.
        let (ngroups, labels, sizes, offsets, order) = unsafe {
            (
                checks::out(ngroups, "ngroups")?,
                checks::out(labels, "labels")?,
                checks::out(sizes, "sizes")?,
                checks::out(offsets, "offsets")?,
                checks::out(order, "order")?,
            )
        };
        labels.set(groups.labels.as_ptr());
        sizes.set(groups.sizes.as_ptr());
        offsets.set(groups.offsets.as_ptr());
        order.set(groups.order.as_ptr());
        ngroups.set(groups.sizes.len() as i64);
        Ok(())
    })
}

/// Gives sums over the members of the groups found last, in the order of neargrid_groups_view_members, all in real64. Positions
/// are taken relative to the label, along a periodic axis to the nearest image; a center is brought back into the box. Sums of
/// masses, and of masses times positions, velocities and distances squared, are exact and rounded once, so that they do not
/// depend on threads or on how points are numbered; they may be infinite. A group that is as wide as half the box along a
/// periodic axis, or wider, has its flag set: its center and radius depend on the label.
///
/// `ngroups`: receives the number of groups, `dim` that of axes. `masses`: receives an array of ngroups sums of masses.
/// `centers`: ngroups times dim elements, the centers of mass. `velocities`: likewise, the mean velocities weighted by mass, or
/// NULL where no velocities were given. `radii`: ngroups roots of the mean distance squared from the center, weighted by
/// mass. `wide`: ngroups flags, 0 or 1. They belong to the handle and are valid until the next call on it that is not a question.
/// Status: as neargrid_groups_view_members.
///
/// # Safety
/// `search` is NULL or a valid handle; the other pointers are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_groups_view_sums(
    search: *const neargrid_search,
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
        let search = unsafe { handle::enter(search)? };
        let groups = search.groups_held()?;
        // SAFETY: the caller's promise.
        let (ngroups, dim, masses, centers, velocities, radii, wide) = unsafe {
            (
                checks::out(ngroups, "ngroups")?,
                checks::out(dim, "dim")?,
                checks::out(masses, "masses")?,
                checks::out(centers, "centers")?,
                checks::out(velocities, "velocities")?,
                checks::out(radii, "radii")?,
                checks::out(wide, "wide")?,
            )
        };
        masses.set(groups.masses.as_ptr());
        centers.set(groups.centers.as_ptr());
        velocities.set(groups.velocities.map_or(std::ptr::null(), <[f64]>::as_ptr));
        radii.set(groups.radii.as_ptr());
        wide.set(groups.wide.as_ptr());
        ngroups.set(groups.sizes.len() as i64);
        dim.set(groups.dim as i32);
        Ok(())
    })
}

/// # Safety
/// As for [`neargrid_groups_find_f64`].
unsafe fn find<T: Precision>(
    search: *mut neargrid_search,
    min_size: i64,
    n: i64,
    masses: *const T,
    (velocities, stride): ([*const T; 3], i64),
    ngroups: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, ngroups) = unsafe { (handle::enter(search)?, checks::out(ngroups, "ngroups")?) };
        let dim = search.held::<T>()?.dim();
        check_points(n, search.len())?;
        // SAFETY: the caller's promise.
        let properties = unsafe { given(n, dim, masses, velocities, stride)? };
        ngroups.set(search.groups(min_size, &properties)?.sizes.len() as i64);
        Ok(())
    })
}

/// # Safety
/// As for [`neargrid_groups_find_f64`].
unsafe fn given<'a, T: Precision>(
    n: i64,
    dim: usize,
    masses: *const T,
    [vx, vy, vz]: [*const T; 3],
    stride: i64,
) -> Result<Properties<'a, T>> {
    let mut properties = Properties::default();
    // SAFETY: the caller's promise.
    unsafe {
        if !masses.is_null() {
            properties.masses = Some(checks::slice(masses, n as usize, "masses")?);
        }
        if !vx.is_null() {
            let bases = [(vx, "vx"), (vy, "vy"), (vz, "vz")];
            properties.velocities = Some(checks::points(dim as i64, n, "n", bases, stride)?);
        }
    }
    Ok(properties)
}
