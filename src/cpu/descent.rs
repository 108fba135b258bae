//! The way from a block down to single points: its neighborhood sorted, the block halved until a handful of points is
//! left, the candidates of each half selected from those of the whole. What is then done with a point and its candidates
//! is the query's [`Action`].
//!
//! in: a [`Block`] of the grid; out: calls of [`Action::act`], one for each point.

use std::ops::Range;

use super::neighborhood::{Level, Sorted};
use super::query::Query;
use super::simd::{Decide, Kernels, Reach, Width};
use crate::domain::Bounds;
use crate::error::Result;
use crate::grid::{Block, Grid, Narrow, halve};
use crate::list::reserve_discarding;
use crate::points::Real;

/// A block is halved until this few points are left: fewer would not repay the selection of their candidates.
const LEAF: usize = 40;

/// Candidates are selected anew when a half has this share of the points they were selected for.
const SELECT_AT: f64 = 0.30;

/// Levels of selection: each has at most [`SELECT_AT`] of the points of the one before, and the first at most [`BLOCK`].
pub(super) const LEVELS: usize = 16;

/// A point of a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Where it stands in the grid.
    pub place: u32,
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
    pub base: i32,
    pub sorted: &'s mut Sorted,
    pub wide: &'s mut [Level<T>; LEVELS],
    pub narrow: &'s mut [Level<f32>; LEVELS],
    pub doer: Doer<'s, A>,
}

/// The action, and the members of the leaf at hand.
pub struct Doer<'s, A> {
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
            Block::Cells { cells } => {
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

    /// Searches with the neighborhood that is sorted: in real32 where that can decide, otherwise in the caller's precision.
    fn search_own(&mut self, own: &Own) -> Result<()> {
        let BlockSearch {
            query,
            base,
            sorted,
            wide,
            narrow,
            doer,
        } = self;
        let (grid, dim, coords) = (query.grid, query.grid.dim(), query.grid.coords());
        if T::NARROWS {
            let frame = Narrow::new(middle(grid, own), query.cutoff);
            let coord = |axis: usize, coord: f64| frame.coord(axis, coord);
            narrow[0].load(grid, sorted, *base, |axis, place| {
                coord(axis, coords[axis][place].to_f64())
            })?;
            if let Some(bounds) = frame.bounds(query.bound.to_f64(), farthest(&narrow[0], dim)) {
                let kernels = &f32::kernels(query.isa)[dim - 1];
                let descent = Descent {
                    query,
                    base: *base,
                    sorted,
                    kernels,
                    bounds,
                    coord,
                    decides: true,
                };
                return descent.descend(&mut narrow[..], own, len(grid, own), doer);
            }
        }
        let coord = |_axis: usize, coord: f64| T::from_f64(coord);
        wide[0].load(grid, sorted, *base, |axis, place| coords[axis][place])?;
        let kernels = &T::kernels(query.isa)[dim - 1];
        let bounds = Bounds {
            lower: query.bound,
            upper: query.bound,
        };
        let descent = Descent {
            query,
            base: *base,
            sorted,
            kernels,
            bounds,
            coord,
            decides: false,
        };
        descent.descend(&mut wide[..], own, len(grid, own), doer)
    }
}

/// The way down from a block to its leaves, with levels in precision `R`.
struct Descent<'s, 'a, T, R, C> {
    query: &'s Query<'a, T>,
    base: i32,
    sorted: &'s Sorted,
    kernels: &'s Kernels<R>,
    bounds: Bounds<R>,
    /// A coordinate along an axis, as levels have it.
    coord: C,
    /// Doubtful targets are possible.
    decides: bool,
}

impl<T: Width, R: Width, C: Fn(usize, f64) -> R> Descent<'_, '_, T, R, C> {
    /// Halves `own` until it is a leaf. The first of `levels` holds all candidates; it was selected for `selected_for`
    /// points.
    fn descend<A: Action>(
        &self,
        levels: &mut [Level<R>],
        own: &Own,
        selected_for: usize,
        doer: &mut Doer<A>,
    ) -> Result<()> {
        let grid = self.query.grid;
        let (len, halves) = match own {
            &Own::Box { lo, hi } => {
                let len = grid.points_in(lo, hi);
                (
                    len,
                    if len > LEAF {
                        halve(lo, hi).map(|(mid_hi, mid_lo)| [(lo, mid_hi), (mid_lo, hi)])
                    } else {
                        None
                    },
                )
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
            next.select(
                &level[0],
                grid.dim(),
                self.kernels,
                self.extent(lo, hi),
                self.bounds.upper,
            )?;
            return self.descend(below, own, len, doer);
        }
        match halves {
            Some(halves) => {
                for (lo, hi) in halves {
                    self.descend(levels, &Own::Box { lo, hi }, selected_for, doer)?;
                }
                Ok(())
            }
            None => self.leaf(&level[0], own, doer),
        }
    }

    fn leaf<A: Action>(&self, level: &Level<R>, own: &Own, doer: &mut Doer<A>) -> Result<()> {
        let (grid, ids) = (self.query.grid, level.ids());
        let Doer { members, action } = doer;
        members.clear();
        reserve_discarding(members, len(grid, own), "the points of a leaf")?;
        // All ranks first: their searches do not wait for one another.
        each_place(grid, own, |place| {
            let number = grid.ids()[place];
            let id = number as i32 + self.base;
            let rank = ids.partition_point(|&other| other < id) as u32;
            members.push(Member {
                place: place as u32,
                number,
                rank,
            });
        });
        action.prepare(members, level.len())?;
        for (k, member) in members.iter().enumerate() {
            let (rank, place) = (member.rank as usize, member.place as usize);
            let decide = Exactly {
                query: self.query,
                sorted: self.sorted,
                place,
                ids,
                base: self.base,
            };
            let reach = Reach {
                point: level.point(rank, grid.dim()),
                bounds: self.bounds,
                decide: if self.decides { Some(&decide) } else { None },
            };
            let before = if self.query.full { 0..rank } else { rank..rank };
            let ranges = [before, rank + 1..level.len()];
            action.act(
                k,
                member,
                &Task {
                    kernels: self.kernels,
                    level,
                    reach,
                    ranges,
                },
            );
        }
        Ok(())
    }

    /// A box that holds the points, as levels have coordinates: rounded outward.
    fn extent(&self, lo: [u32; 3], hi: [u32; 3]) -> [[R; 3]; 2] {
        let mut extent = [[R::INFINITY; 3]; 2];
        for axis in 0..self.query.grid.dim() {
            let [from, to] = self.query.grid.bounds(axis, lo[axis], hi[axis]);
            extent[0][axis] = (self.coord)(axis, from).next_down();
            extent[1][axis] = (self.coord)(axis, to).next_up();
        }
        extent
    }
}

fn each_place<T>(grid: &Grid<T>, own: &Own, mut action: impl FnMut(usize)) {
    match own {
        &Own::Box { lo, hi } => grid.own(lo, hi, |run| run.for_each(&mut action)),
        Own::Places(places) => places.clone().for_each(action),
    }
}

/// The place in the middle of the points, whose coordinates make a good origin.
fn middle<T: Real>(grid: &Grid<T>, own: &Own) -> [f64; 3] {
    let mut run = 0..0;
    match own {
        &Own::Box { lo, hi } => {
            let mut runs = 0;
            grid.own(lo, hi, |_| runs += 1);
            let mut to_go = runs / 2 + 1;
            grid.own(lo, hi, |this| {
                to_go -= usize::from(to_go > 0);
                if to_go == 0 && run.is_empty() {
                    run = this;
                }
            });
        }
        Own::Places(places) => run = places.clone(),
    }
    let place = run.start + run.len() / 2;
    std::array::from_fn(|axis| grid.coords()[axis].get(place).map_or(0.0, |c| c.to_f64()))
}

/// The largest coordinate of a level, by magnitude.
fn farthest(level: &Level<f32>, dim: usize) -> f32 {
    let targets = level.targets();
    targets.coords[..dim]
        .iter()
        .flat_map(|c| &c[..level.len()])
        .fold(0.0, |most: f32, c| most.max(c.abs()))
}

/// Decides in the caller's precision, as the oracle does.
struct Exactly<'s, 'a, T> {
    query: &'s Query<'a, T>,
    sorted: &'s Sorted,
    place: usize,
    ids: &'s [i32],
    base: i32,
}

impl<T: Real> Decide for Exactly<'_, '_, T> {
    #[cold]
    fn decide(&self, at: usize, doubtful: u32) -> u32 {
        (0..u32::BITS).filter(|k| doubtful >> k & 1 == 1).fold(0, |hits, k| {
            let other = self.sorted.place((self.ids[at + k as usize] - self.base) as u32);
            hits | u32::from(self.query.is_pair(self.place, other)) << k
        })
    }
}

fn len<T>(grid: &Grid<T>, own: &Own) -> usize {
    match own {
        &Own::Box { lo, hi } => grid.points_in(lo, hi),
        Own::Places(places) => places.len(),
    }
}
