//! Points parted into blocks: those that a rank tells all others, and the search for points near the boxes of others.

use crate::boxes::{Reach, Tight};
use crate::error::{Result, reserve};
use crate::points::Placed;
use crate::team::Team;

/// Blocks that a rank tells all others, at most.
pub const MOST: usize = 32;

/// Points that are tested one by one.
const LEAF: usize = 16;

/// Points that one thread searches alone; and how often they are parted before that, at most: clouds can be made in which each
/// parting leaves all but one on one side.
const ALONE: usize = 1 << 10;
const DEEPEST: usize = 64;

fn around(points: &[Placed]) -> Tight {
    Tight::around(points.iter().map(|placed| &placed.at))
}

/// Brings the points below or on the middle of the box's longest edge to the front; returns how many. Both parts have some.
pub fn part(points: &mut [Placed], tight: &Tight) -> usize {
    part_by(points, tight, |placed, axis| placed.at[axis])
}

/// Brings the items whose place is below or on the middle of the box's longest edge to the front; returns how many.
fn part_by<S>(items: &mut [S], tight: &Tight, place: impl Fn(&S, usize) -> f64) -> usize {
    let (_, axis) = tight.longest();
    let middle = tight.middle(axis);
    let mut below = 0;
    for k in 0..items.len() {
        if place(&items[k], axis) <= middle {
            items.swap(below, k);
            below += 1;
        }
    }
    below
}

/// Boxes around all of `tights`, [`MOST`] at the most: the longest is parted again and again, as far as its parts allow.
pub fn outline(tights: &mut [Tight], reach: &Reach) -> Vec<Tight> {
    if tights.is_empty() {
        return Vec::new();
    }
    let (mut blocks, mut whole) = (vec![(0..tights.len(), Tight::joined(&*tights))], Vec::new());
    while !blocks.is_empty() && blocks.len() + whole.len() < MOST {
        let edge = |k: usize| blocks[k].1.longest().0;
        let longest = (1..blocks.len()).fold(0, |longest, k| if edge(k) > edge(longest) { k } else { longest });
        let is_short = edge(longest) <= reach.distance();
        let (range, tight) = blocks.swap_remove(longest);
        let below = match is_short {
            true => 0,
            false => part_by(&mut tights[range.clone()], &tight, |tight, axis| tight.center(axis)),
        };
        if below == 0 || below == range.len() {
            whole.push(tight);
            continue;
        }
        let middle = range.start + below;
        for range in [range.start..middle, middle..range.end] {
            let tight = Tight::joined(&tights[range.clone()]);
            blocks.push((range, tight));
        }
    }
    whole.extend(blocks.into_iter().map(|(_, tight)| tight));
    whole
}

/// A box of a rank near this one, by its place among those ranks. Boxes of one rank stand together.
#[derive(Clone, Copy, Debug)]
pub struct Foreign {
    pub near: u32,
    pub tight: Tight,
}

/// Points that stand together, in a box that may be larger than they need.
pub struct Group<'a> {
    pub tight: Tight,
    pub points: &'a mut [Placed],
    /// The place of the first among those of all groups.
    pub first: usize,
}

/// Places of points by rank near this one, in pieces, each from a region of its own.
pub type Selected = Vec<Vec<Vec<u32>>>;

/// The search for points within reach of `boxes`, which are of `nears` ranks.
#[derive(Clone, Copy)]
pub struct Selection<'a> {
    pub boxes: &'a [Foreign],
    pub nears: usize,
    pub reach: &'a Reach,
    pub team: &'a Team,
}

impl Selection<'_> {
    /// For each rank the points within reach of one of its boxes, in no order. Points are brought into another one, each group's
    /// among themselves.
    pub fn of(&self, groups: &mut [Group]) -> Result<Selected> {
        self.of_groups(groups, (0..self.boxes.len() as u32).collect())
    }

    fn of_groups(&self, groups: &mut [Group], mut near: Vec<u32>) -> Result<Selected> {
        let tight = Tight::joined(groups.iter().map(|group| &group.tight));
        self.keep_near(&mut near, &tight);
        match groups {
            [] => Ok(self.none()),
            _ if near.is_empty() => Ok(self.none()),
            [group] => self.parted(group.points, group.first, near, 0),
            _ => {
                let below = part_by(groups, &tight, |group, axis| group.tight.center(axis));
                let is_parted = 0 < below && below < groups.len();
                let (front, back) = groups.split_at_mut(if is_parted { below } else { groups.len() / 2 });
                let others = near.clone();
                self.joined((self.team).both(|| self.of_groups(front, near), || self.of_groups(back, others)))
            }
        }
    }

    fn keep_near(&self, near: &mut Vec<u32>, tight: &Tight) {
        near.retain(|&k| self.reach.joins(tight, &self.boxes[k as usize].tight));
    }

    fn none(&self) -> Selected {
        vec![Vec::new(); self.nears]
    }

    fn joined(&self, (front, back): (Result<Selected>, Result<Selected>)) -> Result<Selected> {
        let mut selected = front?;
        let all = selected.iter_mut().zip(back?);
        all.for_each(|(pieces, more)| pieces.extend(more));
        Ok(selected)
    }

    /// Points of one group, from place `first` on.
    fn parted(&self, points: &mut [Placed], first: usize, mut near: Vec<u32>, depth: usize) -> Result<Selected> {
        let tight = around(points);
        self.keep_near(&mut near, &tight);
        if points.is_empty() || near.is_empty() {
            return Ok(self.none());
        }
        let is_small = tight.longest().0 <= 0.5 * self.reach.distance();
        if points.len() <= ALONE || is_small || depth == DEEPEST {
            let pieces = self.alone(points, first, near)?.into_iter();
            let in_list = |piece: Vec<u32>| if piece.is_empty() { Vec::new() } else { vec![piece] };
            return Ok(pieces.map(in_list).collect());
        }
        let below = part(points, &tight);
        let (front, back) = points.split_at_mut(below);
        let others = near.clone();
        self.joined((self.team).both(
            || self.parted(front, first, near, depth + 1),
            || self.parted(back, first + below, others, depth + 1),
        ))
    }

    /// The same by one thread, in one piece for each rank.
    fn alone(&self, points: &mut [Placed], first: usize, near: Vec<u32>) -> Result<Vec<Vec<u32>>> {
        let mut selected = vec![Vec::new(); self.nears];
        let mut work = vec![(0..points.len(), near)];
        while let Some((range, mut near)) = work.pop() {
            let points = &mut points[range.clone()];
            if points.is_empty() {
                continue;
            }
            let tight = around(points);
            self.keep_near(&mut near, &tight);
            if near.is_empty() {
                continue;
            }
            if points.len() <= LEAF || tight.longest().0 <= 0.5 * self.reach.distance() {
                self.each(points, first + range.start, &near, &mut selected)?;
                continue;
            }
            let middle = range.start + part(points, &tight);
            work.push((middle..range.end, near.clone()));
            work.push((range.start..middle, near));
        }
        Ok(selected)
    }

    fn each(&self, points: &[Placed], first: usize, near: &[u32], selected: &mut [Vec<u32>]) -> Result<()> {
        let foreign = |k: &u32| &self.boxes[*k as usize];
        for group in near.chunk_by(|a, b| foreign(a).near == foreign(b).near) {
            let selected = &mut selected[foreign(&group[0]).near as usize];
            reserve(selected, points.len(), "the points near another rank")?;
            for (place, placed) in (first as u32..).zip(points) {
                let at = Tight::of(placed.at);
                if group.iter().any(|k| self.reach.joins(&at, &foreign(k).tight)) {
                    selected.push(place);
                }
            }
        }
        Ok(())
    }
}
