//! Members that are no targets, because their rows list no points of their group, like those of queries. They are among
//! the targets that they are tested with, so that a rank says which point a member is, and no row lists them there.

use std::ops::Range;

use super::super::level::Level;
use super::block::{Block, JOINED, WHAT};
use crate::error::Result;
use crate::list::{grow, push, resize_discarding};

impl Block {
    /// The number of members for which a level has room beside its targets.
    pub(super) fn spare(&self) -> usize {
        if self.apart.are_all { JOINED } else { 0 }
    }

    /// Takes the block's own points out of the first level.
    pub(super) fn part(&mut self, dim: usize) -> Result<()> {
        let (level, own) = (&mut self.levels[0], &self.own.index);
        for axis in 0..dim {
            resize_discarding(&mut self.apart.coords[axis], own.len(), 0.0, WHAT)?;
            for (to, &from) in self.apart.coords[axis].iter_mut().zip(own) {
                *to = level.coords[axis][from as usize];
            }
        }
        self.apart.picked.clear();
        for &at in own {
            push(&mut self.apart.picked, (at, 0), WHAT)?;
        }
        self.apart.picked.sort_unstable();
        let mut parted = self.apart.picked.iter().peekable();
        let mut kept = 0;
        for at in 0..level.len {
            if parted.next_if(|&&(own, _)| own as usize == at).is_some() {
                continue;
            }
            for coords in &mut level.coords[..dim] {
                coords[kept] = coords[at];
            }
            (level.bounds[kept], level.ids[kept]) = (level.bounds[at], at as i32);
            kept += 1;
        }
        level.len = kept;
        Ok(())
    }

    /// Picks those of a range of the block's points that `is_member` takes for members by their radii; returns how
    /// many.
    pub(super) fn pick(&mut self, range: Range<usize>, is_member: impl Fn(f32) -> bool) -> Result<usize> {
        let (picked, own) = (&mut self.apart.picked, &self.own);
        picked.clear();
        for number in range.filter(|&number| is_member(own.reach[number])) {
            push(picked, (own.index[number], number as i32), WHAT)?;
        }
        picked.sort_unstable();
        Ok(picked.len())
    }

    /// Puts a few of the members picked among the targets of a level, by `in_order` of all or after them. Their ranks
    /// and radii are those of tests then. Returns the level to be tested, and how many targets it has.
    pub(super) fn join(
        &mut self,
        depth: usize,
        dim: usize,
        picked: Range<usize>,
        in_order: bool,
    ) -> Result<(usize, usize)> {
        let (members, len) = (picked.len(), self.levels[depth].len);
        grow(&mut self.tests.ranks, members, 0, WHAT)?;
        grow(&mut self.radii, members, 0.0, WHAT)?;
        if !in_order {
            for (k, number) in picked.enumerate() {
                self.put(depth, dim, number, (k, len + k));
            }
            return Ok((depth, len + members));
        }
        if self.levels.len() == depth + 1 {
            push(&mut self.levels, Level::default(), WHAT)?;
        }
        self.levels[depth + 1].reserve_bounds(len + members, dim)?;
        let (mut from, mut to) = (0, 0);
        for (k, number) in picked.enumerate() {
            let at = self.apart.picked[number].0;
            let end = self.levels[depth].ids[..len].partition_point(|&other| (other as u32) < at);
            self.copy(depth, dim, from..end, to);
            (from, to) = (end, to + end - from);
            self.put(depth + 1, dim, number, (k, to));
            to += 1;
        }
        self.copy(depth, dim, from..len, to);
        Ok((depth + 1, len + members))
    }

    /// Copies targets of a level to the next one.
    fn copy(&mut self, depth: usize, dim: usize, from: Range<usize>, to: usize) {
        let (finer, coarser) = self.levels.split_at_mut(depth + 1);
        let (level, next, to) = (&finer[depth], &mut coarser[0], to..to + from.len());
        for (next, coords) in next.coords.iter_mut().zip(&level.coords).take(dim) {
            next[to.clone()].copy_from_slice(&coords[from.clone()]);
        }
        next.bounds[to.clone()].copy_from_slice(&level.bounds[from.clone()]);
        next.ids[to].copy_from_slice(&level.ids[from]);
    }

    /// Puts a member picked, the `k`-th of a few, at a rank of a level, which has room.
    fn put(&mut self, depth: usize, dim: usize, number: usize, (k, rank): (usize, usize)) {
        let (at, own) = self.apart.picked[number];
        let level = &mut self.levels[depth];
        for (to, coords) in level.coords.iter_mut().zip(&self.apart.coords).take(dim) {
            to[rank] = coords[own as usize];
        }
        (level.bounds[rank], level.ids[rank]) = (0.0, at as i32);
        (self.tests.ranks[k], self.radii[k]) = (rank as u16, self.own.reach[own as usize]);
    }
}
