//! Four words: the bytes that are left of narrow ones are shuffled together, and apart again.

use std::arch::x86_64::*;

use crate::cpu::simd::vector::Gaps;

/// Bytes of two words.
const HALF: usize = 16;

/// A shuffle to zeros.
const NONE: u8 = 0x80;

/// For each half number of bits the shuffle of two words that leaves that many bytes of each.
static TOGETHER: [[u8; HALF]; 9] = shuffles(true);

/// And the one that undoes it.
static APART: [[u8; HALF]; 9] = shuffles(false);

const fn shuffles(together: bool) -> [[u8; HALF]; 9] {
    let mut all = [[NONE; HALF]; 9];
    let mut half = 0;
    while half <= 8 {
        let mut k = 0;
        while k < 2 * half {
            let (narrow, wide) = (k, if k < half { k } else { 8 + k - half });
            match together {
                true => all[half][narrow] = wide as u8,
                false => all[half][wide] = narrow as u8,
            }
            k += 1;
        }
        half += 1;
    }
    all
}

/// All bits for as many elements as are used, from the front back, then none.
static USED: [u16; 32] = {
    let mut used = [0; 32];
    let mut k = 0;
    while k < 16 {
        used[k] = u16::MAX;
        k += 1;
    }
    used
};

/// What depends on the number of bits.
#[derive(Clone, Copy)]
pub struct Bits {
    half: usize,
    /// By how much a gap is moved beside another, and two beside two.
    shifts: [__m128i; 2],
    /// The bits of one gap, and of two.
    masks: [__m256i; 2],
    /// How bytes come together, and apart.
    together: __m256i,
    apart: __m256i,
}

impl Gaps for __m256i {
    const COUNT: usize = 16;
    type Bits = Bits;

    #[inline(always)]
    unsafe fn bits(half: usize) -> Bits {
        // SAFETY: AVX2 is there, as everywhere in this file.
        unsafe {
            let both = |shuffles: &[[u8; HALF]; 9]| {
                _mm256_broadcastsi128_si256(_mm_loadu_si128(shuffles[half].as_ptr().cast()))
            };
            Bits {
                half,
                shifts: [16 - 2 * half, 32 - 4 * half].map(|shift| _mm_cvtsi64_si128(shift as i64)),
                masks: [
                    _mm256_set1_epi32((1 << (2 * half)) - 1),
                    _mm256_set1_epi64x((1 << (4 * half)) - 1),
                ],
                together: both(&TOGETHER),
                apart: both(&APART),
            }
        }
    }

    #[inline(always)]
    unsafe fn splat(value: u16) -> Self {
        // SAFETY: AVX2.
        unsafe { _mm256_set1_epi16(value as i16) }
    }

    #[inline(always)]
    unsafe fn between(places: *const u16, count: usize) -> Self {
        // SAFETY: AVX2; the caller keeps them readable. The mask begins inside its table and is half of it.
        unsafe {
            let used = USED.as_ptr().add(Self::COUNT - count.min(Self::COUNT));
            let [before, behind] = [0, 1].map(|k| _mm256_loadu_si256(places.add(k).cast()));
            _mm256_and_si256(_mm256_sub_epi16(behind, before), _mm256_loadu_si256(used.cast()))
        }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: AVX2.
        unsafe { _mm256_or_si256(self, other) }
    }

    #[inline(always)]
    unsafe fn or_all(self) -> u16 {
        // SAFETY: AVX2.
        unsafe {
            let half = _mm_or_si128(_mm256_castsi256_si128(self), _mm256_extracti128_si256::<1>(self));
            let word = _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half)));
            let two = word | word >> 32;
            (two | two >> 16) as u16
        }
    }

    #[inline(always)]
    unsafe fn store_narrow(self, bits: Bits, to: *mut u8) {
        // SAFETY: AVX2; the caller keeps them writable.
        unsafe {
            let beside = _mm256_andnot_si256(bits.masks[0], _mm256_srl_epi32(self, bits.shifts[0]));
            let pairs = _mm256_or_si256(_mm256_and_si256(self, bits.masks[0]), beside);
            let beside = _mm256_andnot_si256(bits.masks[1], _mm256_srl_epi64(pairs, bits.shifts[1]));
            let words = _mm256_or_si256(_mm256_and_si256(pairs, bits.masks[1]), beside);
            let words = _mm256_shuffle_epi8(words, bits.together);
            _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(words));
            _mm_storeu_si128(to.add(2 * bits.half).cast(), _mm256_extracti128_si256::<1>(words));
        }
    }

    #[inline(always)]
    unsafe fn load_narrow(from: *const u8, bits: Bits) -> Self {
        // SAFETY: AVX2; the caller keeps them readable.
        unsafe {
            let words = _mm256_loadu2_m128i(from.add(2 * bits.half).cast(), from.cast());
            let words = _mm256_shuffle_epi8(words, bits.apart);
            let beside = _mm256_sll_epi64(words, bits.shifts[1]);
            let pairs = _mm256_blend_epi32::<0xAA>(_mm256_and_si256(words, bits.masks[1]), beside);
            let beside = _mm256_sll_epi32(pairs, bits.shifts[0]);
            _mm256_blend_epi16::<0xAA>(_mm256_and_si256(pairs, bits.masks[0]), beside)
        }
    }

    #[inline(always)]
    unsafe fn sums(self, last: Self) -> Self {
        // SAFETY: AVX2.
        unsafe {
            let sums = _mm256_add_epi16(self, _mm256_slli_si256::<2>(self));
            let sums = _mm256_add_epi16(sums, _mm256_slli_si256::<4>(sums));
            let sums = _mm256_add_epi16(sums, _mm256_slli_si256::<8>(sums));
            let ends = ends(sums);
            let sums = _mm256_add_epi16(sums, _mm256_permute2x128_si256::<0x08>(ends, ends));
            _mm256_add_epi16(sums, last)
        }
    }

    #[inline(always)]
    unsafe fn last(self) -> Self {
        // SAFETY: AVX2.
        unsafe {
            let ends = ends(self);
            _mm256_permute2x128_si256::<0x11>(ends, ends)
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u16) {
        // SAFETY: AVX2; the caller keeps them writable.
        unsafe { _mm256_storeu_si256(to.cast(), self) }
    }
}

/// In each half its last element.
#[inline(always)]
unsafe fn ends(from: __m256i) -> __m256i {
    // SAFETY: AVX2.
    unsafe { _mm256_shuffle_epi8(from, _mm256_set1_epi16(0x0F0E)) }
}
