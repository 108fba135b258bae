//! A block: the neighborhood of a node, and the way down to the boxes whose points are tested.

use std::ops::Range;

use super::super::records::Records;
use super::super::simd::banded::{Kernels, Near, PADDING, Selection, Targets, Test, kernels};
use super::super::sorted::Sorted;
use super::super::worker::Scratch;
use super::frame::{Frame, Parts};
use super::Varied;
use crate::error::Result;
use crate::list::{grow, push, reserve_discarding, resize_discarding};
use crate::points::Real;

/// A box with at most this many members is not divided further.
const MEMBERS: usize = 48;

/// A member is tested in the first box that is smaller than so many times its reach.
const PEEL: f32 = 1.0;

/// Targets are selected anew where this share is left of the members that they were selected for.
const SELECT_AT: f64 = 0.3;

/// Members tested at once: their words then take no more than some hundred kilobytes, however many targets.
const BATCH: usize = 64;

/// Points brought into the frame at once.
const CHUNK: usize = 1024;

const WHAT: &str = "the neighborhood of a block";

/// What one worker needs, kept in the handle.
#[derive(Debug, Default)]
pub struct Worker {
    pub(super) block: Block,
    pub(super) scratch: Scratch,
}

impl Worker {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.block.bytes() + self.scratch.bytes()
    }
}

/// Targets in ascending order of the caller's numbers, padded.
#[derive(Debug, Default)]
struct Level {
    coords: [Vec<f32>; 3],
    reach: Vec<f32>,
    index: Vec<i32>,
    len: usize,
}

impl Level {
    fn reserve(&mut self, len: usize, dim: usize) -> Result<()> {
        let padded = len + PADDING;
        for coords in &mut self.coords[..dim] {
            grow(coords, padded, 0.0, WHAT)?;
        }
        grow(&mut self.reach, padded, 0.0, WHAT)?;
        grow(&mut self.index, padded, 0, WHAT)
    }

    fn targets(&self) -> Targets<'_> {
        Targets {
            coords: [&self.coords[0], &self.coords[1], &self.coords[2]],
            reach: &self.reach,
            index: &self.index,
            len: self.len,
        }
    }

    /// Room behind the first `from` targets.
    fn selection(&mut self, from: usize, dim: usize) -> Selection<'_> {
        let mut axes = self.coords.iter_mut().take(dim);
        let mut axis = || axes.next().map_or(&mut [][..], |coords| &mut coords[from..]);
        Selection {
            coords: [axis(), axis(), axis()],
            reach: &mut self.reach[from..],
            index: &mut self.index[from..],
        }
    }

    fn bytes(&self) -> usize {
        let coords = self.coords.iter().map(Vec::capacity).sum::<usize>();
        (coords + self.reach.capacity() + self.index.capacity()) * 4
    }
}

/// The points of the block itself, in the tree's order.
#[derive(Debug, Default)]
struct Own {
    /// Where each stands in the neighborhood.
    index: Vec<u32>,
    coords: [Vec<f32>; 3],
    /// Its part of a cutoff, as the kernels take it; none, as NaN, where it has no row.
    part: Vec<f32>,
}

/// The neighborhood of a block and its parts, kept from block to block.
#[derive(Debug, Default)]
pub struct Block {
    /// Points on their way into the neighborhood; their index is their place.
    coming: Level,
    near: Level,
    near_ids: Vec<u32>,
    sorted: Sorted,
    /// The caller's numbers of all around, ascending, their places and their classes.
    numbers: Vec<u32>,
    places: Vec<u32>,
    classes: Vec<u8>,
    own: Own,
    /// The first holds all around, each other one those of a part of what the one before is for.
    levels: Vec<Level>,
    /// Members of the boxes on the way down, as places of the block.
    members: Vec<u32>,
    index: Vec<u16>,
    reaches: Vec<f32>,
    rows: Vec<u32>,
}

/// A new record.
pub struct Found<'a> {
    /// Where it begins.
    pub start: usize,
    /// The caller's numbers of all around.
    pub numbers: &'a [u32],
    /// The numbers of its members, and the lengths of their rows.
    pub rows: &'a [u32],
    pub counts: &'a [u32],
}

/// Called with each new record.
pub type EachRecord<'a> = dyn FnMut(&mut Scratch, &mut Records, Found) -> Result<()> + 'a;

impl Block {
    /// The caller's numbers of all around, ascending.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    fn bytes(&self) -> usize {
        let lists = [&self.near_ids, &self.numbers, &self.places, &self.own.index, &self.members, &self.rows];
        let own = self.own.coords.iter().map(Vec::capacity).sum::<usize>() + self.own.part.capacity();
        let levels = self.levels.iter().chain([&self.coming, &self.near]);
        lists.iter().map(|list| list.capacity() * 4).sum::<usize>()
            + (own + self.reaches.capacity()) * 4
            + self.classes.capacity()
            + self.index.capacity() * 2
            + self.sorted.bytes()
            + levels.map(Level::bytes).sum::<usize>()
    }

    /// Takes up what can be in reach of the points of a node that reach no farther than `most`.
    pub fn load<T: Real>(&mut self, search: &Varied<T>, (node, most): (u32, f64)) -> Result<Frame> {
        let (tree, parts) = (search.tree, Parts::of(search.reach.rule));
        let (node, dim) = (tree.node(node as usize), tree.dim());
        let largest = tree.root().map_or(T::default(), |root| tree.node(root).radius);
        let cutoff = parts.cutoff(parts.mine_of(most), parts.others(largest.to_f64()));
        let frame = Frame::new(dim, [node.lo, node.hi], search.periods, cutoff);
        let mut around = 0;
        search.near(node.lo, node.hi, most, &mut |run| around += run.len());
        self.near.reserve(around + CHUNK, dim)?;
        self.coming.reserve(CHUNK, dim)?;
        self.near.len = 0;
        self.coming.len = 0;
        let kernels = kernels(search.isa, dim, parts.sum, !search.periods.is_open());
        let near = frame.near(frame.length(parts.mine_of(most)));
        search.near(node.lo, node.hi, most, &mut |run| {
            for first in run.clone().step_by(CHUNK) {
                self.take(search, &frame, &parts, first..run.end.min(first + CHUNK), &kernels, &near);
            }
        });
        self.keep(&kernels, &near, &frame, dim);
        self.sort(search, dim)?;
        self.find_own(search, &frame, &parts, node.places())?;
        Ok(frame)
    }

    /// Brings points into the frame; keeps those that came before where they would be too many.
    fn take<T: Real>(
        &mut self,
        search: &Varied<T>,
        frame: &Frame,
        parts: &Parts,
        run: Range<usize>,
        kernels: &Kernels,
        near: &Near,
    ) {
        let dim = search.tree.dim();
        if self.coming.len + run.len() > CHUNK {
            self.keep(kernels, near, frame, dim);
        }
        let (coming, places) = (&mut self.coming, &search.tree.places()[run.clone()]);
        let to = coming.len..coming.len + run.len();
        for (axis, coords) in coming.coords[..dim].iter_mut().enumerate() {
            for (to, place) in coords[to.clone()].iter_mut().zip(places) {
                *to = frame.coord(axis, place.at[axis].to_f64());
            }
        }
        for (to, place) in coming.reach[to.clone()].iter_mut().zip(places) {
            *to = frame.length(parts.others(place.radius.to_f64()));
        }
        for (to, place) in coming.index[to.clone()].iter_mut().zip(run) {
            *to = place as i32;
        }
        coming.len = to.end;
    }

    fn keep(&mut self, kernels: &Kernels, near: &Near, frame: &Frame, dim: usize) {
        let from = self.near.len;
        let mut selection = self.near.selection(from, dim);
        self.near.len = from + kernels.select(&self.coming.targets(), near, &frame.band, &mut selection);
        self.coming.len = 0;
    }

    /// Fills the first level with the points kept, in ascending order of the caller's numbers.
    fn sort<T: Real>(&mut self, search: &Varied<T>, dim: usize) -> Result<()> {
        let (tree, len) = (search.tree, self.near.len);
        resize_discarding(&mut self.near_ids, len, 0, WHAT)?;
        for (id, &place) in self.near_ids.iter_mut().zip(&self.near.index) {
            *id = tree.id(place as usize);
        }
        self.sorted.sort_ids(&self.near_ids, tree.places().len())?;
        if self.levels.is_empty() {
            push(&mut self.levels, Level::default(), WHAT)?;
        }
        let (level, near) = (&mut self.levels[0], &self.near);
        level.reserve(len, dim)?;
        level.len = len;
        resize_discarding(&mut self.numbers, len, 0, WHAT)?;
        resize_discarding(&mut self.places, len, 0, WHAT)?;
        for (k, &entry) in self.sorted.order().iter().enumerate() {
            let from = entry as u32 as usize;
            for axis in 0..dim {
                level.coords[axis][k] = near.coords[axis][from];
            }
            level.reach[k] = near.reach[from];
            level.index[k] = k as i32;
            (self.numbers[k], self.places[k]) = ((entry >> 32) as u32, near.index[from] as u32);
        }
        self.classes.clear();
        if let Some(classes) = search.classes {
            reserve_discarding(&mut self.classes, len, WHAT)?;
            self.classes.extend(self.numbers.iter().map(|&id| classes.of(id as usize)));
        }
        Ok(())
    }

    /// Finds the points of the block itself, `run`, among those around.
    fn find_own<T: Real>(
        &mut self,
        search: &Varied<T>,
        frame: &Frame,
        parts: &Parts,
        run: Range<usize>,
    ) -> Result<()> {
        let dim = search.tree.dim();
        resize_discarding(&mut self.own.index, run.len(), 0, WHAT)?;
        for (k, &place) in self.places.iter().enumerate() {
            if run.contains(&(place as usize)) {
                self.own.index[place as usize - run.start] = k as u32;
            }
        }
        for axis in 0..dim {
            let (to, from) = (&mut self.own.coords[axis], &self.levels[0].coords[axis]);
            resize_discarding(to, run.len(), 0.0, WHAT)?;
            (to.iter_mut().zip(&self.own.index)).for_each(|(to, &k)| *to = from[k as usize]);
        }
        resize_discarding(&mut self.own.part, run.len(), 0.0, WHAT)?;
        for (part, place) in self.own.part.iter_mut().zip(run) {
            let radius = search.tree.places()[place].radius.to_f64();
            *part = match search.has_row(place) {
                true => frame.length(parts.mine(radius)),
                false => f32::NAN,
            };
        }
        Ok(())
    }

    /// Tests all points of the node that was loaded, but for those that reach farther than `most`, and calls `each` with their
    /// records.
    pub fn search<T: Real>(
        &mut self,
        search: &Varied<T>,
        frame: &Frame,
        (node, most): (u32, f64),
        (scratch, records): (&mut Scratch, &mut Records),
        each: &mut EachRecord,
    ) -> Result<()> {
        let parts = Parts::of(search.reach.rule);
        let dim = search.tree.dim();
        let mut descent = Descent {
            search,
            frame,
            first: search.tree.node(node as usize).places().start,
            kernels: kernels(search.isa, dim, parts.sum, !search.periods.is_open()),
            block: self,
            scratch,
            records,
            each,
        };
        let most = frame.length(most);
        descent.block.members.clear();
        descent.descend(node as usize, 0, most, usize::MAX)
    }
}

/// The way down from a block to the boxes whose points are tested.
struct Descent<'s, 'a, T> {
    search: &'s Varied<'a, T>,
    frame: &'s Frame,
    /// The first place of the block.
    first: usize,
    kernels: Kernels,
    block: &'s mut Block,
    scratch: &'s mut Scratch,
    records: &'s mut Records,
    each: &'s mut EachRecord<'s>,
}

impl<T: Real> Descent<'_, '_, T> {
    /// Tests the points of a node that reach no farther than `most`, with the targets of level `depth`, which were selected for
    /// `selected_for` members.
    fn descend(&mut self, node: usize, depth: usize, most: f32, selected_for: usize) -> Result<()> {
        let tree = self.search.tree;
        let start = self.block.members.len();
        let near = self.gather(tree.node(node).places(), most)?;
        let members = self.block.members.len() - start;
        if members == 0 {
            return Ok(());
        }
        let mut depth = depth;
        let mut selected_for = selected_for;
        if members as f64 <= SELECT_AT * selected_for as f64 {
            if depth > 0 || selected_for < usize::MAX {
                self.select(depth, &near)?;
                depth += 1;
            }
            selected_for = members;
        }
        let children = tree.children(node).filter(|_| members > MEMBERS);
        let Some(children) = children else {
            self.test(depth, start)?;
            self.block.members.truncate(start);
            return Ok(());
        };
        let size = (0..tree.dim()).map(|axis| near.hi[axis] - near.lo[axis]).fold(0.0, f32::max);
        let below = PEEL * size;
        let part = &self.block.own.part;
        let mut peeled = start;
        for k in start..self.block.members.len() {
            let member = self.block.members[k];
            if part[member as usize].abs() > below {
                self.block.members[peeled] = member;
                peeled += 1;
            }
        }
        let left = self.block.members.len() - peeled;
        self.block.members.truncate(peeled);
        if peeled > start {
            self.test(depth, start)?;
            self.block.members.truncate(start);
        }
        if left == 0 {
            return Ok(());
        }
        let below = below.min(most);
        (children.into_iter()).try_for_each(|child| self.descend(child, depth, below, selected_for))
    }

    /// Appends the members among `run` that reach no farther than `most`; returns their box and the part of whoever reaches
    /// farthest.
    fn gather(&mut self, run: Range<usize>, most: f32) -> Result<Near> {
        let (dim, own) = (self.search.tree.dim(), &self.block.own);
        let mut near = Near {
            lo: [f32::INFINITY; 3],
            hi: [f32::NEG_INFINITY; 3],
            reach: 0.0,
        };
        self.block.members.try_reserve(run.len()).map_err(|_| crate::error::Error::OutOfMemory {
            what: WHAT,
            bytes: 4 * run.len() as u64,
        })?;
        for k in run.start - self.first..run.end - self.first {
            let part = own.part[k];
            if part.abs() <= most {
                self.block.members.push(k as u32);
                if part.abs() > near.reach.abs() {
                    near.reach = part;
                }
                for axis in 0..dim {
                    near.lo[axis] = near.lo[axis].min(own.coords[axis][k]);
                    near.hi[axis] = near.hi[axis].max(own.coords[axis][k]);
                }
            }
        }
        Ok(near)
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
        to.len = self.kernels.select(&from.targets(), near, &self.frame.band, &mut to.selection(0, dim));
        Ok(())
    }

    /// Tests the members from `start` on with the targets of a level.
    fn test(&mut self, depth: usize, start: usize) -> Result<()> {
        let Descent { search, frame, kernels, block, scratch, records, each, .. } = self;
        let Block { levels, own, members, index, reaches, rows, numbers, places, classes, .. } = &mut **block;
        let (level, members) = (&levels[depth], &members[start..]);
        let targets = level.targets();
        resize_discarding(index, level.len, 0, WHAT)?;
        (index.iter_mut().zip(&level.index)).for_each(|(to, &from)| *to = from as u16);
        let mut ranks = std::mem::take(&mut scratch.ranks);
        resize_discarding(&mut ranks, members.len(), 0, WHAT)?;
        resize_discarding(reaches, members.len(), 0.0, WHAT)?;
        resize_discarding(rows, members.len(), 0, WHAT)?;
        for (k, &member) in members.iter().enumerate() {
            let at = own.index[member as usize];
            ranks[k] = index.partition_point(|&other| u32::from(other) < at) as u16;
            reaches[k] = own.part[member as usize];
            rows[k] = numbers[at as usize];
        }
        let mut allowed = std::mem::take(&mut scratch.allowed);
        let masks = match search.classes {
            Some(of) => {
                allowed.load(of, level.len, |rank| classes[usize::from(index[rank])], &mut ranks)?;
                Some(&allowed)
            }
            None => None,
        };
        let tree_places = search.tree.places();
        let place = |rank: usize| &tree_places[places[usize::from(index[rank])] as usize];
        let mut settle = |rank: usize, at: usize, mut doubtful: u32| {
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
            let mut test = Test {
                band: frame.band,
                full: search.full,
                settle: &mut settle,
            };
            outcome = records
                .test((index, ranks), search.full, masks, &mut counts, |words, counts| {
                    kernels.test(&targets, (ranks, reaches), &mut test, words, counts)
                })
                .and_then(|start| {
                    let found = Found { start, numbers, rows, counts: &counts[..ranks.len()] };
                    each(scratch, records, found)
                });
            if outcome.is_err() {
                break;
            }
        }
        (scratch.ranks, scratch.allowed) = (ranks, allowed);
        outcome
    }
}
