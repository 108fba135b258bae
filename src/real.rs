//! Numbers of one precision: what the library asks of real32 and real64.

use std::fmt::{Debug, Display, LowerExp};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The precision of coordinates: `f32` or `f64`. The library computes in the precision of the caller's points.
pub trait Real:
    sealed::Sealed + bytemuck::Pod + Default + PartialOrd + Into<f64> + Debug + Display + LowerExp + Send + Sync
{
    /// The name in messages.
    const NAME: &'static str;
    /// The smallest cutoff squared: below, products of coordinates differences could become subnormal, which GPUs
    /// flush.
    const CUTOFF2_MIN: f64;
    /// The largest cutoff squared.
    const CUTOFF2_MAX: f64;
    /// +infinity, the coordinate of padding: in reach of nothing.
    const INFINITY: Self;
    /// -infinity.
    const NEG_INFINITY: Self;
    /// The most that rounding errs, relative.
    const ROUNDOFF: f64;
    /// The smallest number that has all its digits.
    const LEAST_NORMAL: f64;
    /// Points farther apart than this have a distance squared above 0.
    const VANISHING: f64;
    /// Exact.
    fn to_f64(self) -> f64;
    /// Rounded to nearest.
    fn from_f64(value: f64) -> Self;
    /// Neither NaN nor infinite.
    fn is_finite(self) -> bool;
    /// The next smaller number.
    fn next_down(self) -> Self;
    /// The next larger number.
    fn next_up(self) -> Self;
    /// One rounded product.
    fn mul(self, other: Self) -> Self;
    /// One rounded sum.
    fn add(self, other: Self) -> Self;
    /// One rounded difference.
    fn sub(self, other: Self) -> Self;
    /// The number with the other sign: one bit differs, also of 0 and NaN.
    fn negated(self) -> Self;
    /// The root, correctly rounded.
    fn sqrt(self) -> Self;
    /// `self + v * v`, product and sum each rounded.
    fn add_square(self, v: Self) -> Self;
    /// The remainder of `self` less a whole number of `other`, with the sign of `self`; exact (`fmod`).
    fn rem(self, other: Self) -> Self;
}

macro_rules! real {
    ($type:ident, $name:literal, $vanishing:expr) => {
        impl Real for $type {
            const NAME: &'static str = $name;
            const CUTOFF2_MIN: f64 = $type::MIN_POSITIVE as f64 * (1u32 << 26) as f64;
            const CUTOFF2_MAX: f64 = ($type::MAX / 4.0) as f64;
            const INFINITY: Self = $type::INFINITY;
            const NEG_INFINITY: Self = $type::NEG_INFINITY;
            const ROUNDOFF: f64 = $type::EPSILON as f64 / 2.0;
            const LEAST_NORMAL: f64 = $type::MIN_POSITIVE as f64;
            const VANISHING: f64 = $vanishing;
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            fn is_finite(self) -> bool {
                $type::is_finite(self)
            }
            fn next_down(self) -> Self {
                $type::next_down(self)
            }
            fn next_up(self) -> Self {
                $type::next_up(self)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn negated(self) -> Self {
                -self
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $type::sqrt(self)
            }
            #[inline(always)]
            fn add_square(self, v: Self) -> Self {
                if cfg!(neargrid_fuse) {
                    v.mul_add(v, self)
                } else {
                    self + v * v
                }
            }
            fn rem(self, other: Self) -> Self {
                self % other
            }
        }
    };
}
// Along each axis a square is rounded to 0 below the root of half the least number.
real!(f32, "real32", 1.0 / (1u128 << 74) as f64);
real!(f64, "real64", f64::from_bits((1023 - 536) << 52));
