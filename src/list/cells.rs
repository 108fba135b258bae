//! Elements that many threads write, each with one store.

use std::marker::PhantomData;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use bytemuck::NoUninit;

use super::rows::Rows;

/// Elements of 4 or 8 bytes that any thread may write, and none reads meanwhile: two writers of one would make a wrong
/// number, never undefined behavior.
#[derive(Clone, Copy)]
pub struct Cells<'a, T = i32> {
    start: *mut T,
    len: usize,
    borrow: PhantomData<&'a mut T>,
}

// SAFETY: all accesses are atomic stores.
unsafe impl<T: Send> Send for Cells<'_, T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Send> Sync for Cells<'_, T> {}

impl<T: Copy + Send> Rows<'_, T> {
    /// The elements as cells, which many threads may write; they are written through these alone as long as they live.
    pub fn cells(&mut self) -> Cells<'_, T> {
        Cells {
            start: self.start,
            len: self.len(),
            borrow: PhantomData,
        }
    }
}

impl<T> Cells<'_, T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }
}

impl<T: NoUninit> Cells<'_, T> {
    /// Writes element `at`.
    #[inline(always)]
    pub fn put(&self, at: usize, value: T) {
        const {
            assert!(size_of::<T>() == size_of::<AtomicU32>() || size_of::<T>() == size_of::<AtomicU64>());
            assert!(align_of::<T>() == size_of::<T>());
        }
        assert!(at < self.len);
        // SAFETY: inside the memory (checked above), aligned as an atomic of its size (checked at compile time), and
        // accessed by atomic stores alone while it is borrowed for cells.
        unsafe {
            let to = self.start.add(at);
            match size_of::<T>() {
                4 => AtomicU32::from_ptr(to.cast()).store(bytemuck::cast(value), Relaxed),
                _ => AtomicU64::from_ptr(to.cast()).store(bytemuck::cast(value), Relaxed),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element becomes what was put there, of each type that is stored so.
    #[test]
    fn cells_hold_what_is_put() {
        let (mut ids, mut reals) = ([0_i32; 5], [0.0_f64; 5]);
        let (mut rows, mut real_rows) = (Rows::new(&mut ids), Rows::new(&mut reals));
        let (cells, real_cells) = (rows.cells(), real_rows.cells());
        std::thread::scope(|scope| {
            for k in 0..5 {
                scope.spawn(move || {
                    cells.put(k, -(k as i32));
                    real_cells.put(k, 0.5 - k as f64);
                });
            }
        });
        assert_eq!(ids, [0, -1, -2, -3, -4]);
        assert_eq!(reals, [0.5, -0.5, -1.5, -2.5, -3.5]);
    }
}
