//! Spatial order of the points, and moving the caller's arrays by it.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::arguments::check_count;
use crate::error::{Error, Result, Status};
use crate::list::Out;
use crate::order::{Direction, move_array, move_in_place};

/// The direction in which arrays are moved: one of NEARGRID_DIRECTION_*.
#[allow(non_camel_case_types)]
pub type neargrid_direction = i32;

/// Move arrays into an order.
pub const NEARGRID_DIRECTION_REORDER: neargrid_direction = 0;
/// Move arrays back, as they were before.
pub const NEARGRID_DIRECTION_RESTORE: neargrid_direction = 1;

/// Computes a spatial order of the points: `order[k]` is the number, in the index base of the handle, of the k-th point along
/// a z-order (Morton) curve. Periodic axes use the wrapped coordinates, and coincident points are ordered by number. Stray
/// points and clusters do not make the order of other points coarser. The result does not depend on backend or threads. No
/// cutoff is needed and no search is made. The call takes 28 bytes of memory for each point while it runs.
///
/// - `n`: number of elements of `order`, which is the number of points.
/// - `order`: receives the order.
///
/// Returns OK, NULL_POINTER, BAD_COUNT, BAD_STATE (no points set), OUT_OF_MEMORY, THREADS, DEVICE_LOST (a run has left
/// the points on a GPU).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_order(
    search: *const neargrid_search,
    n: i64,
    order: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        search.check_points_held()?;
        let len = search.len();
        if n != len as i64 {
            let allowed = format_args!("{len}, the number of points set");
            return Err(Error::not_allowed(Status::BadCount, "n", n, allowed));
        }
        // SAFETY: the caller's promise.
        search.order_into(unsafe { checks::array(order, len, "order")? })
    })
}

/// Permutes an array of any element type, for example with the order of neargrid_search_order. It runs on the calling thread.
///
/// - `direction`: NEARGRID_DIRECTION_REORDER for `to[k] = from[order[k]]`, or NEARGRID_DIRECTION_RESTORE for
///   `to[order[k]] = from[k]`, which undoes it.
/// - `n`: number of elements of each array, 0 to 2^31 - 1.
/// - `order`: a permutation of the numbers `base` to `base` + `n` - 1. This is checked.
/// - `base`: 0 or 1.
/// - `element_bytes`: size of an element in bytes, for example 24 for three real64, or the size of a structure.
/// - `from`: the array to permute. It is not changed, unless it is `to`.
/// - `to`: receives the result. It may be the same array as `from`, and the call then makes a temporary copy; otherwise it
///   must not overlap the other arrays.
///
/// All arrays may be NULL if `n` is 0.
///
/// Returns OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (`direction`, `base`, `element_bytes`, a number out of range or
/// repeated, overlapping arrays), OUT_OF_MEMORY. On failure `to` is not changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_reorder(
    direction: neargrid_direction,
    n: i64,
    order: *const i32,
    base: i32,
    element_bytes: i64,
    from: *const c_void,
    to: *mut c_void,
) -> neargrid_status {
    let directions = [
        (NEARGRID_DIRECTION_REORDER, "reorder", Direction::Reorder),
        (NEARGRID_DIRECTION_RESTORE, "restore", Direction::Restore),
    ];
    guard(|| {
        let direction = checks::choice(direction, "direction", &directions)?;
        // SAFETY: the caller's promise.
        unsafe { move_bytes(direction, n, order, base, element_bytes, [from, to]) }
    })
}

/// # Safety
/// As for [`neargrid_reorder`].
unsafe fn move_bytes(
    direction: Direction,
    n: i64,
    order: *const i32,
    base: i32,
    element_bytes: i64,
    arrays: [*const c_void; 2],
) -> Result<()> {
    let n = check_count("n", n)?;
    let bytes = usize::try_from(element_bytes).ok().filter(|&bytes| bytes > 0);
    let Some(bytes) = bytes.filter(|bytes| bytes.saturating_mul(n) <= isize::MAX as usize) else {
        let allowed = "greater than 0, and small enough that n elements fit into memory";
        return Err(Error::not_allowed(
            Status::BadValue,
            "element_bytes",
            element_bytes,
            allowed,
        ));
    };
    // SAFETY: the caller's promise.
    let order = unsafe { checks::slice(order, n, "order")? };
    for (array, argument) in arrays.iter().zip(["from", "to"]) {
        if n > 0 && array.is_null() {
            let expected = "an array of n elements";
            return Err(Error::NullPointer { argument, expected });
        }
    }
    let span = |start: *const c_void| start.addr()..start.addr() + n * bytes;
    let [from, to] = arrays.map(span);
    let orders = order.as_ptr().addr()..order.as_ptr().addr() + size_of_val(order);
    if from.start != to.start {
        checks::apart("to", &to, "from", &from)?;
    }
    checks::apart("to", &to, "order", &orders)?;
    // SAFETY: as the caller promises, and apart where that is needed; the pieces have no alignment.
    unsafe {
        match bytes % 8 {
            0 => move_pieces::<8>(direction, order, base, bytes / 8, arrays),
            4 => move_pieces::<4>(direction, order, base, bytes / 4, arrays),
            _ => move_pieces::<1>(direction, order, base, bytes, arrays),
        }
    }
}

/// Moves elements of `width` pieces of `N` bytes each, which may be padding.
///
/// # Safety
/// The arrays are readable, and the second writable, for as many elements as `order` has; they are the same or apart.
unsafe fn move_pieces<const N: usize>(
    direction: Direction,
    order: &[i32],
    base: i32,
    width: usize,
    [from, to]: [*const c_void; 2],
) -> Result<()> {
    type Piece<const N: usize> = MaybeUninit<[u8; N]>;
    let (len, base) = (order.len() * width, i64::from(base));
    if len == 0 {
        return move_array::<Piece<N>>(direction, order, base, width, &[], Out::empty());
    }
    if from == to {
        // SAFETY: not NULL, and the caller's promise.
        let array = unsafe { std::slice::from_raw_parts_mut(to.cast_mut().cast::<Piece<N>>(), len) };
        return move_in_place(direction, order, base, width, array);
    }
    // SAFETY: not NULL, apart, and the caller's promise.
    unsafe {
        let from = std::slice::from_raw_parts(from.cast::<Piece<N>>(), len);
        let to = Out::from_raw(to.cast_mut().cast::<Piece<N>>(), len);
        move_array(direction, order, base, width, from, to)
    }
}
