//! The AVX2 instance: four real64 or eight real32 lanes; ids packed by a shuffle looked up under the mask.

use std::arch::x86_64::*;

use super::kernel::kernels;
use super::vector::{Counting, Vector};

/// For each mask of 8 lanes, the lanes whose bit is set, in order: the shuffle that packs them.
static PACK: [[u32; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][at] = lane;
                at += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// The same for masks of 4 lanes of two words each.
static PACK_PAIRS: [[u32; 8]; 16] = {
    let mut table = [[0; 8]; 16];
    let mut mask = 0;
    while mask < 16 {
        let mut at = 0;
        while at < 4 {
            table[mask][2 * at] = 2 * PACK[mask][at];
            table[mask][2 * at + 1] = 2 * PACK[mask][at] + 1;
            at += 1;
        }
        mask += 1;
    }
    table
};

impl Vector for __m256d {
    type Real = f64;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        // SAFETY: AVX2 is there, as everywhere in this file.
        unsafe { _mm256_set1_pd(value) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: the caller keeps 4 elements readable.
        unsafe { _mm256_loadu_pd(from) }
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: AVX.
        unsafe { _mm256_sub_pd(self, other) }
    }

    #[inline(always)]
    unsafe fn square(self) -> Self {
        // SAFETY: AVX.
        unsafe { _mm256_mul_pd(self, self) }
    }

    #[inline(always)]
    unsafe fn add_square(self, v: Self) -> Self {
        // SAFETY: AVX; the build that fuses on purpose is for machines that have FMA.
        unsafe {
            #[cfg(neargrid_fuse)]
            return _mm256_fmadd_pd(v, v, self);
            #[cfg(not(neargrid_fuse))]
            _mm256_add_pd(self, _mm256_mul_pd(v, v))
        }
    }

    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        // SAFETY: AVX.
        unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(self, other)) as u32 }
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: AVX.
        unsafe { _mm256_max_pd(self, other) }
    }

    #[inline(always)]
    unsafe fn compress(self, mask: u32, to: *mut Self::Real) {
        // SAFETY: AVX2; 4 elements are writable; the mask has 4 bits.
        unsafe {
            let shuffle = _mm256_loadu_si256(PACK_PAIRS[mask as usize].as_ptr().cast());
            let packed = _mm256_permutevar8x32_epi32(_mm256_castpd_si256(self), shuffle);
            _mm256_storeu_si256(to.cast(), packed);
        }
    }

    #[inline(always)]
    unsafe fn compress_ids(ids: *const i32, mask: u32, to: *mut i32) {
        // SAFETY: AVX2; 4 elements are readable and writable; the mask has 4 bits, whose shuffle is the first half.
        unsafe {
            let shuffle = _mm_loadu_si128(PACK[mask as usize].as_ptr().cast());
            let packed = _mm_permutevar_ps(_mm_castsi128_ps(_mm_loadu_si128(ids.cast())), shuffle);
            _mm_storeu_si128(to.cast(), _mm_castps_si128(packed));
        }
    }
}

impl Vector for __m256 {
    type Real = f32;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: AVX.
        unsafe { _mm256_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller keeps 8 elements readable.
        unsafe { _mm256_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: AVX.
        unsafe { _mm256_sub_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn square(self) -> Self {
        // SAFETY: AVX.
        unsafe { _mm256_mul_ps(self, self) }
    }

    #[inline(always)]
    unsafe fn add_square(self, v: Self) -> Self {
        // SAFETY: AVX; the build that fuses on purpose is for machines that have FMA.
        unsafe {
            #[cfg(neargrid_fuse)]
            return _mm256_fmadd_ps(v, v, self);
            #[cfg(not(neargrid_fuse))]
            _mm256_add_ps(self, _mm256_mul_ps(v, v))
        }
    }

    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        // SAFETY: AVX.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self, other)) as u32 }
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: AVX.
        unsafe { _mm256_max_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn compress(self, mask: u32, to: *mut Self::Real) {
        // SAFETY: AVX2; 8 elements are writable; the mask has 8 bits.
        unsafe {
            let shuffle = _mm256_loadu_si256(PACK[mask as usize].as_ptr().cast());
            _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(self, shuffle));
        }
    }

    #[inline(always)]
    unsafe fn compress_ids(ids: *const i32, mask: u32, to: *mut i32) {
        // SAFETY: AVX2; 8 elements are readable and writable; the mask has 8 bits.
        unsafe {
            let shuffle = _mm256_loadu_si256(PACK[mask as usize].as_ptr().cast());
            let packed = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(ids.cast()), shuffle);
            _mm256_storeu_si256(to.cast(), packed);
        }
    }
}

impl Counting for __m256 {
    #[inline(always)]
    unsafe fn ids_above(ids: *const i32, above: i32) -> u32 {
        // SAFETY: AVX2; the caller keeps 8 elements readable.
        unsafe {
            let greater = _mm256_cmpgt_epi32(_mm256_loadu_si256(ids.cast()), _mm256_set1_epi32(above));
            _mm256_movemask_ps(_mm256_castsi256_ps(greater)) as u32
        }
    }

    #[inline(always)]
    unsafe fn increment(counters: *mut u32, mask: u32) {
        // SAFETY: AVX2; 8 elements are readable and writable.
        unsafe {
            let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let lanes = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(mask as i32), bits), bits);
            let counts = _mm256_loadu_si256(counters.cast_const().cast());
            _mm256_storeu_si256(counters.cast(), _mm256_sub_epi32(counts, lanes));
        }
    }
}

#[cfg(not(neargrid_fuse))]
pub mod f32 {
    super::kernels!(std::arch::x86_64::__m256, f32, "avx2,popcnt");
    super::super::kernel::tally_kernels!(std::arch::x86_64::__m256, "avx2,popcnt");
}

#[cfg(not(neargrid_fuse))]
pub mod f64 {
    super::kernels!(std::arch::x86_64::__m256d, f64, "avx2,popcnt");
}

#[cfg(neargrid_fuse)]
pub mod f32 {
    super::kernels!(std::arch::x86_64::__m256, f32, "avx2,fma,popcnt");
    super::super::kernel::tally_kernels!(std::arch::x86_64::__m256, "avx2,fma,popcnt");
}

#[cfg(neargrid_fuse)]
pub mod f64 {
    super::kernels!(std::arch::x86_64::__m256d, f64, "avx2,fma,popcnt");
}
