//! Kernels, and all that they need of an instruction set.

use crate::real::Real;

/// Targets of a word, a bit each.
pub const WORD: usize = 32;

/// An instruction set: its vectors. A value shows that this machine has it; only [`Simd::run`](super::Simd::run) makes
/// one.
pub trait InstructionSet {
    type F32: Vector<Real = f32>;
    type F64: Vector<Real = f64>;
    type I16: Lanes16;
}

/// Work that is compiled for every instruction set. Plain Rust is allowed: no operation becomes another one, so results
/// have the same bits.
pub trait Kernel {
    type Output;

    /// Does the work. Implementations and all that they call are `#[inline(always)]`, or they are compiled for the
    /// baseline alone. The argument shows that the instruction set is there.
    fn run<S: InstructionSet>(self, simd: S) -> Self::Output;
}

/// A [`Kernel`] for coordinates along `DIM` axes.
pub trait KernelIn {
    type Output;

    /// See [`Kernel::run`].
    fn run<S: InstructionSet, const DIM: usize>(self, simd: S) -> Self::Output;
}

/// A precision that has vectors.
pub trait Width: Real {
    type Vector<S: InstructionSet>: Vector<Real = Self>;
}

impl Width for f32 {
    type Vector<S: InstructionSet> = S::F32;
}

impl Width for f64 {
    type Vector<S: InstructionSet> = S::F64;
}

/// A vector of coordinates. All methods are unsafe because an instance may only run where its instruction set is
/// available, and because loads and stores go through raw pointers.
pub trait Vector: Copy {
    /// The precision of a lane.
    type Real: Real;
    /// Lanes: at most 16, the padding of every array read or written.
    const LANES: usize;

    /// All lanes alike.
    unsafe fn splat(value: Self::Real) -> Self;
    /// Unaligned load of `LANES` coordinates.
    unsafe fn load(from: *const Self::Real) -> Self;
    /// Lane by lane difference.
    unsafe fn sub(self, other: Self) -> Self;
    /// Lane by lane sum.
    unsafe fn add(self, other: Self) -> Self;
    /// Lane by lane product.
    unsafe fn mul(self, other: Self) -> Self;
    /// `self + v * v`, rounded once: only for builds that are wrong on purpose.
    unsafe fn fused_square(self, v: Self) -> Self;
    /// Lane by lane square.
    #[inline(always)]
    unsafe fn square(self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { self.mul(self) }
    }
    /// `self + v * v`: product and sum each rounded.
    #[inline(always)]
    unsafe fn add_square(self, v: Self) -> Self {
        // SAFETY: the caller's promise; a build that fuses on purpose is for machines that can.
        unsafe {
            if cfg!(neargrid_fuse) {
                self.fused_square(v)
            } else {
                self.add(v.mul(v))
            }
        }
    }
    /// The greater one, lane by lane.
    unsafe fn max(self, other: Self) -> Self;
    /// The lesser one, lane by lane.
    unsafe fn min(self, other: Self) -> Self;
    /// One bit per lane: self <= other, false for NaN.
    unsafe fn le(self, other: Self) -> u32;
    /// Writes the coordinates whose bit is set, packed, to `to`; may write up to `LANES` elements.
    unsafe fn compress(self, mask: u32, to: *mut Self::Real);
    /// Writes the ids whose bit is set, packed, to `to`; may write up to `LANES` elements.
    unsafe fn compress_ids(ids: *const i32, mask: u32, to: *mut i32);
}

/// A vector of 16-bit coordinates. All methods are unsafe because an instance may only run where its instruction set is
/// available, and because loads and stores go through raw pointers.
pub trait Lanes16: Copy {
    /// Lanes: a divisor of [`WORD`].
    const LANES: usize;
    /// Ids that are compressed at once: a divisor of [`WORD`].
    const IDS: usize;
    /// Points that `filter` takes at once.
    const POINTS: usize;

    /// All lanes alike.
    unsafe fn splat(value: i16) -> Self;
    /// Unaligned load.
    unsafe fn load(from: *const i16) -> Self;
    /// Unaligned store.
    unsafe fn store(self, to: *mut i16);
    /// Times `2^bits`; no lane overflows.
    unsafe fn shl(self, bits: u32) -> Self;
    /// Difference, modulo 2^16.
    unsafe fn sub(self, other: Self) -> Self;
    /// Difference, saturated.
    unsafe fn saturating_sub(self, other: Self) -> Self;
    /// `self^2 / 2^16`, rounded down.
    unsafe fn square(self) -> Self;
    /// Sum of squares: three are less than 2^16.
    unsafe fn add(self, other: Self) -> Self;
    /// The greater one, signed.
    unsafe fn max(self, other: Self) -> Self;
    /// One bit per lane: self is 0.
    unsafe fn is_zero(self) -> u32;
    /// One bit per lane: self <= other, unsigned.
    unsafe fn le(self, other: Self) -> u32;
    /// One bit per lane: `lo <= self <= hi`, signed.
    unsafe fn within(self, lo: Self, hi: Self) -> u32;
    /// From each pair of places, writes those of the first's [`WORD`] elements whose bit is set, packed, to the second;
    /// may write up to `WORD` elements there.
    unsafe fn compress(lists: &[(*const i16, *mut i16)], mask: u32);
    /// The bits of the lanes from `part` on, at their place in a word.
    #[inline(always)]
    fn at(bits: u32, part: usize) -> u32 {
        bits << part
    }
    /// Writes `at` plus the number of each bit set to `to`; may write up to `WORD` elements.
    unsafe fn ranks(mut mask: u32, at: usize, to: *mut u16) {
        let mut found = 0;
        while mask != 0 {
            // SAFETY: the caller's promise.
            unsafe { to.add(found).write((at + mask.trailing_zeros() as usize) as u16) };
            found += 1;
            mask &= mask - 1;
        }
    }
    /// Writes those of the `IDS` ids whose bit is set, packed, to `to`; may write up to `IDS` elements.
    unsafe fn compress_ids(ids: *const i32, mask: u32, to: *mut i32);
    /// Copies `len` ids and nothing beyond; `from` is readable for [`WORD`] more.
    unsafe fn copy(from: *const i32, to: *mut i32, len: usize);
    /// The same, whole lines of `to` past the caches: it is memory of a [`Room`](crate::room::Room) that may be written
    /// so.
    unsafe fn stream(from: *const i32, to: *mut i32, len: usize) {
        // SAFETY: the caller's promise.
        unsafe { Self::copy(from, to, len) }
    }
    /// Brings `POINTS` packed points into the frame by adding both `offsets` to their coordinates, saturated, and
    /// writes those of the first `count` within `lo` and `hi`, and their ids; may write `POINTS` elements. Returns how
    /// many.
    unsafe fn filter(
        points: *const u64,
        ids: *const u32,
        count: usize,
        into: &IntoFrame,
        to: (*mut u64, *mut u32),
    ) -> usize;
}

/// The way of points into a frame, all words of four 16-bit lanes, the last one for the fine bits.
pub struct IntoFrame {
    /// Added one after the other, for their sum may not fit.
    pub offsets: [u64; 2],
    pub lo: u64,
    pub hi: u64,
}

/// Methods that are one expression each.
macro_rules! methods {
    ($($(#[$attribute:meta])* fn $method:ident($($argument:ident $(: $type:ty)?),*) $(-> $result:ty)? = $body:expr;)*) => {
        $(
            $(#[$attribute])*
            #[inline(always)]
            #[allow(unused_unsafe)] // plain Rust
            unsafe fn $method($($argument $(: $type)?),*) $(-> $result)? {
                // SAFETY: the caller runs where the instruction set is available, and keeps a vector readable after
                // pointers that are read, and writable after those that are written.
                unsafe { $body }
            }
        )*
    };
}
pub(super) use methods;
