//! Turns pointers and numbers from C into checked Rust values. Each error names its argument.

use std::fmt::{Display, Formatter};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;

use crate::arguments::check_count;
use crate::error::{Error, Result, Status};
use crate::list::{Out, Rows};

/// The place of one value that is written. It need not be initialised, and two arguments may be the same place: it is never
/// read, and no reference to it is made.
pub struct Place<'a, T>(NonNull<T>, PhantomData<&'a mut T>);

impl<T> Place<'_, T> {
    /// Its address.
    pub fn address(&self) -> *const T {
        self.0.as_ptr()
    }

    /// Writes the value.
    pub fn set(&self, value: T) {
        // SAFETY: `out` has the caller's promise that the place is writable, and checked that it is aligned.
        unsafe { self.0.write(value) }
    }
}

/// The place of one value that is written.
///
/// # Safety
/// `pointer` is NULL or writable for the call.
pub unsafe fn out<'a, T>(pointer: *mut T, argument: &'static str) -> Result<Place<'a, T>> {
    let place = NonNull::new(pointer).ok_or(Error::NullPointer {
        argument,
        expected: "a variable for the result",
    })?;
    aligned(pointer, argument)?;
    Ok(Place(place, PhantomData))
}

/// Refuses a pointer at which no value of its type can stand.
fn aligned<T>(pointer: *const T, argument: &'static str) -> Result<()> {
    if pointer.is_aligned() {
        return Ok(());
    }
    let allowed = format_args!("an address that is a multiple of {}, for this type", align_of::<T>());
    let address = format_args!("{pointer:p}");
    Err(Error::not_allowed(Status::BadValue, argument, address, allowed))
}

/// The place of up to `capacity` ids or values that are written; NULL is fine where there is room for none.
///
/// # Safety
/// `pointer` is NULL or writable for `capacity` elements during the call.
pub unsafe fn rows<'a, T: Copy + Send>(
    pointer: *mut T,
    argument: &'static str,
    capacity: i64,
    capacity_argument: &'static str,
) -> Result<Rows<'a, T>> {
    let len = count(capacity, capacity_argument)?;
    if pointer.is_null() && len > 0 {
        return Err(Error::NullPointer {
            argument,
            expected: "an array with as many elements as its capacity",
        });
    }
    if len > 0 {
        aligned(pointer, argument)?;
    }
    // SAFETY: aligned where there are elements, and the caller's promise.
    Ok(unsafe { Rows::from_raw(pointer, len) })
}

/// The place of `len` values that are written; NULL is fine where that is none.
///
/// # Safety
/// `pointer` is NULL or writable for `len` elements, less than `isize::MAX` bytes, during the call.
pub unsafe fn array<'a, T: Copy + Send>(pointer: *mut T, len: usize, argument: &'static str) -> Result<Out<'a, T>> {
    if len == 0 {
        return Ok(Out::empty());
    }
    if pointer.is_null() {
        return Err(Error::NullPointer {
            argument,
            expected: "an array for the result",
        });
    }
    aligned(pointer, argument)?;
    // SAFETY: not NULL, aligned, and the caller's promise.
    Ok(unsafe { Out::from_raw(pointer, len) })
}

/// Memory that is written: what the argument is called, and its addresses.
pub type Written = (&'static str, Range<usize>);

/// The first `len` elements of an argument, which is written; none where it is NULL.
pub fn written<T>(pointer: *const T, len: usize, argument: &'static str) -> Written {
    let bytes = if pointer.is_null() {
        0
    } else {
        len.saturating_mul(size_of::<T>())
    };
    (argument, pointer.addr()..pointer.addr().saturating_add(bytes))
}

/// Refuses two arguments that are written and share memory.
pub fn disjoint(arguments: &[Written]) -> Result<()> {
    for (k, (argument, bytes)) in arguments.iter().enumerate() {
        let shares = |(_, other): &&Written| bytes.start.max(other.start) < bytes.end.min(other.end);
        if let Some((other, _)) = arguments[..k].iter().find(shares) {
            let value = format_args!("an array that overlaps {other}");
            let allowed = format_args!("separate from {other}");
            return Err(Error::not_allowed(Status::BadValue, argument, value, allowed));
        }
    }
    Ok(())
}

/// The start of an array whose length is not yet known.
///
/// # Safety
/// `pointer` is NULL or writable for as many elements as are written during the call.
pub unsafe fn start<'a, T>(pointer: *mut T, argument: &'static str, expected: &'static str) -> Result<Start<'a, T>> {
    let start = NonNull::new(pointer).ok_or(Error::NullPointer { argument, expected })?;
    aligned(pointer, argument)?;
    Ok(Start(start, PhantomData))
}

/// The start of an array that is written as a whole. It need not be initialised.
pub struct Start<'a, T>(NonNull<T>, PhantomData<&'a mut T>);

impl<T: Copy> Start<'_, T> {
    /// Writes the elements.
    ///
    /// # Safety
    /// There is room for them, and they are not in that memory.
    pub unsafe fn write(self, elements: &[T]) {
        // SAFETY: not NULL and aligned, as `start` checked; the caller's promise.
        unsafe {
            self.0
                .copy_from_nonoverlapping(NonNull::from(elements).cast(), elements.len())
        }
    }
}

/// Refuses an array that is written and shares memory with one that is read.
pub fn apart(argument: &'static str, written: &Range<usize>, other: &str, read: &Range<usize>) -> Result<()> {
    if written.start >= read.end || read.start >= written.end {
        return Ok(());
    }
    Err(Error::not_allowed(
        Status::BadValue,
        argument,
        format_args!("an array that overlaps {other}"),
        "separate from the input arrays",
    ))
}

/// An array read during the call; NULL is fine where it is empty.
///
/// # Safety
/// `pointer` is NULL or readable for `len` elements during the call.
pub unsafe fn slice<'a, T>(pointer: *const T, len: usize, argument: &'static str) -> Result<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Error::NullPointer {
            argument,
            expected: "an input array",
        });
    }
    aligned(pointer, argument)?;
    // SAFETY: not NULL, aligned, and the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// Rows that the caller gives: `n` + 1 offsets, which begin with `base`, and as many ids as the last one says. `names` are those of the
/// arguments.
///
/// # Safety
/// The arrays are NULL or readable for so many elements during the call.
pub unsafe fn listed<'a, I>(
    n: i64,
    (offsets, ids): (*const i64, *const I),
    base: i64,
    names: [&'static str; 3],
) -> Result<(&'a [i64], &'a [I])> {
    let rows = check_count(names[0], n)?;
    // SAFETY: the caller's promise.
    let given = unsafe { slice(offsets, if rows == 0 { 0 } else { rows + 1 }, names[1])? };
    let total = given.last().map_or(0, |end| end.saturating_sub(base));
    if count_of::<I>(total, names[1], 1).is_err() {
        let allowed = "offsets that end with as many ids as fit into memory";
        return Err(Error::not_allowed(
            Status::BadValue,
            names[1],
            format_args!("an array that ends with {}", given[rows]),
            allowed,
        ));
    }
    // SAFETY: the caller's promise.
    Ok((given, unsafe { slice(ids, total as usize, names[2])? }))
}

/// A count or capacity: not negative.
pub fn count(value: i64, argument: &'static str) -> Result<usize> {
    usize::try_from(value).map_err(|_| Error::not_allowed(Status::BadCount, argument, value, "0 or greater"))
}

/// A count of items, each with `width` values of type `T`, that some memory could hold.
pub fn count_of<T>(value: i64, argument: &'static str, width: usize) -> Result<usize> {
    let count = count(value, argument)?;
    if count <= isize::MAX as usize / (width * size_of::<T>()) {
        return Ok(count);
    }
    let allowed = "small enough that the arrays fit into memory";
    Err(Error::not_allowed(Status::BadCount, argument, value, allowed))
}

/// One of `allowed`, by its number.
pub fn choice<T: Copy>(value: i32, argument: &'static str, allowed: &[(i32, &str, T)]) -> Result<T> {
    if let Some(&(_, _, choice)) = allowed.iter().find(|(number, _, _)| *number == value) {
        return Ok(choice);
    }
    Err(Error::not_allowed(Status::BadValue, argument, value, Choices(allowed)))
}

/// Choices in words.
struct Choices<'a, T>(&'a [(i32, &'a str, T)]);

impl<T> Display for Choices<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        for (k, (number, name, _)) in self.0.iter().enumerate() {
            write!(f, "{}{number} ({name})", if k == 0 { "" } else { " or " })?;
        }
        Ok(())
    }
}

/// Copies `text` and a NUL into the caller's buffer, truncated to its capacity, and reports the full length.
///
/// # Safety
/// `buffer` is NULL or writable for `capacity` bytes; `length` is NULL or writable.
pub unsafe fn text(text: &str, buffer: *mut std::ffi::c_char, capacity: usize, length: *mut usize) -> Result<()> {
    if buffer.is_null() && capacity > 0 {
        return Err(Error::NullPointer {
            argument: "buffer",
            expected: "an array of capacity bytes",
        });
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A pointer that is not aligned is refused, and the refusal names the argument; NULL and what is aligned are not.
    #[test]
    fn pointers_are_aligned() {
        let mut memory = [0_u64; 4];
        let odd = memory.as_mut_ptr().wrapping_byte_add(1);
        // SAFETY: nothing is read or written through the odd pointer, and the other is writable for four elements.
        unsafe {
            for refused in [
                out(odd, "total").map(drop),
                array(odd, 2, "distances").map(drop),
                slice(odd, 2, "masses").map(drop),
                rows(odd.cast::<i32>(), "ids", 2, "capacity").map(drop),
            ] {
                let error = refused.unwrap_err();
                assert_eq!(error.status(), Status::BadValue);
                assert!(error.to_string().contains("multiple of"), "{error}");
            }
            assert!(rows(odd.cast::<i32>(), "ids", 0, "capacity").is_ok());
            assert!(slice(odd, 0, "masses").is_ok());
            let place = out(memory.as_mut_ptr(), "total").unwrap();
            let twice = out(memory.as_mut_ptr(), "n").unwrap();
            place.set(1);
            twice.set(2);
        }
        assert_eq!(memory, [2, 0, 0, 0]);
    }
}
