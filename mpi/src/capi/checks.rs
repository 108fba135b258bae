//! Pointers and numbers from C become checked Rust values, each refusal naming its argument.

/// The core's source, which its C interface does not offer.
mod exclusive;

use std::ffi::c_char;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;

use crate::comm::site::Site;
use crate::error::{Error, Result, filled, status};
use crate::output::Output;
use crate::points::{Given, Real};
use crate::search::Search;
use exclusive::{Entered, Exclusive, Refused};

/// A neighbor search across the ranks of a communicator: settings, points and results, all reused from call to call.
///
/// neargrid_mpi_search_create makes a handle and neargrid_mpi_search_destroy frees it. Only one thread at a time may use a
/// handle.
#[allow(non_camel_case_types)]
pub struct neargrid_mpi_search {
    _opaque: [u8; 0],
}

/// A handle for the caller, who owns it from now on.
pub fn into_raw(search: Search<Site>) -> Result<*mut neargrid_mpi_search> {
    let none = || Error::new(status::OUT_OF_MEMORY, "out of memory: cannot create a handle");
    exclusive::into_raw(search).map(<*mut _>::cast).ok_or_else(none)
}

/// Frees a handle, unless it is NULL. If a call on it is in progress, that call frees it when it ends.
///
/// # Safety
/// `handle` is NULL or came from [`into_raw`], was not freed before, and no call on it begins any more.
pub unsafe fn free(handle: *mut neargrid_mpi_search) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        unsafe { exclusive::free(handle.cast::<Exclusive<Search<Site>>>()) };
    }
}

/// The search of a handle, for this call alone.
///
/// # Safety
/// `handle` is NULL or came from [`into_raw`], and is not freed before the call has begun.
pub unsafe fn enter<'a>(handle: *mut neargrid_mpi_search) -> Result<Entered<'a, Search<Site>>> {
    if handle.is_null() {
        return Err(null("search", "a handle made by neargrid_mpi_search_create"));
    }
    // SAFETY: not NULL, and the caller's promise.
    unsafe { exclusive::enter(handle.cast::<Exclusive<Search<Site>>>()) }.map_err(|refused| match refused {
        Refused::Busy => {
            let text = "the handle is in use by another call: only one thread at a time may use a handle";
            Error::new(status::BUSY, text)
        }
        Refused::Gone => {
            let (value, allowed) = (
                "a handle that was destroyed, or no handle,",
                "a handle made by neargrid_mpi_search_create",
            );
            Error::not_allowed(status::BAD_VALUE, "search", value, allowed)
        }
    })
}

pub fn null(argument: &str, expected: &str) -> Error {
    Error::new(
        status::NULL_POINTER,
        format!("{argument} is NULL: it must point to {expected}"),
    )
}

/// The place of one value. It need not be initialised, and two arguments may be the same place: it is never read, and no
/// reference to it is made.
pub struct Place<'a, T>(NonNull<T>, PhantomData<&'a mut T>);

impl<T> Place<'_, T> {
    /// Writes the value.
    pub fn set(&self, value: T) {
        // SAFETY: `out` has the caller's promise that the place is writable, and checked that it is aligned.
        unsafe { self.0.write(value) }
    }
}

/// The place of one value.
///
/// # Safety
/// `pointer` is NULL or writable for the call.
pub unsafe fn out<'a, T>(pointer: *mut T, argument: &str) -> Result<Place<'a, T>> {
    let place = NonNull::new(pointer).ok_or_else(|| null(argument, "a variable for the result"))?;
    aligned(pointer, argument)?;
    Ok(Place(place, PhantomData))
}

/// Refuses a pointer at which no value of its type can be.
fn aligned<T>(pointer: *const T, argument: &str) -> Result<()> {
    if pointer.is_aligned() {
        return Ok(());
    }
    let allowed = format!("an address that is a multiple of {}, for this type", align_of::<T>());
    let address = format!("{pointer:p}");
    Err(Error::not_allowed(status::BAD_VALUE, argument, address, &allowed))
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
        return Err(null(argument, "an input array"));
    }
    aligned(pointer, argument)?;
    // SAFETY: not NULL, aligned, and the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// An array that is written, and need not be initialised; NULL is fine where it is empty.
///
/// # Safety
/// `pointer` is NULL or writable for `len` elements that nobody else uses during the call.
pub unsafe fn array<'a, T: Copy>(pointer: *mut T, len: usize, argument: &str) -> Result<Output<'a, T>> {
    if len == 0 {
        return Ok(Output::empty());
    }
    if pointer.is_null() {
        return Err(null(argument, "an array for the result"));
    }
    aligned(pointer, argument)?;
    // SAFETY: not NULL, aligned, and the caller's promise; uninitialised memory is a valid `MaybeUninit`.
    Ok(Output::new(unsafe {
        std::slice::from_raw_parts_mut(pointer.cast(), len)
    }))
}

/// Memory of an argument: what it is called, and its addresses.
pub type Span<'a> = (&'a str, Range<usize>);

/// The first `len` elements of an argument; none where it is NULL.
pub fn span<T>(pointer: *const T, len: usize, argument: &str) -> Span<'_> {
    let bytes = if pointer.is_null() {
        0
    } else {
        len.saturating_mul(size_of::<T>())
    };
    (argument, pointer.addr()..pointer.addr().saturating_add(bytes))
}

/// Refuses arguments that share memory and must not, because one of each two is written.
pub fn disjoint(arguments: &[Span]) -> Result<()> {
    for (k, (argument, bytes)) in arguments.iter().enumerate() {
        let shares = |(_, other): &&Span| bytes.start.max(other.start) < bytes.end.min(other.end);
        if let Some((other, _)) = arguments[..k].iter().find(shares) {
            let value = format!("an array that overlaps {other}");
            let allowed = format!("separate from {other}");
            return Err(Error::not_allowed(status::BAD_VALUE, argument, value, &allowed));
        }
    }
    Ok(())
}

/// An array that is read and written during the call; NULL is fine where it is empty.
///
/// # Safety
/// `pointer` is NULL, or readable and writable for `len` elements that nobody else uses during the call.
pub unsafe fn slice_mut<'a, T>(pointer: *mut T, len: usize, argument: &str) -> Result<&'a mut [T]> {
    if len == 0 {
        return Ok(&mut []);
    }
    if pointer.is_null() {
        return Err(null(argument, "an array for the result"));
    }
    aligned(pointer, argument)?;
    // SAFETY: not NULL, aligned, and the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, len) })
}

/// A count or capacity: not negative, and small enough for arrays of bytes.
pub fn count(value: i64, argument: &str) -> Result<usize> {
    let allowed = "0 or greater";
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

/// Coordinates in the caller's memory: `stride` bytes apart from a base on, for each axis.
struct Source<T> {
    bases: [*const T; 3],
    dim: usize,
    stride: isize,
}

// SAFETY: they are only read, which the caller of `coords` permits during its call, by whatever thread.
unsafe impl<T> Sync for Source<T> {}

impl<T: Real> Source<T> {
    /// Whether coordinates are point after point, as they are kept.
    fn is_packed(&self) -> bool {
        let follows = |axis: usize| self.bases[axis] == self.bases[0].wrapping_add(axis);
        self.stride == (self.dim * size_of::<T>()) as isize && (1..self.dim).all(follows)
    }

    /// Copies the coordinates of points from `first` on, as many as there is room for.
    ///
    /// # Safety
    /// The coordinates of these points are readable.
    unsafe fn copy(&self, first: usize, to: &mut [T]) {
        if self.is_packed() {
            let from = self.bases[0].wrapping_add(first * self.dim);
            // SAFETY: packed, these are the bytes of the coordinates asked for, which are readable; `to` is other memory.
            unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.as_mut_ptr().cast::<u8>(), size_of_val(to)) };
            return;
        }
        for (point, to) in (first as isize..).zip(to.chunks_exact_mut(self.dim)) {
            for (base, to) in self.bases.iter().zip(to) {
                // SAFETY: the caller's promise.
                *to = unsafe { base.byte_offset(point * self.stride).read_unaligned() };
            }
        }
    }
}

/// The caller's coordinates: `n` of them, `stride` bytes apart, one base pointer per axis; and how many there are. None for no
/// points.
fn source<T>((dim, n): (i32, i64), bases: [*const T; 3], stride: i64) -> Result<(Source<T>, usize)> {
    if !(1..=3).contains(&dim) {
        return Err(Error::not_allowed(status::BAD_DIM, "dim", dim, "1, 2 or 3"));
    }
    if !(0..=i64::from(i32::MAX)).contains(&n) {
        return Err(Error::not_allowed(status::BAD_COUNT, "n", n, "0 to 2147483647"));
    }
    let (dim, n) = (dim as usize, n as usize);
    if let Some(axis) = bases[..dim].iter().position(|base| n > 0 && base.is_null()) {
        return Err(null(["x", "y", "z"][axis], "the coordinates of the points"));
    }
    check_stride(n, stride, &bases[..dim])?;
    let stride = stride as isize;
    Ok((Source { bases, dim, stride }, n))
}

/// Refuses a stride that no array of points has, as the core does: most often it is a number of elements.
fn check_stride<T>(n: usize, stride: i64, bases: &[*const T]) -> Result<()> {
    let refused = |allowed: &str| Err(Error::not_allowed(status::BAD_VALUE, "stride", stride, allowed));
    let (size, step) = (size_of::<T>(), stride.unsigned_abs() as usize);
    if step.checked_mul(n).is_none_or(|span| span > isize::MAX as usize) {
        return refused("small enough that n points fit into memory");
    }
    if n > 1 && step < size {
        let allowed = format!(
            "the number of bytes, not elements, from one point to the next: {size} or more, or -{size} or less"
        );
        return refused(&allowed);
    }
    let step = i128::from(stride);
    for (k, &a) in bases.iter().enumerate() {
        for (&b, second) in bases.iter().zip(["x", "y", "z"]).skip(k + 1).filter(|_| n > 1) {
            let apart = b.addr() as i128 - a.addr() as i128;
            // Points of `a` before the first of `b` in memory, and bytes beyond; the next one of `a` is the rest of a step away.
            let (points, bytes) = (apart.div_euclid(step), apart.rem_euclid(step));
            let (next, rest) = (points + step.signum(), step.abs() - bytes);
            let shares = |points: i128, bytes: i128| bytes < size as i128 && points.unsigned_abs() < n as u128;
            if apart != 0 && (shares(points, bytes) || shares(next, rest)) {
                let (first, point) = (["x", "y", "z"][k], bases.len() * size);
                let allowed = format!(
                    "a number of bytes, not elements, for which the coordinates in {first} and {second} do not overlap: \
                     {second} - {first} is {apart} bytes, and for points that stand one after the other the stride is {point}"
                );
                return refused(&allowed);
            }
        }
    }
    Ok(())
}

/// The caller's coordinates, copied point after point.
///
/// # Safety
/// For each axis below `dim`, the `n` coordinates that start at the base pointer, `stride` bytes apart, are readable and
/// unchanged during the call.
pub unsafe fn coords<T: Real>((dim, n): (i32, i64), bases: [*const T; 3], stride: i64) -> Result<Vec<T>> {
    let (source, n) = source((dim, n), bases, stride)?;
    let mut coords = filled(n * source.dim, T::default(), "the points")?;
    if n > 0 {
        // SAFETY: the caller keeps the coordinates of all n points readable; their addresses fit, as was just checked.
        unsafe { source.copy(0, &mut coords) };
    }
    Ok(coords)
}

/// The part of a rank: its points, taken in by the search, and their ids or none.
///
/// # Safety
/// As for [`coords`]; `ids` is NULL or readable for `n` elements during the call, and as long as the result lives.
pub unsafe fn given<'a, T: Real>(
    search: &mut Search<Site>,
    (dim, n): (i32, i64),
    bases: [*const T; 3],
    stride: i64,
    ids: *const i64,
) -> Result<Given<'a, T>> {
    let (source, n) = source((dim, n), bases, stride)?;
    let dim = source.dim;
    let coords = search.take_in(dim, n, |first, to: &mut [T]| {
        // SAFETY: as in `coords`.
        unsafe { source.copy(first, to) };
    })?;
    let are_given = !ids.is_null();
    // SAFETY: the caller's promise.
    let ids = are_given.then(|| unsafe { slice(ids, n, "ids") }).transpose()?;
    Ok(Given { dim, coords, ids })
}

/// Copies `text` and a NUL into the caller's buffer, truncated to its capacity, and reports the full length.
///
/// # Safety
/// `buffer` is NULL or writable for `capacity` bytes; `length` is NULL or writable.
pub unsafe fn text(text: &str, buffer: *mut c_char, capacity: usize, length: *mut usize) -> Result<()> {
    if buffer.is_null() && capacity > 0 {
        return Err(null("buffer", "an array of capacity bytes"));
    }
    // SAFETY: the caller's promise.
    let length = (!length.is_null())
        .then(|| unsafe { out(length, "length") })
        .transpose()?;
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
    if let Some(length) = length {
        length.set(text.len());
    }
    Ok(())
}
