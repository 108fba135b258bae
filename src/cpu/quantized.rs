//! The search of a block by fixed-point coordinates. The points around the block are converted to its frame and sorted
//! by the caller's numbers. The box of the block is halved again and again, and the targets of each part are selected
//! from those of the whole, until a leaf has few members and targets. Selection keeps the order, so every row is in
//! order from the start, and a half row is the part after the point itself: only half of the targets are tested.
//!
//! in: a box of cells of the grid; out: calls with each [`LeafBox`].

mod division;
mod leaf_box;
mod level;
mod prune;
mod zoom;

use std::ops::Range;

use division::{bring_inside, halvings};
pub use leaf_box::LeafBox;
use leaf_box::Surroundings;
use level::FixedLevel;
use zoom::Zoom;

use super::kernels::quantized::find::{Filter, SelectFixed};
use super::kernels::quantized::{Box16, TARGET_PADDING, WORD};
use super::rows::Wanted;
use super::sorted::Sorted;
use crate::error::Result;
use crate::grid::{self, AROUND, Block, Frame, Grid, Packed, Quantized};
use crate::kinds::Classes;
use crate::list::{grow, holds, push, reserve_discarding};
use crate::simd::IntoFrame;
use crate::simd::Simd;

const WHAT: &str = "the neighborhood of a block";

/// A leaf has at most this many members,
const MEMBERS: usize = 64;

/// and members times targets are at most this many: beyond, another selection costs less than it saves.
const TESTS: usize = 18_000;

/// or this many, where so many targets are against each neighbor that a member is likely to have.
const ALONE: usize = 16;
const TARGETS: f64 = 30.0;

/// A box is divided until a part has this share of its members, about.
const SHARE: f64 = 0.26;

/// The limit for the share of targets that a selection leaves. From this share on, another selection would be in vain: the
/// targets are around every part.
const IN_VAIN: f64 = 0.9;

/// Images of points that are moved by fine units at once.
const MOVED: usize = 64;

/// The neighborhood of a block and its parts, kept from block to block.
#[derive(Debug, Default)]
pub struct Neighborhood {
    near: Vec<Packed>,
    near_ids: Vec<u32>,
    /// Their classes; none where there is but one.
    near_classes: Vec<u8>,
    /// Number and place in `near`.
    sorted: Sorted,
    ids: Vec<u32>,
    /// The classes of all points around, in the order of their numbers; none where there is but one.
    classes: Vec<u8>,
    len: usize,
    /// The number of members: points of the block whose rows are searched. 0 if none of these rows lists anything.
    own: usize,
    /// The places of the members, if they are few among the points of the block.
    members: Vec<Packed>,
    /// Whether they are few, so that `members` has them.
    some: bool,
    /// Whether some of these points may not list some others.
    mixed: bool,
    /// Points of the first level that are numbered.
    numbered: usize,
    /// The first holds all points around, each other one those of a part of what the one before is for.
    levels: Vec<FixedLevel>,
}

holds! { Neighborhood { near, near_ids, near_classes, sorted, ids, members, classes, levels; len, own, some, mixed, numbered } }

/// Memory with which a block is searched.
pub struct FixedSearch<'a> {
    pub grid: &'a Grid,
    pub fixed: &'a Quantized,
    pub classes: Option<&'a Classes<'a>>,
    /// The classes of the points in each cell.
    pub cells: &'a [u128],
    pub simd: Simd,
    /// Both sides of each pair, or only what is after the row's own point.
    pub full: bool,
    /// Points whose numbers are below are left out: rows that are searched list none of them.
    pub least: u32,
    /// The rows that are searched.
    pub wanted: &'a Wanted<'a>,
}

impl Neighborhood {
    /// The caller's numbers of all points around, ascending.
    pub fn ids(&self) -> &[u32] {
        &self.ids[..self.len]
    }

    /// Whether no row of the block lists anything.
    pub fn is_empty(&self) -> bool {
        self.own == 0
    }

    /// Makes room for `around` points, so that it makes no difference later which worker gets which block.
    pub fn reserve(&mut self, around: usize, dim: usize) -> Result<()> {
        grow(&mut self.near, around + grid::PADDING, 0, WHAT)?;
        grow(&mut self.near_ids, around + grid::PADDING, 0, WHAT)?;
        self.sorted.reserve(around)?;
        grow(&mut self.ids, around, 0, WHAT)?;
        while self.levels.len() < 2 {
            push(&mut self.levels, FixedLevel::default(), WHAT)?;
        }
        if self.levels[0].index.must_grow(around + TARGET_PADDING) {
            self.numbered = 0;
        }
        self.levels[..2]
            .iter_mut()
            .try_for_each(|level| level.reserve(around, dim))
    }

    /// Takes up the points around a block. Returns false, with nothing done, where they are too many.
    pub fn load(&mut self, search: &FixedSearch, block: &Block, frame: &Frame) -> Result<bool> {
        (self.len, self.own, self.some, self.mixed) = (0, 0, false, false);
        if !search.has_pairs(block, frame) {
            return Ok(true);
        }
        let mut most = 0;
        search.grid.around(block, search.fixed, frame, |_, places, _| {
            most += places.len();
            search.grid.prefetch(places);
        });
        self.reserve(most, search.grid.dim())?;
        let found = self.filter(search, block, frame);
        let mut found = self.leave_out(search.least, found);
        if let Some(classes) = search.classes {
            found = self.prune(search, classes, frame, found)?;
        }
        if found >= AROUND {
            return Ok(false);
        }
        self.len = found;
        self.own = self.find_members(search, block, frame)?;
        if found == 0 || self.own == 0 {
            (self.len, self.own) = (0, 0);
            return Ok(true);
        }
        self.sorted.sort_ids(&self.near_ids[..found], search.grid.len())?;
        self.spread(search.grid.dim());
        self.classes.clear();
        if search.classes.is_some() {
            reserve_discarding(&mut self.classes, found, WHAT)?;
            let order = self.sorted.order().iter();
            self.classes
                .extend(order.map(|&entry| self.near_classes[entry as u32 as usize]));
        }
        Ok(true)
    }

    /// Brings the points into the frame, leaves out those out of reach of its box. Returns how many are left.
    fn filter(&mut self, search: &FixedSearch, block: &Block, frame: &Frame) -> usize {
        let (grid, halo, dim) = (search.grid, search.fixed.halo, search.grid.dim());
        let in_dim = |axis: usize, value: i32, beyond: i16| if axis < dim { value as i16 } else { beyond };
        let mut into = IntoFrame {
            offsets: [0; 2],
            lo: pack(|axis| in_dim(axis, frame.lo[axis.min(2)] - halo, i16::MIN), i16::MIN),
            hi: pack(|axis| in_dim(axis, frame.hi[axis.min(2)] + halo, i16::MAX), i16::MAX),
        };
        let ids = grid.ids();
        let mut found = 0;
        grid.around(block, search.fixed, frame, |offset, places, _| {
            let units = offset.units;
            let clamped = units.map(|o| o.clamp(i16::MIN.into(), i16::MAX.into()));
            into.offsets = [
                pack(|axis| clamped[axis] as i16, 0),
                pack(|axis| (units[axis] - clamped[axis]) as i16, 0),
            ];
            let mut keep = |points: &[Packed], places: Range<usize>| {
                found += search.simd.run(Filter {
                    points,
                    ids: &ids[places.start..],
                    count: places.len(),
                    into: &into,
                    to: &mut self.near[found..],
                    to_ids: &mut self.near_ids[found..],
                });
            };
            if let Some(packed) = grid.whole(&offset, places.start) {
                return keep(packed, places);
            }
            for first in places.clone().step_by(MOVED) {
                let places = first..places.end.min(first + MOVED);
                let mut moved = [0; MOVED + grid::PADDING];
                grid.moved(&offset, frame, places.clone(), &mut moved);
                keep(&moved, places);
            }
        });
        found
    }

    /// Leaves out the points below `least` of the first `found`. Returns how many are left.
    fn leave_out(&mut self, least: u32, found: usize) -> usize {
        if least == 0 {
            return found;
        }
        let mut kept = 0;
        for k in 0..found {
            let (point, id) = (self.near[k], self.near_ids[k]);
            (self.near[kept], self.near_ids[kept]) = (point, id);
            kept += usize::from(id >= least);
        }
        kept
    }

    /// Fills the first level in the order that was sorted.
    fn spread(&mut self, dim: usize) {
        let (len, level) = (self.len, &mut self.levels[0]);
        level.len = len;
        let (order, near) = (self.sorted.order(), &self.near[..]);
        let [x, y, z] = level.coords.each_mut().map(|coords| &mut **coords);
        let entries = order.iter().zip(&mut self.ids[..len]).map(|(&entry, id)| {
            *id = (entry >> 32) as u32;
            near[entry as u32 as usize]
        });
        match dim {
            1 => entries.zip(x).for_each(|(point, x)| *x = point as i16),
            2 => entries.zip(x).zip(y).for_each(|((point, x), y)| {
                (*x, *y) = (point as i16, (point >> 16) as i16);
            }),
            _ => entries.zip(x).zip(y).zip(z).for_each(|(((point, x), y), z)| {
                (*x, *y, *z) = (point as i16, (point >> 16) as i16, (point >> 32) as i16);
            }),
        }
        // Its points keep the numbers of their places.
        let index = level.index.iter_mut().enumerate();
        for (k, index) in index.take(len).skip(self.numbered) {
            *index = k as u16 as i16;
        }
        self.numbered = self.numbered.max(len);
    }

    /// Calls `action` for each leaf of the frame's box that has members whose rows may list something.
    pub fn leaves(
        &mut self,
        search: &FixedSearch,
        frame: &Frame,
        action: &mut dyn FnMut(&LeafBox) -> Result<()>,
    ) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let around = Surroundings {
            ids: &self.ids[..self.len],
            classes: &self.classes,
            mixed: self.mixed,
            order: self.sorted.order(),
            near: &self.near,
        };
        let mut descent = FixedDescent {
            search,
            frame,
            around,
            levels: &mut self.levels,
            action,
        };
        let members = self.some.then_some(&mut self.members[..]);
        descent.divide((0, usize::MAX), [frame.lo, frame.hi], self.own, members)
    }
}

/// The path down from a block to its leaves.
struct FixedDescent<'s, 'a> {
    search: &'s FixedSearch<'a>,
    frame: &'s Frame,
    around: Surroundings<'s>,
    levels: &'s mut Vec<FixedLevel>,
    action: &'s mut dyn FnMut(&LeafBox) -> Result<()>,
}

impl FixedDescent<'_, '_> {
    /// Visits the leaves of the box `lo .. hi`. Its `own` members and their targets are in `levels[depth]`. The targets were
    /// selected from `before` ones. If few points of the block are members, `members` has their places.
    fn divide(
        &mut self,
        (depth, before): (usize, usize),
        [lo, hi]: [[i32; 3]; 2],
        own: usize,
        mut members: Option<&mut [Packed]>,
    ) -> Result<()> {
        let (dim, len) = (self.search.grid.dim(), self.levels[depth].len);
        let few = self.is_few((depth, before), own, [lo, hi]);
        let halvings = if few {
            [0; 3]
        } else {
            halvings(dim, [lo, hi], own, wanted(own))
        };
        if halvings == [0; 3] {
            let zoom = Zoom::of(self.search.fixed, dim, lo, hi);
            zoom.apply(self.search.simd, dim, &mut self.levels[depth]);
            let ends = |axis: usize| i64::from(hi[axis]) << grid::FINE_BITS > self.frame.end[axis];
            return (self.action)(&LeafBox {
                dim,
                targets: self.levels[depth].targets(),
                members: zoom.box16(dim, lo, hi),
                end: (0..dim).any(ends).then_some(self.frame.end),
                zoom,
                around: self.around,
            });
        }
        if self.levels.len() == depth + 1 {
            push(self.levels, FixedLevel::default(), WHAT)?;
        }
        for part in 0..1 << (halvings[0] + halvings[1] + halvings[2]) {
            // The part's number along each axis, x in the lowest bits.
            let (mut part_lo, mut part_hi, mut rest) = (lo, hi, part);
            for axis in 0..dim {
                let (width, at) = (hi[axis] - lo[axis], rest & ((1 << halvings[axis]) - 1));
                part_lo[axis] = lo[axis] + ((width * at) >> halvings[axis]);
                part_hi[axis] = lo[axis] + ((width * (at + 1)) >> halvings[axis]);
                rest >>= halvings[axis];
            }
            let part = Zoom::default().box16(dim, part_lo, part_hi);
            let some = members.as_deref_mut().map(|members| bring_inside(members, &part, dim));
            if some.as_ref().is_some_and(|some| some.is_empty()) {
                continue;
            }
            let inside = self.select(depth, &part, dim)?;
            let own = some.as_ref().map_or(inside, |some| some.len());
            if own > 0 && (!self.around.mixed || self.prune(depth + 1, &part, own)) {
                self.divide((depth + 1, len), [part_lo, part_hi], own, some)?;
            }
        }
        Ok(())
    }

    /// Whether a box of `own` members is a leaf with the targets of level `depth`, selected from `before` ones. If points are
    /// sparse, leaves have fewer members. Otherwise most tests would be in vain. The number of neighbors is estimated as the
    /// part of the targets in the ball of the cutoff.
    fn is_few(&self, (depth, before): (usize, usize), own: usize, [lo, hi]: [[i32; 3]; 2]) -> bool {
        let (dim, len, halo) = (self.search.grid.dim(), self.levels[depth].len, self.search.fixed.halo);
        if own > MEMBERS {
            return false;
        }
        if own * len > TESTS {
            return own == 1 || len as f64 >= IN_VAIN * before as f64;
        }
        let cutoffs = |axis: usize| 2.0 + f64::from(hi[axis] - lo[axis]) / f64::from(halo);
        let around: f64 = (0..dim).map(cutoffs).product();
        let ball = [2.0, 3.1, 4.2][dim - 1];
        own <= ALONE || len as f64 <= TARGETS * (1.0 + ball / around * len as f64)
    }

    /// Selects the targets of a box from level `depth` into the next; returns how many lie in the box.
    fn select(&mut self, depth: usize, around: &Box16, dim: usize) -> Result<usize> {
        let (from, to) = self.levels[depth..].split_at_mut(1);
        let (from, to) = (&from[0], &mut to[0]);
        to.reserve(from.len, dim)?;
        let [x, y, z] = &mut to.coords;
        let select = SelectFixed {
            targets: from.targets(),
            around,
            upper: self.search.fixed.coarse[0].upper,
            coords: [x, y, z],
            index: &mut to.index,
        };
        let [len, own] = self.search.simd.run_in(dim, select);
        to.len = len;
        Ok(own)
    }
}

/// The members of a part, where `own` members of a block are divided.
fn wanted(own: usize) -> f64 {
    match own > MEMBERS {
        true => (SHARE * own as f64).max(0.75 * MEMBERS as f64),
        false => 0.5 * own as f64,
    }
}

/// Four lanes of 16 bits.
fn pack(lane: impl Fn(usize) -> i16, last: i16) -> u64 {
    let lanes = [lane(0), lane(1), lane(2), last];
    lanes
        .iter()
        .rev()
        .fold(0, |word, &lane| word << 16 | u64::from(lane as u16))
}

const _: () = assert!(TARGET_PADDING >= WORD);
