//! Points and rows that a search leaves out: points of kinds that list nothing and that no row lists, and rows that are not
//! wanted.

use super::level::FixedLevel;
use super::{FixedDescent, FixedSearch, MEMBERS, Neighborhood, TESTS, WHAT};
use crate::cpu::kernels::quantized::Box16;
use crate::error::Result;
use crate::grid::{Block, FINE_BITS, Frame, Packed};
use crate::kinds::{CLASSES, Classes};
use crate::list::{push, resize_discarding};

/// Points ahead whose class is fetched: their numbers are anywhere.
const AHEAD: usize = 24;

/// The members of a block are few if it has at least this many points for each of them.
const FEW: usize = 4;

/// The fate of the points of a class.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    No,
    /// Those of the block whose rows may list something.
    Members,
    All,
}

impl FixedSearch<'_> {
    /// Whether any point around a block may list another, as far as their cells tell.
    pub(super) fn has_pairs(&self, block: &Block, frame: &Frame) -> bool {
        let Some(classes) = self.classes else { return true };
        let mut around = 0;
        (self.grid).around(block, self.fixed, frame, |_, _, cell| around |= self.cells[cell]);
        classes.may_list(around, around)
    }
}

impl Neighborhood {
    /// Takes down the classes of the first `found` points, and leaves out those that no row of the block lists and that
    /// have no row of it themselves. Returns how many are left: none where no row lists anything.
    pub(super) fn prune(
        &mut self,
        search: &FixedSearch,
        classes: &Classes,
        frame: &Frame,
        found: usize,
    ) -> Result<usize> {
        resize_discarding(&mut self.near_classes, found, 0, WHAT)?;
        let is_member = |point: Packed| is_in(frame, search.grid.dim(), point);
        let (mut around, mut members) = ([false; CLASSES], [false; CLASSES]);
        let ids = &self.near_ids[..found];
        for (k, class) in self.near_classes.iter_mut().enumerate() {
            if let Some(&later) = ids.get(k + AHEAD) {
                classes.prefetch(later as usize);
            }
            *class = classes.of(ids[k] as usize);
        }
        for (class, &point) in self.near_classes.iter().zip(&self.near) {
            around[usize::from(*class)] = true;
            let has_members = &mut members[usize::from(*class)];
            *has_members = *has_members || is_member(point);
        }
        let [around, members] = [around, members].map(|is_there| set_of(&is_there));
        if !classes.may_list(members, around) {
            return Ok(0);
        }
        self.mixed = !classes.list_all(around);
        let keep = keep_of(classes, members, around);
        Ok(self.keep(search, &keep, frame, found))
    }

    /// Finds the members of the block: its points whose rows are wanted. Returns their number. If they are few, `members` gets
    /// their places. Otherwise all points of the block count as members.
    pub(super) fn find_members(&mut self, search: &FixedSearch, block: &Block, frame: &Frame) -> Result<usize> {
        let (own, dim, found) = (search.grid.points_of(block), search.grid.dim(), self.len);
        let (ids, near_classes) = (&self.near_ids[..found], &self.near_classes);
        let has_row = |k: usize| search.classes.is_none_or(|classes| classes.has_row(near_classes[k]));
        if search.wanted.is_all() && (0..found).all(has_row) {
            return Ok(own);
        }
        self.members.clear();
        for (k, (&point, &id)) in self.near.iter().zip(ids).enumerate() {
            if has_row(k) && search.wanted.has(id as usize) && is_in(frame, dim, point) {
                if FEW * (self.members.len() + 1) > own {
                    return Ok(own);
                }
                push(&mut self.members, point, WHAT)?;
            }
        }
        self.some = true;
        Ok(self.members.len())
    }

    /// Leaves out the points of classes that are not kept. Returns the number of points left.
    fn keep(&mut self, search: &FixedSearch, keep: &[Keep; CLASSES], frame: &Frame, found: usize) -> usize {
        let is_member = |point: Packed| is_in(frame, search.grid.dim(), point);
        if (self.near_classes[..found].iter()).all(|&class| keep[usize::from(class)] == Keep::All) {
            return found;
        }
        let last = self.last(search.full, keep, found);
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
        kept
    }

    /// Rows of points from this number on list nothing.
    fn last(&self, full: bool, keep: &[Keep; CLASSES], found: usize) -> u32 {
        let listed = |&(class, _): &(&u8, &u32)| keep[usize::from(*class)] == Keep::All;
        let ids = self.near_classes[..found].iter().zip(&self.near_ids);
        let last = ids.filter(listed).map(|(_, &id)| id).max();
        if full { u32::MAX } else { last.unwrap_or(0) }
    }
}

impl FixedDescent<'_, '_> {
    /// Leaves out the targets of a level that no member of the `part` lists, unless they are members themselves.
    /// Returns whether any of its rows may list something.
    pub(super) fn prune(&mut self, depth: usize, part: &Box16, own: usize) -> bool {
        let (classes, dim) = match self.search.classes {
            Some(classes) => (classes, self.search.grid.dim()),
            None => return true,
        };
        let level = &mut self.levels[depth];
        let class = |level: &FixedLevel, k: usize| self.around.classes[usize::from(level.index[k] as u16)];
        let is_member = |level: &FixedLevel, k: usize| {
            let within = |axis: usize| (part.lo[axis]..=part.hi[axis]).contains(&level.coords[axis][k]);
            (0..dim).all(within)
        };
        let (mut seen, mut last) = (0, u8::MAX);
        for k in 0..level.len {
            let class = class(level, k);
            if class != last {
                (seen, last) = (seen | 1 << class, class);
            }
        }
        if classes.list_all(seen) || own <= MEMBERS && own * level.len <= TESTS {
            return classes.may_list(seen, seen);
        }
        let mut rows = 0;
        for k in 0..level.len {
            let class = class(level, k);
            if rows >> class & 1 == 0 && is_member(level, k) {
                rows |= 1 << class;
            }
        }
        let listed = classes.listed(rows);
        if listed & seen == 0 || seen & !listed == 0 {
            return listed & seen != 0;
        }
        let mut kept = 0;
        for k in 0..level.len {
            for coords in &mut level.coords[..dim] {
                coords[kept] = coords[k];
            }
            level.index[kept] = level.index[k];
            kept += usize::from(listed >> class(level, kept) & 1 == 1 || is_member(level, kept));
        }
        level.len = kept;
        true
    }
}

/// The classes that are there, a bit each.
fn set_of(is_there: &[bool; CLASSES]) -> u128 {
    is_there.iter().rev().fold(0, |set, &is| set << 1 | u128::from(is))
}

/// The fate of points of each class around a block whose members are of the classes `members`.
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

/// Whether a point is in the box of the frame, and not the image of another.
fn is_in(frame: &Frame, dim: usize, point: Packed) -> bool {
    (0..dim).all(|axis| {
        let coordinate = i32::from((point >> (16 * axis)) as i16);
        let fine = point >> (48 + FINE_BITS as usize * axis) & ((1 << FINE_BITS) - 1);
        let place = i64::from(coordinate) << FINE_BITS | fine as i64;
        (frame.lo[axis]..frame.hi[axis]).contains(&coordinate) && place < frame.end[axis]
    })
}
