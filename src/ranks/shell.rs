//! The points of a rank that may be near points of other ranks, in cells as large as the cutoff and the same on all ranks. For
//! each cell there is a tight box. This decides which cells another rank must know, and which points it must have.

use std::ops::Range;

use super::blocks::{self, Foreign};
use super::boxes::{Reach, Tight};
use super::cloud::Placed;
use super::team::{both, in_turns, one_each};
use crate::error::Result;
use crate::memory::{copied, filled, push, reserve_keeping, resize_keeping, with_capacity};
use crate::threads::Team;

const WHAT: &str = "the points near other ranks";
const CELLS: &str = "the cells near another rank";
const BOXES: &str = "the boxes near this rank";

/// Cells that are looked at one by one; and that one thread looks at alone.
const LEAF: usize = 8;
const ALONE: usize = 64;

/// The most times that cells are parted where they are: clouds can be made in which each parting leaves all but one on one side.
const DEEPEST: usize = 64;

/// Points near others. Kept from plan to plan, for its memory.
#[derive(Debug, Default)]
pub struct Shell {
    /// Cell after cell.
    points: Vec<Placed>,
    cells: Vec<Cell>,
    /// One for each thread.
    partings: Vec<Parting>,
}

/// A thread's tools to part points.
#[derive(Debug, Default)]
struct Parting {
    /// Points of a group, and the cell of each.
    keyed: Vec<([i64; 3], Placed)>,
    /// Of all its groups.
    cells: Vec<Cell>,
}

/// Points of a cell.
#[derive(Debug)]
struct Cell {
    tight: Tight,
    /// Their places in the shell.
    points: Range<usize>,
}

/// The data of cells that another rank must know, beside that rank's place among those near.
type Wanted<T> = Vec<(u32, T)>;

/// Cells as large as the cutoff, alike on all ranks.
///
/// If a coordinate is more cells from the origin than an integer counts, cells are larger, and so may a box be: never smaller
/// than its points.
#[derive(Clone, Copy)]
pub struct Mesh {
    per_unit: f64,
}

impl Mesh {
    /// Groups that cells are put into, all the points of a cell into one.
    const GROUPS: usize = 1 << u8::BITS;

    /// Of this edge.
    pub fn new(cutoff: f64) -> Mesh {
        Mesh { per_unit: 1.0 / cutoff }
    }

    fn cell(&self, at: &[f64; 3]) -> [i64; 3] {
        at.map(|c| {
            let scaled = c * self.per_unit;
            let cell = scaled as i64; // towards 0
            cell.saturating_sub(i64::from(scaled < cell as f64))
        })
    }

    /// The group of the cell that a point is in.
    #[inline(always)]
    pub fn group(&self, at: &[f64; 3]) -> u8 {
        // The upper bits of a product with an odd number: cells that follow a pattern spread all the same.
        let mix = |hash: u64, c: i64| (hash ^ c as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (self.cell(at).into_iter().fold(0, mix) >> (u64::BITS - u8::BITS)) as u8
    }
}

impl Shell {
    /// Takes in what was found, in groups of cells.
    pub fn fill(&mut self, found: &[&Sorted], mesh: Mesh, team: &Team) -> Result<()> {
        let total = found.iter().map(|sorted| sorted.points.len()).sum();
        let nowhere = Placed { at: [0.0; 3], point: 0 };
        resize_keeping(&mut self.points, total, nowhere, WHAT)?;
        let (mut rest, mut first, mut groups) = (&mut self.points[..], 0, with_capacity(Mesh::GROUPS, WHAT)?);
        for group in 0..Mesh::GROUPS {
            let len = found.iter().map(|sorted| sorted.of(group).len()).sum();
            let (points, behind) = rest.split_at_mut(len);
            groups.push((group, first, points));
            (rest, first) = (behind, first + len);
        }
        one_each(team, &mut self.partings, WHAT)?;
        self.partings.iter_mut().for_each(|parting| parting.cells.clear());
        let groups = groups.into_iter();
        in_turns(team, &mut self.partings, groups, |parting, (group, first, points)| {
            let mut rest = &mut *points;
            for sorted in found {
                let some = sorted.of(group);
                let (to, behind) = rest.split_at_mut(some.len());
                to.copy_from_slice(some);
                rest = behind;
            }
            parting.part(points, first, mesh, team)
        })?;
        self.cells.clear();
        let cells = self.partings.iter().map(|parting| parting.cells.len()).sum();
        reserve_keeping(&mut self.cells, cells, WHAT)?;
        let partings = self.partings.iter_mut();
        partings.for_each(|parting| self.cells.append(&mut parting.cells));
        Ok(())
    }

    /// For each rank near this one the boxes of the cells within reach of its boxes.
    pub fn region(&mut self, selection: &Selection) -> Result<Vec<Vec<Tight>>> {
        let found = selection.search(&mut self.cells, &|cell, near, wanted| {
            for boxes in near.chunk_by(|a, b| a.near == b.near) {
                push(wanted, (boxes[0].near, cell.tight), CELLS)?;
            }
            Ok(())
        })?;
        by_rank(&found, selection.nears, CELLS)
    }

    /// For each rank near this one the points within reach of its boxes, in no order.
    pub fn wanted(&mut self, selection: &Selection) -> Result<Vec<Vec<u32>>> {
        let (points, reach) = (&self.points, selection.reach);
        let found = selection.search(&mut self.cells, &|cell, near, wanted| {
            for boxes in near.chunk_by(|a, b| a.near == b.near) {
                // Most points are near the nearest and need no look at the others.
                let apart = |foreign: &&Foreign| reach.square_between(&cell.tight, &foreign.tight);
                let nearest = boxes.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)));
                let Some(nearest) = nearest else { continue };
                reserve_keeping(wanted, wanted.len() + cell.points.len(), WHAT)?;
                for placed in &points[cell.points.clone()] {
                    let alone = Tight::of(placed.at);
                    let is_near = |foreign: &Foreign| reach.joins(&alone, &foreign.tight);
                    if is_near(nearest) || boxes.iter().any(is_near) {
                        wanted.push((nearest.near, placed.point));
                    }
                }
            }
            Ok(())
        })?;
        by_rank(&found, selection.nears, WHAT)
    }
}

/// The work of a search on a cell and the boxes within reach of it, of which there may be none.
type Work<'a, T> = dyn Fn(&Cell, &[Foreign], &mut Wanted<T>) -> Result<()> + Sync + 'a;

/// A search of cells for those within reach of `boxes`, which are of `nears` ranks.
pub struct Selection<'a> {
    pub boxes: &'a [Foreign],
    pub nears: usize,
    pub reach: &'a Reach,
    pub team: &'a Team,
}

impl Selection<'_> {
    /// The results of `work` on each cell within reach of some boxes, and those. Cells are brought into another order.
    fn search<T: Send>(&self, cells: &mut [Cell], work: &Work<T>) -> Result<Vec<Wanted<T>>> {
        let mut all = with_capacity(self.boxes.len(), BOXES)?;
        all.extend(0..self.boxes.len() as u32);
        self.parted(cells, all, 0, work)
    }

    /// The same among the boxes that may be `near`, by all threads.
    fn parted<T: Send>(
        &self,
        cells: &mut [Cell],
        mut near: Vec<u32>,
        depth: usize,
        work: &Work<T>,
    ) -> Result<Vec<Wanted<T>>> {
        if cells.len() <= ALONE {
            let mut wanted = Vec::new();
            self.alone(cells, (&mut near, 0), depth, work, &mut wanted)?;
            let mut all = with_capacity(1, WHAT)?;
            all.push(wanted);
            return Ok(all);
        }
        let tight = Tight::joined(cells.iter().map(|cell| &cell.tight));
        near.retain(|&k| self.joins(&tight, k));
        if near.is_empty() {
            return Ok(Vec::new());
        }
        let others = copied(&near, BOXES)?;
        let (front, back) = split(cells, &tight, depth);
        let front = || self.parted(front, near, depth + 1, work);
        let back = || self.parted(back, others, depth + 1, work);
        let (found, more) = both(self.team, front, back);
        let (mut found, mut more) = (found?, more?);
        let len = found.len() + more.len();
        reserve_keeping(&mut found, len, WHAT)?;
        found.append(&mut more);
        Ok(found)
    }

    /// The same by one thread, among the boxes from number `first` in `near` on; after these is room for fewer.
    fn alone<T>(
        &self,
        cells: &mut [Cell],
        (near, first): (&mut Vec<u32>, usize),
        depth: usize,
        work: &Work<T>,
        wanted: &mut Wanted<T>,
    ) -> Result<()> {
        let tight = Tight::joined(cells.iter().map(|cell| &cell.tight));
        let end = near.len();
        for k in first..end {
            if self.joins(&tight, near[k]) {
                push(near, near[k], BOXES)?;
            }
        }
        if near.len() == end {
            return Ok(());
        }
        if cells.len() <= LEAF {
            self.each(cells, &near[end..], work, wanted)?;
        } else {
            let (front, back) = split(cells, &tight, depth);
            self.alone(front, (near, end), depth + 1, work, wanted)?;
            self.alone(back, (near, end), depth + 1, work, wanted)?;
        }
        near.truncate(end);
        Ok(())
    }

    fn each<T>(&self, cells: &[Cell], near: &[u32], work: &Work<T>, wanted: &mut Wanted<T>) -> Result<()> {
        let mut close = with_capacity(near.len(), BOXES)?;
        for cell in cells {
            let near = near.iter().map(|&k| self.boxes[k as usize]);
            close.clear();
            close.extend(near.filter(|foreign| self.reach.joins(&cell.tight, &foreign.tight)));
            work(cell, &close, wanted)?;
        }
        Ok(())
    }

    fn joins(&self, tight: &Tight, number: u32) -> bool {
        self.reach.joins(tight, &self.boxes[number as usize].tight)
    }
}

/// Parts cells that are in a box in two, where they are or, if that does not part them, by their number.
fn split<'a>(cells: &'a mut [Cell], tight: &Tight, depth: usize) -> (&'a mut [Cell], &'a mut [Cell]) {
    let below = match depth < DEEPEST {
        true => blocks::part(cells, tight, |cell, axis| cell.tight.center(axis)),
        false => 0,
    };
    let is_parted = 0 < below && below < cells.len();
    cells.split_at_mut(if is_parted { below } else { cells.len() / 2 })
}

/// The points found for each rank.
fn by_rank<T: Copy>(found: &[Wanted<T>], nears: usize, what: &'static str) -> Result<Vec<Vec<T>>> {
    let mut counts = filled(nears, 0usize, what)?;
    let all = || found.iter().flatten();
    all().for_each(|&(near, _)| counts[near as usize] += 1);
    let mut lists = with_capacity(nears, what)?;
    for &count in &counts {
        lists.push(with_capacity(count, what)?);
    }
    all().for_each(|&(near, item): &(u32, T)| lists[near as usize].push(item));
    Ok(lists)
}

/// The points that a thread found, by group. Kept from plan to plan, for its memory.
#[derive(Debug, Default)]
pub struct Sorted {
    points: Vec<Placed>,
    /// The begin of each group, and the end of the last one.
    starts: Vec<usize>,
}

impl Sorted {
    /// Points with the groups of their cells.
    pub fn fill(&mut self, found: &[(u8, Placed)]) -> Result<()> {
        const COUNT: usize = Mesh::GROUPS;
        self.starts.clear();
        resize_keeping(&mut self.starts, COUNT + 1, 0, WHAT)?;
        found
            .iter()
            .for_each(|&(group, _)| self.starts[usize::from(group) + 1] += 1);
        (0..COUNT).for_each(|group| self.starts[group + 1] += self.starts[group]);
        let nowhere = Placed { at: [0.0; 3], point: 0 };
        resize_keeping(&mut self.points, found.len(), nowhere, WHAT)?;
        let mut ends: [usize; COUNT] = std::array::from_fn(|group| self.starts[group]);
        for &(group, placed) in found {
            let at = &mut ends[usize::from(group)];
            self.points[*at] = placed;
            *at += 1;
        }
        Ok(())
    }

    fn of(&self, group: usize) -> &[Placed] {
        &self.points[self.starts[group]..self.starts[group + 1]]
    }
}

impl Parting {
    /// Brings the points of each cell together, in a group whose first has the place `first` in the shell.
    fn part(&mut self, points: &mut [Placed], first: usize, mesh: Mesh, team: &Team) -> Result<()> {
        let Parting { keyed, cells } = self;
        keyed.clear();
        reserve_keeping(keyed, points.len(), WHAT)?;
        keyed.extend(points.iter().map(|placed| (mesh.cell(&placed.at), *placed)));
        team.sort_by(keyed, |(a, _), (b, _)| a.cmp(b));
        points
            .iter_mut()
            .zip(&*keyed)
            .for_each(|(to, (_, placed))| *to = *placed);
        let mut start = first;
        for same in keyed.chunk_by(|a, b| a.0 == b.0) {
            let tight = Tight::around(same.iter().map(|(_, placed)| &placed.at));
            let points = start..start + same.len();
            start = points.end;
            push(cells, Cell { tight, points }, CELLS)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::BTreeMap;

    /// Points of a cell come together, whichever thread found them; also where cells cannot be told apart.
    #[test]
    fn whole_cells() {
        let mut random = Random(7);
        let mut next = || 2.0 * random.uniform() - 1.0;
        let points: Vec<[f64; 3]> = (0..3000).map(|_| [next(), next(), next()]).collect();
        for scale in [1.0, 1e-140, 1e300] {
            let (mesh, mut cells) = (Mesh::new(0.3), BTreeMap::new());
            let (mut found, mut shell) = ([Vec::new(), Vec::new()], Shell::default());
            for (point, at) in (0..).zip(&points) {
                let at = at.map(|c| c * scale);
                cells.entry(mesh.cell(&at)).or_insert_with(Vec::new).push(point);
                found[point as usize % 2].push((mesh.group(&at), Placed { at, point }));
            }
            let sorted = found.map(|found| {
                let mut sorted = Sorted::default();
                sorted.fill(&found).unwrap();
                sorted
            });
            shell.fill(&sorted.each_ref(), mesh, &Team::caller()).unwrap();
            assert_eq!(shell.points.len(), points.len());
            assert_eq!(shell.cells.len(), cells.len(), "{scale}");
            for cell in &shell.cells {
                let points = &shell.points[cell.points.clone()];
                let mut numbers: Vec<u32> = points.iter().map(|placed| placed.point).collect();
                numbers.sort_unstable();
                assert_eq!(numbers, cells[&mesh.cell(&points[0].at)], "{scale}");
                assert_eq!(cell.tight, Tight::around(points.iter().map(|placed| &placed.at)));
            }
        }
    }
}
