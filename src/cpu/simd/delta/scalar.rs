//! Four gaps in a word.

use crate::cpu::simd::vector::Gaps;

/// Gaps of a word.
pub(crate) const FOUR: usize = 4;

/// A word whose four parts are all 1.
const ONES: u64 = 0x0001_0001_0001_0001;

/// The first gap is the lowest part.
#[derive(Clone, Copy)]
pub struct Word(u64);

impl Gaps for Word {
    const COUNT: usize = FOUR;
    /// Their number.
    type Bits = usize;

    #[inline(always)]
    unsafe fn bits(half: usize) -> usize {
        2 * half
    }

    #[inline(always)]
    unsafe fn splat(value: u16) -> Self {
        Word(u64::from(value) * ONES)
    }

    #[inline(always)]
    unsafe fn between(places: *const u16, count: usize) -> Self {
        // SAFETY: the caller keeps them readable.
        let [before, behind] = unsafe { [word(places), word(places.add(1))] };
        let unused = FOUR - count.min(FOUR);
        // What is unused may be less than what is before it, but that changes nothing below.
        Word(behind.wrapping_sub(before) << (16 * unused) >> (16 * unused))
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        Word(self.0 | other.0)
    }

    #[inline(always)]
    unsafe fn or_all(self) -> u16 {
        let two = self.0 | self.0 >> 32;
        (two | two >> 16) as u16
    }

    #[inline(always)]
    unsafe fn store_narrow(self, bits: usize, to: *mut u8) {
        let pairs = self.0 & 0x0000_FFFF_0000_FFFF | (self.0 & 0xFFFF_0000_FFFF_0000) >> (16 - bits);
        let word = pairs & 0xFFFF_FFFF | pairs >> 32 << (2 * bits);
        // SAFETY: the caller keeps them writable.
        unsafe { to.cast::<u64>().write_unaligned(word.to_le()) }
    }

    #[inline(always)]
    unsafe fn load_narrow(from: *const u8, bits: usize) -> Self {
        // SAFETY: the caller keeps them readable.
        let word = u64::from_le(unsafe { from.cast::<u64>().read_unaligned() });
        let (pair, each) = ((1 << (2 * bits)) - 1, ((1 << bits) - 1) * 0x0000_0001_0000_0001);
        let pairs = word & pair | (word >> (2 * bits) & pair) << 32;
        Word(pairs & each | (pairs >> bits & each) << 16)
    }

    #[inline(always)]
    unsafe fn sums(self, last: Self) -> Self {
        Word(self.0.wrapping_mul(ONES).wrapping_add(last.0))
    }

    #[inline(always)]
    unsafe fn last(self) -> Self {
        Word((self.0 >> 48) * ONES)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u16) {
        let mut four: [u16; FOUR] = bytemuck::cast(self.0);
        if cfg!(target_endian = "big") {
            four.reverse();
        }
        // SAFETY: the caller keeps them writable.
        unsafe { to.cast::<[u16; FOUR]>().write(four) }
    }
}

/// Four places.
#[inline(always)]
unsafe fn word(places: *const u16) -> u64 {
    // SAFETY: the caller keeps them readable.
    let mut four = unsafe { places.cast::<[u16; FOUR]>().read() };
    if cfg!(target_endian = "big") {
        four.reverse();
    }
    bytemuck::cast(four)
}
