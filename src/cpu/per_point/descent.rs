//! The way down from a block to the boxes whose points are tested.

use std::ops::Range;

use super::super::doubt::Doubt;
use super::super::leaf::Leaf;
use super::super::level::Level;
use super::super::rows::Sink;
use super::super::simd::Simd;
use super::super::simd::banded::{Near, Test};
use super::super::simd::quantized::PADDING;
use super::block::{Block, WHAT};
use super::frame::Frame;
use super::{PerPoint, Run};
use crate::error::Result;
use crate::list::{grow, push, resize_discarding};
use crate::points::Real;
use crate::radii::RadiusRule;

/// A box with at most this many members is not divided further.
const MEMBERS: usize = 40;

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

impl Block {
    /// Finds the rows of the points of a run.
    pub fn search<T: Real>(
        &mut self,
        search: &PerPoint<T>,
        own: &Run,
        doubt: &mut Doubt,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let frame = &self.load(search, own)?;
        let radii = &search.tree.radii()[search.tree.points_of(&own.leaves())];
        let usual = radii.iter().map(|radius| radius.to_f64()).sum::<f64>() / radii.len().max(1) as f64;
        let mut descent = Descent {
            search,
            frame,
            usual: frame.length(usual),
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

/// The way down from a block to the boxes whose points are tested.
struct Descent<'s, 'a, 'd, T> {
    search: &'s PerPoint<'a, T>,
    frame: &'s Frame,
    /// How far targets reach on average.
    usual: f32,
    peel: f32,
    block: &'s mut Block,
    /// Where the block's points begin in the tree.
    first: usize,
    doubt: &'s mut Doubt<'d>,
    sink: &'s mut dyn Sink,
}

impl<T: Real> Descent<'_, '_, '_, T> {
    /// Tests the members of a run of leaves that reach no farther than `most` with the targets of level `depth`, which are all that
    /// are in a volume `around` the box they were selected for.
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
    fn volume(&self, near: &Near) -> f32 {
        let reach = near.radius.max(self.usual);
        let sides = (0..self.search.tree.dim()).map(|axis| near.hi[axis] - near.lo[axis] + 2.0 * reach);
        sides.product()
    }

    /// Selects the targets of a box from level `depth` into the next.
    fn select(&mut self, depth: usize, near: &Near) -> Result<()> {
        let levels = &mut self.block.levels;
        if levels.len() == depth + 1 {
            push(levels, Level::default(), WHAT)?;
        }
        let (from, to) = levels.split_at_mut(depth + 1);
        let (dim, simd) = (self.search.tree.dim(), Simd::new(self.search.isa));
        to[0].select_near(&from[depth], dim, simd, near, &self.frame.band)
    }

    /// Tests the members of `range` that reach farther than `reach.start`, and up to its end, with the targets of a level.
    fn test(&mut self, depth: usize, range: Range<usize>, reach: Range<f32>) -> Result<()> {
        let members = self.members(depth, range, reach)?;
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
            classes,
            tests,
            ..
        } = &mut *self.block;
        let (targets, len) = (levels[depth].targets(), levels[depth].len);
        resize_discarding(index, len + PADDING, 0, WHAT)?;
        (index.iter_mut().zip(targets.ids)).for_each(|(to, &from)| *to = from as u16 as i16);
        let around = |rank: usize| usize::from(index[rank] as u16);
        if let Some(of) = search.classes {
            let ranks = &tests.ranks[..members];
            tests.allowed.load(of, len, |rank| classes[around(rank)], ranks)?;
        }
        let place = |rank: usize| places[around(rank)] as usize;
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
            has_classes: search.classes.is_some(),
        };
        tests.find(members, &leaf, self.sink, |first, ranks, words, counts| {
            let test = Test {
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
    /// Finds the members of `range` whose radii are above `reach.start` and at most its end: their ranks and radii. Returns how many.
    fn members(&mut self, depth: usize, range: Range<usize>, reach: Range<f32>) -> Result<usize> {
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
            if reach.start < radius && radius <= reach.end {
                let rank = ids.partition_point(|&other| (other as u32) < at);
                (tests.ranks[members], radii[members]) = (rank as u16, radius);
                members += 1;
            }
        }
        Ok(members)
    }
}
