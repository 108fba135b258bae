//! The catalogue of groups: their members, and sums over them.

use super::checks;
use super::fof::check_points;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use super::strides;
use crate::error::Result;
use crate::groups::Properties;
use crate::search::{Precision, Search};

/// Builds the catalogue of friends-of-friends groups that have at least `min_size` points, with masses and velocities in real64.
/// neargrid_groups_view_members and neargrid_groups_view_sums return it.
///
/// - `min_size`: 1 or more.
/// - `n`: number of points set.
/// - `masses`: `n` masses, finite and greater than 0, or NULL for a mass of 1 each.
/// - `mass_stride`: distance from one mass to the next in bytes, as for neargrid_search_set_points_f64.
/// - `vx`, `vy`, `vz`: addresses of the velocity of the first point, or `vx` NULL for no velocities. `vy` is not read in 1D,
///   and `vz` only in 3D.
/// - `stride`: distance from one velocity to the next in bytes.
/// - `ngroups`: receives the number of groups found.
///
/// Masses and velocities are in the precision of the points. Without both, the points may be of any precision.
///
/// Returns the statuses of neargrid_fof_view, and also BAD_COUNT (`min_size`, `n`), BAD_VALUE (a mass, a stride, or the points
/// set are real32), NON_FINITE (a velocity).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_groups_find_f64(
    search: *mut neargrid_search,
    min_size: i64,
    n: i64,
    masses: *const f64,
    mass_stride: i64,
    vx: *const f64,
    vy: *const f64,
    vz: *const f64,
    stride: i64,
    ngroups: *mut i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        find(
            search,
            min_size,
            n,
            (masses, mass_stride),
            ([vx, vy, vz], stride),
            ngroups,
        )
    }
}

/// As neargrid_groups_find_f64, in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_groups_find_f32(
    search: *mut neargrid_search,
    min_size: i64,
    n: i64,
    masses: *const f32,
    mass_stride: i64,
    vx: *const f32,
    vy: *const f32,
    vz: *const f32,
    stride: i64,
    ngroups: *mut i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        find(
            search,
            min_size,
            n,
            (masses, mass_stride),
            ([vx, vy, vz], stride),
            ngroups,
        )
    }
}

/// Returns the groups found last and their members as a view. Groups are ordered by size, the largest first; groups of equal
/// size by label, or by the global id of the label. In index base b, the members of group g are `order[offsets[g] - b]` to
/// `order[offsets[g + 1] - 1 - b]`, in ascending order. The points of groups below `min_size` follow at the end of `order`,
/// also in ascending order, so that `order` is a permutation for neargrid_reorder.
///
/// - `ngroups`: receives the number of groups.
/// - `labels`, `sizes`: receive pointers to arrays of `ngroups` elements, owned by the handle.
/// - `offsets`: receives a pointer to an array of `ngroups` + 1 elements, owned by the handle.
/// - `order`: receives a pointer to an array with one element for each point, owned by the handle.
///
/// Returns OK, NULL_POINTER, BAD_STATE (no groups found for the current points and settings).
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
        let search = unsafe { handle::enter_alone(search, "groups across ranks")? };
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

/// Returns sums over the members of the groups found last as a view, in real64 and in the order of
/// neargrid_groups_view_members. The arrays are owned by the handle.
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
/// Positions are taken relative to the label, along a periodic axis at the nearest image, and centers are wrapped into the
/// box. The sums of masses, and of masses times positions, velocities and squared distances, are exact and rounded once. So
/// they do not depend on threads or on the order of the points. They may be infinite.
///
/// Returns the statuses of neargrid_groups_view_members.
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
        let search = unsafe { handle::enter_alone(search, "groups across ranks")? };
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
    (masses, mass_stride): (*const T, i64),
    (velocities, stride): ([*const T; 3], i64),
    ngroups: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, ngroups) = unsafe {
            (
                handle::enter_alone(search, "groups across ranks")?,
                checks::out(ngroups, "ngroups")?,
            )
        };
        search.check_points_held()?;
        check_points(n, search.len())?;
        if masses.is_null() && velocities[0].is_null() {
            ngroups.set(without_properties(&mut search, min_size)?);
            return Ok(());
        }
        let dim = search.held::<T>()?.dim();
        let mut properties = Properties::default();
        // SAFETY: the caller's promise.
        let given = unsafe {
            let [vx, vy, vz] = velocities;
            if !vx.is_null() {
                let bases = [(vx, "vx"), (vy, "vy"), (vz, "vz")];
                properties.velocities = Some(strides::points(dim as i64, n, "n", bases, stride)?);
            }
            let masses = (!masses.is_null())
                .then(|| strides::strided(masses, n as usize, (mass_stride, "mass_stride"), "masses"));
            masses.transpose()?
        };
        properties.masses = given.as_deref();
        ngroups.set(search.groups(min_size, &properties)?.sizes.len() as i64);
        Ok(())
    })
}

/// The number of groups of points that have neither masses nor velocities.
fn without_properties(search: &mut Search, min_size: i64) -> Result<i64> {
    let groups = match search.is_single() {
        Some(true) => search.groups::<f32>(min_size, &Properties::default())?,
        _ => search.groups::<f64>(min_size, &Properties::default())?,
    };
    Ok(groups.sizes.len() as i64)
}
