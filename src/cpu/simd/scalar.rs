//! The instance every machine has: eight lanes of plain Rust, which the compiler vectorises for the baseline target.

use super::kernel::kernels;
use super::vector::{Counting, Vector};

const LANES: usize = 8;

/// Eight coordinates.
#[derive(Clone, Copy)]
pub struct Lanes<T>([T; LANES]);

macro_rules! vector {
    ($real:ident) => {
        impl Vector for Lanes<$real> {
            type Real = $real;
            const LANES: usize = LANES;

            #[inline(always)]
            unsafe fn splat(value: $real) -> Self {
                Lanes([value; LANES])
            }

            #[inline(always)]
            unsafe fn load(from: *const $real) -> Self {
                // SAFETY: the caller keeps LANES elements readable.
                Lanes(unsafe { from.cast::<[$real; LANES]>().read_unaligned() })
            }

            #[inline(always)]
            unsafe fn sub(self, other: Self) -> Self {
                Lanes(std::array::from_fn(|k| self.0[k] - other.0[k]))
            }

            #[inline(always)]
            unsafe fn square(self) -> Self {
                Lanes(std::array::from_fn(|k| self.0[k] * self.0[k]))
            }

            #[cfg(not(neargrid_fuse))]
            #[inline(always)]
            unsafe fn add_square(self, v: Self) -> Self {
                Lanes(std::array::from_fn(|k| self.0[k] + v.0[k] * v.0[k]))
            }

            #[cfg(neargrid_fuse)]
            #[inline(always)]
            unsafe fn add_square(self, v: Self) -> Self {
                Lanes(std::array::from_fn(|k| v.0[k].mul_add(v.0[k], self.0[k])))
            }

            #[inline(always)]
            unsafe fn le(self, other: Self) -> u32 {
                (0..LANES).fold(0, |mask, k| mask | (u32::from(self.0[k] <= other.0[k]) << k))
            }

            #[inline(always)]
            unsafe fn max(self, other: Self) -> Self {
                Lanes(std::array::from_fn(|k| {
                    if self.0[k] > other.0[k] {
                        self.0[k]
                    } else {
                        other.0[k]
                    }
                }))
            }

            #[inline(always)]
            unsafe fn compress(self, mut mask: u32, mut to: *mut $real) {
                while mask != 0 {
                    // SAFETY: at most LANES elements are written.
                    unsafe {
                        to.write(self.0[mask.trailing_zeros() as usize % LANES]);
                        to = to.add(1);
                    }
                    mask &= mask - 1;
                }
            }

            #[inline(always)]
            unsafe fn compress_ids(ids: *const i32, mut mask: u32, mut to: *mut i32) {
                while mask != 0 {
                    // SAFETY: the bit is below LANES; at most LANES elements are written.
                    unsafe {
                        to.write(*ids.add(mask.trailing_zeros() as usize));
                        to = to.add(1);
                    }
                    mask &= mask - 1;
                }
            }
        }
    };
}
vector!(f32);
vector!(f64);

impl Counting for Lanes<f32> {
    #[inline(always)]
    unsafe fn ids_above(ids: *const i32, above: i32) -> u32 {
        // SAFETY: the caller keeps LANES elements readable.
        let ids = unsafe { ids.cast::<[i32; LANES]>().read_unaligned() };
        (0..LANES).fold(0, |mask, k| mask | (u32::from(ids[k] > above) << k))
    }

    #[inline(always)]
    unsafe fn increment(counters: *mut u32, mut mask: u32) {
        while mask != 0 {
            // SAFETY: the bit is below LANES.
            unsafe { *counters.add(mask.trailing_zeros() as usize) += 1 };
            mask &= mask - 1;
        }
    }
}

pub mod f32 {
    super::kernels!(super::Lanes<f32>, f32,);
    super::super::kernel::tally_kernels!(super::Lanes<f32>,);
}

pub mod f64 {
    super::kernels!(super::Lanes<f64>, f64,);
}
