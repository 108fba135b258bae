//! The search of a block by the caller's coordinates, for points that do not fit into a frame of fixed-point coordinates:
//! points clamped into the grid from far away, crowds, lonely points and the outermost ones. As in `fixed`, the neighborhood is
//! sorted, then the block is halved until a handful of points is left, and the candidates of each half are selected from those
//! of the whole. The [`Action`] of the query then processes each point with its candidates.
//!
//! in: a [`Block`] of the grid; out: calls of [`Action::act`], one for each point.

use std::ops::Range;

use super::neighborhood::Level;
use super::query::Query;
use super::simd::{Kernels, Near, Reach, Width};
use super::sorted::Sorted;
use crate::error::Result;
use crate::grid::Block;
use crate::list::reserve_discarding;
use crate::points::{PointsView, Real};

/// A block is halved until this few points are left: fewer would not repay the selection of their candidates.
const LEAF: usize = 40;

/// Candidates are selected again when a half has this share of the points they were selected for.
const SELECT_AT: f64 = 0.30;

/// Levels of selection: each has at most [`SELECT_AT`] of the points of the one before, and the first at most [`BLOCK`].
pub(super) const LEVELS: usize = 16;

/// A point of a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The caller's number of it.
    pub number: u32,
    /// Where it stands in the leaf's level.
    pub rank: u32,
}

/// What a member is tested with.
pub struct Task<'a, R> {
    pub kernels: &'a Kernels<R>,
    pub level: &'a Level<R>,
    pub reach: Reach<'a, R>,
    /// The parts of the level that can hold the row: all but the point itself, or what stands behind it.
    pub ranges: [Range<usize>; 2],
}

/// What is done to each member of a leaf: count its row or write it. Only `prepare` can fail: results of 70 bytes in the
/// innermost loop would have every call wait for the stores of the one before.
pub trait Action {
    /// Called before a leaf's members are acted on; no row will be longer than `longest`.
    fn prepare(&mut self, members: &[Member], longest: usize) -> Result<()>;
    /// Called for each member, in order.
    fn act<R: Real>(&mut self, k: usize, member: &Member, task: &Task<R>);
}

/// The search of one block by one worker.
pub struct BlockSearch<'s, 'a, T, A> {
    pub query: &'s Query<'a, T>,
    pub view: &'s PointsView<'a, T>,
    pub base: i32,
    pub sorted: &'s mut Sorted,
    pub levels: &'s mut [Level<T>; LEVELS],
    pub members: &'s mut Vec<Member>,
    pub action: &'s mut A,
}

impl<T: Width, A: Action> BlockSearch<'_, '_, T, A> {
    /// Acts on every point of the block.
    pub fn search(&mut self, block: &Block) -> Result<()> {
        let (query, grid) = (self.query, self.query.grid);
        self.sorted.sort(grid, |action| grid.reach(block, action))?;
        self.levels[0].load(self.view, self.sorted, self.base)?;
        let mut descent = Descent {
            query,
            base: self.base,
            kernels: &T::kernels(query.isa)[grid.dim() - 1],
            members: self.members,
            action: self.action,
        };
        descent.descend(&mut self.levels[..], block, grid.points_of(block))
    }
}

/// The way down from a block to its leaves.
struct Descent<'s, 'a, T, A> {
    query: &'s Query<'a, T>,
    base: i32,
    kernels: &'s Kernels<T>,
    members: &'s mut Vec<Member>,
    action: &'s mut A,
}

impl<T: Width, A: Action> Descent<'_, '_, T, A> {
    /// Halves `own` until it is a leaf. The first of `levels` holds all candidates; it was selected for `selected_for`
    /// points.
    fn descend(&mut self, levels: &mut [Level<T>], own: &Block, selected_for: usize) -> Result<()> {
        let grid = self.query.grid;
        let len = grid.points_of(own);
        if len == 0 {
            return Ok(());
        }
        let (level, below) = levels.split_at_mut(1);
        if let [next, ..] = &mut *below
            && len as f64 <= SELECT_AT * selected_for as f64
        {
            let near = self.near(own);
            next.select(&level[0], grid.dim(), self.kernels, &near)?;
            return self.descend(below, own, len);
        }
        match grid.halves(own).filter(|_| len > LEAF) {
            Some(halves) => halves
                .iter()
                .try_for_each(|half| self.descend(levels, half, selected_for)),
            None => self.leaf(&level[0], own),
        }
    }

    fn leaf(&mut self, level: &Level<T>, own: &Block) -> Result<()> {
        let (grid, ids) = (self.query.grid, level.ids());
        let Descent { members, action, .. } = self;
        let classes = self.query.classes;
        members.clear();
        reserve_discarding(members, grid.points_of(own), "the points of a leaf")?;
        // All ranks first: their searches do not wait for one another.
        grid.places_of(own, |places| {
            for &number in &grid.ids()[places] {
                if classes.is_none_or(|classes| classes.has_row(classes.of(number as usize))) {
                    let id = number as i32 + self.base;
                    let rank = ids.partition_point(|&other| other < id) as u32;
                    members.push(Member { number, rank });
                }
            }
        });
        action.prepare(members, level.len())?;
        for (k, member) in members.iter().enumerate() {
            let rank = member.rank as usize;
            let reach = Reach {
                point: level.point(rank, grid.dim()),
                bound: self.query.bound,
                periods: self.query.periods,
            };
            let before = if self.query.full { 0..rank } else { rank..rank };
            let ranges = [before, rank + 1..level.len()];
            let task = Task {
                kernels: self.kernels,
                level,
                reach,
                ranges,
            };
            action.act(k, member, &task);
        }
        Ok(())
    }

    /// A box that holds the points, rounded outward, and what is in reach of it.
    fn near(&self, own: &Block) -> Near<'_, T> {
        let mut near = Near {
            lo: [T::INFINITY; 3],
            hi: [T::INFINITY; 3],
            upper: self.query.bound,
            periods: self.query.periods,
        };
        for axis in 0..self.query.grid.dim() {
            let [from, to] = self.query.grid.bounds(own, axis);
            near.lo[axis] = T::from_f64(from).next_down();
            near.hi[axis] = T::from_f64(to).next_up();
        }
        near
    }
}
