//! Pointers and numbers from C become checked Rust values, each refusal naming its argument.

use std::ffi::c_char;

use crate::comm::site::Site;
use crate::error::{Error, Result, room, status};
use crate::points::Real;
use crate::search::Search;

/// A neighbor search across the ranks of a communicator: settings, points and results, reused from call to call. Made by
/// `neargrid_mpi_search_create`, freed by `neargrid_mpi_search_destroy`, used by one thread at a time.
#[allow(non_camel_case_types)]
pub struct neargrid_mpi_search {
    pub(super) search: Search<Site>,
}

/// The search behind a handle.
///
/// # Safety
/// `handle` is NULL or valid, and no other thread uses it during the call.
pub unsafe fn borrow<'a>(handle: *mut neargrid_mpi_search) -> Result<&'a mut Search<Site>> {
    // SAFETY: the caller's promise.
    let handle = unsafe { handle.as_mut() };
    let missing = || null("search", "a handle made by neargrid_mpi_search_create");
    handle.map(|handle| &mut handle.search).ok_or_else(missing)
}

pub fn null(argument: &str, expected: &str) -> Error {
    Error::new(
        status::NULL_POINTER,
        format!("{argument} is NULL: it must point to {expected}"),
    )
}

/// Where one value is written.
///
/// # Safety
/// `pointer` is NULL or writable for the call.
pub unsafe fn out<'a, T>(pointer: *mut T, argument: &str) -> Result<&'a mut T> {
    // SAFETY: the caller's promise; the C side has no uninitialised integers or pointers that we would read.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(argument, "where the result is to be written"))
}

/// An array read during the call; NULL is fine where it is empty.
///
/// # Safety
/// `pointer` is NULL or readable for `len` elements during the call.
pub unsafe fn slice<'a, T>(pointer: *const T, len: usize, argument: &str) -> Result<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(argument, "an array that is read during the call"));
    }
    // SAFETY: not NULL, and the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// An array written during the call; NULL is fine where it is empty.
///
/// # Safety
/// `pointer` is NULL or writable for `len` elements that nobody else uses during the call.
pub unsafe fn slice_mut<'a, T>(pointer: *mut T, len: usize, argument: &str) -> Result<&'a mut [T]> {
    if len == 0 {
        return Ok(&mut []);
    }
    if pointer.is_null() {
        return Err(null(argument, "an array that the result is written to"));
    }
    // SAFETY: not NULL, and the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, len) })
}

/// A count or capacity: not negative, and small enough for arrays of bytes.
pub fn count(value: i64, argument: &str) -> Result<usize> {
    let allowed = "greater than or equal to 0";
    match usize::try_from(value) {
        Ok(count) if count <= isize::MAX as usize / 64 => Ok(count),
        Ok(_) => Err(Error::not_allowed(
            status::BAD_COUNT,
            argument,
            value,
            "small enough for memory",
        )),
        Err(_) => Err(Error::not_allowed(status::BAD_COUNT, argument, value, allowed)),
    }
}

/// One of `allowed`, by its number.
pub fn choice<T: Copy>(value: i32, argument: &str, allowed: &[(i32, &str, T)]) -> Result<T> {
    if let Some(&(_, _, choice)) = allowed.iter().find(|(number, _, _)| *number == value) {
        return Ok(choice);
    }
    let names: Vec<String> = allowed
        .iter()
        .map(|(number, name, _)| format!("{number} ({name})"))
        .collect();
    Err(Error::not_allowed(
        status::BAD_VALUE,
        argument,
        value,
        &names.join(" or "),
    ))
}

/// The caller's coordinates, copied point after point: `n` of them, `stride` bytes apart, one base pointer per axis.
///
/// # Safety
/// For each axis below `dim`, the `n` coordinates that start at the base pointer, `stride` bytes apart, are readable and
/// unchanged during the call.
pub unsafe fn coords<T: Real>(dim: i32, n: i64, bases: [*const T; 3], stride: i64) -> Result<(usize, Vec<T>)> {
    if !(1..=3).contains(&dim) {
        return Err(Error::not_allowed(status::BAD_DIM, "dim", dim, "1, 2 or 3"));
    }
    if !(0..=i64::from(i32::MAX)).contains(&n) {
        return Err(Error::not_allowed(status::BAD_COUNT, "n", n, "0 to 2147483647"));
    }
    let (dim, n) = (dim as usize, n as usize);
    let mut coords = room(n * dim, "the points")?;
    if n == 0 {
        return Ok((dim, coords));
    }
    if (stride.unsigned_abs() as usize)
        .checked_mul(n)
        .is_none_or(|span| span > isize::MAX as usize)
    {
        let allowed = "small enough that n points fit into memory";
        return Err(Error::not_allowed(status::BAD_VALUE, "stride", stride, allowed));
    }
    if let Some(axis) = bases[..dim].iter().position(|base| base.is_null()) {
        return Err(null(["x", "y", "z"][axis], "the coordinates of the points"));
    }
    for point in 0..n as isize {
        for base in &bases[..dim] {
            // SAFETY: the caller keeps the coordinate of this point readable; its address fits, as was just checked.
            coords.push(unsafe { base.byte_offset(point * stride as isize).read_unaligned() });
        }
    }
    Ok((dim, coords))
}

/// Copies `text` and a NUL into the caller's buffer, cut to its capacity, and tells the full length.
///
/// # Safety
/// `buffer` is NULL or writable for `capacity` bytes; `length` is NULL or writable.
pub unsafe fn text(text: &str, buffer: *mut c_char, capacity: usize, length: *mut usize) -> Result<()> {
    if buffer.is_null() && capacity > 0 {
        return Err(null("buffer", "an array of capacity bytes"));
    }
    if capacity > 0 {
        let mut cut = text.len().min(capacity - 1);
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        // SAFETY: `cut + 1 <= capacity` bytes are written, which the caller keeps writable.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), cut);
            buffer.add(cut).write(0);
        }
    }
    // SAFETY: the caller's promise.
    if let Some(length) = unsafe { length.as_mut() } {
        *length = text.len();
    }
    Ok(())
}
