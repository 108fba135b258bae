//! Fixed-radius search on the CPU: counts per row, then rows in place, each in the caller's numbering and ascending.
//!
//! Every thread takes block after block: sorts its neighborhood by number, halves the block until a handful of points is
//! left, selecting the candidates of each half, and then tests each point against its candidates.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use super::narrow::Narrow;
use super::neighborhood::{Level, Sorted};
use super::simd::{Bounds, Decide, Isa, Kernels, Reach, Width, store_row};
use crate::error::Result;
use crate::grid::{Block, Grid, PADDING, halve};
use crate::list::{Rows, as_atomic_i64, resize_discarding};
use crate::points::Real;
use crate::threads::Team;

/// A block has at most this many points: what is in reach of it then stays in the second-level cache.
const BLOCK: usize = 4096;

/// And at least this many, however many threads want a share.
const BLOCK_AT_LEAST: usize = 256;

/// Blocks each thread gets, so that the last ones finish together.
const BLOCKS_PER_THREAD: usize = 16;

/// A block is halved until this few points are left: fewer would not repay the selection of their candidates.
const LEAF: usize = 56;

/// Candidates are selected anew when a half has this share of the points they were selected for.
const SELECT_AT: f64 = 0.55;

/// Rows whose memory is fetched before they are written: about as many as take the time of a miss.
const AHEAD: usize = 4;

/// Levels of selection: each has at most [`SELECT_AT`] of the points of the one before, and the first at most [`BLOCK`].
const LEVELS: usize = 16;

/// What one worker needs, kept in the handle.
#[derive(Debug, Default)]
pub struct Worker<T> {
    sorted: Sorted,
    wide: [Level<T>; LEVELS],
    narrow: [Level<f32>; LEVELS],
    members: Vec<Member>,
    scratch: Scratch,
}

/// What actions need.
#[derive(Debug, Default)]
struct Scratch {
    row: Vec<i32>,
    places: Vec<Range<usize>>,
}

impl<T: Real> Worker<T> {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let levels =
            self.wide.iter().map(Level::bytes).sum::<usize>() + self.narrow.iter().map(Level::bytes).sum::<usize>();
        self.sorted.bytes() + levels + self.scratch.row.capacity() * 4
    }
}

/// One fixed-radius search over a grid.
#[derive(Clone, Copy)]
pub struct Pairs<'a, T> {
    pub grid: &'a Grid<T>,
    pub cutoff: f64,
    /// Distance squared is at most this.
    pub bound: T,
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    pub isa: Isa,
}

/// A point of a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Where it stands in the grid.
    place: u32,
    /// The caller's number of it.
    number: u32,
    /// Where it stands in the leaf's level.
    rank: u32,
}

/// What a member is tested with.
struct Task<'a, R> {
    kernels: &'a Kernels<R>,
    level: &'a Level<R>,
    reach: Reach<'a, R>,
    /// The parts of the level that can hold the row: all but the point itself, or what stands behind it.
    ranges: [Range<usize>; 2],
}

/// What is done to each member of a leaf: count its row or write it. Only `prepare` can fail: results of 70 bytes in the
/// innermost loop would have every call wait for the stores of the one before.
trait Action {
    /// Called before a leaf's members are acted on; no row will be longer than `longest`.
    fn prepare(&mut self, members: &[Member], longest: usize) -> Result<()>;
    /// Called for each member, in order.
    fn act<R: Real>(&mut self, k: usize, member: &Member, task: &Task<R>);
}

impl<T: Real> Pairs<'_, T> {
    /// Writes the length of row `i` to `lengths[i]`.
    pub fn count(&self, team: &Team, workers: &mut [Worker<T>], lengths: &mut [i64]) -> Result<()> {
        let lengths = as_atomic_i64(lengths);
        self.visit(team, workers, 0, |_| Count { lengths })
    }

    /// Writes row `i`'s ids plus `base` to `offsets[i] - base .. offsets[i + 1] - base` of `rows`.
    pub fn fill(&self, team: &Team, workers: &mut [Worker<T>], offsets: &[i64], base: i64, rows: &Rows) -> Result<()> {
        self.visit(team, workers, base as i32, |scratch| Fill { offsets, rows, scratch })
    }

    fn visit<'w, A: Action>(
        &self,
        team: &Team,
        workers: &'w mut [Worker<T>],
        base: i32,
        action: impl Fn(&'w mut Scratch) -> A + Sync,
    ) -> Result<()>
    where
        A: Send,
    {
        let share = self.grid.len() / (team.threads() * BLOCKS_PER_THREAD);
        let limit = if team.threads() == 1 {
            BLOCK
        } else {
            share.clamp(BLOCK_AT_LEAST, BLOCK)
        };
        let mut blocks = Vec::new();
        self.grid.blocks(limit, &mut blocks);
        let mut states: Vec<_> = workers
            .iter_mut()
            .map(
                |Worker {
                     sorted,
                     wide,
                     narrow,
                     members,
                     scratch,
                 }| (sorted, wide, narrow, members, action(scratch)),
            )
            .collect();
        team.run(
            &mut states,
            blocks.len(),
            |(sorted, wide, narrow, members, action), k| {
                let mut block = BlockSearch {
                    pairs: self,
                    base,
                    sorted,
                    wide,
                    narrow,
                    doer: Doer { members, action },
                };
                block.search(&blocks[k])
            },
        )
    }
}

/// The search of one block by one worker.
struct BlockSearch<'s, 'a, T, A> {
    pairs: &'s Pairs<'a, T>,
    base: i32,
    sorted: &'s mut Sorted,
    wide: &'s mut [Level<T>; LEVELS],
    narrow: &'s mut [Level<f32>; LEVELS],
    doer: Doer<'s, A>,
}

/// The action, and the members of the leaf at hand.
struct Doer<'s, A> {
    members: &'s mut Vec<Member>,
    action: &'s mut A,
}

/// The points a search of a block is for: a box of cells to be halved, or places to be done as they are.
#[derive(Clone)]
enum Own {
    Box { lo: [u32; 3], hi: [u32; 3] },
    Places(Range<usize>),
}

impl<T: Real, A: Action> BlockSearch<'_, '_, T, A> {
    fn search(&mut self, block: &Block) -> Result<()> {
        let grid = self.pairs.grid;
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
            pairs,
            base,
            sorted,
            wide,
            narrow,
            doer,
        } = self;
        let (grid, dim, coords) = (pairs.grid, pairs.grid.dim(), pairs.grid.coords());
        if T::NARROWS {
            let frame = Narrow::new(middle(grid, own), pairs.cutoff);
            let coord = |axis: usize, place: usize| frame.coord(axis, coords[axis][place].to_f64());
            narrow[0].load(grid, sorted, *base, coord)?;
            if let Some(bounds) = frame.bounds(pairs.bound.to_f64(), farthest(&narrow[0], dim)) {
                let kernels = &f32::kernels(pairs.isa)[dim - 1];
                let descent = Descent {
                    pairs,
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
        let coord = |axis: usize, place: usize| coords[axis][place];
        wide[0].load(grid, sorted, *base, coord)?;
        let kernels = &T::kernels(pairs.isa)[dim - 1];
        let bounds = Bounds {
            lower: pairs.bound,
            upper: pairs.bound,
        };
        let descent = Descent {
            pairs,
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
    pairs: &'s Pairs<'a, T>,
    base: i32,
    sorted: &'s Sorted,
    kernels: &'s Kernels<R>,
    bounds: Bounds<R>,
    /// A point's coordinate along an axis, as levels have it.
    coord: C,
    /// Doubtful targets are possible.
    decides: bool,
}

impl<T: Real, R: Real, C: Fn(usize, usize) -> R> Descent<'_, '_, T, R, C> {
    /// Halves `own` until it is a leaf. The first of `levels` holds all candidates; it was selected for `selected_for`
    /// points.
    fn descend<A: Action>(
        &self,
        levels: &mut [Level<R>],
        own: &Own,
        selected_for: usize,
        doer: &mut Doer<A>,
    ) -> Result<()> {
        let grid = self.pairs.grid;
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
        if len as f64 <= SELECT_AT * selected_for as f64 && !below.is_empty() && level[0].len() > 2 * len {
            let dim = grid.dim();
            below[0].select(&level[0], dim, self.kernels, self.extent(own), self.bounds.upper)?;
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
        let (grid, ids) = (self.pairs.grid, level.ids());
        let Doer { members, action } = doer;
        members.clear();
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
                pairs: self.pairs,
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
            let before = if self.pairs.full { 0..rank } else { rank..rank };
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

    /// The bounding box of the points.
    fn extent(&self, own: &Own) -> [[R; 3]; 2] {
        let mut extent = [[R::INFINITY; 3], [R::INFINITY; 3]];
        let mut first = true;
        each_place(self.pairs.grid, own, |place| {
            for axis in 0..self.pairs.grid.dim() {
                let c = (self.coord)(axis, place);
                let [lo, hi] = &mut extent;
                lo[axis] = if first || c < lo[axis] { c } else { lo[axis] };
                hi[axis] = if first || c > hi[axis] { c } else { hi[axis] };
            }
            first = false;
        });
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
    let mut runs = Vec::new();
    match own {
        &Own::Box { lo, hi } => grid.own(lo, hi, |run| runs.push(run)),
        Own::Places(places) => runs.push(places.clone()),
    }
    let run = &runs[runs.len() / 2];
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
    pairs: &'s Pairs<'a, T>,
    sorted: &'s Sorted,
    place: usize,
    ids: &'s [i32],
    base: i32,
}

impl<T: Real> Decide for Exactly<'_, '_, T> {
    #[cold]
    fn decide(&self, at: usize, doubtful: u32) -> u32 {
        let coords = self.pairs.grid.coords();
        let coords = &coords[..self.pairs.grid.dim()];
        (0..u32::BITS).filter(|k| doubtful >> k & 1 == 1).fold(0, |hits, k| {
            let other = self.sorted.place((self.ids[at + k as usize] - self.base) as u32);
            let d2 = coords.iter().map(|axis| axis[self.place].sub(axis[other]));
            let d2 = d2.fold(None, |sum: Option<T>, d| {
                Some(sum.map_or_else(|| d.mul(d), |sum| sum.add_square(d)))
            });
            hits | u32::from(d2.is_some_and(|d2| d2 <= self.pairs.bound)) << k
        })
    }
}

struct Count<'a> {
    lengths: &'a [std::sync::atomic::AtomicI64],
}

impl Action for Count<'_> {
    fn prepare(&mut self, _members: &[Member], _longest: usize) -> Result<()> {
        Ok(())
    }

    fn act<R: Real>(&mut self, _k: usize, member: &Member, task: &Task<R>) {
        let targets = task.level.targets();
        let count = |range: &Range<usize>| task.kernels.count(&targets, range.clone(), &task.reach);
        let found: usize = task.ranges.iter().map(count).sum();
        self.lengths[member.number as usize].store(found as i64, Relaxed);
    }
}

struct Fill<'a> {
    offsets: &'a [i64],
    rows: &'a Rows<'a>,
    scratch: &'a mut Scratch,
}

impl Action for Fill<'_> {
    fn prepare(&mut self, members: &[Member], longest: usize) -> Result<()> {
        let Scratch { row, places } = &mut *self.scratch;
        if row.len() < longest + 2 * PADDING {
            resize_discarding(row, longest + 2 * PADDING, 0, "a row")?;
        }
        places.clear();
        let end = |i: usize| (self.offsets[i] - self.offsets[0]) as usize;
        places.extend(
            members
                .iter()
                .map(|member| end(member.number as usize)..end(member.number as usize + 1)),
        );
        places
            .iter()
            .take(AHEAD)
            .for_each(|place| self.rows.prefetch(place.clone()));
        Ok(())
    }

    fn act<R: Real>(&mut self, k: usize, _member: &Member, task: &Task<R>) {
        let Scratch { row, places } = &mut *self.scratch;
        if let Some(place) = places.get(k + AHEAD) {
            self.rows.prefetch(place.clone());
        }
        let mut found = 0;
        for range in &task.ranges {
            found += task
                .kernels
                .emit(&task.level.targets(), range.clone(), &task.reach, &mut row[found..]);
        }
        store_row(self.rows, places[k].clone(), &row[..found]);
    }
}

fn len<T>(grid: &Grid<T>, own: &Own) -> usize {
    match own {
        &Own::Box { lo, hi } => grid.points_in(lo, hi),
        Own::Places(places) => places.len(),
    }
}
