//! Boxes in blocks: the boxes that a rank sends to all other ranks.

use super::boxes::{Reach, Tight};
use crate::error::Result;
use crate::memory::with_capacity;

/// The most blocks that a rank sends to all others.
pub(crate) const MOST: usize = 32;

/// Brings the items whose place is below or on the middle of the box's longest edge to the front; returns how many.
pub fn part<S>(items: &mut [S], tight: &Tight, place: impl Fn(&S, usize) -> f64) -> usize {
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
pub fn outline(tights: &mut [Tight], reach: &Reach) -> Result<Vec<Tight>> {
    const WHAT: &str = "boxes to send";
    let (mut blocks, mut whole) = (with_capacity(MOST, WHAT)?, with_capacity(MOST, WHAT)?);
    if tights.is_empty() {
        return Ok(whole);
    }
    blocks.push((0..tights.len(), Tight::joined(&*tights)));
    while !blocks.is_empty() && blocks.len() + whole.len() < MOST {
        let edge = |k: usize| blocks[k].1.longest().0;
        let longest = (1..blocks.len()).fold(0, |longest, k| if edge(k) > edge(longest) { k } else { longest });
        let is_short = edge(longest) <= reach.distance();
        let (range, tight) = blocks.swap_remove(longest);
        let below = match is_short {
            true => 0,
            false => part(&mut tights[range.clone()], &tight, |tight, axis| tight.center(axis)),
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
    Ok(whole)
}

/// A box of a rank near this one, by its place among those ranks. Boxes of one rank are together.
#[derive(Clone, Copy, Debug)]
pub struct Foreign {
    pub near: u32,
    pub tight: Tight,
}
