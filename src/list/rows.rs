//! Memory that a result is written to: a range of elements, which need not be initialised, and its one writer.

use std::marker::PhantomData;
use std::ops::Range;

use crate::memory::{CACHE_LINE, advise_huge_pages};
use crate::room::{Room, prefetch};

/// The writer of a range of elements: the caller's array, the handle's list, or a part of either. It cannot be copied,
/// and writes through `&mut self`, so no element has two writers, except those that [`alias`](Rows::alias) makes.
pub struct Rows<'a, T = i32> {
    pub(super) start: *mut T,
    len: usize,
    borrow: PhantomData<&'a mut T>,
}

// SAFETY: the memory belongs to no thread, and values of `T` may be written by any.
unsafe impl<T: Send> Send for Rows<'_, T> {}
// SAFETY: through `&Rows` nothing is read or written; the caller of `alias` vouches for what its writers do.
unsafe impl<T: Send> Sync for Rows<'_, T> {}

impl<'a, T: Copy + Send> Rows<'a, T> {
    /// The writer of `memory`.
    pub fn new(memory: &'a mut [T]) -> Rows<'a, T> {
        Rows {
            start: memory.as_mut_ptr(),
            len: memory.len(),
            borrow: PhantomData,
        }
    }

    /// The writer of foreign memory, which need not be initialised.
    ///
    /// # Safety
    /// `len` is 0, or `start` is aligned and writable for `len` elements, and nothing else reads or writes them
    /// otherwise while `'a` lasts.
    pub unsafe fn from_raw(start: *mut T, len: usize) -> Rows<'a, T> {
        Rows {
            start: if len == 0 { std::ptr::dangling_mut() } else { start },
            len,
            borrow: PhantomData,
        }
    }

    /// The number of elements that there is room for.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Asks for huge pages after the first `len` elements, all about to be written: memory the caller never touched
    /// then takes a five-hundredth of the page faults.
    pub fn prefer_huge_pages(&self, len: usize) {
        assert!(len <= self.len);
        // SAFETY: borrowed memory, so it is mapped.
        unsafe { advise_huge_pages(self.start.cast(), len * size_of::<T>()) }
    }

    /// Has the memory of `range` fetched, to be written soon.
    #[inline]
    pub fn prefetch(&self, range: Range<usize>) {
        let (start, end) = (self.start.wrapping_add(range.start), self.start.wrapping_add(range.end));
        let mut line = start.wrapping_byte_sub(start.addr() % CACHE_LINE);
        while line < end {
            prefetch(line);
            line = line.wrapping_byte_add(CACHE_LINE);
        }
    }

    /// Has the first and the last of `range` fetched, to be written soon.
    #[inline]
    pub fn prefetch_ends(&self, range: Range<usize>) {
        prefetch(self.start.wrapping_add(range.start));
        prefetch(self.start.wrapping_add(range.end).wrapping_sub(1));
    }

    /// The writer of the elements of `range` alone.
    #[inline]
    pub fn into_part(self, range: Range<usize>) -> Rows<'a, T> {
        assert!(range.start <= range.end && range.end <= self.len);
        Rows {
            start: self.start.wrapping_add(range.start),
            len: range.len(),
            borrow: PhantomData,
        }
    }

    /// The writer of the elements of `range`, for as long as this one is borrowed.
    #[inline]
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    pub fn part(&mut self, range: Range<usize>) -> Rows<'_, T> {
        self.again().into_part(range)
    }

    /// The writer of the same elements, for as long as this one is borrowed.
    #[inline]
    pub fn again(&mut self) -> Rows<'_, T> {
        Rows {
            borrow: PhantomData,
            ..*self
        }
    }

    /// Another writer of the same elements, for tasks that store rows at places anywhere.
    ///
    /// # Safety
    /// While other threads may use this writer or others of its memory, they write to other elements than this one.
    #[inline]
    pub unsafe fn alias(&self) -> Rows<'_, T> {
        Rows {
            borrow: PhantomData,
            ..*self
        }
    }

    /// The place of the elements of `range`, all of them writable.
    #[inline]
    pub fn at(&mut self, range: Range<usize>) -> *mut T {
        assert!(range.start <= range.end && range.end <= self.len);
        self.start.wrapping_add(range.start)
    }

    /// Stores a finished row at its place.
    #[inline]
    pub fn store(&mut self, place: Range<usize>, row: &[T]) {
        assert_eq!(
            place.len(),
            row.len(),
            "the row of a point changed between count and fill"
        );
        let to = self.at(place);
        // SAFETY: `at` checks that the place lies inside the memory, which this writer has for itself.
        unsafe { to.copy_from_nonoverlapping(row.as_ptr(), row.len()) }
    }
}

impl Rows<'_> {
    /// The elements as memory that kernels write.
    #[inline]
    pub fn room(&mut self) -> Room<'_> {
        // SAFETY: this writer has the elements for itself.
        unsafe { Room::new(self.start, self.len, false) }
    }
}
