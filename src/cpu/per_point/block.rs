//! A block: a run of leaves of the tree, and all points that can be in reach of its points, in real32 and in ascending order of the
//! caller's numbers.

use std::ops::Range;

use super::super::leaf::Tests;
use super::super::level::Level;
use super::super::rows::Memory;
use super::super::simd::banded::{self, Kernels, Near, PADDING, Selection};
use super::super::sorted::Sorted;
use super::frame::{Frame, Parts};
use super::{PerPoint, Run};
use crate::error::Result;
use crate::list::{grow, prefetch_all, push, reserve_discarding, resize_discarding};
use crate::points::Real;

/// Points brought into the frame at once.
const CHUNK: usize = 1024;

pub(super) const WHAT: &str = "the neighborhood of a block";

/// Targets in ascending order of the caller's numbers, padded.
#[derive(Debug, Default)]
pub struct Targets {
    /// Their ids are their places in the tree or among those around.
    pub(super) points: Level<f32>,
    /// What the frame's band makes of how far each reaches.
    pub(super) bound: Vec<f32>,
}

impl Targets {
    /// Makes room for `len` targets.
    pub fn reserve(&mut self, len: usize, dim: usize) -> Result<()> {
        self.points.reserve(len + PADDING, dim)?;
        grow(&mut self.bound, len + PADDING, 0.0, WHAT)
    }

    /// As kernels take them.
    pub fn view(&self) -> banded::Targets<'_> {
        banded::Targets {
            points: self.points.targets(),
            bound: &self.bound,
            len: self.points.len,
        }
    }

    /// Room behind the first `from` targets.
    pub fn selection(&mut self, from: usize) -> Selection<'_> {
        Selection {
            points: self.points.selection(from),
            bound: &mut self.bound[from..],
        }
    }

    fn bytes(&self) -> usize {
        self.points.bytes() + self.bound.capacity() * size_of::<f32>()
    }
}

/// The points of the block itself, in the tree's order.
#[derive(Debug, Default)]
pub struct Own {
    /// Where each stands in the neighborhood.
    pub(super) index: Vec<u32>,
    /// Its part of a cutoff; infinite where it has no row here.
    pub(super) part: Vec<f32>,
}

/// The neighborhood of a block and its parts, kept from block to block.
#[derive(Debug, Default)]
pub struct Block {
    /// Points on their way into the neighborhood; their index is their place.
    pub(super) coming: Targets,
    /// Where they stand in the tree.
    pub(super) runs: Vec<Range<usize>>,
    pub(super) near: Targets,
    pub(super) near_ids: Vec<u32>,
    pub(super) sorted: Sorted,
    /// The caller's numbers of all around, ascending, their places and their classes.
    pub(super) numbers: Vec<u32>,
    pub(super) places: Vec<u32>,
    pub(super) classes: Vec<u8>,
    pub(super) own: Own,
    /// The first holds all around, each other one those of a part of what the one before is for.
    pub(super) levels: Vec<Targets>,
    pub(super) index: Vec<i16>,
    pub(super) reaches: Vec<f32>,
    pub(super) tests: Tests,
    /// The row of a point that is searched alone.
    pub(super) row: Vec<i32>,
}

impl Memory for Block {
    fn bytes(&self) -> usize {
        let lists = [&self.near_ids, &self.numbers, &self.places, &self.own.index];
        let levels = self.levels.iter().chain([&self.coming, &self.near]);
        lists.iter().map(|list| list.capacity() * 4).sum::<usize>()
            + (self.own.part.capacity() + self.reaches.capacity() + self.row.capacity()) * 4
            + self.classes.capacity()
            + self.index.capacity() * 2
            + self.runs.capacity() * size_of::<Range<usize>>()
            + self.sorted.bytes()
            + self.tests.bytes()
            + levels.map(Targets::bytes).sum::<usize>()
    }

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
    pub fn load<T: Real>(&mut self, search: &PerPoint<T>, own: &Run) -> Result<Frame> {
        let (tree, parts, most) = (search.tree, Parts::of(search.reach.rule), own.most);
        let (dim, area) = (tree.dim(), tree.corners(&own.leaves()));
        let largest = tree.largest_radius(tree.planes() - 1, 0);
        let cutoff = parts.cutoff(most, parts.others(largest.to_f64()));
        let frame = Frame::new(dim, area, search.periods, cutoff);
        let (mut around, mut outcome, mut runs) = (0, Ok(()), std::mem::take(&mut self.runs));
        runs.clear();
        search.near(&area, most, |run| {
            around += run.len();
            let coords = tree.coords().iter().take(dim);
            coords.for_each(|coords| prefetch_all(&coords[run.clone()]));
            prefetch_all(&tree.radii()[run.clone()]);
            prefetch_all(&tree.ids()[run.clone()]);
            if outcome.is_ok() {
                outcome = push(&mut runs, run, WHAT);
            }
        });
        outcome?;
        self.near.reserve(around + CHUNK, dim)?;
        self.coming.reserve(CHUNK, dim)?;
        self.near.points.len = 0;
        self.coming.points.len = 0;
        let kernels = search.kernels(parts.way);
        let near = frame.near(&area, frame.length(most));
        for run in &runs {
            for first in run.clone().step_by(CHUNK) {
                self.take(
                    search,
                    &frame,
                    &parts,
                    first..run.end.min(first + CHUNK),
                    &kernels,
                    &near,
                );
            }
        }
        self.runs = runs;
        self.keep(&kernels, &near, &frame);
        self.sort(search, dim)?;
        self.find_own(search, &frame, own)?;
        Ok(frame)
    }

    /// Brings points into the frame; keeps those that came before where they would be too many.
    fn take<T: Real>(
        &mut self,
        search: &PerPoint<T>,
        frame: &Frame,
        parts: &Parts,
        run: Range<usize>,
        kernels: &Kernels,
        near: &Near,
    ) {
        let dim = search.tree.dim();
        if self.coming.points.len + run.len() > CHUNK {
            self.keep(kernels, near, frame);
        }
        let (coming, tree) = (&mut self.coming, search.tree);
        let to = coming.points.len..coming.points.len + run.len();
        for (axis, coords) in coming.points.coords[..dim].iter_mut().enumerate() {
            for (to, coord) in coords[to.clone()].iter_mut().zip(&tree.coords()[axis][run.clone()]) {
                *to = frame.coord(axis, coord.to_f64());
            }
        }
        for (to, radius) in coming.bound[to.clone()].iter_mut().zip(&tree.radii()[run.clone()]) {
            let reach = frame.length(parts.others(radius.to_f64()));
            *to = frame.band.bound(parts.way, reach);
        }
        for (to, place) in coming.points.ids[to.clone()].iter_mut().zip(run) {
            *to = place as i32;
        }
        coming.points.len = to.end;
    }

    fn keep(&mut self, kernels: &Kernels, near: &Near, frame: &Frame) {
        let from = self.near.points.len;
        let selection = self.near.selection(from);
        self.near.points.len = from + kernels.select(self.coming.view(), near, &frame.band, selection);
        self.coming.points.len = 0;
    }

    /// Fills the first level with the points kept, in ascending order of the caller's numbers.
    fn sort<T: Real>(&mut self, search: &PerPoint<T>, dim: usize) -> Result<()> {
        let (tree, len) = (search.tree, self.near.points.len);
        resize_discarding(&mut self.near_ids, len, 0, WHAT)?;
        for (id, &place) in self.near_ids.iter_mut().zip(&self.near.points.ids) {
            *id = search.id(place as usize);
        }
        self.sorted.sort_ids(&self.near_ids, tree.len())?;
        if self.levels.is_empty() {
            push(&mut self.levels, Targets::default(), WHAT)?;
        }
        let (level, near) = (&mut self.levels[0], &self.near);
        level.reserve(len, dim)?;
        level.points.len = len;
        resize_discarding(&mut self.numbers, len, 0, WHAT)?;
        resize_discarding(&mut self.places, len, 0, WHAT)?;
        for (k, &entry) in self.sorted.order().iter().enumerate() {
            let from = entry as u32 as usize;
            for axis in 0..dim {
                level.points.coords[axis][k] = near.points.coords[axis][from];
            }
            level.bound[k] = near.bound[from];
            level.points.ids[k] = k as i32;
            (self.numbers[k], self.places[k]) = ((entry >> 32) as u32, near.points.ids[from] as u32);
        }
        self.classes.clear();
        if let Some(classes) = search.classes {
            reserve_discarding(&mut self.classes, len, WHAT)?;
            self.classes
                .extend(self.numbers.iter().map(|&id| classes.of(id as usize)));
        }
        Ok(())
    }

    /// Finds the points of the block itself among those around.
    fn find_own<T: Real>(&mut self, search: &PerPoint<T>, frame: &Frame, own: &Run) -> Result<()> {
        let places = search.tree.points_of(&own.leaves());
        resize_discarding(&mut self.own.index, places.len(), 0, WHAT)?;
        for (k, &place) in self.places.iter().enumerate() {
            if places.contains(&(place as usize)) {
                self.own.index[place as usize - places.start] = k as u32;
            }
        }
        resize_discarding(&mut self.own.part, places.len(), 0.0, WHAT)?;
        for (to, place) in self.own.part.iter_mut().zip(places) {
            let part = search.part_of(place);
            *to = match part <= own.most && search.has_row(place) {
                true => frame.length(part),
                false => f32::INFINITY,
            };
        }
        Ok(())
    }
}
