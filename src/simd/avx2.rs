//! The AVX2 instance: four real64 or eight real32 lanes; ids packed by a shuffle looked up under the mask.

use std::arch::x86_64::*;

use super::vector::{InstructionSet, IntoFrame, Kernel, Lanes16, Vector, methods};

/// This machine has AVX2.
pub struct Avx2(());

impl InstructionSet for Avx2 {
    type F32 = __m256;
    type F64 = __m256d;
    type I16 = __m256i;
}

/// Runs a kernel with AVX2.
#[cfg_attr(not(neargrid_fuse), target_feature(enable = "avx2,popcnt"))]
#[cfg_attr(neargrid_fuse, target_feature(enable = "avx2,fma,popcnt"))]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

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

    methods! {
        fn sub(self, other: Self) -> Self = _mm256_sub_pd(self, other);
        fn add(self, other: Self) -> Self = _mm256_add_pd(self, other);
        fn mul(self, other: Self) -> Self = _mm256_mul_pd(self, other);
        fn max(self, other: Self) -> Self = _mm256_max_pd(self, other);
        fn min(self, other: Self) -> Self = _mm256_min_pd(self, other);
        // Only builds that fuse on purpose call this, for machines that have FMA.
        fn fused_square(self, v: Self) -> Self = _mm256_fmadd_pd(v, v, self);
        fn splat(value: f64) -> Self = _mm256_set1_pd(value);
        fn load(from: *const f64) -> Self = _mm256_loadu_pd(from);
        fn le(self, other: Self) -> u32 = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(self, other)) as u32;
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

    methods! {
        fn sub(self, other: Self) -> Self = _mm256_sub_ps(self, other);
        fn add(self, other: Self) -> Self = _mm256_add_ps(self, other);
        fn mul(self, other: Self) -> Self = _mm256_mul_ps(self, other);
        fn max(self, other: Self) -> Self = _mm256_max_ps(self, other);
        fn min(self, other: Self) -> Self = _mm256_min_ps(self, other);
        // Only builds that fuse on purpose call this, for machines that have FMA.
        fn fused_square(self, v: Self) -> Self = _mm256_fmadd_ps(v, v, self);
        fn splat(value: f32) -> Self = _mm256_set1_ps(value);
        fn load(from: *const f32) -> Self = _mm256_loadu_ps(from);
        fn le(self, other: Self) -> u32 = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self, other)) as u32;
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

/// For each mask of 8 words, the bytes of those whose bit is set, in order.
static PACK_WORDS: [[u8; 16]; 256] = {
    let mut table = [[0; 16]; 256];
    let mut mask = 0;
    while mask < 256 {
        let mut at = 0;
        while at < 8 {
            table[mask][2 * at] = 2 * PACK[mask][at] as u8;
            table[mask][2 * at + 1] = 2 * PACK[mask][at] as u8 + 1;
            at += 1;
        }
        mask += 1;
    }
    table
};

/// From element `16 - n` on a mask of 16 lanes whose first `n` are set.
static FIRST: [i32; 32] = {
    let (mut mask, mut lane) = ([0; 32], 0);
    while lane < 16 {
        (mask[lane], lane) = (-1, lane + 1);
    }
    mask
};

/// One bit per word that is all ones.
#[inline(always)]
unsafe fn bits_of(words: __m256i) -> u32 {
    // SAFETY: AVX2. Packing keeps the order within each half of the vector.
    unsafe {
        let bytes = _mm256_packs_epi16(words, _mm256_setzero_si256());
        let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes);
        _mm_movemask_epi8(_mm256_castsi256_si128(bytes)) as u32
    }
}

/// All ones where not `lo <= words <= hi`.
#[inline(always)]
unsafe fn outside(words: __m256i, lo: __m256i, hi: __m256i) -> __m256i {
    // SAFETY: AVX2.
    unsafe { _mm256_or_si256(_mm256_cmpgt_epi16(lo, words), _mm256_cmpgt_epi16(words, hi)) }
}

impl Lanes16 for __m256i {
    const LANES: usize = 16;
    const IDS: usize = 8;
    const POINTS: usize = 4;

    methods! {
        fn sub(self, other: Self) -> Self = _mm256_sub_epi16(self, other);
        fn saturating_sub(self, other: Self) -> Self = _mm256_subs_epi16(self, other);
        fn add(self, other: Self) -> Self = _mm256_add_epi16(self, other);
        fn max(self, other: Self) -> Self = _mm256_max_epi16(self, other);
        fn splat(value: i16) -> Self = _mm256_set1_epi16(value);
        fn load(from: *const i16) -> Self = _mm256_loadu_si256(from.cast());
        fn store(self, to: *mut i16) = _mm256_storeu_si256(to.cast(), self);
        fn shl(self, bits: u32) -> Self = _mm256_sll_epi16(self, _mm_cvtsi32_si128(bits as i32));
        fn square(self) -> Self = _mm256_mulhi_epi16(self, self);
        fn is_zero(self) -> u32 = bits_of(_mm256_cmpeq_epi16(self, _mm256_setzero_si256()));
    }

    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        // SAFETY: AVX2. Nothing is left of self once other is taken away, unsigned.
        unsafe {
            bits_of(_mm256_cmpeq_epi16(
                _mm256_subs_epu16(self, other),
                _mm256_setzero_si256(),
            ))
        }
    }

    methods! {
        fn within(self, lo: Self, hi: Self) -> u32 = !bits_of(outside(self, lo, hi)) & 0xffff;
    }

    #[inline(always)]
    unsafe fn compress(lists: &[(*const i16, *mut i16)], mask: u32) {
        // A quarter's elements go after those of the quarters before it.
        let quarters: [usize; 4] = std::array::from_fn(|quarter| (mask >> (8 * quarter) & 0xff) as usize);
        let mut before = 0;
        for (quarter, &mask) in quarters.iter().enumerate() {
            for &(from, to) in lists {
                // SAFETY: AVX2; 32 elements are readable, and writable what is after as many as there are bits before.
                unsafe {
                    let shuffle = _mm_loadu_si128(PACK_WORDS[mask].as_ptr().cast());
                    let words = _mm_loadu_si128(from.add(8 * quarter).cast());
                    _mm_storeu_si128(to.add(before).cast(), _mm_shuffle_epi8(words, shuffle));
                }
            }
            before += mask.count_ones() as usize;
        }
    }

    #[inline(always)]
    unsafe fn ranks(mask: u32, at: usize, to: *mut u16) {
        // SAFETY: AVX2; 32 elements are writable: each quarter goes after those before it.
        unsafe {
            let mut ranks = _mm_add_epi16(_mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7), _mm_set1_epi16(at as i16));
            let mut before = 0;
            for quarter in 0..4 {
                let mask = (mask >> (8 * quarter) & 0xff) as usize;
                let shuffle = _mm_loadu_si128(PACK_WORDS[mask].as_ptr().cast());
                _mm_storeu_si128(to.add(before).cast(), _mm_shuffle_epi8(ranks, shuffle));
                before += mask.count_ones() as usize;
                ranks = _mm_add_epi16(ranks, _mm_set1_epi16(8));
            }
        }
    }

    methods! {
        fn compress_ids(ids: *const i32, mask: u32, to: *mut i32) = <__m256 as Vector>::compress_ids(ids, mask, to);
    }

    #[inline(always)]
    unsafe fn copy(from: *const i32, to: *mut i32, len: usize) {
        // SAFETY: whole vectors inside `len`, some of them overlapping the ones before; single ids where none fits.
        unsafe {
            if (8..=32).contains(&len) {
                // Four stores however many would do: lengths of rows change, and a branch that is predicted wrong takes
                // longer.
                let last = len - 8;
                for at in [0, last.min(8), last.min(16), last] {
                    _mm256_storeu_si256(to.add(at).cast(), _mm256_loadu_si256(from.add(at).cast()));
                }
            } else if len > 32 {
                let (mut at, last) = (0, len - 8);
                while at < last {
                    _mm256_storeu_si256(to.add(at).cast(), _mm256_loadu_si256(from.add(at).cast()));
                    at += 8;
                }
                _mm256_storeu_si256(to.add(last).cast(), _mm256_loadu_si256(from.add(last).cast()));
            } else if len >= 4 {
                _mm_storeu_si128(to.cast(), _mm_loadu_si128(from.cast()));
                _mm_storeu_si128(to.add(len - 4).cast(), _mm_loadu_si128(from.add(len - 4).cast()));
            } else {
                for at in 0..len {
                    to.add(at).write(from.add(at).read());
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn stream(from: *const i32, to: *mut i32, len: usize) {
        const LINE: usize = 16;
        let head = (to.addr() / size_of::<i32>()).wrapping_neg() % LINE;
        // SAFETY: whole lines inside `len`, from the first that begins there on, and masked vectors for what is before
        // and after them: these store nothing outside of `len`, where their addresses may be; all are readable.
        unsafe {
            let load = |at: usize| _mm256_loadu_si256(from.add(at).cast());
            let store_first = |ids: usize, at: usize| {
                for half in [0, LINE / 2] {
                    let mask = _mm256_loadu_si256(FIRST.as_ptr().add(LINE - ids + half).cast());
                    _mm256_maskstore_epi32(to.wrapping_add(at + half), mask, load(at + half));
                }
            };
            let mut at = head.min(len);
            store_first(at, 0);
            while at + LINE <= len {
                _mm256_stream_si256(to.add(at).cast(), load(at));
                _mm256_stream_si256(to.add(at + LINE / 2).cast(), load(at + LINE / 2));
                at += LINE;
            }
            store_first(len - at, at);
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
        // SAFETY: AVX2; 4 elements are readable and writable.
        unsafe {
            let splat = |word: u64| _mm256_set1_epi64x(word as i64);
            let points = _mm256_adds_epi16(_mm256_loadu_si256(points.cast()), splat(into.offsets[0]));
            let points = _mm256_adds_epi16(points, splat(into.offsets[1]));
            // A point none of whose four words is outside.
            let outside = outside(points, splat(into.lo), splat(into.hi));
            let inside = _mm256_cmpeq_epi64(outside, _mm256_setzero_si256());
            let hits = _mm256_movemask_pd(_mm256_castsi256_pd(inside)) as u32;
            let hits = if count < 4 { hits & ((1 << count) - 1) } else { hits };
            let shuffle = _mm256_loadu_si256(PACK_PAIRS[hits as usize].as_ptr().cast());
            _mm256_storeu_si256(to.0.cast(), _mm256_permutevar8x32_epi32(points, shuffle));
            <__m256d as Vector>::compress_ids(ids.cast(), hits, to.1.cast());
            hits.count_ones() as usize
        }
    }
}
