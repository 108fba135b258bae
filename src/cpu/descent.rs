//! The search of a block by the caller's coordinates, for points that do not fit into a frame of fixed-point coordinates:
//! points clamped into the grid from far away, crowds, and in sparse grids lonely points and the outermost ones. As in `fixed`,
//! the neighborhood is sorted, then the block is halved until a handful of points is left, and the candidates of each half are
//! selected from those of the whole. The [`Action`] of the query then processes each point with its candidates.
//!
//! in: a [`Block`] of the grid; out: calls of [`Action::act`], one for each point.

use std::ops::Range;

use super::neighborhood::Level;
use super::query::Query;
use super::simd::exact::{Near, Reach};
use super::simd::{Simd, Width};
use super::sorted::Sorted;
use crate::error::Result;
use crate::grid::{Block, Grid, halve};
use crate::list::reserve_discarding;
use crate::points::PointsView;

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
    pub simd: Simd,
    pub dim: usize,
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
    fn act<R: Width>(&mut self, k: usize, member: &Member, task: &Task<R>);
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

/// The points a search of a block is for: a box of cells to be halved, or places to be done as they are.
#[derive(Clone)]
enum Own {
    Box { lo: [u32; 3], hi: [u32; 3] },
    Places(Range<usize>),
}

impl<T: Width, A: Action> BlockSearch<'_, '_, T, A> {
    /// Acts on every point of the block.
    pub fn search(&mut self, block: &Block) -> Result<()> {
        let grid = self.query.grid;
        match block {
            &Block::Box { lo, hi, ref places } => {
                self.sorted.sort(grid, |action| grid.reach(lo, hi, action))?;
                match places {
                    None => self.search_own(&Own::Box { lo, hi }),
                    Some(places) => self.search_own(&Own::Places(places.start as usize..places.end as usize)),
                }
            }
            Block::Brick { cells, .. } | Block::Cells { cells } => {
                let mut outcome = Ok(());
                grid.sparse_rows(cells.clone(), |own, runs| {
                    if outcome.is_ok() {
                        outcome = (self.sorted.sort(grid, |action| runs.iter().cloned().for_each(action)))
                            .and_then(|()| self.search_own(&Own::Places(own)));
                    }
                });
                outcome
            }
        }
    }

    /// Searches with the neighborhood that is sorted.
    fn search_own(&mut self, own: &Own) -> Result<()> {
        let query = self.query;
        self.levels[0].load(self.view, self.sorted, self.base)?;
        let mut descent = Descent {
            query,
            base: self.base,
            simd: query.simd(),
            members: self.members,
            action: self.action,
        };
        descent.descend(&mut self.levels[..], own, len(query.grid, own))
    }
}

/// The way down from a block to its leaves.
struct Descent<'s, 'a, T, A> {
    query: &'s Query<'a, T>,
    base: i32,
    simd: Simd,
    members: &'s mut Vec<Member>,
    action: &'s mut A,
}

impl<T: Width, A: Action> Descent<'_, '_, T, A> {
    /// Halves `own` until it is a leaf. The first of `levels` holds all candidates; it was selected for `selected_for`
    /// points.
    fn descend(&mut self, levels: &mut [Level<T>], own: &Own, selected_for: usize) -> Result<()> {
        let grid = self.query.grid;
        let (len, halves) = match own {
            &Own::Box { lo, hi } => {
                let len = grid.points_in(lo, hi);
                let halves = if len > LEAF { halve(lo, hi) } else { None };
                (len, halves.map(|(mid_hi, mid_lo)| [(lo, mid_hi), (mid_lo, hi)]))
            }
            Own::Places(places) => (places.len(), None),
        };
        if len == 0 {
            return Ok(());
        }
        let (level, below) = levels.split_at_mut(1);
        if let (&Own::Box { lo, hi }, [next, ..]) = (own, &mut *below)
            && len as f64 <= SELECT_AT * selected_for as f64
        {
            let near = self.near(lo, hi);
            next.select(&level[0], grid.dim(), self.simd, &near)?;
            return self.descend(below, own, len);
        }
        match halves {
            Some(halves) => {
                for (lo, hi) in halves {
                    self.descend(levels, &Own::Box { lo, hi }, selected_for)?;
                }
                Ok(())
            }
            None => self.leaf(&level[0], own),
        }
    }

    fn leaf(&mut self, level: &Level<T>, own: &Own) -> Result<()> {
        let (grid, ids) = (self.query.grid, level.ids());
        let Descent { members, action, .. } = self;
        let classes = self.query.classes;
        members.clear();
        reserve_discarding(members, len(grid, own), "the points of a leaf")?;
        // All ranks first: their searches do not wait for one another.
        each_place(grid, own, |place| {
            let number = grid.ids()[place];
            if classes.is_some_and(|classes| !classes.has_row(classes.of(number as usize))) {
                return;
            }
            let id = number as i32 + self.base;
            let rank = ids.partition_point(|&other| other < id) as u32;
            members.push(Member { number, rank });
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
                simd: self.simd,
                dim: grid.dim(),
                level,
                reach,
                ranges,
            };
            action.act(k, member, &task);
        }
        Ok(())
    }

    /// A box that holds the points, rounded outward, and what is in reach of it.
    fn near(&self, lo: [u32; 3], hi: [u32; 3]) -> Near<'_, T> {
        let mut near = Near {
            lo: [T::INFINITY; 3],
            hi: [T::INFINITY; 3],
            upper: self.query.bound,
            periods: self.query.periods,
        };
        for axis in 0..self.query.grid.dim() {
            let [from, to] = self.query.grid.bounds(axis, lo[axis], hi[axis]);
            near.lo[axis] = T::from_f64(from).next_down();
            near.hi[axis] = T::from_f64(to).next_up();
        }
        near
    }
}

fn each_place(grid: &Grid, own: &Own, mut action: impl FnMut(usize)) {
    match own {
        &Own::Box { lo, hi } => grid.own(lo, hi, |run| run.for_each(&mut action)),
        Own::Places(places) => places.clone().for_each(action),
    }
}

fn len(grid: &Grid, own: &Own) -> usize {
    match own {
        &Own::Box { lo, hi } => grid.points_in(lo, hi),
        Own::Places(places) => places.len(),
    }
}
