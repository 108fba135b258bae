//! Real32 in place of real64 where that cannot change a decision: coordinates relative to an origin near them, scaled so that the
//! cutoff is between 1 and 2, and bounds with a band between them that holds every pair real32 could get wrong. Pairs in
//! the band are decided exactly. Twice the lanes, half the memory, the same set.

use crate::domain::Bounds;

/// The farthest a coordinate may lie from the origin, in scaled units: farther, the band would grow too wide.
const FARTHEST: f32 = 512.0;

/// From real64 coordinates to real32 ones around an origin.
#[derive(Clone, Copy, Debug)]
pub struct Narrow {
    pub origin: [f64; 3],
    /// A power of two: scaling is exact.
    pub scale: f64,
}

impl Narrow {
    /// A frame around `origin` for this cutoff.
    pub fn new(origin: [f64; 3], cutoff: f64) -> Narrow {
        // The exponent field alone is the power of two at or below the cutoff, whose inverse is exact: the cutoff's square
        // is in the range of normal numbers, so it is far from the ends of its own.
        let power = f64::from_bits(cutoff.to_bits() & 0x7ff0_0000_0000_0000);
        Narrow {
            origin,
            scale: 1.0 / power,
        }
    }

    /// The coordinate in the frame. Infinite where it is farther away than real32 can say.
    #[inline(always)]
    pub fn coord(&self, axis: usize, coord: f64) -> f32 {
        ((coord - self.origin[axis]) * self.scale) as f32
    }

    /// The bounds for coordinates up to `farthest` from the origin; `None` where real64 has to do all itself.
    ///
    /// With u = 2^-24, a coordinate errs by u * farthest (and by 2^-53 of it before rounding to real32), a difference d of
    /// two by e = u (2 farthest + |d|), times 1.01 for all second orders. The sum of three squares then errs by at most
    /// 2 sqrt(3) |d| e + 3 e^2 + 4 u d2, where |d| is the distance, and the exact value's own rounding by 2^-51 d2. At the
    /// cutoff c (1 <= c < 2) that is below 4 c e + 8 u c^2, as e < c / 6. Farther pairs stay above, nearer ones below,
    /// because d^2 - 4 d e and d^2 + 4 d e grow with d.
    pub fn bounds(&self, bound: f64, farthest: f32) -> Option<Bounds<f32>> {
        if farthest.is_nan() || farthest > FARTHEST {
            return None;
        }
        let u = f64::from(f32::EPSILON) / 2.0;
        let square = bound * self.scale * self.scale;
        let cutoff = square.sqrt();
        let e = 1.01 * u * (2.0 * f64::from(farthest) + cutoff);
        let band = 4.0 * cutoff * e + 8.0 * u * square;
        Some(Bounds {
            lower: ((square - band) as f32).next_down(),
            upper: ((square + band) as f32).next_up(),
        })
    }
}
