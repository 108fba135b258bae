//! The numbers a query needs on the device, and why they are right. Shader twins: `shaders/shared/params.wgsl`,
//! `shape.wgsl`, `chunk.wgsl`; `tests/shaders.rs` compares the layouts.

use crate::points::Real;

/// Fixed-point coordinates have this many bits below the cutoff's leading one: the cutoff is in [2^20, 2^21) units, so
/// that differences across three cells stay below 2^24, exact in real32.
const CUTOFF_BITS: i32 = 20;

/// Low bits of a coordinate that its cell does not depend on.
const CELL_DROPS: u32 = 8;

/// Bits behind the point of the multiplier that makes cells of coordinates.
const CELL_SHIFT: u32 = 42;

/// Half the width of the band of doubt, relative to the cutoff squared.
///
/// Rounding down to units moves a difference by less than 1 on each axis, the distance by less than sqrt(3), its square at
/// the cutoff by less than 2 sqrt(3) 2^-20 < 2^-18.2. The sum of squares in real32, fused or not, rounded in any
/// direction, errs by less than 5 * 2^-23; the caller's own real32 arithmetic by less than 6 * 2^-24. All three stay below
/// 2^-17.6.
const DOUBT: f64 = 1.0 / (1 << 17) as f64;

/// Rows with more ids are long: `shaders/fill.wgsl` has room for these.
pub(crate) const LONGEST: u32 = 256;

/// Bytes of workgroup memory that `shaders/fill.wgsl` takes for each subgroup: ids of a row, first candidates of masks.
pub(crate) const FILL_BYTES: u32 = 4 * (LONGEST + 64);

/// Points with more candidates are counted by a workgroup each: a lane would take too long, and others wait for it.
pub(crate) const CROWDED: u32 = 8192;

/// Rows of a group of masks: `GROUP` in `shaders/shared/masks.wgsl`.
pub(crate) const GROUP: u64 = 64;

/// Workgroups that find the extent, at most: the lanes of `shaders/shape.wgsl`.
pub(crate) const SHARES: u64 = 256;

/// Twin of `Params` in `shaders/shared/params.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Params {
    pub points: u32,
    pub dim: u32,
    pub words: u32,
    pub shift: i32,
    pub bound: [u32; 2],
    pub lower: f32,
    pub upper: f32,
    pub multiplier: u32,
    pub reach: u32,
    pub most_cells: u32,
    pub full: u32,
    pub base: u32,
    pub longest: u32,
    pub crowded: u32,
    pub shares: u32,
    pub mask_words: u32,
    pub reserved: [u32; 3],
}

/// Twin of `Chunk` in `shaders/shared/chunk.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Chunk {
    pub first: u32,
    pub end: u32,
    pub start: [u32; 2],
}

/// Bytes of `Shape` in `shaders/shared/shape.wgsl`, which only the device writes and reads.
pub(crate) const SHAPE_BYTES: u64 = 48;

/// Bytes of the counts in front of `Rows` in `shaders/shared/rows.wgsl`.
pub(crate) const ROWS_HEAD_BYTES: u64 = 32;

impl Params {
    /// The part that depends on cutoff and tie rule. `cutoff` is already rounded to `T`.
    pub fn set_cutoff<T: Real>(&mut self, cutoff: f64, bound: T) {
        let exponent = ((cutoff.to_bits() >> 52) & 0x7ff) as i32 - 1023;
        self.shift = CUTOFF_BITS - exponent;
        let unit = f64::from_bits(((1023 + self.shift) as u64) << 52); // units per length: a power of two
        let square = bound.to_f64() * unit * unit;
        self.lower = ((square * (1.0 - DOUBT)) as f32).next_down();
        self.upper = ((square * (1.0 + DOUBT)) as f32).next_up();
        self.words = (size_of::<T>() / size_of::<u32>()) as u32;
        let bytes = bytemuck::bytes_of(&bound);
        let word = |k: usize| bytemuck::pod_read_unaligned(&bytes[4 * k..4 * k + 4]);
        self.bound = [word(0), if self.words == 2 { word(1) } else { 0 }];
        self.multiplier = multiplier(cutoff * unit, self.reach);
    }
}

/// Cell along an axis = ((coordinate - origin) >> [`CELL_DROPS`]) * multiplier >> [`CELL_SHIFT`].
///
/// Points of a pair differ by at most c (1 + 2^-21) along an axis, hence by less than c (1 + 2^-20) + 1 units, their shifted
/// coordinates by at most `spans`; `spans * multiplier <= reach * 2^42`, so their cells differ by at most `reach`.
fn multiplier(cutoff: f64, reach: u32) -> u32 {
    let units = (cutoff * (1.0 + 1.0 / (1 << 20) as f64)) as u64 + 2;
    let spans = (units >> CELL_DROPS) + 2;
    ((u64::from(reach) << CELL_SHIFT) / spans) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The multiplier keeps the promise of its comment and wastes little.
    #[test]
    fn cells_span_the_cutoff() {
        for reach in 1..=3 {
            for cutoff in [1.0, 1.0 + f64::EPSILON, 1.37, 1.5, 1.999, 2.0 - f64::EPSILON] {
                let units = cutoff * (1 << CUTOFF_BITS) as f64;
                let multiplier = u64::from(multiplier(units, reach));
                let far = (((units * (1.0 + 1.0 / (1 << 20) as f64)) as u64 + 1) >> CELL_DROPS) + 1;
                assert!(u128::from(far) * u128::from(multiplier) <= u128::from(reach) << CELL_SHIFT);
                let size = (1u64 << CELL_SHIFT) as f64 / multiplier as f64 * (1 << CELL_DROPS) as f64;
                assert!(size * f64::from(reach) < units * 1.001, "cells of {size} for {units}");
            }
        }
    }

    /// The band holds the bound, whatever the scale.
    #[test]
    fn band() {
        for exponent in [-490, -100, -1, 0, 1, 100, 500] {
            let cutoff = 1.37 * 2f64.powi(exponent);
            let mut params = Params {
                reach: 1,
                ..Params::default()
            };
            params.set_cutoff(cutoff, cutoff * cutoff);
            let units = 1.37 * (1 << CUTOFF_BITS) as f64;
            assert!(f64::from(params.lower) < units * units && units * units < f64::from(params.upper));
            assert!(f64::from(params.upper - params.lower) < 2.1 * DOUBT * units * units);
        }
    }
}
