//! The catalogue of groups: their members, and sums over them.

use super::checks;
use super::fof::{ACROSS, check_points};
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use super::strides;
use crate::error::{Error, Result};
use crate::groups::{Properties, Totals};
use crate::ranks::Ranks;
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
/// Across ranks the call is collective, and `min_size` is the same on all ranks. Each group is in the catalogue of one rank: the one that owns
/// the point with the label's id. neargrid_groups_copy_ids returns labels. Ranks that have points give all of them masses or none, and
/// velocities or none.
///
/// Returns the statuses of neargrid_fof_view, across ranks also COMMUNICATION and DISAGREEMENT, and also BAD_COUNT (`min_size`, `n`), BAD_VALUE (a mass, a stride, or the points
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
        let search = unsafe { handle::enter_alone(search, ACROSS)? };
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

/// Copies the global ids of the labels of the groups found last, and the groups' sizes, in the order of neargrid_groups_view_sums. The label
/// of a group is the smallest global id of its points, or the smallest point number where no ids are set: its members are the points that
/// have this label by neargrid_fof_copy_ids.
///
/// - `capacity`: number of elements that the arrays have room for.
/// - `ngroups`: receives the number of groups.
/// - `labels`, `sizes`: receive `ngroups` elements each. Elements after these are not changed. Both may be NULL if `capacity` is 0.
///
/// Across ranks each group is in the catalogue of one rank, the one that owns the point with the label's id, and its size counts the points
/// of all ranks. The call is not collective.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`capacity`), BAD_VALUE (results that overlap), BAD_STATE (no groups found for the current points and
/// settings), CAPACITY. After CAPACITY, `ngroups` is the number needed and the arrays are unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_groups_copy_ids(
    search: *mut neargrid_search,
    capacity: i64,
    ngroups: *mut i64,
    labels: *mut i64,
    sizes: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut entered, ngroups) = unsafe { (handle::enter(search)?, checks::out(ngroups, "ngroups")?) };
        let (search, ranks) = entered.both();
        let held = totals(search, ranks.as_deref())?.sizes;
        let need = held.len();
        if checks::count_of::<i64>(capacity, "capacity", 1)? < need {
            ngroups.set(need as i64);
            return Err(Error::Capacity {
                argument: "capacity",
                capacity,
                need: need as i64,
            });
        }
        checks::disjoint(&[
            checks::written(ngroups.address(), 1, "ngroups"),
            checks::written(labels, need, "labels"),
            checks::written(sizes, need, "sizes"),
        ])?;
        // SAFETY: the caller's promise.
        let (mut to, mut sizes) = unsafe {
            (
                checks::array(labels, need, "labels")?,
                checks::array(sizes, need, "sizes")?,
            )
        };
        sizes.write_all(0, held);
        match ranks {
            Some(ranks) => to.write_all(0, ranks.catalogue(search)?.labels),
            None => {
                let labels = search.groups_held()?.labels.iter().enumerate();
                labels.for_each(|(group, &label)| to.write(group, search.id_of(label)));
            }
        }
        ngroups.set(need as i64);
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
    search: *mut neargrid_search,
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
        let mut entered = unsafe { handle::enter(search)? };
        let (search, ranks) = entered.both();
        let groups = totals(search, ranks.as_deref())?;
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

/// The sums of the groups found last, here or on all ranks.
fn totals<'a>(search: &'a Search, ranks: Option<&'a Ranks>) -> Result<Totals<'a>> {
    match ranks {
        Some(ranks) => Ok(ranks.catalogue(search)?.totals),
        None => Ok(search.groups_held()?.totals()),
    }
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
        let (mut entered, ngroups) = unsafe { (handle::enter(search)?, checks::out(ngroups, "ngroups")) };
        let (search, ranks) = entered.both();
        let has_properties = !(masses.is_null() && velocities[0].is_null());
        let given = || {
            search.check_points_held()?;
            check_points(n, search.len())?;
            let ngroups = ngroups?;
            let mut properties = Properties::default();
            if !has_properties {
                return Ok((ngroups, properties, None));
            }
            let dim = search.held::<T>()?.dim();
            let [vx, vy, vz] = velocities;
            // SAFETY: the caller's promise.
            let masses = unsafe {
                if !vx.is_null() {
                    let bases = [(vx, "vx"), (vy, "vy"), (vz, "vz")];
                    properties.velocities = Some(strides::points(dim as i64, n, "n", bases, stride)?);
                }
                let masses = (!masses.is_null())
                    .then(|| strides::strided(masses, n as usize, (mass_stride, "mass_stride"), "masses"));
                masses.transpose()?
            };
            Ok((ngroups, properties, masses))
        };
        let given = given();
        let asked = given
            .as_ref()
            .map_err(Error::clone)
            .map(|(ngroups, properties, masses)| {
                let masses = masses.as_deref();
                (ngroups, Properties { masses, ..*properties })
            });
        let found = match search.is_single() {
            // Points of any precision have no properties.
            Some(true) if !has_properties => make::<f32, _>(search, ranks, min_size, asked.map(without)),
            _ if !has_properties => make::<f64, _>(search, ranks, min_size, asked.map(without)),
            _ => make(search, ranks, min_size, asked),
        };
        let (ngroups, found) = found?;
        ngroups.set(found as i64);
        Ok(())
    })
}

/// No properties, in the place of those of another precision.
fn without<A, T, U>((rest, _): (A, Properties<T>)) -> (A, Properties<'static, U>) {
    (rest, Properties::default())
}

/// Makes the catalogue, here or on all ranks. Returns the number of its groups, and what came with the question.
fn make<T: Precision, A>(
    search: &mut Search,
    ranks: Option<&mut Ranks>,
    min_size: i64,
    asked: Result<(A, Properties<T>)>,
) -> Result<(A, usize)> {
    let found = match ranks {
        Some(ranks) => {
            let of = asked.as_ref().map(|(_, properties)| (min_size, properties));
            ranks.groups(search, of.map_err(Error::clone))?.totals.sizes.len()
        }
        None => {
            let (_, properties) = asked.as_ref().map_err(Error::clone)?;
            search.groups(min_size, properties)?.sizes.len()
        }
    };
    Ok((asked?.0, found))
}
