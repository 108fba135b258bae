//! Fixed-point coordinates: the cutoff in units, and the frame around a block of cells in which its neighborhood has 16
//! bits an axis.

use crate::domain::Bounds;

/// Powers of two by which coordinates may be magnified in a small box.
pub(crate) const ZOOMS: usize = 7;

/// The cutoff in units, with all that follows from it.
#[derive(Clone, Copy, Debug)]
pub struct Quantized {
    /// Units of a cell, as a power of two.
    pub bits: u32,
    /// A point this many units outside a box, or farther, is in reach of nothing in it.
    pub halo: i32,
    /// For sums of `d * d >> 16` over the axes' coarse differences `d`, these magnified by the powers of two: then such
    /// squares are rounded less. Only the first `zooms` can be.
    pub coarse: [Bounds<i16>; ZOOMS],
    pub zooms: usize,
    /// For sums of `d * d` over the axes' differences `d` in fine units.
    pub fine: Bounds<i64>,
}

/// The bounds of a cutoff in units, as [`Quantized`] has them.
#[derive(Clone, Copy, Debug)]
pub struct FixedBounds {
    pub coarse: [Bounds<i16>; ZOOMS],
    pub fine: Bounds<i64>,
}

impl FixedBounds {
    /// Those of points that are never neighbors. Coarse units have no number below 0: fine ones exclude all.
    pub const NONE: FixedBounds = FixedBounds {
        coarse: [Bounds { lower: -1, upper: 0 }; ZOOMS],
        fine: Bounds { lower: -1, upper: -1 },
    };
}

/// The zero of the 16-bit coordinates of a block's neighborhood, and the block's own box in them.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub origin: [i64; 3],
    pub lo: [i32; 3],
    pub hi: [i32; 3],
    /// The ends of periodic axes, in fine units: from there on, all points are images of others. [`i64::MAX`] along
    /// open axes.
    pub end: [i64; 3],
}

impl Quantized {
    /// Cells along an axis that a block in a frame has at most.
    pub fn cells_at_most(&self) -> u32 {
        ((2 * (32767 - self.halo)) >> self.bits).max(1) as u32
    }
}
