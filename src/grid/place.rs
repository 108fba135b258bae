//! The place of a point in its cell: 16 bits for each axis, and five more for doubtful pairs.

/// Bits of a coordinate beyond the coarse ones.
pub(crate) const FINE_BITS: u32 = 5;

/// The place of a point in its cell: 16 bits an axis, x lowest, then [`FINE_BITS`] an axis.
pub type Packed = u64;

/// A coordinate's part of a [`Packed`], from its place in the cell in fine units.
#[inline(always)]
pub(super) fn pack_axis(axis: usize, inside: u64) -> Packed {
    let fine = inside & ((1 << FINE_BITS) - 1);
    (inside >> FINE_BITS) << (16 * axis) | fine << (48 + FINE_BITS as usize * axis)
}

/// The distance of a cell from a frame's zero: whole units, and fine ones more.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offset {
    pub units: [i64; 3],
    pub fine: [u32; 3],
}

impl Offset {
    /// Whether there are whole units only.
    pub fn is_whole(&self) -> bool {
        self.fine == [0; 3]
    }

    /// A place in the cell, moved by the fine units.
    pub fn moved(&self, place: Packed) -> Packed {
        let mut moved = place;
        for (axis, &more) in self.fine.iter().enumerate() {
            let at = 48 + FINE_BITS as usize * axis;
            let fine = (place >> at & ((1 << FINE_BITS) - 1)) + u64::from(more);
            moved = moved & !(((1 << FINE_BITS) - 1) << at) | (fine & ((1 << FINE_BITS) - 1)) << at;
            moved += fine >> FINE_BITS << (16 * axis); // a place takes 14 of its 16 bits at most
        }
        moved
    }
}
