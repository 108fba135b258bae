//! The search of a block by the caller's coordinates, for points that do not fit into a frame of fixed-point
//! coordinates: points clamped into the grid from far away, crowds, lonely points and the outermost ones. As in
//! `quantized`, the neighborhood is sorted, then the block is halved until a handful of points is left, and the
//! candidates of each half are selected from those of the whole. Each point is tested against its candidates.
//!
//! in: a [`Block`] of the grid; out: rows for a [`Sink`], one for each point.

use super::kernels::exact::near::Near;
use super::kernels::exact::{Ball, Emit, Squares};
use super::level::Level;
use super::query::{Query, is_pair};
use super::rows::{Sink, Wanted};
use super::sorted::Sorted;
use crate::axes::per_axis;
use crate::error::Result;
use crate::grid::{Block, PADDING};
use crate::kinds::{Classes, bits};
use crate::list::{grow, holds, reserve_discarding};
use crate::points::PointsView;
use crate::simd::Width;

/// A block is halved until this few points are left: fewer would not repay the selection of their candidates.
const LEAF: usize = 20;

/// Candidates are selected again when a half has this share of the points they were selected for.
const SELECT_AT: f64 = 0.30;

/// Levels of selection: each has at most [`SELECT_AT`] of the points of the one before, and the first at most
/// [`BLOCK`].
pub(super) const LEVELS: usize = 16;

/// A point of a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The caller's number of it.
    pub number: u32,
    /// Its place in the leaf's level, or the one that it would have.
    pub rank: u32,
}

holds! { nothing for Member }

/// Memory of one worker for such searches.
#[derive(Debug, Default)]
pub struct Memory<T> {
    sorted: Sorted,
    pub(super) levels: [Level<T>; LEVELS],
    room: LeafRoom<T>,
}

holds! { Memory<T> { sorted, levels, room } }

/// Room for a leaf: its points, and the row of one.
#[derive(Debug, Default)]
struct LeafRoom<T> {
    members: Vec<Member>,
    row: Vec<i32>,
    /// Distances squared of a row, where these are wanted instead.
    squares: Vec<T>,
    /// Distances tested in this block.
    tests: usize,
}

holds! { LeafRoom<T> { members, row, squares; tests } }

impl<T: Width> Memory<T> {
    /// Makes room for `around` points, so that it makes no difference later which worker gets which block.
    pub fn reserve(&mut self, around: usize, dim: usize) -> Result<()> {
        self.sorted.reserve(around)?;
        self.levels[..2]
            .iter_mut()
            .try_for_each(|level| level.reserve(around, dim))
    }
}

/// A search of a block.
pub struct ExactSearch<'s, 'a, T> {
    pub query: &'s Query<'a, T>,
    pub view: &'s PointsView<'a, T>,
    pub wanted: &'s Wanted<'s>,
    pub sink: &'s mut dyn Sink,
}

/// The way down from a block to its leaves.
struct ExactDescent<'d, 's, 'a, T> {
    search: &'d mut ExactSearch<'s, 'a, T>,
    room: &'d mut LeafRoom<T>,
    /// With classes, those that the rows list which are found.
    lists: Option<u128>,
}

impl<T: Width> ExactSearch<'_, '_, T> {
    /// Finds the rows of the block. Where there are classes, those that list the same ones are found at once, among the
    /// points of these: however many points may not list each other, they are not tested against each other.
    pub fn run(mut self, memory: &mut Memory<T>, block: &Block) -> Result<()> {
        let Query {
            grid, classes, cost, ..
        } = *self.query;
        let Memory { sorted, levels, room } = memory;
        sorted.sort(grid, |action| grid.reach(block, action))?;
        let mut rows = match classes {
            Some(classes) => self.row_classes(classes, block),
            None => 1,
        };
        let mut outcome = Ok(());
        while rows != 0 && outcome.is_ok() {
            let lists = classes.map(|classes| classes.lists(rows.trailing_zeros() as u8));
            let of = |class: u8| {
                classes
                    .zip(lists)
                    .is_none_or(|(classes, lists)| classes.lists(class) == lists)
            };
            rows = bits(rows)
                .filter(|&class| !of(class))
                .fold(0, |rows, class| rows | 1 << class);
            let is_listed = |number: usize| {
                (classes.zip(lists)).is_none_or(|(classes, lists)| lists >> classes.of(number) & 1 == 1)
            };
            levels[0].load(self.view, sorted, is_listed)?;
            let mut descent = ExactDescent {
                search: &mut self,
                room: &mut *room,
                lists,
            };
            outcome = descent.descend(levels, block, grid.points_of(block));
        }
        cost.add(std::mem::take(&mut room.tests));
        outcome
    }

    /// The classes of the block's points that have rows, a bit each.
    fn row_classes(&self, classes: &Classes, block: &Block) -> u128 {
        let (grid, mut rows) = (self.query.grid, 0);
        grid.places_of(block, |places| rows |= classes.among(&grid.ids()[places]));
        bits(rows)
            .filter(|&class| classes.has_row(class))
            .fold(0, |rows, class| rows | 1 << class)
    }
}

impl<T: Width> ExactDescent<'_, '_, '_, T> {
    /// Halves `own` until it is a leaf. The first of `levels` holds all candidates; it was selected for `selected_for`
    /// points.
    fn descend(&mut self, levels: &mut [Level<T>], own: &Block, selected_for: usize) -> Result<()> {
        let grid = self.search.query.grid;
        let len = grid.points_of(own);
        if len == 0 || !self.has_rows(own) {
            return Ok(());
        }
        let (level, below) = levels.split_at_mut(1);
        if let [next, ..] = &mut *below
            && len as f64 <= SELECT_AT * selected_for as f64
        {
            let near = self.near(own);
            next.select(&level[0], grid.dim(), self.search.query.simd(), &near)?;
            return self.descend(below, own, len);
        }
        match grid.halves(own).filter(|_| len > LEAF) {
            Some(halves) => halves
                .iter()
                .try_for_each(|half| self.descend(levels, half, selected_for)),
            None => match below {
                [next, ..] if len < selected_for => {
                    let near = self.near(own);
                    next.select(&level[0], grid.dim(), self.search.query.simd(), &near)?;
                    self.leaf(next, own)
                }
                _ => self.leaf(&level[0], own),
            },
        }
    }

    /// Whether any point of a block has a row that is searched.
    fn has_rows(&self, own: &Block) -> bool {
        let (grid, lists) = (self.search.query.grid, self.lists);
        let mut has = lists.is_none() && self.search.wanted.is_all();
        if !has {
            grid.places_of(own, |places| {
                let mut ids = grid.ids()[places].iter();
                has = has || ids.any(|&number| self.search.is_member(lists, number));
            });
        }
        has
    }

    fn leaf(&mut self, level: &Level<T>, own: &Block) -> Result<()> {
        let ExactDescent { search, room, lists } = self;
        let LeafRoom {
            members,
            row,
            squares,
            tests,
        } = &mut **room;
        let (grid, ids) = (search.query.grid, level.ids());
        members.clear();
        reserve_discarding(members, grid.points_of(own), "the points of a leaf")?;
        // All ranks first: their searches do not wait for one another.
        grid.places_of(own, |places| {
            for &number in &grid.ids()[places] {
                if search.is_member(*lists, number) {
                    let rank = ids.partition_point(|&other| other < number as i32) as u32;
                    members.push(Member { number, rank });
                }
            }
        });
        if search.sink.wants_squares() && search.query.excluded.is_none() && search.query.by_types.is_none() {
            grow(squares, level.len + PADDING, T::default(), "a row")?;
            for member in members.iter() {
                search.measure(level, member, squares, tests);
            }
            return Ok(());
        }
        grow(row, level.len + 2 * PADDING, 0, "a row")?;
        for member in members.iter() {
            search.sink.expect(&[member.number]);
        }
        for member in members.iter() {
            let mut found = search.find(level, member, row, tests);
            if let Some(excluded) = search.query.excluded {
                found = excluded.take_out(member.number, &mut row[..found]);
            }
            search.sink.row(member.number, &mut row[..found])?;
        }
        Ok(())
    }

    /// A box that holds the points, rounded outward, and what is in reach of it.
    fn near(&self, own: &Block) -> Near<'_, T> {
        let mut near = Near {
            lo: [T::INFINITY; 3],
            hi: [T::INFINITY; 3],
            upper: self.search.query.bound,
            periods: self.search.query.periods,
        };
        for axis in 0..self.search.query.grid.dim() {
            let [from, to] = self.search.query.grid.bounds(own, axis);
            near.lo[axis] = T::from_f64(from).next_down();
            near.hi[axis] = T::from_f64(to).next_up();
        }
        near
    }
}

impl<'a, T: Width> ExactSearch<'_, 'a, T> {
    /// Whether the row of a point is wanted. With classes, whether it also lists the classes of `lists`.
    fn is_member(&self, lists: Option<u128>, number: u32) -> bool {
        let classes = self.query.classes.zip(lists);
        classes.is_none_or(|(classes, lists)| classes.lists(classes.of(number as usize)) == lists)
            && self.wanted.has(number as usize)
    }

    /// Writes the row of a member to the front of `row`; returns its length.
    fn find(&self, level: &Level<T>, member: &Member, row: &mut [i32], tests: &mut usize) -> usize {
        let (reach, mut found) = (self.reach(member), 0);
        for range in self.ranges(level, member) {
            *tests += range.len();
            let emit = Emit {
                targets: level.targets(),
                range,
                reach: &reach,
                row: &mut row[found..],
            };
            found += self.query.simd().run_in(self.query.grid.dim(), emit);
        }
        match self.query.by_types {
            Some(_) => self.cut_by_types(member, &mut row[..found]),
            None => found,
        }
    }

    /// Gives the sink the distances squared of the row of a member.
    fn measure(&mut self, level: &Level<T>, member: &Member, squares: &mut [T], tests: &mut usize) {
        let reach = self.reach(member);
        for range in self.ranges(level, member) {
            *tests += range.len();
            let measure = Squares {
                targets: level.targets(),
                range,
                reach: &reach,
                squares,
            };
            let found = self.query.simd().run_in(self.query.grid.dim(), measure);
            self.sink.squares(bytemuck::cast_slice(&squares[..found]));
        }
    }

    fn reach(&self, member: &Member) -> Ball<'a, T> {
        let coordinate = |axis: usize| match axis < self.query.grid.dim() {
            true => self.view.get(axis, member.number as usize),
            false => T::INFINITY,
        };
        Ball {
            point: per_axis(coordinate),
            bound: self.query.bound,
            periods: self.query.periods,
        }
    }

    /// The targets of a member: all but the point itself, or those after it.
    fn ranges(&self, level: &Level<T>, member: &Member) -> [std::ops::Range<usize>; 2] {
        let rank = member.rank as usize;
        let before = if self.query.full { 0..rank } else { rank..rank };
        let own = level.ids().get(rank) == Some(&(member.number as i32));
        [before, rank + usize::from(own)..level.len]
    }

    /// Brings what is within the cutoffs of its types to the front of a row; returns its length.
    fn cut_by_types(&self, member: &Member, row: &mut [i32]) -> usize {
        let mut kept = 0;
        for k in 0..row.len() {
            let pair = [member.number, row[k] as u32];
            row[kept] = row[k];
            kept += usize::from(is_pair(self.view, self.query.periods, self.query.bound_of(pair), pair));
        }
        kept
    }
}
