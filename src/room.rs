//! Memory that kernels write rows to, anywhere in it, and hints to fetch memory.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::Range;

/// Elements of a line of the caches.
const LINE: usize = 16;

/// Prefetches the memory at `address` into the second-level cache. Only a few lines can be on their way to the first
/// level at once, and a loop that asks for more waits.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a hint that never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// A range of elements that need not be initialised.
pub struct Room<'a> {
    start: *mut i32,
    len: usize,
    past_caches: bool,
    borrow: PhantomData<&'a mut [i32]>,
}

impl Room<'_> {
    /// The `len` elements from `start` on; long rows may be stored past the caches.
    ///
    /// # Safety
    /// `start` is aligned. The elements that a kernel writes are writable, and nothing else uses them while this lives.
    /// After stores past the caches a fence comes before anything reads or writes there.
    pub unsafe fn new(start: *mut i32, len: usize, past_caches: bool) -> Self {
        Room {
            start,
            len,
            past_caches,
            borrow: PhantomData,
        }
    }

    /// Whether stores may go past the caches.
    #[inline(always)]
    pub fn is_past_caches(&self) -> bool {
        self.past_caches
    }

    /// The elements of `range`, all of them inside.
    #[inline(always)]
    pub fn at(&mut self, range: Range<usize>) -> *mut i32 {
        assert!(range.start <= range.end && range.end <= self.len);
        self.start.wrapping_add(range.start)
    }

    /// Has the memory of `range` fetched, to be written soon.
    #[inline(always)]
    pub fn prefetch(&self, range: Range<usize>) {
        let (start, end) = (self.start.wrapping_add(range.start), self.start.wrapping_add(range.end));
        let mut line = start.wrapping_byte_sub(start.addr() % (LINE * size_of::<i32>()));
        while line < end {
            prefetch(line);
            line = line.wrapping_add(LINE);
        }
    }

    /// Has the first, the last and, if it is wanted, the middle one of `range` fetched, to be written soon.
    #[inline(always)]
    pub fn prefetch_ends(&self, range: Range<usize>, middle: bool) {
        if middle {
            prefetch(self.start.wrapping_add(range.start + range.len() / 2));
        }
        prefetch(self.start.wrapping_add(range.start));
        prefetch(self.start.wrapping_add(range.end).wrapping_sub(1));
    }
}
