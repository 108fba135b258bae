//! The skin: lists kept while points move little.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::neighbors::{kind_of, neargrid_neighbors};
use super::points::points_asked;
use super::status::neargrid_status;
use crate::ranks::Need;
use crate::search::{Precision, Search};

/// Sets a skin, for points that move little from step to step. Queries for pairs and neighbors then build a list of all pairs
/// within cutoff plus skin. neargrid_search_update_f64 keeps this list while no point has moved by more than half the skin,
/// and queries take their result from it. Results are exact for the current points, and identical to those of a search
/// without a skin. Queries set by neargrid_search_set_queries_f64 do not use the list. With radii, the list has all pairs within
/// the cutoffs of radii that are larger by the skin.
///
/// - `skin`: in the unit of the coordinates, finite and at least 0; 0 (default) means no skin. A periodic axis must be at
///   least two cutoffs plus two skins long.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_skin(search: *mut neargrid_search, skin: f64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.set_skin(skin)
    })
}

/// Sets the points of the next time step, in real64. It works as neargrid_search_set_points_f64, but keeps the list built
/// with the skin if no point has moved too far since the list was built. The list is rebuilt if the number, dimension or
/// precision of the points changed, or any setting that it depends on. Where neargrid_search_set_box has changed the lengths of
/// periodic axes, the length of the vector of these changes is taken off the skin, as twice the largest displacement is. Without a
/// skin, or before the first query, this is the
/// same as neargrid_search_set_points_f64.
///
/// - `dim`, `n`, `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64, with the points in the same order as before.
/// - `rebuilt`: receives 1 if the next query for pairs or neighbors has to rebuild the list, otherwise 0.
///
/// Returns the statuses of neargrid_search_set_points_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_update_f64(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    x: *const f64,
    y: *const f64,
    z: *const f64,
    stride: i64,
    rebuilt: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { update(search, dim, n, [x, y, z], stride, rebuilt) }
}

/// As neargrid_search_update_f64, in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_update_f32(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    x: *const f32,
    y: *const f32,
    z: *const f32,
    stride: i64,
    rebuilt: *mut i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { update(search, dim, n, [x, y, z], stride, rebuilt) }
}

/// # Safety
/// As for [`neargrid_search_update_f64`].
unsafe fn update<T: Precision>(
    search: *mut neargrid_search,
    dim: i32,
    n: i64,
    bases: [*const T; 3],
    stride: i64,
    rebuilt: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        // SAFETY: the caller's promise.
        let asked = unsafe { points_asked(dim, n, bases, stride) }.and_then(|view| {
            // SAFETY: the caller's promise.
            Ok((view, unsafe { checks::out(rebuilt, "rebuilt")? }))
        });
        match search.both() {
            (search, None) => {
                let (view, rebuilt) = asked?;
                rebuilt.set(search.update(&view)?.into());
            }
            (search, Some(ranks)) => {
                let (rebuild, rebuilt) = ranks.update_all(search, asked)?;
                rebuilt.set(rebuild.into());
            }
        }
        Ok(())
    })
}

/// Reports how much of the skin the last neargrid_search_update_f64 used.
///
/// - `share`: receives twice the largest displacement since the list was built, with the change of the box, divided by the skin. If
///   it is above 1 the list was discarded, and also slightly below 1 where rounding could matter. It is 0 if there was no list to compare with,
///   and after the points are set in another way, or cutoff, skin, types, ghosts, ids or radii change.
///
/// Returns OK, NULL_POINTER.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_skin_used(search: *const neargrid_search, share: *mut f64) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, share) = unsafe { (handle::enter(search)?, checks::out(share, "share")?) };
        share.set(search.skin_used());
        Ok(())
    })
}

/// Returns the Verlet list as a view: the rows of all pairs that were within cutoff plus skin when the list was made. It is not
/// filtered, so that a loop over it decides by its own distances what is in reach. As long as neargrid_search_update_f64 keeps
/// the list, it has every pair that is within the cutoff now, and the same rows at every call. The list is made if there is none
/// of this kind for the current points and settings.
///
/// A pair is in it if its distance squared, computed as for neargrid_pairs_copy, was at most the square of cutoff plus skin, or
/// by the exclusive rule less. With radii, the skin is added to each, with one rounding in the precision of the points. Order, types, ghosts, global ids and index base are as for neargrid_neighbors_copy.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF or NEARGRID_NEIGHBORS_FULL.
/// - `n`: receives the number of rows.
/// - `total`: receives the number of ids.
/// - `offsets`, `ids`: receive pointers to arrays of `n` + 1 and `total` elements, owned by the handle.
/// - `rebuilt`: receives 0 if it is the list that the last such call returned, 1 if it is another: made for other points, or of
///   another kind.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (`kind`), BAD_STATE (no points, cutoff or skin), BAD_RADIUS (the square of a
/// radius and the skin is infinite), and the statuses of neargrid_neighbors_view. BAD_DOMAIN also means that a periodic axis is shorter than two cutoffs and
/// two skins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_verlet_view(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    n: *mut i64,
    total: *mut i64,
    offsets: *mut *const i64,
    ids: *mut *const i32,
    rebuilt: *mut i32,
) -> neargrid_status {
    guard(|| {
        let asked = |_: &mut Search| {
            let kind = kind_of(kind)?;
            // SAFETY: the caller's promise.
            let outs = unsafe {
                (
                    checks::out(n, "n")?,
                    checks::out(total, "total")?,
                    checks::out(offsets, "offsets")?,
                    checks::out(ids, "ids")?,
                    checks::out(rebuilt, "rebuilt")?,
                )
            };
            Ok((Need::Verlet(kind), (kind, outs)))
        };
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.together(
            "verlet_view",
            asked,
            |search, (kind, (n, total, offsets, ids, rebuilt)), meeting| {
                let list = meeting.agree(search.verlet_list(kind))?;
                offsets.set(list.neighbors.offsets.as_ptr());
                ids.set(list.neighbors.ids.as_ptr());
                n.set(list.neighbors.offsets.len() as i64 - 1);
                total.set(list.neighbors.ids.len() as i64);
                rebuilt.set(list.rebuilt.into());
                Ok(())
            },
        )
    })
}
