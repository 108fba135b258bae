//! The instance every machine has: eight lanes of plain Rust, which the compiler vectorises for the baseline target.

use super::vector::{InstructionSet, IntoFrame, Kernel, Lanes16, Vector, WORD, methods};

/// Every machine has it.
pub struct Scalar;

impl InstructionSet for Scalar {
    type F32 = Lanes<f32>;
    type F64 = Lanes<f64>;
    type I16 = Single;
}

/// Runs a kernel as plain Rust.
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Scalar)
}

const LANES: usize = 8;

/// The second one of NaN, as instructions have it.
#[inline(always)]
fn greater<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The same.
#[inline(always)]
fn lesser<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// Eight coordinates.
#[derive(Clone, Copy)]
pub struct Lanes<T>([T; LANES]);

macro_rules! vector {
    ($real:ident) => {
        impl Vector for Lanes<$real> {
            type Real = $real;
            const LANES: usize = LANES;

            methods! {
                fn splat(value: $real) -> Self = Lanes([value; LANES]);
                fn load(from: *const $real) -> Self = Lanes(from.cast::<[$real; LANES]>().read_unaligned());
                fn sub(self, other: Self) -> Self = Lanes(std::array::from_fn(|k| self.0[k] - other.0[k]));
                fn add(self, other: Self) -> Self = Lanes(std::array::from_fn(|k| self.0[k] + other.0[k]));
                fn mul(self, other: Self) -> Self = Lanes(std::array::from_fn(|k| self.0[k] * other.0[k]));
                fn fused_square(self, v: Self) -> Self = Lanes(std::array::from_fn(|k| v.0[k].mul_add(v.0[k], self.0[k])));
                fn max(self, other: Self) -> Self = Lanes(std::array::from_fn(|k| greater(self.0[k], other.0[k])));
                fn min(self, other: Self) -> Self = Lanes(std::array::from_fn(|k| lesser(self.0[k], other.0[k])));
                fn le(self, other: Self) -> u32 =
                    (0..LANES).fold(0, |mask, k| mask | (u32::from(self.0[k] <= other.0[k]) << k));
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

/// One coordinate of 16 bits, or a sum of squares, all in 16 bits: the compiler has instructions for eight of each,
/// also for the upper half of a product. (Arrays of eight were vectorised too, but how their comparisons became bits
/// took three times as long as all the rest.)
#[derive(Clone, Copy)]
pub struct Single(i16);

impl Lanes16 for Single {
    const LANES: usize = 1;
    const IDS: usize = WORD;
    const POINTS: usize = 1;

    methods! {
        fn splat(value: i16) -> Self = Single(value);
        fn load(from: *const i16) -> Self = Single(from.read());
        fn store(self, to: *mut i16) = to.write(self.0);
        fn shl(self, bits: u32) -> Self = Single(self.0 << bits);
        fn sub(self, other: Self) -> Self = Single(self.0.wrapping_sub(other.0));
        fn saturating_sub(self, other: Self) -> Self = Single(self.0.saturating_sub(other.0));
    }

    #[inline(always)]
    unsafe fn square(self) -> Self {
        let d = i32::from(self.0);
        Single(((d * d) >> 16) as i16)
    }

    methods! {
        fn add(self, other: Self) -> Self = Single(self.0.wrapping_add(other.0));
        fn max(self, other: Self) -> Self = Single(self.0.max(other.0));
        fn is_zero(self) -> u32 = u32::from(self.0 == 0);
        fn le(self, other: Self) -> u32 = u32::from(self.0 as u16 <= other.0 as u16);
        fn within(self, lo: Self, hi: Self) -> u32 = u32::from(lo.0 <= self.0) & u32::from(self.0 <= hi.0);
    }

    #[inline(always)]
    fn at(bits: u32, part: usize) -> u32 {
        static BITS: [u32; WORD] = {
            let (mut bits, mut part) = ([0; WORD], 0);
            while part < WORD {
                bits[part] = 1 << part;
                part += 1;
            }
            bits
        };
        bits.wrapping_neg() & BITS[part] // vectors can be masked, but not shifted by an amount for each lane
    }

    #[inline(always)]
    unsafe fn compress(lists: &[(*const i16, *mut i16)], mut mask: u32) {
        let mut at = 0;
        while mask != 0 {
            let bit = mask.trailing_zeros() as usize;
            for &(from, to) in lists {
                // SAFETY: WORD elements are readable and writable.
                unsafe { to.add(at).write(from.add(bit).read()) };
            }
            at += 1;
            mask &= mask - 1;
        }
    }

    methods! {
        fn compress_ids(ids: *const i32, mask: u32, to: *mut i32) = <Lanes<f32> as Vector>::compress_ids(ids, mask, to);
        fn copy(from: *const i32, to: *mut i32, len: usize) = std::ptr::copy_nonoverlapping(from, to, len);
    }

    #[inline(always)]
    unsafe fn filter(
        points: *const u64,
        ids: *const u32,
        _count: usize,
        into: &IntoFrame,
        to: (*mut u64, *mut u32),
    ) -> usize {
        // SAFETY: an element is readable and writable.
        unsafe {
            let lane = |word: u64, k: usize| (word >> (16 * k)) as i16;
            let point = points.read();
            let moved = |k: usize| {
                let moved = lane(point, k).saturating_add(lane(into.offsets[0], k));
                moved.saturating_add(lane(into.offsets[1], k))
            };
            let coords: [i16; 4] = std::array::from_fn(moved);
            let inside = |k: usize| lane(into.lo, k) <= coords[k] && coords[k] <= lane(into.hi, k);
            to.0.write(coords.iter().rev().fold(0, |word, &c| word << 16 | u64::from(c as u16)));
            to.1.write(ids.read());
            usize::from((0..3).all(inside))
        }
    }
}
