//! The way down from a block to the boxes whose points are tested.

use std::ops::Range;

use super::super::doubt::Doubt;
use super::super::leaf::Leaf;
use super::super::rows::Sink;
use super::super::simd::banded::{Kernels, Near, Test, Way};
use super::super::simd::quantized::PADDING;
use super::block::{Block, Own, Targets, WHAT};
use super::frame::{Frame, Parts};
use super::{PerPoint, Run};
use crate::error::Result;
use crate::list::{grow, push, resize_discarding, resize_keeping};
use crate::points::Real;

/// A box with at most this many members is not divided further.
const MEMBERS: usize = 40;

/// A member is tested in the first box that is smaller than its reach divided by this,
const PEEL: f32 = 0.5;

/// or by this where the lesser reach counts: most of what is in a large box then reaches less far than the member.
const PEEL_LESSER: f32 = 0.75;

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
        let parts = Parts::of(search.reach.rule);
        let mut descent = Descent {
            search,
            frame,
            usual: {
                let bounds = &self.levels[0].bound[..self.levels[0].points.len];
                let reaches = bounds.iter().map(|&bound| frame.band.reach(parts.way, bound));
                reaches.sum::<f32>() / bounds.len().max(1) as f32
            },
            peel: match parts.way {
                Way::Lesser => PEEL_LESSER,
                _ => PEEL,
            },
            kernels: search.kernels(parts.way),
            block: self,
            doubt,
            sink,
        };
        let run = search.tree.points_of(&own.leaves());
        let is_member = |&place: &usize| search.part_of(place) <= own.most && search.has_row(place);
        let members = &mut descent.block.members;
        members.clear();
        resize_keeping(members, run.len(), 0, WHAT)?;
        members.clear();
        members.extend(run.clone().filter(is_member).map(|place| (place - run.start) as u32));
        let range = 0..descent.block.members.len();
        let around = descent.volume(&frame.near(frame.length(own.most)));
        descent.descend(range, 0, around)
    }
}

/// The way down from a block to the boxes whose points are tested.
struct Descent<'s, 'a, 'd, T> {
    search: &'s PerPoint<'a, T>,
    frame: &'s Frame,
    /// How far targets reach on average.
    usual: f32,
    /// [`PEEL`], as the rule wants it.
    peel: f32,
    kernels: Kernels,
    block: &'s mut Block,
    doubt: &'s mut Doubt<'d>,
    sink: &'s mut dyn Sink,
}

impl<T: Real> Descent<'_, '_, '_, T> {
    /// Tests the members of `range` with the targets of level `depth`, which are all that are in a volume `around` the box they
    /// were selected for.
    fn descend(&mut self, range: Range<usize>, depth: usize, around: f32) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let near = self.near(range.clone());
        let (mut depth, mut around) = (depth, around);
        let left = self.volume(&near) / around;
        if left < SELECT_AT && range.len() as f32 * (1.0 - left) > SPARED {
            self.select(depth, &near)?;
            (depth, around) = (depth + 1, around * left);
        }
        let width = |axis: usize| near.hi[axis] - near.lo[axis];
        let Some(widest) = (0..self.search.tree.dim()).reduce(|a, b| if width(b) > width(a) { b } else { a }) else {
            return Ok(());
        };
        if range.len() <= MEMBERS || width(widest) <= 0.0 {
            return self.test(depth, range);
        }
        // Those at either end are in different halves.
        let middle = (0.5 * near.lo[widest] + 0.5 * near.hi[widest]).max(near.lo[widest].next_up());
        let below = self.peel * width(widest);
        let start = self.block.members.len();
        let [far, lower, upper] = self.divide(range, |own, member| match own.part[member] > below {
            true => 0,
            false => 1 + usize::from(own.coords[widest][member] >= middle),
        })?;
        self.test(depth, far)?;
        self.descend(lower, depth, around)?;
        self.descend(upper, depth, around)?;
        self.block.members.truncate(start);
        Ok(())
    }

    /// Appends the members of `range` by the part that `part_of` tells; returns where each part is.
    fn divide(&mut self, range: Range<usize>, part_of: impl Fn(&Own, usize) -> usize) -> Result<[Range<usize>; 3]> {
        let Block { members, own, .. } = &mut *self.block;
        let (start, len) = (members.len(), range.len());
        resize_keeping(members, start + 3 * len, 0, WHAT)?;
        let (from, to) = members.split_at_mut(start);
        let mut lens = [0; 3];
        for &member in &from[range] {
            let part = part_of(own, member as usize); // most branches would be guessed wrong
            to[part * len + lens[part]] = member;
            lens[part] += 1;
        }
        let first = |part: usize| start + part * len;
        Ok([0, 1, 2].map(|part| first(part)..first(part) + lens[part]))
    }

    /// The box of members, and the part of whoever reaches farthest.
    fn near(&self, range: Range<usize>) -> Near {
        let (dim, own) = (self.search.tree.dim(), &self.block.own);
        let mut near = Near {
            lo: [f32::INFINITY; 3],
            hi: [f32::NEG_INFINITY; 3],
            reach: 0.0,
        };
        for &member in &self.block.members[range] {
            let part = own.part[member as usize];
            near.reach = if part > near.reach { part } else { near.reach };
            for axis in 0..dim {
                let coord = own.coords[axis][member as usize];
                near.lo[axis] = if coord < near.lo[axis] { coord } else { near.lo[axis] };
                near.hi[axis] = if coord > near.hi[axis] { coord } else { near.hi[axis] };
            }
        }
        near
    }

    /// About how much there is around a box.
    fn volume(&self, near: &Near) -> f32 {
        let reach = near.reach.max(self.usual);
        let sides = (0..self.search.tree.dim()).map(|axis| near.hi[axis] - near.lo[axis] + 2.0 * reach);
        sides.product()
    }

    /// Selects the targets of a box from level `depth` into the next.
    fn select(&mut self, depth: usize, near: &Near) -> Result<()> {
        let dim = self.search.tree.dim();
        let Block { levels, .. } = &mut *self.block;
        if levels.len() == depth + 1 {
            push(levels, Targets::default(), WHAT)?;
        }
        let (from, to) = levels[depth..].split_at_mut(1);
        let (from, to) = (&from[0], &mut to[0]);
        let from = from.view();
        to.reserve(from.len, dim)?;
        let selection = to.selection(0);
        to.points.len = (self.kernels).select(from, near, &self.frame.band, selection);
        Ok(())
    }

    /// Tests the members of `range` with the targets of a level.
    fn test(&mut self, depth: usize, range: Range<usize>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let (search, band, doubt) = (self.search, &self.frame.band, &mut *self.doubt);
        let Block {
            levels,
            own,
            members,
            index,
            reaches,
            numbers,
            places,
            classes,
            tests,
            ..
        } = &mut *self.block;
        let (targets, members) = (levels[depth].view(), &members[range]);
        resize_discarding(index, targets.len + PADDING, 0, WHAT)?;
        (index.iter_mut().zip(targets.points.ids)).for_each(|(to, &from)| *to = from as u16 as i16);
        let around = |rank: usize| usize::from(index[rank] as u16);
        grow(&mut tests.ranks, members.len(), 0, WHAT)?;
        resize_discarding(reaches, members.len(), 0.0, WHAT)?;
        for ((rank, reach), &member) in tests.ranks.iter_mut().zip(&mut *reaches).zip(members) {
            let at = own.index[member as usize];
            *rank = targets.points.ids[..targets.len].partition_point(|&other| (other as u32) < at) as u16;
            *reach = own.part[member as usize];
        }
        if let Some(of) = search.classes {
            let ranks = &tests.ranks[..members.len()];
            tests
                .allowed
                .load(of, targets.len, |rank| classes[around(rank)], ranks)?;
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
        let (kernels, full) = (self.kernels, search.full);
        let leaf = Leaf {
            len: targets.len,
            index,
            numbers,
            full,
            has_classes: search.classes.is_some(),
        };
        tests.find(members.len(), &leaf, self.sink, |first, ranks, words, counts| {
            kernels.test(Test {
                targets,
                ranks,
                reaches: &reaches[first..],
                band,
                full,
                resolve: &mut resolve,
                words,
                counts,
            })
        })
    }
}
