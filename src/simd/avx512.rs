//! The AVX-512 instance: eight real64 or sixteen real32 lanes, comparisons into mask registers, ids packed by the
//! compress instruction into a register and stored whole (compressing straight to memory is slow on Zen 4).

use std::arch::x86_64::*;

use super::vector::{InstructionSet, IntoFrame, Kernel, Lanes16, Vector, methods};

/// This machine has AVX-512.
pub struct Avx512(());

impl InstructionSet for Avx512 {
    type F32 = __m512;
    type F64 = __m512d;
    type I16 = __m512i;
}

/// Runs a kernel with AVX-512.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi2,avx2,popcnt")]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx512(()))
}

impl Vector for __m512d {
    type Real = f64;
    const LANES: usize = 8;

    methods! {
        fn sub(self, other: Self) -> Self = _mm512_sub_pd(self, other);
        fn add(self, other: Self) -> Self = _mm512_add_pd(self, other);
        fn mul(self, other: Self) -> Self = _mm512_mul_pd(self, other);
        fn max(self, other: Self) -> Self = _mm512_max_pd(self, other);
        fn min(self, other: Self) -> Self = _mm512_min_pd(self, other);
        fn fused_square(self, v: Self) -> Self = _mm512_fmadd_pd(v, v, self);
        fn splat(value: f64) -> Self = _mm512_set1_pd(value);
        fn load(from: *const f64) -> Self = _mm512_loadu_pd(from);
        fn le(self, other: Self) -> u32 = u32::from(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(self, other));
        fn compress(self, mask: u32, to: *mut Self::Real) = _mm512_storeu_pd(to, _mm512_maskz_compress_pd(mask as __mmask8, self));
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

    methods! {
        fn sub(self, other: Self) -> Self = _mm512_sub_ps(self, other);
        fn add(self, other: Self) -> Self = _mm512_add_ps(self, other);
        fn mul(self, other: Self) -> Self = _mm512_mul_ps(self, other);
        fn max(self, other: Self) -> Self = _mm512_max_ps(self, other);
        fn min(self, other: Self) -> Self = _mm512_min_ps(self, other);
        fn fused_square(self, v: Self) -> Self = _mm512_fmadd_ps(v, v, self);
        fn splat(value: f32) -> Self = _mm512_set1_ps(value);
        fn load(from: *const f32) -> Self = _mm512_loadu_ps(from);
        fn le(self, other: Self) -> u32 = u32::from(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(self, other));
        fn compress(self, mask: u32, to: *mut Self::Real) = _mm512_storeu_ps(to, _mm512_maskz_compress_ps(mask as __mmask16, self));
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

impl Lanes16 for __m512i {
    const LANES: usize = 32;
    const IDS: usize = 16;
    const POINTS: usize = 8;

    methods! {
        fn sub(self, other: Self) -> Self = _mm512_sub_epi16(self, other);
        fn saturating_sub(self, other: Self) -> Self = _mm512_subs_epi16(self, other);
        fn add(self, other: Self) -> Self = _mm512_add_epi16(self, other);
        fn max(self, other: Self) -> Self = _mm512_max_epi16(self, other);
        fn splat(value: i16) -> Self = _mm512_set1_epi16(value);
        fn load(from: *const i16) -> Self = _mm512_loadu_si512(from.cast());
        fn store(self, to: *mut i16) = _mm512_storeu_si512(to.cast(), self);
        fn shl(self, bits: u32) -> Self = _mm512_sll_epi16(self, _mm_cvtsi32_si128(bits as i32));
        fn square(self) -> Self = _mm512_mulhi_epi16(self, self);
        fn is_zero(self) -> u32 = _mm512_testn_epi16_mask(self, self);
        fn le(self, other: Self) -> u32 = _mm512_cmple_epu16_mask(self, other);
        fn within(self, lo: Self, hi: Self) -> u32 = _mm512_mask_cmple_epi16_mask(_mm512_cmpge_epi16_mask(self, lo), self, hi);
    }

    #[inline(always)]
    unsafe fn compress(lists: &[(*const i16, *mut i16)], mask: u32) {
        for &(from, to) in lists {
            // SAFETY: AVX-512VBMI2; 32 elements are readable and writable.
            unsafe {
                let packed = _mm512_maskz_compress_epi16(mask, _mm512_loadu_si512(from.cast()));
                _mm512_storeu_si512(to.cast(), packed);
            }
        }
    }

    #[inline(always)]
    unsafe fn ranks(mask: u32, at: usize, to: *mut u16) {
        static RANKS: [u16; 32] = {
            let (mut ranks, mut rank) = ([0; 32], 0);
            while rank < 32 {
                ranks[rank] = rank as u16;
                rank += 1;
            }
            ranks
        };
        // SAFETY: AVX-512VBMI2; 32 elements are writable.
        unsafe {
            let ranks = _mm512_add_epi16(_mm512_loadu_si512(RANKS.as_ptr().cast()), _mm512_set1_epi16(at as i16));
            _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi16(mask, ranks));
        }
    }

    methods! {
        fn compress_ids(ids: *const i32, mask: u32, to: *mut i32) = <__m512 as Vector>::compress_ids(ids, mask, to);
    }

    #[inline(always)]
    unsafe fn copy(from: *const i32, to: *mut i32, len: usize) {
        const IDS: usize = 16;
        if len <= 2 * IDS {
            // SAFETY: the caller's promise.
            return unsafe { <__m256i as Lanes16>::copy(from, to, len) };
        }
        // SAFETY: whole vectors inside `len`, the last one overlapping the one before. (Masked stores are slow on Zen
        // 4.)
        unsafe {
            let (mut at, last) = (0, len - IDS);
            while at < last {
                _mm512_storeu_si512(to.add(at).cast(), _mm512_loadu_si512(from.add(at).cast()));
                at += IDS;
            }
            _mm512_storeu_si512(to.add(last).cast(), _mm512_loadu_si512(from.add(last).cast()));
        }
    }

    #[inline(always)]
    unsafe fn stream(from: *const i32, to: *mut i32, len: usize) {
        const IDS: usize = 16;
        let head = (to.addr() / size_of::<i32>()).wrapping_neg() % IDS;
        let first = |ids: usize| ((1u32 << ids) - 1) as __mmask16;
        // SAFETY: whole vectors inside `len`, from the first line that begins there on, and masked ones for what is
        // before and after them; all are readable.
        unsafe {
            let load = |at: usize| _mm512_loadu_si512(from.add(at).cast());
            let mut at = head.min(len);
            _mm512_mask_storeu_epi32(to, first(at), load(0));
            while at + IDS <= len {
                _mm512_stream_si512(to.add(at).cast(), load(at));
                at += IDS;
            }
            _mm512_mask_storeu_epi32(to.add(at), first(len - at), load(at));
        }
    }

    #[inline(always)]
    unsafe fn filter(
        points: *const u64,
        ids: *const u32,
        count: usize,
        into: &IntoFrame,
        to: (*mut u64, *mut u32),
    ) -> usize {
        // SAFETY: AVX-512BW; 8 elements are readable and writable.
        unsafe {
            let splat = |word: u64| _mm512_set1_epi64(word as i64);
            let points = _mm512_adds_epi16(_mm512_loadu_si512(points.cast()), splat(into.offsets[0]));
            let points = _mm512_adds_epi16(points, splat(into.offsets[1]));
            let within = points.within(splat(into.lo), splat(into.hi));
            // Four bits a point: all must be set.
            let whole = _mm512_movm_epi16(within);
            let hits = _mm512_cmpeq_epi64_mask(whole, _mm512_set1_epi64(-1));
            let hits = if count < 8 { hits & ((1 << count) - 1) } else { hits };
            _mm512_storeu_si512(to.0.cast(), _mm512_maskz_compress_epi64(hits, points));
            let packed = _mm256_maskz_compress_epi32(hits, _mm256_loadu_si256(ids.cast()));
            _mm256_storeu_si256(to.1.cast(), packed);
            hits.count_ones() as usize
        }
    }
}
