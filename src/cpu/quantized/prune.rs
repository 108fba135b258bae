//! Points of several kinds: what is left out of a search because it lists nothing and no row lists it.

use super::{Descent, Neighborhood, Search, WHAT};
use crate::cpu::simd::quantized::WORD;
use crate::error::Result;
use crate::grid::{Block, Frame, Packed};
use crate::kinds::{CLASSES, Classes};
use crate::list::resize_discarding;

/// What becomes of the points of a class.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    No,
    /// Those of the block whose rows may list something.
    Members,
    All,
}

impl Search<'_> {
    /// Whether any point around a block may list another, as far as their cells tell.
    pub(super) fn has_pairs(&self, block: &Block, frame: &Frame) -> bool {
        let Some(classes) = self.classes else { return true };
        let mut around = 0;
        (self.grid).around(block, self.fixed, frame, |_, _, cell| around |= self.cells[cell]);
        classes.may_list(around, around)
    }
}

impl Neighborhood {
    /// Takes down the classes of the first `found` points, and leaves out those that no row of the block lists and that have no
    /// row of it themselves. Returns how many are left: none where no row lists anything.
    pub(super) fn prune(
        &mut self,
        search: &Search,
        classes: &Classes,
        block: &Block,
        frame: &Frame,
        found: usize,
    ) -> Result<usize> {
        let (grid, mut own) = (search.grid, 0);
        grid.places_of(block, |places| own |= classes.among(&grid.ids()[places]));
        if !classes.may_list(own, u128::MAX) {
            return Ok(0);
        }
        resize_discarding(&mut self.near_classes, found, 0, WHAT)?;
        let mut around = 0;
        for (class, &id) in self.near_classes.iter_mut().zip(&self.near_ids) {
            *class = classes.of(id as usize);
            around |= 1_u128 << *class;
        }
        if !classes.may_list(own, around) {
            return Ok(0);
        }
        // Members are what is in the box: where an axis ends, images of other points too.
        let is_member = |point: Packed| is_in(frame, grid.dim(), point);
        let near = self.near_classes.iter().zip(&self.near);
        let members = near.fold(own, |set, (class, &point)| match set >> class & 1 {
            0 => set | u128::from(is_member(point)) << class,
            _ => set,
        });
        let keep = keep_of(classes, members, around);
        if (0..CLASSES).all(|class| around >> class & 1 == 0 || keep[class] == Keep::All) {
            return Ok(found);
        }
        let last = self.last(search.full, &keep, found);
        let mut kept = 0;
        for k in 0..found {
            let (point, id, class) = (self.near[k], self.near_ids[k], self.near_classes[k]);
            (self.near[kept], self.near_ids[kept], self.near_classes[kept]) = (point, id, class);
            kept += usize::from(match keep[usize::from(class)] {
                Keep::No => false,
                Keep::Members => id < last && is_member(point),
                Keep::All => true,
            });
        }
        Ok(kept)
    }

    /// Rows of points from this number on list nothing.
    fn last(&self, full: bool, keep: &[Keep; CLASSES], found: usize) -> u32 {
        let listed = |&(class, _): &(&u8, &u32)| keep[usize::from(*class)] == Keep::All;
        let ids = self.near_classes[..found].iter().zip(&self.near_ids);
        let last = ids.filter(listed).map(|(_, &id)| id).max();
        if full { u32::MAX } else { last.unwrap_or(0) }
    }
}

impl Descent<'_, '_> {
    /// Whether any of the targets of a level may list another.
    pub(super) fn has_pairs(&self, depth: usize) -> bool {
        let Some(classes) = self.search.classes else {
            return true;
        };
        let mut seen = 0;
        // In most parts with pairs the first few targets tell.
        for numbers in self.levels[depth].targets().numbers().chunks(WORD) {
            let class = |&number: &u16| 1_u128 << self.around.classes[usize::from(number)];
            let more = numbers.iter().map(class).fold(seen, |seen, class| seen | class);
            if more != seen && classes.may_list(more, more) {
                return true;
            }
            seen = more;
        }
        false
    }
}

/// What becomes of points of each class around a block whose members are of the classes `members`.
fn keep_of(classes: &Classes, members: u128, around: u128) -> [Keep; CLASSES] {
    let (mut keep, mut listed) = ([Keep::No; CLASSES], 0);
    for class in (0..CLASSES as u8).filter(|class| members >> class & 1 == 1) {
        if classes.lists(class) & around != 0 {
            keep[usize::from(class)] = Keep::Members;
            listed |= classes.lists(class);
        }
    }
    for (class, keep) in keep.iter_mut().enumerate() {
        if listed >> class & 1 == 1 {
            *keep = Keep::All;
        }
    }
    keep
}

/// Whether a point is in the box of the frame.
fn is_in(frame: &Frame, dim: usize, point: Packed) -> bool {
    (0..dim).all(|axis| {
        let coordinate = i32::from((point >> (16 * axis)) as i16);
        (frame.lo[axis]..frame.hi[axis]).contains(&coordinate)
    })
}
