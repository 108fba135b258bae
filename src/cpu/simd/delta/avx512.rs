//! Eight words: the bytes that are left of narrow ones are compressed, and expanded again.

use std::arch::x86_64::*;

use crate::cpu::simd::vector::Gaps;

/// What depends on the number of bits.
#[derive(Clone, Copy)]
pub struct Bits {
    /// By how much a gap is moved beside another, and two beside two.
    shifts: [__m128i; 2],
    /// The bits of one gap, and of two.
    masks: [__m512i; 2],
    /// The bytes of four.
    bytes: u64,
}

impl Gaps for __m512i {
    const COUNT: usize = 32;
    type Bits = Bits;

    #[inline(always)]
    unsafe fn bits(half: usize) -> Bits {
        // SAFETY: AVX-512 F, BW and VBMI2 are there, as everywhere in this file.
        unsafe {
            Bits {
                shifts: [16 - 2 * half, 32 - 4 * half].map(|shift| _mm_cvtsi64_si128(shift as i64)),
                masks: [
                    _mm512_set1_epi32((1 << (2 * half)) - 1),
                    _mm512_set1_epi64((1 << (4 * half)) - 1),
                ],
                bytes: ((1 << half) - 1) * 0x0101_0101_0101_0101,
            }
        }
    }

    #[inline(always)]
    unsafe fn splat(value: u16) -> Self {
        // SAFETY: AVX-512F.
        unsafe { _mm512_set1_epi16(value as i16) }
    }

    #[inline(always)]
    unsafe fn between(places: *const u16, count: usize) -> Self {
        // SAFETY: AVX-512BW; the caller keeps them readable, and counts one at least.
        unsafe {
            let used = u32::MAX >> (Self::COUNT - count.min(Self::COUNT));
            let [before, behind] = [0, 1].map(|k| _mm512_loadu_epi16(places.add(k).cast()));
            _mm512_maskz_sub_epi16(used, behind, before)
        }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: AVX-512F.
        unsafe { _mm512_or_si512(self, other) }
    }

    #[inline(always)]
    unsafe fn or_all(self) -> u16 {
        // SAFETY: AVX-512F.
        unsafe {
            let half = _mm256_or_si256(_mm512_castsi512_si256(self), _mm512_extracti64x4_epi64::<1>(self));
            let fourth = _mm_or_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
            let word = _mm_cvtsi128_si64(_mm_or_si128(fourth, _mm_unpackhi_epi64(fourth, fourth)));
            let two = word | word >> 32;
            (two | two >> 16) as u16
        }
    }

    #[inline(always)]
    unsafe fn store_narrow(self, bits: Bits, to: *mut u8) {
        // SAFETY: AVX-512 F and VBMI2; the caller keeps them writable.
        unsafe {
            let beside = _mm512_srl_epi32(self, bits.shifts[0]);
            let pairs = select(bits.masks[0], self, beside);
            let beside = _mm512_srl_epi64(pairs, bits.shifts[1]);
            let words = select(bits.masks[1], pairs, beside);
            _mm512_storeu_epi8(to.cast(), _mm512_maskz_compress_epi8(bits.bytes, words));
        }
    }

    #[inline(always)]
    unsafe fn load_narrow(from: *const u8, bits: Bits) -> Self {
        // SAFETY: AVX-512 F, BW and VBMI2; the caller keeps them readable.
        unsafe {
            let words = _mm512_maskz_expand_epi8(bits.bytes, _mm512_loadu_epi8(from.cast()));
            let beside = _mm512_sll_epi64(words, bits.shifts[1]);
            let pairs = _mm512_mask_blend_epi32(0xAAAA, _mm512_and_si512(words, bits.masks[1]), beside);
            let beside = _mm512_sll_epi32(pairs, bits.shifts[0]);
            _mm512_mask_blend_epi16(0xAAAA_AAAA, _mm512_and_si512(pairs, bits.masks[0]), beside)
        }
    }

    #[inline(always)]
    unsafe fn sums(self, last: Self) -> Self {
        // SAFETY: AVX-512BW.
        unsafe {
            let sums = _mm512_add_epi16(self, _mm512_bslli_epi128::<2>(self));
            let sums = _mm512_add_epi16(sums, _mm512_bslli_epi128::<4>(sums));
            let sums = _mm512_add_epi16(sums, _mm512_bslli_epi128::<8>(sums));
            // Now of the eight of a quarter: to each that of the quarter before it is added, and then of the two before that.
            let sums = _mm512_add_epi16(sums, quarters(0xFFFF_FF00, [0, 0, 1, 2], sums));
            let sums = _mm512_add_epi16(sums, quarters(0xFFFF_0000, [0, 0, 0, 1], sums));
            _mm512_add_epi16(sums, last)
        }
    }

    #[inline(always)]
    unsafe fn last(self) -> Self {
        // SAFETY: AVX-512BW.
        unsafe { quarters(u32::MAX, [3; 4], self) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u16) {
        // SAFETY: AVX-512BW; the caller keeps them writable.
        unsafe { _mm512_storeu_epi16(to.cast(), self) }
    }
}

/// Bits of `a` where `mask` has them, of `b` elsewhere.
#[inline(always)]
unsafe fn select(mask: __m512i, a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: AVX-512F.
    unsafe { _mm512_ternarylogic_epi64::<0xCA>(mask, a, b) }
}

/// In each quarter of the result the last element of the quarter `of` it says, 0 where `mask` is.
#[inline(always)]
unsafe fn quarters(mask: u32, of: [i64; 4], from: __m512i) -> __m512i {
    const ONES: i64 = 0x0001_0001_0001_0001;
    let [a, b, c, d] = of.map(|quarter| (8 * quarter + 7) * ONES);
    // SAFETY: AVX-512BW.
    unsafe { _mm512_maskz_permutexvar_epi16(mask, _mm512_set_epi64(d, d, c, c, b, b, a, a), from) }
}
