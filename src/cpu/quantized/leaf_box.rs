//! A leaf of a block: some thirty members, and the few hundred points that can be in reach of them.

use super::zoom::Zoom;
use crate::cpu::kernels::quantized::{Box16, FixedTargets};
use crate::grid::{FINE_BITS, Packed};

/// A leaf: its targets, and the box that its members are in.
#[derive(Clone, Copy)]
pub struct LeafBox<'a> {
    pub dim: usize,
    pub targets: FixedTargets<'a>,
    pub members: Box16,
    /// The ends of periodic axes in the box, in fine units: what lies beyond is an image of a member of another block.
    /// None where no axis ends in it.
    pub end: Option<[i64; 3]>,
    pub zoom: Zoom,
    pub around: Surroundings<'a>,
}

/// All points around a block, in ascending order of the caller's numbers.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    pub ids: &'a [u32],
    /// Their classes; none where there is but one.
    pub classes: &'a [u8],
    /// Whether some of them may not list some others.
    pub mixed: bool,
    /// Number and place in `near`, packed as `number << 32 | place`.
    pub order: &'a [u64],
    pub near: &'a [Packed],
}

impl LeafBox<'_> {
    /// A target's coordinates in fine units.
    #[inline(always)]
    pub fn fine(&self, rank: usize) -> [i64; 3] {
        let place = self.around.order[self.number(rank)] as u32 as usize;
        let fine = self.around.near[place] >> 48;
        std::array::from_fn(|axis| match axis < self.dim {
            true => {
                let fine = fine >> (FINE_BITS as usize * axis) & ((1 << FINE_BITS) - 1);
                let coarse =
                    i64::from(self.targets.coords[axis][rank] >> self.zoom.bits) + i64::from(self.zoom.origin[axis]);
                coarse << FINE_BITS | fine as i64
            }
            false => 0,
        })
    }

    /// Whether a target lies before the ends, so that it is no image.
    pub fn is_before(&self, rank: usize, end: &[i64; 3]) -> bool {
        self.fine(rank).iter().zip(end).all(|(at, end)| at < end)
    }

    /// A target's place among all points around.
    #[inline]
    pub fn number(&self, rank: usize) -> usize {
        self.targets.index[rank] as u16 as usize
    }

    /// The caller's number of a target.
    #[inline]
    pub fn id(&self, rank: usize) -> u32 {
        self.around.ids[self.number(rank)]
    }
}
