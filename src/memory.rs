//! Buffers that are never zeroed twice, and a status where memory is missing; slices as atomics; hints to fetch memory.

#![allow(unsafe_code)]

use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

use crate::error::{Error, Result};
use crate::room::prefetch;

/// Elements every sorted array has beyond its last point, so that the widest vector may read past the end of a run.
pub(crate) const PADDING: usize = 16;

/// Makes `vec` hold `len` elements without keeping its contents. Old memory is given back before new is taken, so the
/// peak is one buffer; a little slack keeps a slowly growing number of points from allocating at every step.
pub fn resize_discarding<T: Copy>(vec: &mut Vec<T>, len: usize, value: T, what: &'static str) -> Result<()> {
    reserve_discarding(vec, len, what)?;
    vec.resize(len, value);
    Ok(())
}

/// Makes `vec` hold at least `len` elements. Where it has them already, they stay as they are: for scratch that is
/// never read beyond what was written.
pub fn grow<T: Copy>(vec: &mut Vec<T>, len: usize, value: T, what: &'static str) -> Result<()> {
    if vec.len() < len {
        resize_discarding(vec, len + len / 4, value, what)
    } else {
        Ok(())
    }
}

/// Makes `vec` hold `len` elements, more than it has, keeping its contents.
pub fn resize_keeping<T: Copy>(vec: &mut Vec<T>, len: usize, value: T, what: &'static str) -> Result<()> {
    reserve_keeping(vec, len, what)?;
    vec.resize(len, value);
    Ok(())
}

/// Makes room for `len` elements, keeping the contents, also on failure. An empty `vec` gets no more room than that.
pub fn reserve_keeping<T>(vec: &mut Vec<T>, len: usize, what: &'static str) -> Result<()> {
    let more = len.saturating_sub(vec.len());
    vec.try_reserve(more).map_err(|_| missing::<T>(len, what))
}

/// An empty list with room for `len` elements.
pub fn with_capacity<T>(len: usize, what: &'static str) -> Result<Vec<T>> {
    let mut list = Vec::new();
    reserve_keeping(&mut list, len, what)?;
    Ok(list)
}

/// A list of `len` times `value`.
pub fn filled<T: Copy>(len: usize, value: T, what: &'static str) -> Result<Vec<T>> {
    let mut list = with_capacity(len, what)?;
    list.resize(len, value);
    Ok(list)
}

/// A copy of `list`.
pub fn copied<T: Copy>(list: &[T], what: &'static str) -> Result<Vec<T>> {
    let mut copy = with_capacity(list.len(), what)?;
    copy.extend_from_slice(list);
    Ok(copy)
}

/// The error for `len` elements that there is no memory for.
fn missing<T>(len: usize, what: &'static str) -> Error {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    Error::OutOfMemory { what, bytes }
}

/// Frees the unused capacity of a list. If that needs memory and none is available, nothing changes.
pub fn shrink<T: Copy>(vec: &mut Vec<T>) {
    let mut exact = Vec::new();
    if vec.capacity() > vec.len() && exact.try_reserve_exact(vec.len()).is_ok() {
        exact.extend_from_slice(vec);
        *vec = exact;
    }
}

/// Makes room for `len` elements and no more, dropping the contents only when the room must grow.
pub fn reserve_exactly_discarding<T>(vec: &mut Vec<T>, len: usize, what: &'static str) -> Result<()> {
    if vec.capacity() < len {
        *vec = Vec::new();
        vec.try_reserve_exact(len).map_err(|_| missing::<T>(len, what))?;
        prefer_huge_pages(vec);
    }
    Ok(())
}

/// Makes room for `len` elements, with some slack where there is memory for it, dropping the contents only when the
/// room must grow.
pub fn reserve_discarding<T>(vec: &mut Vec<T>, len: usize, what: &'static str) -> Result<()> {
    match vec.capacity() < len && reserve_exactly_discarding(vec, len + len / 16, what).is_err() {
        true => reserve_exactly_discarding(vec, len, what),
        false => Ok(()),
    }
}

/// Asks for huge pages of a large new buffer: the index and the offsets are read and written in random order, and
/// small pages would cost a page walk each.
fn prefer_huge_pages<T>(vec: &Vec<T>) {
    // SAFETY: the buffer's own memory.
    unsafe { advise_huge_pages(vec.as_ptr().cast(), vec.capacity() * size_of::<T>()) }
}

/// A hint to the kernel, for pages of the range that are still to be made: it changes how they are backed, never what
/// they hold, and no page outside the range.
///
/// # Safety
/// The range is mapped.
pub unsafe fn advise_huge_pages(start: *const u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 2 << 20;
        let first = (start as usize).next_multiple_of(PAGE);
        let end = (start as usize + bytes) / PAGE * PAGE;
        if end > first {
            // SAFETY: whole pages inside the mapped range.
            unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

/// Appends `value`; `vec` keeps its memory when it is cleared.
pub fn push<T>(vec: &mut Vec<T>, value: T, what: &'static str) -> Result<()> {
    vec.try_reserve(1).map_err(|_| missing::<T>(vec.len() + 1, what))?;
    vec.push(value);
    Ok(())
}

/// A box, where there is memory for one.
pub fn boxed<T>(value: T, what: &'static str) -> Result<Box<T>> {
    let mut made = Vec::new();
    made.try_reserve_exact(1).map_err(|_| missing::<T>(1, what))?;
    made.push(value);
    // SAFETY: one element is laid out as an array of one.
    Ok(unsafe { Box::from_raw(Box::into_raw(made.into_boxed_slice()).cast::<T>()) })
}

/// The slice as atomics, so that threads may scatter into it: a race would be a wrong number, never undefined behavior.
pub fn as_atomic_u32(slice: &mut [u32]) -> &[AtomicU32] {
    const { assert!(align_of::<AtomicU32>() == align_of::<u32>()) }
    // SAFETY: AtomicU32 has the size, alignment (asserted) and bit validity of u32. The pointer comes from the
    // exclusive borrow, so it may be written through; that borrow becomes a shared one of the same lifetime, so no
    // plain access happens beside the atomic ones.
    unsafe { std::slice::from_raw_parts(slice.as_mut_ptr().cast(), slice.len()) }
}

/// The slice as atomics; see [`as_atomic_u32`].
pub fn as_atomic_u64(slice: &mut [u64]) -> &[AtomicU64] {
    const { assert!(align_of::<AtomicU64>() == align_of::<u64>()) }
    // SAFETY: same size, alignment (asserted) and bit validity; exclusivity as in `as_atomic_u32`.
    unsafe { std::slice::from_raw_parts(slice.as_mut_ptr().cast(), slice.len()) }
}

/// The slice as atomics; see [`as_atomic_u32`].
pub fn as_atomic_i64(slice: &mut [i64]) -> &[AtomicI64] {
    const { assert!(align_of::<AtomicI64>() == align_of::<i64>()) }
    // SAFETY: same size, alignment (asserted) and bit validity; exclusivity as in `as_atomic_u32`.
    unsafe { std::slice::from_raw_parts(slice.as_mut_ptr().cast(), slice.len()) }
}

/// A type that may hold memory on the heap.
pub trait Holds {
    /// Bytes held.
    fn bytes(&self) -> usize {
        0
    }
}

impl<T: Holds> Holds for [T] {
    /// Bytes of the elements: none, where there is nothing to be dropped with them.
    fn bytes(&self) -> usize {
        match std::mem::needs_drop::<T>() {
            true => self.iter().map(T::bytes).sum(),
            false => 0,
        }
    }
}

impl<T: Holds, const N: usize> Holds for [T; N] {
    fn bytes(&self) -> usize {
        self.as_slice().bytes()
    }
}

impl<T: Holds> Holds for Vec<T> {
    fn bytes(&self) -> usize {
        self.capacity() * size_of::<T>() + self.as_slice().bytes()
    }
}

impl<T: Holds> Holds for Option<T> {
    fn bytes(&self) -> usize {
        self.as_slice().bytes()
    }
}

impl<T> Holds for BinaryHeap<T> {
    fn bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

/// Implements [`Holds`] for a struct that holds what the fields before the `;` hold. All fields are named, so that none
/// is forgotten. Types after `nothing for` hold none.
macro_rules! holds {
    ($Type:ident $(<$Of:ident>)? { $($holds:ident),* $(; $($other:ident),*)? }) => {
        impl$(<$Of: $crate::memory::Holds>)? $crate::memory::Holds for $Type$(<$Of>)? {
            fn bytes(&self) -> usize {
                let $Type { $($holds,)* $($($other: _,)*)? } = self;
                0 $(+ $crate::memory::Holds::bytes($holds))*
            }
        }
    };
    (nothing for $($Type:ident $(<$Of:ident>)?),*) => {
        $(impl$(<$Of>)? $crate::memory::Holds for $Type$(<$Of>)? {})*
    };
}
pub(crate) use holds;

impl<T> Holds for Range<T> {}
impl<T> Holds for (T, i32) {}
impl<T> Holds for (T, u32) {}
impl<T> Holds for (T, u8) {}

holds! { nothing for u8, i16, u16, i32, u32, f32, i64, u64, f64, u128, usize }

/// Bytes that are fetched at once.
pub(crate) const CACHE_LINE: usize = 64;

/// Has all of a slice fetched, to be read soon.
#[inline]
pub fn prefetch_all<T>(slice: &[T]) {
    slice
        .iter()
        .step_by((CACHE_LINE / size_of::<T>()).max(1))
        .for_each(|element| prefetch(element));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Room keeps contents, unless the name says otherwise.
    #[test]
    fn room_keeps_contents() {
        let mut bytes = vec![1, 2, 3];
        for len in [0, 3, 5000] {
            reserve_keeping(&mut bytes, len, "a test").unwrap();
            assert!(bytes == [1, 2, 3] && bytes.capacity() >= len);
        }
        assert!(reserve_keeping(&mut bytes, usize::MAX, "a test").is_err() && bytes == [1, 2, 3]);
    }
}
