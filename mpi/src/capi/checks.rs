//! Pointers and numbers from C become checked Rust values, each refusal naming its argument.

use std::ffi::c_char;
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::comm::site::Site;
use crate::error::{Error, Result, filled, status};
use crate::output::Output;
use crate::points::{Given, Real};
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

/// Where one value is written. It need not be initialised, and two arguments may be the same place: it is never read, and no
/// reference to it is made.
pub struct Place<'a, T>(NonNull<T>, PhantomData<&'a mut T>);

impl<T> Place<'_, T> {
    /// Writes the value.
    pub fn set(&self, value: T) {
        // SAFETY: `out` has the caller's promise that the place is writable, and checked that it is aligned.
        unsafe { self.0.write(value) }
    }
}

/// Where one value is written.
///
/// # Safety
/// `pointer` is NULL or writable for the call.
pub unsafe fn out<'a, T>(pointer: *mut T, argument: &str) -> Result<Place<'a, T>> {
    let place = NonNull::new(pointer).ok_or_else(|| null(argument, "where the result is to be written"))?;
    aligned(pointer, argument)?;
    Ok(Place(place, PhantomData))
}

/// Refuses a pointer at which no value of its type can stand.
fn aligned<T>(pointer: *const T, argument: &str) -> Result<()> {
    if pointer.is_aligned() {
        return Ok(());
    }
    let allowed = format!(
        "a multiple of {} bytes, as for every value of its type",
        align_of::<T>()
    );
    let address = format!("at {pointer:p}");
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
        return Err(null(argument, "an array that is read during the call"));
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
        return Err(null(argument, "an array that the result is written to"));
    }
    aligned(pointer, argument)?;
    // SAFETY: not NULL, aligned, and the caller's promise; uninitialised memory is a valid `MaybeUninit`.
    Ok(Output::new(unsafe {
        std::slice::from_raw_parts_mut(pointer.cast(), len)
    }))
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
        return Err(null(argument, "an array that the result is written to"));
    }
    aligned(pointer, argument)?;
    // SAFETY: not NULL, aligned, and the caller's promise.
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

/// Coordinates in the caller's memory: `stride` bytes apart from a base on, for each axis.
struct Source<T> {
    bases: [*const T; 3],
    dim: usize,
    stride: isize,
}

// SAFETY: they are only read, which the caller of `coords` permits during its call, by whatever thread.
unsafe impl<T> Sync for Source<T> {}

impl<T: Real> Source<T> {
    /// Whether coordinates stand point after point, as they are kept.
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
    let span = (stride.unsigned_abs() as usize).checked_mul(n);
    if span.is_none_or(|span| span > isize::MAX as usize) {
        let allowed = "small enough that n points fit into memory";
        return Err(Error::not_allowed(status::BAD_VALUE, "stride", stride, allowed));
    }
    if let Some(axis) = bases[..dim].iter().position(|base| n > 0 && base.is_null()) {
        return Err(null(["x", "y", "z"][axis], "the coordinates of the points"));
    }
    let stride = stride as isize;
    Ok((Source { bases, dim, stride }, n))
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

/// What a rank gives: its points, taken in by the search, and their ids or none.
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

/// Copies `text` and a NUL into the caller's buffer, cut to its capacity, and tells the full length.
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
