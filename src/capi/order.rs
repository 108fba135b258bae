//! Spatial order of the points, and moving the caller's arrays by it.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::error::{Error, Result, Status};
use crate::list::Out;
use crate::order::{Direction, move_array, move_in_place};
use crate::points::check_len;

/// Tells the numbers of the points in spatial order: `order[k]` is the number, in the handle's index base, of the point
/// that stands k-th along a z-order curve (Morton) over them, wrapped along periodic axes. Coincident points go by number;
/// strays and clusters do not coarsen the order of the others. The same for any backend and number of threads. Needs no
/// cutoff, searches nothing, and takes 28 bytes a point while it runs. Views stay valid.
///
/// `n`: elements that order has, as many as there are points.
/// Status: OK, NULL_POINTER, BAD_COUNT, BAD_STATE (no points set), OUT_OF_MEMORY, THREADS.
///
/// # Safety
/// `search` is NULL or a valid handle; `order` is NULL or writable for `n` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_order(
    search: *const neargrid_search,
    n: i64,
    order: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let search = unsafe { handle::enter(search)? };
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

/// Brings an array of any type into the order that neargrid_search_order made: `to[k] = from[order[k]]`. On the calling
/// thread.
///
/// `n`: elements that each array has, 0 to 2^31 - 1. `order`: each number from base to base + n - 1 once, which is checked.
/// `base`: 0 or 1, where those numbers begin. `element_bytes`: size of an element, such as 24 for three real64, or that of a
/// structure. `from`: not changed, unless it is `to`. `to`: from itself, then a copy of it is made for the call, or an array
/// apart from the others. All may be NULL where n is 0.
/// Status: OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (base, element_bytes, a number out of range or twice, arrays that
/// overlap), OUT_OF_MEMORY. On failure `to` is untouched.
///
/// # Safety
/// `order` is NULL or readable for `n` elements, `from` and `to` are NULL or readable and writable for
/// `n * element_bytes` bytes; nobody else uses them during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_reorder(
    n: i64,
    order: *const i32,
    base: i32,
    element_bytes: i64,
    from: *const c_void,
    to: *mut c_void,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { move_bytes(Direction::Reorder, n, order, base, element_bytes, [from, to]) })
}

/// Undoes neargrid_reorder: `to[order[k]] = from[k]`. All else as there.
///
/// # Safety
/// As for neargrid_reorder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_restore(
    n: i64,
    order: *const i32,
    base: i32,
    element_bytes: i64,
    from: *const c_void,
    to: *mut c_void,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { move_bytes(Direction::Restore, n, order, base, element_bytes, [from, to]) })
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
    let n = check_len("n", n)?;
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
