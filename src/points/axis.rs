//! One axis of the caller's coordinates. Only coordinates are read, never what is between them: that belongs to the
//! caller's structures, need not be initialised, and other threads may write it.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::Range;

use crate::real::Real;

/// One axis of a [`PointsView`](super::PointsView): coordinate `i` is at byte `first + i * stride` of some memory.
#[derive(Clone, Copy, Debug)]
pub struct Axis<'a> {
    memory: *const u8,
    len: usize,
    first: usize,
    stride: isize,
    borrow: PhantomData<&'a [u8]>,
}

// SAFETY: coordinates are only read, and nothing changes them while `'a` lasts.
unsafe impl Send for Axis<'_> {}
// SAFETY: as above.
unsafe impl Sync for Axis<'_> {}

impl Default for Axis<'_> {
    fn default() -> Self {
        Axis::new(&[], 0, 0)
    }
}

impl<'a> Axis<'a> {
    /// An axis in raw memory. Coordinates may be in any order, including backwards, and need not be aligned. Reading a
    /// coordinate outside `bytes` panics.
    pub fn new(bytes: &'a [u8], first: usize, stride: isize) -> Axis<'a> {
        Axis {
            memory: bytes.as_ptr(),
            len: bytes.len(),
            first,
            stride,
            borrow: PhantomData,
        }
    }

    /// An axis in the `len` bytes from `memory` on, of which only coordinates need be readable. Reading a coordinate
    /// outside of them panics.
    ///
    /// # Safety
    /// The bytes are one piece of memory. All coordinates in it are initialised, and unchanged while `'a` lasts.
    pub(crate) unsafe fn from_raw(memory: *const u8, len: usize, first: usize, stride: isize) -> Axis<'a> {
        Axis {
            memory,
            len,
            first,
            stride,
            borrow: PhantomData,
        }
    }

    /// The axis from coordinate `i` on.
    pub(super) fn from(&self, i: usize) -> Axis<'a> {
        Axis {
            first: self.at(i),
            ..*self
        }
    }

    /// The place of coordinate `i` in the memory.
    #[inline]
    fn at(&self, i: usize) -> usize {
        self.first.wrapping_add_signed(self.stride.wrapping_mul(i as isize))
    }

    /// The address of coordinate `i`.
    #[inline]
    pub(super) fn address(&self, i: usize) -> *const u8 {
        self.memory.wrapping_add(self.at(i))
    }

    /// Coordinate `i`.
    #[inline]
    pub(super) fn get<T: Real>(&self, i: usize) -> T {
        let at = self.at(i);
        assert!(
            at <= self.len && size_of::<T>() <= self.len - at,
            "a coordinate outside of its memory"
        );
        // SAFETY: inside the memory (checked above), so that it is a coordinate of the caller; any bits are a number.
        unsafe { self.memory.add(at).cast::<T>().read_unaligned() }
    }

    /// Coordinates `range`, where they are one after the other.
    pub(super) fn slice<T: Real>(&self, range: Range<usize>) -> Option<&'a [T]> {
        (self.stride == size_of::<T>() as isize)
            .then(|| self.bytes(range, size_of::<T>()))
            .flatten()
            .and_then(|bytes| bytemuck::try_cast_slice(bytes).ok())
    }

    /// The bytes of points `range`, where the axes of `others` follow this one in the same memory, with nothing between
    /// points.
    pub(super) fn compact<T: Real>(&self, others: &[Axis], range: Range<usize>) -> Option<&'a [u8]> {
        let point = (1 + others.len()) * size_of::<T>();
        let follows = |(k, axis): (usize, &Axis)| {
            (axis.memory, axis.len, axis.stride) == (self.memory, self.len, self.stride)
                && axis.first == self.first + (k + 1) * size_of::<T>()
        };
        let is_compact = self.stride == point as isize && others.iter().enumerate().all(follows);
        is_compact.then(|| self.bytes(range, point)).flatten()
    }

    /// The bytes of items `range` of `size` bytes each, one after the other from the first coordinate on, if they are
    /// in the memory.
    fn bytes(&self, range: Range<usize>, size: usize) -> Option<&'a [u8]> {
        let (start, end) = (self.first + range.start * size, self.first + range.end * size);
        if start > end || end > self.len {
            return None;
        }
        // SAFETY: inside the memory (checked above), and coordinates only, which the caller keeps initialised and
        // unchanged.
        Some(unsafe { std::slice::from_raw_parts(self.memory.add(start), end - start) })
    }
}
