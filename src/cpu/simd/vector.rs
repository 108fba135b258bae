//! What the kernels need of an instruction set.

/// A vector of coordinates. All methods are unsafe because an instance may only run where its instruction set is
/// available, and because loads and stores go through raw pointers.
pub trait Vector: Copy {
    /// The precision of a lane.
    type Real: crate::points::Real;
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
    /// Lane by lane square.
    unsafe fn square(self) -> Self;
    /// `self + v * v`: product and sum each rounded.
    unsafe fn add_square(self, v: Self) -> Self;
    /// `self + v * v`, rounded once or twice.
    #[inline(always)]
    unsafe fn near_square(self, v: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { self.add_square(v) }
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
