//! The AVX-512 instance: eight real64 or sixteen real32 lanes, comparisons into mask registers, ids packed by the
//! compress instruction into a register and stored whole (compressing straight to memory is slow on Zen 4).

use std::arch::x86_64::*;

use super::kernel::kernels;
use super::vector::{Counting, Vector};

impl Vector for __m512d {
    type Real = f64;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        // SAFETY: AVX-512F is there, as everywhere in this file.
        unsafe { _mm512_set1_pd(value) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: the caller keeps 8 elements readable.
        unsafe { _mm512_loadu_pd(from) }
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: AVX-512F.
        unsafe { _mm512_sub_pd(self, other) }
    }

    #[inline(always)]
    unsafe fn square(self) -> Self {
        // SAFETY: AVX-512F.
        unsafe { _mm512_mul_pd(self, self) }
    }

    #[inline(always)]
    unsafe fn add_square(self, v: Self) -> Self {
        // SAFETY: AVX-512F.
        unsafe {
            if cfg!(neargrid_fuse) {
                _mm512_fmadd_pd(v, v, self)
            } else {
                _mm512_add_pd(self, _mm512_mul_pd(v, v))
            }
        }
    }

    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        // SAFETY: AVX-512F.
        unsafe { u32::from(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(self, other)) }
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: AVX-512F.
        unsafe { _mm512_max_pd(self, other) }
    }

    #[inline(always)]
    unsafe fn compress(self, mask: u32, to: *mut Self::Real) {
        // SAFETY: AVX-512F; 8 elements are writable.
        unsafe { _mm512_storeu_pd(to, _mm512_maskz_compress_pd(mask as __mmask8, self)) }
    }

    #[inline(always)]
    unsafe fn compress_ids(ids: *const i32, mask: u32, to: *mut i32) {
        // SAFETY: AVX-512VL; 8 elements are readable and writable.
        unsafe {
            let packed = _mm256_maskz_compress_epi32(mask as __mmask8, _mm256_loadu_si256(ids.cast()));
            _mm256_storeu_si256(to.cast(), packed);
        }
    }
}

impl Vector for __m512 {
    type Real = f32;
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: AVX-512F.
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller keeps 16 elements readable.
        unsafe { _mm512_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: AVX-512F.
        unsafe { _mm512_sub_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn square(self) -> Self {
        // SAFETY: AVX-512F.
        unsafe { _mm512_mul_ps(self, self) }
    }

    #[inline(always)]
    unsafe fn add_square(self, v: Self) -> Self {
        // SAFETY: AVX-512F.
        unsafe {
            if cfg!(neargrid_fuse) {
                _mm512_fmadd_ps(v, v, self)
            } else {
                _mm512_add_ps(self, _mm512_mul_ps(v, v))
            }
        }
    }

    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        // SAFETY: AVX-512F.
        unsafe { u32::from(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(self, other)) }
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: AVX-512F.
        unsafe { _mm512_max_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn compress(self, mask: u32, to: *mut Self::Real) {
        // SAFETY: AVX-512F; 16 elements are writable.
        unsafe { _mm512_storeu_ps(to, _mm512_maskz_compress_ps(mask as __mmask16, self)) }
    }

    #[inline(always)]
    unsafe fn compress_ids(ids: *const i32, mask: u32, to: *mut i32) {
        // SAFETY: AVX-512F; 16 elements are readable and writable.
        unsafe {
            let packed = _mm512_maskz_compress_epi32(mask as __mmask16, _mm512_loadu_si512(ids.cast()));
            _mm512_storeu_si512(to.cast(), packed);
        }
    }
}

impl Counting for __m512 {
    #[inline(always)]
    unsafe fn ids_above(ids: *const i32, above: i32) -> u32 {
        // SAFETY: AVX-512F; the caller keeps 16 elements readable.
        unsafe {
            u32::from(_mm512_cmpgt_epi32_mask(
                _mm512_loadu_si512(ids.cast()),
                _mm512_set1_epi32(above),
            ))
        }
    }

    #[inline(always)]
    unsafe fn increment(counters: *mut u32, mask: u32) {
        // SAFETY: AVX-512F; 16 elements are readable and writable.
        unsafe {
            let counts = _mm512_loadu_si512(counters.cast());
            let counts = _mm512_mask_add_epi32(counts, mask as __mmask16, counts, _mm512_set1_epi32(1));
            _mm512_storeu_si512(counters.cast(), counts);
        }
    }
}

pub mod f32 {
    super::kernels!(std::arch::x86_64::__m512, f32, "avx512f,avx512vl,popcnt");
    super::super::kernel::tally_kernels!(std::arch::x86_64::__m512, "avx512f,avx512vl,popcnt");
}

pub mod f64 {
    super::kernels!(std::arch::x86_64::__m512d, f64, "avx512f,avx512vl,popcnt");
}
