//! A cell of three vectors, and rows of neighbors with their images in it.

use super::checks::{self, Place};
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::neighbors::{check_rows, kind_of, neargrid_neighbors};
use super::pairs::agree_to_write;
use super::status::neargrid_status;
use crate::error::{Error, Result};
use crate::list::Out;
use crate::ranks::Need;
use crate::search::{Images, NeighborsKind, Search};

/// Sets a cell of three vectors in any orientation, of which any may be periodic; or removes it. neargrid_images_copy returns the
/// rows of neighbors in a cell, and neargrid_search_run evaluates formulas over them. Other queries return NOT_SUPPORTED while a
/// cell is set.
///
/// - `cell`: 9 numbers, the vectors one after the other: `cell[3 * k + axis]` is a component of vector k. It may be NULL, which
///   removes the cell: space is open again.
/// - `periodic`: 3 flags, 1 for a periodic vector and 0 for an open one. May be NULL if `cell` is.
///
/// A vector that is not periodic means nothing and may be any numbers, such as 0 or NaN: space is open along it, and shifts are 0
/// there. Periodic vectors must be finite, from 1e-100 to 1e100 long, and none in the line or plane of the others. They may be
/// left-handed, tilted by any angle, and shorter than the cutoff. Points may lie anywhere, also outside of the cell. For points with
/// 1 or 2 axes, components of periodic vectors along the other axes must be 0.
///
/// Across ranks the cell is the same on all ranks that have points, and rows have images of the points of all ranks.
///
/// A cell takes the place of a box: if that was periodic, the handle discards its points. neargrid_search_set_box removes the
/// cell. Points stay where a cell takes the place of another.
///
/// Returns OK, NULL_POINTER, BAD_VALUE, BAD_DOMAIN. On failure the cell stays as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_cell(
    search: *mut neargrid_search,
    cell: *const f64,
    periodic: *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        if cell.is_null() {
            search.clear_cell();
            return Ok(());
        }
        // SAFETY: the caller's promise.
        let (cell, flags) = unsafe { (checks::slice(cell, 9, "cell")?, checks::slice(periodic, 3, "periodic")?) };
        let vectors = std::array::from_fn(|k| std::array::from_fn(|axis| cell[3 * k + axis]));
        let choices = [(0, "open", false), (1, "periodic", true)];
        let mut periodic = [false; 3];
        for (axis, &flag) in periodic.iter_mut().zip(flags) {
            *axis = checks::choice(flag, "periodic", &choices)?;
        }
        search.set_cell(&vectors, periodic)
    })
}

/// Counts the entries in the rows of neargrid_images_copy. The handle keeps the rows, so that they can be requested afterwards
/// without another search.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF or NEARGRID_NEIGHBORS_FULL.
/// - `total`: receives the number of entries.
///
/// Returns OK, NULL_POINTER, BAD_STATE (no points, cutoff or cell set), BAD_CUTOFF, BAD_DOMAIN (points so far from the origin that
/// shifts are above 2^29, that rounding moves images by a cutoff, or that it is not certain in which cell they are; a cutoff or a cell
/// with which that is so everywhere; vectors with components along axes that the points do not have), BAD_COUNT (points and
/// images within a cutoff of the cell are more than 2^31 - 1, or types or exclusions are of another number of points), BAD_VALUE
/// (exclusions by shifts along vectors that are not periodic), NOT_SUPPORTED (ghosts, radii or queries are set), MEMORY_LIMIT, and for
/// the search itself the statuses of neargrid_neighbors_count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_images_count(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    total: *mut i64,
) -> neargrid_status {
    guard(|| {
        let asked = |_: &mut Search| {
            let kind = kind_of(kind)?;
            // SAFETY: the caller's promise.
            Ok((Need::Rows(kind), (kind, unsafe { checks::out(total, "total")? })))
        };
        // SAFETY: the caller's promise.
        unsafe { handle::enter(search)? }.together("images_count", asked, |search, (kind, total), meeting| {
            total.set(meeting.agree(search.count_images(kind))?);
            Ok(())
        })
    })
}

/// Copies the rows of neighbors in the cell into the caller's arrays, in compressed form (CSR), with all images. In index base b,
/// the entries of row i are `offsets[i] - b` to `offsets[i + 1] - 1 - b`. Entry k is point j = `ids[k]` with the shift
/// S = (`shifts[3 * k]`, `shifts[3 * k + 1]`, `shifts[3 * k + 2]`): the image of j, x_j + S1 * a + S2 * b + S3 * c with the
/// vectors a, b, c of the cell, is within the cutoff of x_i. The positions are those that were given, also outside of the cell. So
/// the vector from i to the image is D = x_j - x_i + S * cell. Displacements of neargrid_pairs_distances_f64 and d in formulas
/// have the other sign, x_i - x_j.
///
/// Rows ascend by (j, S1, S2, S3). Full rows also list images of the point itself, with S not 0. Half rows list one of the entries
/// (i, j, S) and (j, i, -S): that with i < j, or for an image of the point itself that in which the sum of S is positive, or the
/// sum is 0 and S3 > 0, or the sum and S3 are 0 and S2 > 0. If points have global ids, these are compared in place of i and j.
///
/// S1 * a + S2 * b + S3 * c is computed in real64, summed from left to right, and rounded to the precision of the points; the sum
/// with x_j and the distance from x_i are computed in that precision, as in an open box. Full rows have an entry and its
/// opposite for each entry of half rows, which decides for both: (i, j, S) and (j, i, -S) may round differently.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF or NEARGRID_NEIGHBORS_FULL.
/// - `n`: number of rows, which is the number of points.
/// - `capacity`: number of elements of `ids`, and a third of those of `shifts`.
/// - `total`: receives the number of entries.
/// - `offsets`: receives `n` + 1 elements.
/// - `ids`: receives the point numbers; elements after the first `total` are not changed. May be NULL if `capacity` is 0.
/// - `shifts`: receives three numbers for each entry. May be NULL if they are not needed.
///
/// Returns the statuses of neargrid_images_count, and also BAD_COUNT (`n`, `capacity`), BAD_VALUE (the results would overlap),
/// CAPACITY. After CAPACITY, `total` is the size needed and the arrays are unchanged; another call with larger arrays does not
/// repeat the search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_images_copy(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    n: i64,
    capacity: i64,
    total: *mut i64,
    offsets: *mut i64,
    ids: *mut i32,
    shifts: *mut i32,
) -> neargrid_status {
    guard(|| {
        let asked = |search: &mut Search| {
            let kind = kind_of(kind)?;
            // SAFETY: the caller's promise.
            let total = unsafe { checks::out(total, "total")? };
            let capacity = checks::count(capacity, "capacity")?;
            search.check_points_held()?;
            check_rows(n, search.len(), NeighborsKind::Full)?;
            Ok((Need::Rows(kind), (kind, total, capacity)))
        };
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.together("images_copy", asked, |search, (kind, total, capacity), meeting| {
            let images = meeting.agree(search.images(kind))?;
            // SAFETY: the caller's promise.
            let arrays = unsafe { arrays(&images, capacity, &total, (offsets, ids, shifts)) };
            let (mut offsets, mut ids, shifts) = agree_to_write(meeting, arrays, (&total, images.ids.len()))?;
            offsets.write_all(0, images.offsets);
            ids.write_all(0, images.ids);
            if let Some(mut shifts) = shifts {
                shifts.write_all(0, images.shifts.as_flattened());
            }
            total.set(images.ids.len() as i64);
            Ok(())
        })
    })
}

/// Offsets, ids and shifts.
type Arrays<'a> = (Out<'a, i64>, Out<'a, i32>, Option<Out<'a, i32>>);

/// The caller's arrays, if they have room for the rows.
///
/// # Safety
/// As for [`neargrid_images_copy`].
unsafe fn arrays<'a>(
    images: &Images,
    capacity: usize,
    total: &Place<i64>,
    (offsets, ids, shifts): (*mut i64, *mut i32, *mut i32),
) -> Result<Arrays<'a>> {
    let (rows, entries) = (images.offsets.len(), images.ids.len());
    if capacity < entries {
        return Err(Error::Capacity {
            argument: "capacity",
            capacity: capacity as i64,
            need: entries as i64,
        });
    }
    checks::disjoint(&[
        checks::written(total.address(), 1, "total"),
        checks::written(offsets, rows, "offsets"),
        checks::written(ids, entries, "ids"),
        checks::written(shifts, entries * 3, "shifts"),
    ])?;
    // SAFETY: the caller's promise: n + 1 offsets, and at least as many elements as there are entries.
    let (offsets, ids, shifts) = unsafe {
        (
            checks::array(offsets, rows, "offsets")?,
            checks::array(ids, entries, "ids")?,
            (!shifts.is_null()).then(|| checks::array(shifts, entries * 3, "shifts")),
        )
    };
    Ok((offsets, ids, shifts.transpose()?))
}

/// Returns the rows of neighbors in the cell as a view, with the contents of neargrid_images_copy.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF or NEARGRID_NEIGHBORS_FULL.
/// - `n`: receives the number of rows.
/// - `total`: receives the number of entries.
/// - `offsets`, `ids`, `shifts`: receive pointers to arrays of `n` + 1, `total` and 3 times `total` elements, owned by the handle.
///   `shifts` may be NULL if they are not needed.
///
/// Returns the statuses of neargrid_images_count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_images_view(
    search: *mut neargrid_search,
    kind: neargrid_neighbors,
    n: *mut i64,
    total: *mut i64,
    offsets: *mut *const i64,
    ids: *mut *const i32,
    shifts: *mut *const i32,
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
                    (!shifts.is_null()).then(|| checks::out(shifts, "shifts")).transpose()?,
                )
            };
            Ok((Need::Rows(kind), (kind, outs)))
        };
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.together("images_view", asked, |search, (kind, outs), meeting| {
            let images = meeting.agree(search.images(kind))?;
            let (n, total, offsets, ids, shifts) = outs;
            offsets.set(images.offsets.as_ptr());
            ids.set(images.ids.as_ptr());
            if let Some(shifts) = shifts {
                shifts.set(images.shifts.as_ptr().cast());
            }
            n.set(images.offsets.len() as i64 - 1);
            total.set(images.ids.len() as i64);
            Ok(())
        })
    })
}
