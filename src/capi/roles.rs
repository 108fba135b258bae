//! Roles of points: active points, ghosts and absent points in any order, and the rows of ghosts.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use super::strides;
use crate::arguments::check_count;
use crate::error::{Error, words};
use crate::kinds::{GhostRows, Role};

/// The part of a point in the rows of points: one of NEARGRID_ROLE_*.
#[allow(non_camel_case_types)]
pub type neargrid_role = i32;

/// The point takes no part. It is in no row, and its own row is empty.
pub const NEARGRID_ROLE_ABSENT: neargrid_role = 0;
/// The point is active. It is a neighbor of active points and ghosts.
pub const NEARGRID_ROLE_ACTIVE: neargrid_role = 1;
/// The point is a ghost. It is a neighbor of active points.
pub const NEARGRID_ROLE_GHOST: neargrid_role = 2;

/// The points in the full rows of ghosts: one of NEARGRID_GHOST_ROWS_*.
#[allow(non_camel_case_types)]
pub type neargrid_ghost_rows = i32;

/// Full rows of ghosts list active points. The default.
pub const NEARGRID_GHOST_ROWS_ACTIVE: neargrid_ghost_rows = 0;
/// Full rows of ghosts list active points and other ghosts.
pub const NEARGRID_GHOST_ROWS_ALL: neargrid_ghost_rows = 1;
/// Full rows of ghosts are empty.
pub const NEARGRID_GHOST_ROWS_NONE: neargrid_ghost_rows = 2;

/// Sets the role of each point, so that active points, ghosts and points that take no part may come in any order: for individual
/// time steps, for halos on both sides of a range, or for arrays with holes. The handle keeps a copy, which remains when points
/// are set again.
///
/// - `n`: number of points, checked by the query, or 0 to remove the roles, so that all points are active again.
/// - `roles`: `n` values of NEARGRID_ROLE_*. May be NULL if `n` is 0.
/// - `stride`: distance from one role to the next in bytes, as for neargrid_search_set_points_f64.
///
/// Each pair of an active point and a ghost is found once: in the half row of the active point, whatever the numbers of the two, and
/// with the active point as `pair_i`. Each pair of active points is found once, by the smaller number or global id. Results
/// contain the numbers of all points; rows of absent points are empty. The coordinates of an absent point must be finite. Queries
/// list active points and ghosts. Roles replace what neargrid_search_set_active has set, and that call replaces the roles.
///
/// Across ranks the roles are those of this rank's points. They hold on all ranks: an active point of another rank is listed as an active
/// point here, and an absent one is in no row. All points of ranks without roles are active. Points may have 31 types at most then, or the
/// query is refused (NOT_SUPPORTED).
///
/// Searches for groups refuse absent points (NOT_SUPPORTED). Searches for nearest points refuse them too, and ghosts before
/// active points.
///
/// Returns OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (a role, `stride`), OUT_OF_MEMORY. On failure the previous roles remain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_roles(
    search: *mut neargrid_search,
    n: i64,
    roles: *const neargrid_role,
    stride: i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, roles) = unsafe {
            let n = check_count("n", n)?;
            (
                handle::enter(search)?,
                strides::strided(roles, n, (stride, "stride"), "roles")?,
            )
        };
        let base = search.index_base();
        search.set_roles_by(roles.len(), |point| match roles[point] {
            NEARGRID_ROLE_ABSENT => Ok(Role::Absent),
            NEARGRID_ROLE_ACTIVE => Ok(Role::Active),
            NEARGRID_ROLE_GHOST => Ok(Role::Ghost),
            other => Err(Error::Element {
                argument: "roles",
                position: point as i64 + base,
                value: other.into(),
                allowed: words(format_args!("0 (absent), 1 (active) or 2 (ghost)")),
            }),
        })
    })
}

/// Sets which points the full rows of ghosts list. Pairs, half rows and the rows of active points do not depend on it.
///
/// - `which`: NEARGRID_GHOST_ROWS_ACTIVE (default), NEARGRID_GHOST_ROWS_ALL, or NEARGRID_GHOST_ROWS_NONE, which saves time and
///   memory where only the rows of active points are read.
///
/// The setting remains when points are set again.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_ghost_rows(
    search: *mut neargrid_search,
    which: neargrid_ghost_rows,
) -> neargrid_status {
    let choices = [
        (NEARGRID_GHOST_ROWS_ACTIVE, "active points", GhostRows::Active),
        (NEARGRID_GHOST_ROWS_ALL, "all points", GhostRows::All),
        (NEARGRID_GHOST_ROWS_NONE, "no points", GhostRows::None),
    ];
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.set_ghost_rows(checks::choice(which, "which", &choices)?);
        Ok(())
    })
}
