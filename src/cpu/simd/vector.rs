//! What the kernels need of an instruction set.

use super::delta::Gaps;
use super::quantized::Lanes16;
use crate::points::Real;

/// An instruction set: its vectors. A value shows that this machine has it; only [`Simd::run`](super::Simd::run) makes one.
pub trait InstructionSet {
    type F32: Vector<Real = f32>;
    type F64: Vector<Real = f64>;
    type I16: Lanes16;
    type Gaps: Gaps;
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
    /// `self + v * v`, rounded once: only for builds that are wrong on purpose, and where a band covers either rounding.
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
    /// `self + v * v`, rounded once or twice.
    #[inline(always)]
    unsafe fn near_square(self, v: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { self.add(v.mul(v)) }
    }
    /// `self * factor - less`, rounded once or twice.
    #[inline(always)]
    unsafe fn near_product(self, factor: Self, less: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { self.mul(factor).sub(less) }
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

/// Methods of two vectors that are one instruction each.
macro_rules! instructions {
    ($($method:ident: $instruction:ident,)*) => {
        $(
            #[inline(always)]
            unsafe fn $method(self, other: Self) -> Self {
                // SAFETY: the caller runs where the instruction set is available.
                unsafe { $instruction(self, other) }
            }
        )*
    };
}
pub(super) use instructions;
