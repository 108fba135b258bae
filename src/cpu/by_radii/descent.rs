//! The way down from a block to the boxes whose points are tested.

use std::ops::Range;

use super::super::doubt::Doubt;
use super::super::kernels::banded::{BandedNear, TestBanded};
use super::super::kernels::quantized::TARGET_PADDING;
use super::super::leaf::Leaf;
use super::super::level::Level;
use super::super::rows::Sink;
use super::block::JOINED;
use super::block::{Block, WHAT};
use super::frame::BoxFrame;
use super::tasks::{ByRadii, LeafRun};
use crate::error::Result;
use crate::list::{grow, push, resize_discarding};
use crate::radii::RadiusRule;
use crate::real::Real;
use crate::simd::Simd;

/// A box with at most this many members is not divided further.
const MEMBERS: usize = 32;

/// A member is tested in the first box that is smaller than its radius divided by this.
fn peel(rule: RadiusRule) -> f32 {
    match rule {
        // Most of what is in a larger box reaches less far than the member.
        RadiusRule::Min => 0.75,
        RadiusRule::Mean => 1.0,
        _ => 0.5,
    }
}

/// Targets are selected again where about this share would be left of them,
const SELECT_AT: f32 = 0.8;

/// and that many members would be spared the others.
const SPARED: f32 = 4.0;

/// Reaches count as this at most, so that volumes are finite.
const FAR: f32 = 1e9;

impl Block {
    /// Finds the rows of the points of a run.
    pub fn search<T: Real>(
        &mut self,
        search: &ByRadii<T>,
        own: &LeafRun,
        doubt: &mut Doubt,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let frame = &self.load(search, own)?;
        let usual = self.usual(search, frame, own)?;
        let mut descent = BandedDescent {
            search,
            frame,
            usual,
            peel: peel(search.reach.rule),
            block: self,
            first: search.tree.points_of(&own.leaves()).start,
            doubt,
            sink,
        };
        let most = frame.length(own.most);
        let around = descent.volume(&frame.near(&search.tree.corners(&own.leaves()), most));
        descent.descend(own.leaves(), 0, around, most)
    }
}

impl Block {
    /// The reach of the points of a run, but for a few that reach farther, or everywhere: half of them reach no
    /// farther.
    fn usual<T: Real>(&mut self, search: &ByRadii<T>, frame: &BoxFrame, own: &LeafRun) -> Result<f32> {
        let of_points = &search.tree.radii()[search.tree.points_of(&own.leaves())];
        resize_discarding(&mut self.radii, of_points.len(), 0.0, WHAT)?;
        for (to, radius) in self.radii.iter_mut().zip(of_points) {
            *to = frame.length(radius.to_f64());
        }
        let middle = self.radii.len() / 2;
        Ok(*self.radii.select_nth_unstable_by(middle, f32::total_cmp).1)
    }
}

/// The way down from a block to the boxes whose points are tested.
struct BandedDescent<'s, 'a, 'd, T> {
    search: &'s ByRadii<'a, T>,
    frame: &'s BoxFrame,
    /// The usual reach of targets.
    usual: f32,
    peel: f32,
    block: &'s mut Block,
    /// The place where the block's points begin in the tree.
    first: usize,
    doubt: &'s mut Doubt<'d>,
    sink: &'s mut dyn Sink,
}

impl<T: Real> BandedDescent<'_, '_, '_, T> {
    /// Tests the members of a run of leaves that reach no farther than `most` with the targets of level `depth`, which
    /// are all that are in a volume `around` the box they were selected for.
    fn descend(&mut self, leaves: Range<usize>, mut depth: usize, mut around: f32, most: f32) -> Result<()> {
        let tree = self.search.tree;
        let own = self.own(&leaves);
        let left = self.block.own.reach[own.clone()].iter().filter(|&&reach| reach <= most);
        let (members, farthest) = left.fold((0, 0f32), |(members, farthest), &reach| {
            (members + 1, reach.max(farthest))
        });
        if members == 0 {
            return Ok(());
        }
        let near = self.frame.near(&tree.corners(&leaves), farthest);
        let share = self.volume(&near) / around;
        if share < SELECT_AT && members as f32 * (1.0 - share) > SPARED {
            self.select(depth, &near)?;
            (depth, around) = (depth + 1, around * share);
        }
        let halves = tree.halves(&leaves).filter(|_| members > MEMBERS);
        let widths = (0..tree.dim()).map(|axis| near.hi[axis] - near.lo[axis]);
        let below = match halves {
            Some(_) => self.peel * widths.fold(0.0, f32::max),
            None => -1.0,
        };
        self.test(depth, own, below..most)?;
        let mut halves = halves.into_iter().flatten();
        halves.try_for_each(|half| self.descend(half, depth, around, below.min(most)))
    }

    /// The points of a run of leaves, as places of the block.
    fn own(&self, leaves: &Range<usize>) -> Range<usize> {
        let places = self.search.tree.points_of(leaves);
        places.start - self.first..places.end - self.first
    }

    /// About how much there is around a box.
    fn volume(&self, near: &BandedNear) -> f32 {
        let reach = near.radius.max(self.usual).min(FAR);
        let sides = (0..self.search.tree.dim()).map(|axis| near.hi[axis] - near.lo[axis] + 2.0 * reach);
        sides.product()
    }

    /// Selects the targets of a box from level `depth` into the next.
    fn select(&mut self, depth: usize, near: &BandedNear) -> Result<()> {
        let spare = self.block.spare();
        let levels = &mut self.block.levels;
        if levels.len() == depth + 1 {
            push(levels, Level::default(), WHAT)?;
        }
        let (from, to) = levels.split_at_mut(depth + 1);
        let (dim, simd) = (self.search.tree.dim(), Simd::new(self.search.isa));
        to[0].select_near(&from[depth], dim, simd, near, &self.frame.band, spare)
    }

    /// Tests the members of `range` that reach farther than `reach.start`, and up to its end, with the targets of a
    /// level.
    fn test(&mut self, depth: usize, range: Range<usize>, reach: Range<f32>) -> Result<()> {
        let is_member = |radius: f32| reach.start < radius && radius <= reach.end;
        if !self.block.apart.are_all {
            let members = self.members(depth, range, is_member)?;
            let len = self.block.levels[depth].len;
            return self.test_members(depth, len, members);
        }
        let (dim, in_order) = (self.search.tree.dim(), !self.search.full);
        let picked = self.block.pick(range, is_member)?;
        for first in (0..picked).step_by(JOINED) {
            let few = first..picked.min(first + JOINED);
            let members = few.len();
            let (depth, len) = self.block.join(depth, dim, few, in_order)?;
            self.test_members(depth, len, members)?;
        }
        Ok(())
    }

    /// Tests members, whose ranks and radii are known, with `len` targets of a level.
    fn test_members(&mut self, depth: usize, len: usize, members: usize) -> Result<()> {
        if members == 0 {
            return Ok(());
        }
        let (search, band, doubt) = (self.search, &self.frame.band, &mut *self.doubt);
        let Block {
            levels,
            index,
            radii,
            numbers,
            places,
            tests,
            apart,
            ..
        } = &mut *self.block;
        let targets = levels[depth].targets();
        resize_discarding(index, len + TARGET_PADDING, 0, WHAT)?;
        (index.iter_mut().zip(targets.ids)).for_each(|(to, &from)| *to = from as u16 as i16);
        if apart.are_all {
            tests.allowed.load_others(len, &tests.ranks[..members])?;
        }
        let place = |rank: usize| places[usize::from(index[rank] as u16)] as usize;
        let mut resolve = |rank: usize, at: usize, mut doubtful: u32| {
            let (mine, mut hits) = (place(rank), 0);
            while doubtful != 0 {
                let bit = doubtful.trailing_zeros();
                let is_hit = doubt.decide(|| search.is_pair(mine, place(at + bit as usize)));
                hits |= u32::from(is_hit) << bit;
                doubtful &= doubtful - 1;
            }
            hits
        };
        let (simd, dim, full) = (Simd::new(search.isa), search.tree.dim(), search.full);
        let leaf = Leaf {
            len,
            index,
            numbers,
            full,
            has_classes: apart.are_all, // all but the members are targets of all members
            joined: if apart.are_all { members } else { 0 },
            excluded: search.excluded,
        };
        tests.find(members, &leaf, self.sink, |first, ranks, words, counts| {
            let test = TestBanded {
                targets,
                len,
                ranks,
                radii: &radii[first..],
                band,
                full,
                resolve: &mut resolve,
                words,
                counts,
            };
            simd.run_in(dim, test)
        })
    }

    /// Finds those of a range of the block's points that are members by their radii: their ranks and radii. Returns how
    /// many.
    fn members(&mut self, depth: usize, range: Range<usize>, is_member: impl Fn(f32) -> bool) -> Result<usize> {
        let Block {
            levels,
            own,
            radii,
            tests,
            ..
        } = &mut *self.block;
        let ids = &levels[depth].targets().ids[..levels[depth].len];
        grow(&mut tests.ranks, range.len(), 0, WHAT)?;
        grow(radii, range.len(), 0.0, WHAT)?;
        let mut members = 0;
        for (&at, &radius) in own.index[range.clone()].iter().zip(&own.reach[range]) {
            if is_member(radius) {
                let rank = ids.partition_point(|&other| (other as u32) < at);
                (tests.ranks[members], radii[members]) = (rank as u16, radius);
                members += 1;
            }
        }
        Ok(members)
    }
}
