//! Points parted into blocks: those that a rank tells all others, and the search for points near the boxes of others.

use crate::boxes::{Reach, Tight};
use crate::error::{Result, reserve};
use crate::points::Placed;

/// Blocks that a rank tells all others, at most.
pub const MOST: usize = 32;

/// Points that are tested one by one.
const LEAF: usize = 16;

fn around(points: &[Placed]) -> Tight {
    Tight::around(points.iter().map(|placed| &placed.at))
}

/// Brings the points below or on the middle of the box's longest edge to the front; returns how many. Both parts have some.
fn part(points: &mut [Placed], tight: &Tight) -> usize {
    let (_, axis) = tight.longest();
    let middle = tight.middle(axis);
    let mut below = 0;
    for k in 0..points.len() {
        if points[k].at[axis] <= middle {
            points.swap(below, k);
            below += 1;
        }
    }
    below
}

/// Boxes around all points, [`MOST`] at the most: the longest is parted again and again.
pub fn outline(points: &mut [Placed], reach: &Reach) -> Vec<Tight> {
    if points.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![(0..points.len(), around(points))];
    while blocks.len() < MOST {
        let edge = |k: usize| blocks[k].1.longest().0;
        let longest = (1..blocks.len()).fold(0, |longest, k| if edge(k) > edge(longest) { k } else { longest });
        if edge(longest) <= reach.distance() {
            break;
        }
        let (range, tight) = blocks.swap_remove(longest);
        let middle = range.start + part(&mut points[range.clone()], &tight);
        for range in [range.start..middle, middle..range.end] {
            let tight = around(&points[range.clone()]);
            blocks.push((range, tight));
        }
    }
    blocks.into_iter().map(|(_, tight)| tight).collect()
}

/// A box of a rank near this one, by its place among those ranks. Boxes of one rank stand together.
#[derive(Clone, Copy, Debug)]
pub struct Foreign {
    pub near: u32,
    pub tight: Tight,
}

/// For each of `nears` ranks the points within reach of one of its boxes, in no order. Points are brought into another one.
pub fn select(points: &mut [Placed], boxes: &[Foreign], nears: usize, reach: &Reach) -> Result<Vec<Vec<Placed>>> {
    let mut selected = vec![Vec::new(); nears];
    let mut work = vec![(0..points.len(), boxes.to_vec())];
    while let Some((range, mut boxes)) = work.pop() {
        let points = &mut points[range.clone()];
        if points.is_empty() {
            continue;
        }
        let tight = around(points);
        boxes.retain(|foreign| reach.joins(&tight, &foreign.tight));
        if boxes.is_empty() {
            continue;
        }
        if points.len() <= LEAF || tight.longest().0 <= 0.5 * reach.distance() {
            select_each(points, &boxes, reach, &mut selected)?;
            continue;
        }
        let middle = range.start + part(points, &tight);
        work.push((middle..range.end, boxes.clone()));
        work.push((range.start..middle, boxes));
    }
    Ok(selected)
}

fn select_each(points: &[Placed], boxes: &[Foreign], reach: &Reach, selected: &mut [Vec<Placed>]) -> Result<()> {
    for group in boxes.chunk_by(|a, b| a.near == b.near) {
        let selected = &mut selected[group[0].near as usize];
        reserve(selected, points.len(), "the points near another rank")?;
        for placed in points {
            let at = Tight::of(placed.at);
            if group.iter().any(|foreign| reach.joins(&at, &foreign.tight)) {
                selected.push(*placed);
            }
        }
    }
    Ok(())
}
