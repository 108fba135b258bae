//! Output arrays of any type that are never read, so that the caller need not initialize them.

use std::mem::MaybeUninit;

use crate::error::Result;
use crate::memory::push;
use crate::threads::Team;

/// An output array of the caller. Each element is written by one thread.
pub struct Out<'a, T>(&'a mut [MaybeUninit<T>]);

impl<'a, T: Copy + Send> Out<'a, T> {
    /// All of `array`.
    pub fn new(array: &'a mut [T]) -> Out<'a, T> {
        // SAFETY: the same memory, borrowed as long, and `MaybeUninit<T>` is laid out as `T`; nothing but values of `T`
        // is ever written, so that `array` holds such afterwards too.
        Out(unsafe { std::slice::from_raw_parts_mut(array.as_mut_ptr().cast(), array.len()) })
    }

    /// Foreign memory, which need not be initialised.
    ///
    /// # Safety
    /// `start` is aligned, not NULL and writable for `len` elements, less than `isize::MAX` bytes, and nothing else
    /// reads or writes them otherwise, while `'a` lasts.
    pub unsafe fn from_raw(start: *mut T, len: usize) -> Out<'a, T> {
        // SAFETY: the caller's promise; uninitialised memory is a valid `MaybeUninit<T>`.
        Out(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) })
    }

    /// No element.
    pub fn empty() -> Out<'a, T> {
        Out(&mut [])
    }

    /// The number of elements that there is room for.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Writes one element.
    #[inline(always)]
    pub fn write(&mut self, at: usize, value: T) {
        self.0[at].write(value);
    }

    /// Writes several, one after the other.
    #[inline(always)]
    pub fn write_all(&mut self, at: usize, values: &[T]) {
        for (to, &value) in self.0[at..at + values.len()].iter_mut().zip(values) {
            to.write(value);
        }
    }

    /// Parts of the array that follow each other, of so many elements; these are no more than the array has.
    pub fn into_parts(self, lens: impl Iterator<Item = usize>) -> Result<Vec<Out<'a, T>>> {
        let (mut parts, mut rest) = (Vec::new(), self.0);
        for len in lens {
            let (part, after) = rest.split_at_mut(len);
            push(&mut parts, Out(part), "parts of a result")?;
            rest = after;
        }
        Ok(parts)
    }

    /// Gives each thread of `team` a piece of the array to write, and its start; `width` elements that
    /// belong together stay together.
    pub fn in_pieces(self, team: &Team, width: usize, write: impl Fn(usize, &mut Out<T>) + Sync) -> Result<()> {
        let len = (self.0.len() / width).div_ceil(team.threads()).max(1) * width;
        let mut pieces = Vec::new();
        for (k, piece) in self.0.chunks_mut(len).enumerate() {
            push(&mut pieces, (k * len, Out(piece)), "pieces of a result")?;
        }
        team.each(&mut pieces, |(first, piece)| write(*first, piece));
        Ok(())
    }
}
