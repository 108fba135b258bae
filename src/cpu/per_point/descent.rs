//! The way down from a block to the boxes whose points are tested.

use std::ops::Range;

use super::super::hit_records::HitRecords;
use super::super::simd::banded::{Kernels, Near, Test, Way};
use super::super::simd::quantized::{BATCH, PADDING};
use super::super::worker::Scratch;
use super::block::{Block, Level, Own, WHAT};
use super::frame::{Frame, Parts};
use super::{PerPoint, Run};
use crate::error::Result;
use crate::list::{push, resize_discarding, resize_keeping};
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

/// A new record.
pub struct Found<'a> {
    /// Where it begins.
    pub start: usize,
    /// Where its targets stand among all around, padded.
    pub index: &'a [u16],
    /// The caller's numbers of all around.
    pub numbers: &'a [u32],
    /// The numbers of its members, and the lengths of their rows.
    pub rows: &'a [u32],
    pub counts: &'a [u32],
}

/// Called with each new record.
pub type EachRecord<'a> = dyn FnMut(&mut Scratch, &mut HitRecords, Found) -> Result<()> + 'a;

impl Block {
    /// Tests the points of the run that was loaded, and calls `each` with their records.
    pub fn search<T: Real>(
        &mut self,
        search: &PerPoint<T>,
        frame: &Frame,
        own: &Run,
        (scratch, records): (&mut Scratch, &mut HitRecords),
        each: &mut EachRecord,
    ) -> Result<()> {
        let parts = Parts::of(search.reach.rule);
        let mut descent = Descent {
            search,
            frame,
            usual: {
                let bounds = &self.levels[0].bound[..self.levels[0].len];
                let reaches = bounds.iter().map(|&bound| frame.band.reach(parts.way, bound));
                reaches.sum::<f32>() / bounds.len().max(1) as f32
            },
            peel: match parts.way {
                Way::Lesser => PEEL_LESSER,
                _ => PEEL,
            },
            kernels: search.kernels(parts.way),
            block: self,
            scratch,
            records,
            each,
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
struct Descent<'s, 'a, T> {
    search: &'s PerPoint<'a, T>,
    frame: &'s Frame,
    /// How far targets reach on average.
    usual: f32,
    /// [`PEEL`], as the rule wants it.
    peel: f32,
    kernels: Kernels,
    block: &'s mut Block,
    scratch: &'s mut Scratch,
    records: &'s mut HitRecords,
    each: &'s mut EachRecord<'s>,
}

impl<T: Real> Descent<'_, '_, T> {
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
        let (dim, levels) = (self.search.tree.dim(), &mut self.block.levels);
        if levels.len() == depth + 1 {
            push(levels, Level::default(), WHAT)?;
        }
        let (from, to) = levels[depth..].split_at_mut(1);
        let (from, to) = (&from[0], &mut to[0]);
        to.reserve(from.len, dim)?;
        to.len = self
            .kernels
            .select(from.targets(), near, &self.frame.band, to.selection(0, dim));
        Ok(())
    }

    /// Tests the members of `range` with the targets of a level.
    fn test(&mut self, depth: usize, range: Range<usize>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let Descent {
            search,
            frame,
            kernels,
            block,
            scratch,
            records,
            each,
            ..
        } = self;
        let Block {
            levels,
            own,
            members,
            index,
            reaches,
            rows,
            numbers,
            places,
            classes,
            ..
        } = &mut **block;
        let (level, members) = (&levels[depth], &members[range]);
        let targets = level.targets();
        resize_discarding(index, level.len + PADDING, 0, WHAT)?;
        (index.iter_mut().zip(&level.index)).for_each(|(to, &from)| *to = from as u16);
        let (padded, index) = (&index[..], &index[..level.len]);
        let mut ranks = std::mem::take(&mut scratch.tests.ranks);
        resize_discarding(&mut ranks, members.len(), 0, WHAT)?;
        resize_discarding(reaches, members.len(), 0.0, WHAT)?;
        resize_discarding(rows, members.len(), 0, WHAT)?;
        for (k, &member) in members.iter().enumerate() {
            let at = own.index[member as usize];
            ranks[k] = index.partition_point(|&other| u32::from(other) < at) as u16;
            reaches[k] = own.part[member as usize];
            rows[k] = numbers[at as usize];
        }
        let mut allowed = std::mem::take(&mut scratch.tests.allowed);
        let masks = match search.classes {
            Some(of) => {
                allowed.load(of, level.len, |rank| classes[usize::from(index[rank])], &ranks)?;
                Some(&allowed)
            }
            None => None,
        };
        let place = |rank: usize| places[usize::from(index[rank])] as usize;
        let mut resolve = |rank: usize, at: usize, mut doubtful: u32| {
            let (mine, mut hits) = (place(rank), 0);
            while doubtful != 0 {
                let bit = doubtful.trailing_zeros();
                hits |= u32::from(search.is_pair(mine, place(at + bit as usize))) << bit;
                doubtful &= doubtful - 1;
            }
            hits
        };
        let mut outcome = Ok(());
        let members = ranks.chunks(BATCH).zip(reaches.chunks(BATCH)).zip(rows.chunks(BATCH));
        for ((ranks, reaches), rows) in members {
            let mut counts = [0; BATCH];
            outcome = records
                .test((index, ranks), &mut counts, |words, counts| {
                    let used = kernels.test(Test {
                        targets,
                        ranks,
                        reaches,
                        band: &frame.band,
                        full: search.full,
                        resolve: &mut resolve,
                        words,
                        counts,
                    });
                    if let Some(allowed) = masks {
                        allowed.cut((ranks, targets.len), search.full, &mut words[..used], counts);
                    }
                    used
                })
                .and_then(|start| {
                    let found = Found {
                        start,
                        index: padded,
                        numbers,
                        rows,
                        counts: &counts[..ranks.len()],
                    };
                    each(scratch, records, found)
                });
            if outcome.is_err() {
                break;
            }
        }
        (scratch.tests.ranks, scratch.tests.allowed) = (ranks, allowed);
        outcome
    }
}
