//! Leaves are magnified: sixteen bits hold the coordinates of a whole block, and a leaf covers only a part of it.

use super::level::FixedLevel;
use crate::cpu::kernels::quantized::{Box16, find};
use crate::grid::Quantized;
use crate::simd::Simd;

/// The way from the coordinates of a block to those of a leaf: less `origin`, times `2^bits`. Fewer pairs are doubtful
/// then.
#[derive(Clone, Copy, Default)]
pub struct Zoom {
    pub origin: [i16; 3],
    pub bits: u32,
}

impl Zoom {
    /// As much as lets all that is selected for the box `lo .. hi` keep to 16 bits. Differences of two of them may need
    /// more: as box and reach together fit, these are beyond the cutoff modulo 2^16 too. (Where nothing is magnified,
    /// `Grid::frame` has seen to that.)
    pub(super) fn of(fixed: &Quantized, dim: usize, lo: [i32; 3], hi: [i32; 3]) -> Zoom {
        let half = |axis: usize| (hi[axis] - lo[axis] + 1) / 2;
        let most = (0..dim).map(half).max().unwrap_or(0) + fixed.halo;
        let fits = |bits: &u32| most << bits <= i32::from(i16::MAX);
        let bits = (1..fixed.zooms as u32).take_while(fits).last().unwrap_or(0);
        if bits == 0 {
            return Zoom::default();
        }
        let origin = std::array::from_fn(|axis| if axis < dim { (lo[axis] + half(axis)) as i16 } else { 0 });
        Zoom { origin, bits }
    }

    /// Magnifies the targets of the box.
    pub(super) fn apply(&self, simd: Simd, dim: usize, level: &mut FixedLevel) {
        if self.bits == 0 {
            return;
        }
        for (coords, origin) in level.coords[..dim].iter_mut().zip(self.origin) {
            simd.run(find::Zoom {
                coords,
                len: level.len,
                origin,
                bits: self.bits,
            });
        }
    }

    /// The box `lo .. hi`, magnified.
    pub(super) fn box16(&self, dim: usize, lo: [i32; 3], hi: [i32; 3]) -> Box16 {
        let zoomed = |axis: usize, at: i32| match axis < dim {
            true => ((at - i32::from(self.origin[axis])) << self.bits) as i16,
            false => 0,
        };
        Box16 {
            lo: std::array::from_fn(|axis| zoomed(axis, lo[axis])),
            hi: std::array::from_fn(|axis| zoomed(axis, hi[axis] - 1)),
        }
    }
}
