//! Rows of many systems of points, in one call.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::neighbors::{kind_of, neargrid_neighbors};
use super::status::neargrid_status;
use super::strides;
use crate::arguments::check_dim;
use crate::error::Result;
use crate::list::{push, reserve_keeping};
use crate::search::{Precision, Systems};

/// Finds the half or full rows of many systems of points at once, in real64, and returns them as a view. Points of one system follow
/// each other, and list neighbors of their own system alone. Rows and ids have the numbers of the points in the arrays given. So a
/// thousand molecules of a hundred atoms take one call, and all threads.
///
/// Each system has a cutoff and, if it is wanted, a box of its own. The handle's cutoff and box are not used, and neither are its points
/// and what was set for them, all of which stay. Tie rule, index base, threads and memory limit are the handle's. The rows are
/// those of neargrid_neighbors_view for each system alone, bit for bit. They are found on the CPU. Across ranks each rank has its own systems,
/// and the call is not collective.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF or NEARGRID_NEIGHBORS_FULL.
/// - `dim`: 1, 2 or 3, for all systems.
/// - `nsystems`: number of systems, at least 0.
/// - `firsts`: `nsystems` + 1 numbers of points, in the index base of the handle, which never descend: the first point of each system,
///   and the end of the last one. So system k has the points `firsts[k]` to `firsts[k + 1]` - 1, and may have none.
/// - `x`, `y`, `z`, `stride`: the coordinates of all points, as for neargrid_search_set_points_f64.
/// - `cutoffs`: `nsystems` cutoffs.
/// - `lo`, `length`, `periodic`: `nsystems` times `dim` elements, those of a system one after the other, with the meaning that they have
///   for neargrid_search_set_box; or all three NULL, where all space is open.
/// - `total`: receives the number of ids.
/// - `offsets`, `ids`: receive pointers to arrays of as many elements as there are points, and one, and of `total` elements. The handle
///   owns them, until the next call that is not a question.
///
/// Returns OK, NULL_POINTER, BAD_DIM, BAD_COUNT (`nsystems`, or more than 2^31 - 1 points), BAD_VALUE (`kind`, `stride`, `firsts`,
/// `periodic`), BAD_CUTOFF and BAD_DOMAIN (which name the system), NON_FINITE, NOT_SUPPORTED (the backend is set to GPU), OUT_OF_MEMORY,
/// THREADS, MEMORY_LIMIT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_systems_view_f64(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    dim: i32,
    nsystems: i64,
    firsts: *const i64,
    x: *const f64,
    y: *const f64,
    z: *const f64,
    stride: i64,
    cutoffs: *const f64,
    lo: *const f64,
    length: *const f64,
    periodic: *const i32,
    total: *mut i64,
    offsets: *mut *const i64,
    ids: *mut *const i32,
) -> neargrid_status {
    let given = Given {
        dim,
        nsystems,
        firsts,
        cutoffs,
        boxes: [lo, length],
        periodic,
    };
    // SAFETY: the caller's promise.
    unsafe { find(search, kind, given, ([x, y, z], stride), (total, offsets, ids)) }
}

/// As neargrid_systems_view_f64, in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_systems_view_f32(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    dim: i32,
    nsystems: i64,
    firsts: *const i64,
    x: *const f32,
    y: *const f32,
    z: *const f32,
    stride: i64,
    cutoffs: *const f64,
    lo: *const f64,
    length: *const f64,
    periodic: *const i32,
    total: *mut i64,
    offsets: *mut *const i64,
    ids: *mut *const i32,
) -> neargrid_status {
    let given = Given {
        dim,
        nsystems,
        firsts,
        cutoffs,
        boxes: [lo, length],
        periodic,
    };
    // SAFETY: the caller's promise.
    unsafe { find(search, kind, given, ([x, y, z], stride), (total, offsets, ids)) }
}

/// The systems as C has them.
struct Given {
    dim: i32,
    nsystems: i64,
    firsts: *const i64,
    cutoffs: *const f64,
    boxes: [*const f64; 2],
    periodic: *const i32,
}

/// # Safety
/// As for [`neargrid_systems_view_f64`].
unsafe fn find<T: Precision>(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    given: Given,
    (bases, stride): ([*const T; 3], i64),
    (total, offsets, ids): (*mut i64, *mut *const i64, *mut *const i32),
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, total, offsets, ids) = unsafe {
            (
                handle::enter(search)?,
                checks::out(total, "total")?,
                checks::out(offsets, "offsets")?,
                checks::out(ids, "ids")?,
            )
        };
        let dim = check_dim(given.dim.into())?;
        let len = checks::count_of::<f64>(given.nsystems, "nsystems", dim)?;
        let Given {
            boxes: [lo, length],
            periodic,
            ..
        } = given;
        let of_boxes = if lo.is_null() && length.is_null() && periodic.is_null() {
            0
        } else {
            len * dim
        };
        // SAFETY: the caller's promise.
        let (firsts, cutoffs, lo, length, flags) = unsafe {
            (
                checks::slice(given.firsts, len + 1, "firsts")?,
                checks::slice(given.cutoffs, len, "cutoffs")?,
                checks::slice(lo, of_boxes, "lo")?,
                checks::slice(length, of_boxes, "length")?,
                checks::slice(periodic, of_boxes, "periodic")?,
            )
        };
        let periodic = axes(flags)?;
        let points = firsts[len].saturating_sub(search.index_base());
        let bases = [(bases[0], "x"), (bases[1], "y"), (bases[2], "z")];
        // SAFETY: the caller's promise.
        let view = unsafe { strides::points(given.dim.into(), points, "points of all systems", bases, stride)? };
        let systems = Systems {
            firsts,
            cutoffs,
            lo,
            length,
            periodic: &periodic,
        };
        let rows = search.systems(&view, &systems, kind_of(kind)?)?;
        offsets.set(rows.offsets.as_ptr());
        ids.set(rows.ids.as_ptr());
        total.set(rows.ids.len() as i64);
        Ok(())
    })
}

/// Periodic axes by their flags.
fn axes(flags: &[i32]) -> Result<Vec<bool>> {
    let choices = [(0, "open", false), (1, "periodic", true)];
    let mut axes = Vec::new();
    reserve_keeping(&mut axes, flags.len(), "the boxes of systems")?;
    for &flag in flags {
        push(
            &mut axes,
            checks::choice(flag, "periodic", &choices)?,
            "the boxes of systems",
        )?;
    }
    Ok(axes)
}
