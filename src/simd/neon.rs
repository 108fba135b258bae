//! The NEON instance: two real64 or four real32 lanes; words, ids and coordinates packed by a look-up of bytes under
//! the mask.

use std::arch::aarch64::*;

use super::vector::{InstructionSet, IntoFrame, Kernel, Lanes16, Vector, WORD, methods};

/// This machine has NEON.
pub struct Neon(());

impl InstructionSet for Neon {
    type F32 = float32x4_t;
    type F64 = float64x2_t;
    type I16 = int16x8_t;
}

/// Runs a kernel with NEON.
#[target_feature(enable = "neon")]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Neon(()))
}

/// For each mask of `lanes` lanes, the bytes of those whose bit is set, in order.
const fn packing<const MASKS: usize>(lanes: usize) -> [[u8; 16]; MASKS] {
    let (mut table, mut mask) = ([[0; 16]; MASKS], 0);
    let size = 16 / lanes;
    while mask < MASKS {
        let (mut lane, mut at) = (0, 0);
        while lane < lanes {
            let mut byte = 0;
            while byte < size && mask >> lane & 1 == 1 {
                table[mask][at] = (lane * size + byte) as u8;
                (byte, at) = (byte + 1, at + 1);
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

static PACK_2: [[u8; 16]; 1 << 2] = packing(2);
static PACK_4: [[u8; 16]; 1 << 4] = packing(4);
static PACK_8: [[u8; 16]; 1 << 8] = packing(8);

/// The lanes that a table has for a mask, in front.
#[inline(always)]
unsafe fn packed(bytes: uint8x16_t, shuffle: &[u8; 16]) -> uint8x16_t {
    // SAFETY: NEON is there, as everywhere in this file.
    unsafe { vqtbl1q_u8(bytes, vld1q_u8(shuffle.as_ptr())) }
}

/// One bit per lane that is all ones.
#[inline(always)]
unsafe fn bits_of_2(lanes: uint64x2_t) -> u32 {
    // SAFETY: NEON.
    unsafe { (vgetq_lane_u64::<0>(lanes) as u32 & 1) | (vgetq_lane_u64::<1>(lanes) as u32 & 2) }
}

/// The same of 4 lanes.
#[inline(always)]
unsafe fn bits_of_4(lanes: uint32x4_t) -> u32 {
    static BITS: [u32; 4] = [1, 2, 4, 8];
    // SAFETY: NEON.
    unsafe { vaddvq_u32(vandq_u32(lanes, vld1q_u32(BITS.as_ptr()))) }
}

/// The same of 8 lanes.
#[inline(always)]
unsafe fn bits_of_8(lanes: uint16x8_t) -> u32 {
    static BITS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: NEON.
    unsafe { vaddvq_u16(vandq_u16(lanes, vld1q_u16(BITS.as_ptr()))).into() }
}

/// [`Vector::compress_ids`] of 2 lanes.
#[inline(always)]
unsafe fn compress_2_ids(ids: *const i32, mask: u32, to: *mut i32) {
    // SAFETY: 2 elements are readable and writable.
    unsafe {
        let [first, second] = ids.cast::<[i32; 2]>().read_unaligned();
        to.cast::<[i32; 2]>()
            .write_unaligned([if mask & 1 == 1 { first } else { second }, second]);
    }
}

/// [`Vector::compress_ids`] of 4 lanes.
#[inline(always)]
unsafe fn compress_4_ids(ids: *const i32, mask: u32, to: *mut i32) {
    // SAFETY: NEON; 4 elements are readable and writable; the mask has 4 bits.
    unsafe { vst1q_u8(to.cast(), packed(vld1q_u8(ids.cast()), &PACK_4[mask as usize])) }
}

macro_rules! vector {
    ($vector:ty, $real:ty, $lanes:literal, $splat:ident, $load:ident, $sub:ident, $add:ident, $mul:ident, $fma:ident,
     $greater:ident, $le:ident, $choose:ident, $bits:ident, $bytes:ident, $pack:ident, $ids:ident) => {
        impl Vector for $vector {
            type Real = $real;
            const LANES: usize = $lanes;

            methods! {
                fn splat(value: $real) -> Self = $splat(value);
                fn load(from: *const $real) -> Self = $load(from);
                fn sub(self, other: Self) -> Self = $sub(self, other);
                fn add(self, other: Self) -> Self = $add(self, other);
                fn mul(self, other: Self) -> Self = $mul(self, other);
                fn fused_square(self, v: Self) -> Self = $fma(self, v, v);
                fn le(self, other: Self) -> u32 = $bits($le(self, other));
            }

            // Not the instructions of these names: they make something else of NaN than other instruction sets do.
            methods! {
                fn max(self, other: Self) -> Self = $choose($greater(self, other), self, other);
                fn min(self, other: Self) -> Self = $choose($greater(other, self), self, other);
                fn compress(self, mask: u32, to: *mut $real) = vst1q_u8(to.cast(), packed($bytes(self), &$pack[mask as usize]));
                fn compress_ids(ids: *const i32, mask: u32, to: *mut i32) = $ids(ids, mask, to);
            }
        }
    };
}

#[rustfmt::skip]
vector!(float64x2_t, f64, 2, vdupq_n_f64, vld1q_f64, vsubq_f64, vaddq_f64, vmulq_f64, vfmaq_f64,
    vcgtq_f64, vcleq_f64, vbslq_f64, bits_of_2, vreinterpretq_u8_f64, PACK_2, compress_2_ids);
#[rustfmt::skip]
vector!(float32x4_t, f32, 4, vdupq_n_f32, vld1q_f32, vsubq_f32, vaddq_f32, vmulq_f32, vfmaq_f32,
    vcgtq_f32, vcleq_f32, vbslq_f32, bits_of_4, vreinterpretq_u8_f32, PACK_4, compress_4_ids);

impl Lanes16 for int16x8_t {
    const LANES: usize = 8;
    const IDS: usize = 4;
    const POINTS: usize = 2;

    methods! {
        fn sub(self, other: Self) -> Self = vsubq_s16(self, other);
        fn saturating_sub(self, other: Self) -> Self = vqsubq_s16(self, other);
        fn add(self, other: Self) -> Self = vaddq_s16(self, other);
        fn max(self, other: Self) -> Self = vmaxq_s16(self, other);
        fn splat(value: i16) -> Self = vdupq_n_s16(value);
        fn load(from: *const i16) -> Self = vld1q_s16(from);
        fn store(self, to: *mut i16) = vst1q_s16(to, self);
        fn shl(self, bits: u32) -> Self = vshlq_s16(self, vdupq_n_s16(bits as i16));
    }

    // The square of the least difference is one unit less than it should be, and far beyond every bound.
    methods! {
        // The product comes doubled.
        fn square(self) -> Self = vshrq_n_s16::<1>(vqdmulhq_s16(self, self));
        fn is_zero(self) -> u32 = bits_of_8(vceqzq_s16(self));
        fn le(self, other: Self) -> u32 = bits_of_8(vcleq_u16(vreinterpretq_u16_s16(self), vreinterpretq_u16_s16(other)));
        fn within(self, lo: Self, hi: Self) -> u32 = bits_of_8(vandq_u16(vcleq_s16(lo, self), vcleq_s16(self, hi)));
    }

    #[inline(always)]
    unsafe fn compress(lists: &[(*const i16, *mut i16)], mask: u32) {
        // A quarter's elements go after those of the quarters before it.
        let mut before = 0;
        for at in (0..WORD).step_by(Self::LANES) {
            let mask = (mask >> at & 0xff) as usize;
            for &(from, to) in lists {
                // SAFETY: NEON; 32 elements are readable, and writable what is after as many as there are bits before.
                unsafe {
                    let words = vreinterpretq_u8_s16(vld1q_s16(from.add(at)));
                    vst1q_u8(to.add(before).cast(), packed(words, &PACK_8[mask]));
                }
            }
            before += mask.count_ones() as usize;
        }
    }

    #[inline(always)]
    unsafe fn ranks(mask: u32, at: usize, to: *mut u16) {
        static FIRST: [u16; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
        // SAFETY: NEON; 32 elements are writable: each quarter goes after those before it.
        unsafe {
            let mut ranks = vaddq_u16(vld1q_u16(FIRST.as_ptr()), vdupq_n_u16(at as u16));
            let mut before = 0;
            for quarter in 0..4 {
                let mask = (mask >> (8 * quarter) & 0xff) as usize;
                vst1q_u8(
                    to.add(before).cast(),
                    packed(vreinterpretq_u8_u16(ranks), &PACK_8[mask]),
                );
                before += mask.count_ones() as usize;
                ranks = vaddq_u16(ranks, vdupq_n_u16(8));
            }
        }
    }

    methods! {
        fn compress_ids(ids: *const i32, mask: u32, to: *mut i32) = compress_4_ids(ids, mask, to);
    }

    #[inline(always)]
    unsafe fn copy(from: *const i32, to: *mut i32, len: usize) {
        // SAFETY: whole vectors inside `len`, the last one overlapping the one before; single ids where none fits.
        unsafe {
            let copy_at = |at: usize| vst1q_s32(to.add(at), vld1q_s32(from.add(at)));
            match len.checked_sub(4) {
                Some(last) => {
                    (0..last).step_by(4).for_each(copy_at);
                    copy_at(last);
                }
                None => (0..len).for_each(|at| to.add(at).write(from.add(at).read())),
            }
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
        // SAFETY: NEON; 2 elements are readable and writable.
        unsafe {
            let splat = |word: u64| vreinterpretq_s16_u64(vdupq_n_u64(word));
            let points = vqaddq_s16(vreinterpretq_s16_u64(vld1q_u64(points)), splat(into.offsets[0]));
            let points = vqaddq_s16(points, splat(into.offsets[1]));
            // A point none of whose four words is outside.
            let outside = vorrq_u16(vcgtq_s16(splat(into.lo), points), vcgtq_s16(points, splat(into.hi)));
            let hits = bits_of_2(vceqzq_u64(vreinterpretq_u64_u16(outside)));
            let hits = if count < 2 { hits & 1 } else { hits };
            let points = packed(vreinterpretq_u8_s16(points), &PACK_2[hits as usize]);
            vst1q_u8(to.0.cast(), points);
            compress_2_ids(ids.cast(), hits, to.1.cast());
            hits.count_ones() as usize
        }
    }
}
