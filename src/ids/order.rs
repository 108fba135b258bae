//! The order in which points with global ids are searched.

use std::ops::Range;

use super::global::{GlobalIds, WHAT};
use crate::error::Result;
use crate::memory::{holds, reserve_discarding};

/// In which order points with global ids are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// All by their ids.
    ById,
    /// All others by their ids, then ghosts by theirs: half rows hold all pairs with ghosts.
    ActiveFirst,
    /// The same where points and ghosts ascend and no ghost belongs between points, so that rows are soon brought into order; otherwise
    /// by their ids.
    InBlocks,
    /// The same, and ghosts with smaller ids than the points take no part: half rows hold those pairs whose ghost has the larger id.
    LargerOnly,
}

/// The order in which points are searched.
#[derive(Debug, Default)]
pub struct Order {
    /// The points in that order, and queries after them; none where they are in it.
    points: Vec<u32>,
    /// The first ghost, where ghosts are after all other points and do not all have larger ids.
    pub(super) first_ghost: Option<usize>,
    /// The ghosts whose ids are smaller than those of all points, where they follow the points and the other ghosts follow them.
    lower: Option<Range<usize>>,
    /// They take no part.
    drops_lower: bool,
    /// Ghosts are after all other points.
    ghosts_behind: bool,
}

holds! { Order { points; first_ghost, lower, drops_lower, ghosts_behind } }

impl Order {
    /// Brings `points` points, and the queries after them, into the order of a search. `are_mixed`: a ghost comes before a point
    /// that is none.
    pub fn make(
        &mut self,
        ids: &GlobalIds,
        [points, queries]: [usize; 2],
        (is_ghost, are_mixed): (impl Fn(usize) -> bool, bool),
        arrangement: Arrangement,
    ) -> Result<()> {
        let order = &mut self.points;
        order.clear();
        (self.first_ghost, self.lower, self.drops_lower) = (None, None, false);
        ids.check(points)?;
        let is_ghost = |&point: &u32| is_ghost(point as usize);
        if !are_mixed && ids.ascend() {
            self.ghosts_behind = true;
            return Ok(());
        }
        if !are_mixed && arrangement != Arrangement::ById {
            // Often both ascend: the others by their ids, and ghosts by theirs.
            let active = partition_point(points, |point| !is_ghost(&(point as u32)));
            let mut ghosts = ids.others.iter().zip(active..);
            if ids.front == active && ghosts.all(|(entry, point)| entry.point as usize == point) {
                let are_among = active > 0 && ids.key(active as u32 - 1) > ids.key(active as u32);
                let lower = lower_ghosts(ids, active).filter(|_| are_among);
                if lower.is_some() || arrangement == Arrangement::ActiveFirst {
                    self.ghosts_behind = true;
                    self.drops_lower = arrangement == Arrangement::LargerOnly;
                    self.first_ghost = Some(active).filter(|_| are_among && !self.drops_lower);
                    self.lower = lower.filter(|_| arrangement != Arrangement::ActiveFirst);
                    return Ok(());
                }
            }
        }
        let is_active_first = arrangement == Arrangement::ActiveFirst;
        self.ghosts_behind = is_active_first || !(0..points as u32).any(|point| is_ghost(&point));
        reserve_discarding(order, points + queries, WHAT)?;
        let each = |action: &mut dyn FnMut(u32)| match ids.are_set() {
            true => ids.by_id(action),
            false => (0..points as u32).for_each(action),
        };
        match arrangement {
            Arrangement::ActiveFirst => {
                each(&mut |point| order.extend((!is_ghost(&point)).then_some(point)));
                let first = order.len();
                each(&mut |point| order.extend(is_ghost(&point).then_some(point)));
                let key = |k: usize| ids.key(order[k]);
                let mixed = 0 < first && first < points && key(first - 1) > key(first);
                self.first_ghost = mixed.then_some(first);
            }
            _ => each(&mut |point| order.push(point)),
        }
        order.extend(points as u32..(points + queries) as u32);
        if order.iter().zip(0..).all(|(&point, k)| point == k) {
            order.clear();
        }
        Ok(())
    }

    /// Whether the points would be in the same order in every [`Arrangement`].
    pub fn suits_all(&self) -> bool {
        self.ghosts_behind && self.first_ghost.is_none() && self.lower.is_none()
    }

    /// The ghosts that belong before all other points of a row, although they are after them; the other ghosts belong after all.
    pub fn lower(&self) -> Option<Range<usize>> {
        self.lower.clone().filter(|_| !self.drops_lower)
    }

    /// The ghosts that take no part.
    pub fn dropped(&self) -> Option<Range<usize>> {
        self.lower.clone().filter(|_| self.drops_lower)
    }

    /// Whether the search is that of the points as they are.
    pub fn is_plain(&self) -> bool {
        self.points.is_empty() && !self.drops_lower
    }

    /// Whether ghosts are after all other points.
    pub fn has_ghosts_behind(&self) -> bool {
        self.ghosts_behind
    }

    /// The points in the order in which they are searched; `None` where that is the one they are in.
    pub fn points(&self) -> Option<&[u32]> {
        Some(&self.points[..]).filter(|order| !order.is_empty())
    }
}

/// The ghosts, those from `active` on, that have smaller ids than all other points, if no ghost's id is between theirs. All ascend.
fn lower_ghosts(ids: &GlobalIds, active: usize) -> Option<Range<usize>> {
    let [first, last] = [0, active.checked_sub(1)?].map(|point| ids.key(point as u32));
    let key = |at: usize| ids.key(ids.others[at].point);
    let lower = partition_point(ids.others.len(), |at| key(at) < first);
    let are_apart = lower == ids.others.len() || key(lower) > last;
    are_apart.then_some(active..active + lower)
}

/// The first of `points` numbers that has not what those before it have.
fn partition_point(points: usize, has: impl Fn(usize) -> bool) -> usize {
    let (mut first, mut end) = (0, points);
    while first < end {
        let middle = first + (end - first) / 2;
        match has(middle) {
            true => first = middle + 1,
            false => end = middle,
        }
    }
    first
}
