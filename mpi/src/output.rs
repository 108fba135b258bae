//! Arrays of the caller that are written and never read, so that they need not be initialized.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

/// An output array.
pub struct Output<'a, T>(&'a mut [MaybeUninit<T>]);

impl<'a, T: Copy> From<&'a mut [T]> for Output<'a, T> {
    fn from(array: &'a mut [T]) -> Self {
        // SAFETY: the same memory, borrowed as long, and `MaybeUninit<T>` is laid out as `T`; nothing but values of `T` is ever
        // written, so that `array` holds such afterwards too.
        Output(unsafe { std::slice::from_raw_parts_mut(array.as_mut_ptr().cast(), array.len()) })
    }
}

impl<'a, T: Copy> Output<'a, T> {
    /// The whole of `array`.
    pub fn new(array: &'a mut [MaybeUninit<T>]) -> Output<'a, T> {
        Output(array)
    }

    /// An array without elements.
    pub fn empty() -> Output<'a, T> {
        Output(&mut [])
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes `values`, starting at element `at`.
    pub fn write(&mut self, at: usize, values: &[T]) {
        for (to, &value) in self.0[at..at + values.len()].iter_mut().zip(values) {
            to.write(value);
        }
    }
}
