//! The division of a box into parts.

use crate::cpu::kernels::quantized::Box16;
use crate::grid::Packed;

/// The number of times to halve a box along each axis, so that its `own` members are about `wanted` in a part; not at all where it is too
/// narrow.
pub fn halvings(dim: usize, [lo, hi]: [[i32; 3]; 2], own: usize, wanted: f64) -> [u32; 3] {
    let mut halvings = [0; 3];
    let mut members = own as f64;
    while members > wanted {
        let width = |axis: usize| (hi[axis] - lo[axis]) >> halvings[axis];
        let Some(widest) = (0..dim).max_by_key(|&axis| width(axis)) else {
            break;
        };
        if width(widest) < 2 {
            break;
        }
        halvings[widest] += 1;
        members /= 2.0;
    }
    halvings
}

/// Moves the `members` in a box to the front, and returns them.
pub fn bring_inside<'m>(members: &'m mut [Packed], around: &Box16, dim: usize) -> &'m mut [Packed] {
    let mut inside = 0;
    for k in 0..members.len() {
        let at = |axis: usize| (members[k] >> (16 * axis)) as i16;
        if (0..dim).all(|axis| (around.lo[axis]..=around.hi[axis]).contains(&at(axis))) {
            members.swap(inside, k);
            inside += 1;
        }
    }
    &mut members[..inside]
}
