//! A block: a run of leaves of the tree, and all points that can be in reach of its points, in real32 and in ascending
//! order of the caller's numbers.

use std::ops::Range;

use super::super::kernels::banded::{Band, BandedNear, SelectBanded};
use super::super::kernels::quantized::TARGET_PADDING;
use super::super::leaf::Tests;
use super::super::level::Level;
use super::super::rows::Memory;
use super::super::sorted::Sorted;
use super::frame::{Around, BoxFrame};
use super::tasks::{ByRadii, LeafRun};
use crate::error::Result;
use crate::list::{grow, holds, prefetch_all, push, resize_discarding};
use crate::real::Real;
use crate::simd::Simd;

pub(super) const WHAT: &str = "the neighborhood of a block";

impl Level<f32> {
    /// Makes room for `len` points and what the frame's band makes of their radii.
    pub(super) fn reserve_bounds(&mut self, len: usize, dim: usize) -> Result<()> {
        self.reserve(len + TARGET_PADDING, dim)?;
        grow(&mut self.bounds, len + TARGET_PADDING, 0.0, WHAT)
    }

    /// Fills this level with the points of `from` that may be in reach of a point in a box, with room for some more.
    pub(super) fn select_near(
        &mut self,
        from: &Level<f32>,
        dim: usize,
        simd: Simd,
        near: &BandedNear,
        band: &Band,
        spare: usize,
    ) -> Result<()> {
        self.reserve_bounds(from.len + spare, dim)?;
        let select = SelectBanded {
            targets: from.targets(),
            len: from.len,
            near,
            band,
            to: self.selection(0),
        };
        self.len = simd.run_in(dim, select);
        Ok(())
    }
}

/// The points of the block itself, in the tree's order.
#[derive(Debug, Default)]
pub struct OwnPoints {
    /// The place of each in the neighborhood.
    pub(super) index: Vec<u32>,
    /// The reach of each; infinite where it has no row here.
    pub(super) reach: Vec<f32>,
}

holds! { OwnPoints { index, reach } }

/// The most members that are among the targets at once.
pub(super) const JOINED: usize = 32;

/// The points of a block that are no targets.
#[derive(Debug, Default)]
pub struct Apart {
    /// There are such: all of the block.
    pub(super) are_all: bool,
    pub(super) coords: [Vec<f32>; 3],
    /// Those that are tested next: where each is in the neighborhood and among the block's points.
    pub(super) picked: Vec<(u32, i32)>,
}

holds! { Apart { coords, picked; are_all } }

/// The neighborhood of a block and its parts, kept from block to block.
#[derive(Debug, Default)]
pub struct Block {
    /// The places of the points around in the tree, each run with its group, and their numbers.
    pub(super) runs: Vec<(Range<usize>, u8)>,
    pub(super) near_ids: Vec<u32>,
    pub(super) sorted: Sorted,
    /// The caller's numbers of all around, ascending, and their places.
    pub(super) numbers: Vec<u32>,
    pub(super) places: Vec<u32>,
    pub(super) own: OwnPoints,
    pub(super) apart: Apart,
    /// The first holds all around, each other one those of a part of what the one before is for.
    /// Ids are where a point is among all.
    pub(super) levels: Vec<Level<f32>>,
    pub(super) index: Vec<i16>,
    pub(super) radii: Vec<f32>,
    pub(super) tests: Tests,
    /// The row of a point that is searched alone.
    pub(super) row: Vec<i32>,
}

holds! { Block { runs, near_ids, sorted, numbers, places, own, apart, levels, index, radii, tests, row } }

impl Memory for Block {
    fn reserve_leaves(&mut self, len: usize) -> Result<()> {
        self.tests.reserve(len)
    }
}

impl Block {
    /// The caller's numbers of all around, ascending.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Takes up what can be in reach of the points of a run.
    pub fn load<T: Real>(&mut self, search: &ByRadii<T>, own: &LeafRun) -> Result<BoxFrame> {
        let (tree, most) = (search.tree, own.most);
        let (dim, area) = (tree.dim(), tree.corners(&own.leaves()));
        let mut near = Around::new(area, search.periods);
        let (mut around, mut outcome, runs) = (0, Ok(()), &mut self.runs);
        runs.clear();
        search.near(&area, own.group, most, |found| {
            let (leaves, reach) = (found.leaves.clone(), search.reach_between(own.group, found.group));
            leaves.for_each(|leaf| near.take(tree.node(0, leaf), reach.unwrap_or(tree.largest_radius(0, leaf))));
            let run = tree.points_of(&found.leaves);
            around += run.len();
            let coords = tree.coords().iter().take(dim);
            coords.for_each(|coords| prefetch_all(&coords[run.clone()]));
            prefetch_all(&tree.radii()[run.clone()]);
            prefetch_all(&tree.ids()[run.clone()]);
            if outcome.is_ok() {
                outcome = push(runs, (run, found.group), WHAT);
            }
        });
        outcome?;
        self.apart.are_all = !search.may_list(own.group, own.group);
        if self.apart.are_all {
            let run = tree.points_of(&own.leaves());
            around += run.len();
            push(&mut self.runs, (run, own.group), WHAT)?;
        }
        let frame = BoxFrame::new(area, search.periods, search.reach.rule, most, &near);
        while self.levels.len() < 2 {
            push(&mut self.levels, Level::default(), WHAT)?;
        }
        // The first level holds all on their way; those that are near come back to it in ascending order.
        let (all, near) = self.levels.split_at_mut(1);
        let (all, near) = (&mut all[0], &mut near[0]);
        all.reserve_bounds(around, dim)?;
        all.len = 0;
        for (run, group) in &self.runs {
            frame.take(search.tree, (run, search.reach_between(own.group, *group)), all);
        }
        near.select_near(
            all,
            dim,
            Simd::new(search.isa),
            &frame.near(&area, frame.length(most)),
            &frame.band,
            0,
        )?;
        self.sort(search)?;
        self.find_own(search, &frame, own)?;
        if self.apart.are_all {
            self.part(dim)?;
        }
        Ok(frame)
    }

    /// Fills the first level with the points of the second, in ascending order of the caller's numbers.
    fn sort<T: Real>(&mut self, search: &ByRadii<T>) -> Result<()> {
        let (level, near) = self.levels.split_at_mut(1);
        let (level, near) = (&mut level[0], &near[0]);
        let (dim, len) = (search.tree.dim(), near.len);
        resize_discarding(&mut self.near_ids, len, 0, WHAT)?;
        for (id, &place) in self.near_ids.iter_mut().zip(&near.ids) {
            *id = search.id(place as usize);
        }
        self.sorted.sort_ids(&self.near_ids, search.tree.len())?;
        level.len = len;
        resize_discarding(&mut self.numbers, len, 0, WHAT)?;
        resize_discarding(&mut self.places, len, 0, WHAT)?;
        for (k, &entry) in self.sorted.order().iter().enumerate() {
            let from = entry as u32 as usize;
            for axis in 0..dim {
                level.coords[axis][k] = near.coords[axis][from];
            }
            level.bounds[k] = near.bounds[from];
            level.ids[k] = k as i32;
            (self.numbers[k], self.places[k]) = ((entry >> 32) as u32, near.ids[from] as u32);
        }
        Ok(())
    }

    /// Finds the points of the block itself among those around.
    fn find_own<T: Real>(&mut self, search: &ByRadii<T>, frame: &BoxFrame, own: &LeafRun) -> Result<()> {
        let places = search.tree.points_of(&own.leaves());
        resize_discarding(&mut self.own.index, places.len(), 0, WHAT)?;
        for (k, &place) in self.places.iter().enumerate() {
            if places.contains(&(place as usize)) {
                self.own.index[place as usize - places.start] = k as u32;
            }
        }
        resize_discarding(&mut self.own.reach, places.len(), 0.0, WHAT)?;
        for (to, place) in self.own.reach.iter_mut().zip(places) {
            let reach = search.reach_of(place);
            *to = match reach <= own.most && search.has_row(place) {
                true => frame.length(reach),
                false => f32::INFINITY,
            };
        }
        Ok(())
    }
}
